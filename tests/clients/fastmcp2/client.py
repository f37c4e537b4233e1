"""FastMCP, version 2: see `../scenarios.py`."""

import asyncio
import sys
from contextlib import asynccontextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from mcp.types import ProgressNotification, PromptReference, ResourceTemplateReference, ToolListChangedNotification
from scenarios import PATIENCE, Answer, main


class Tried:
    def __init__(self):
        self.client, self.told, self.progress_token = None, asyncio.Event(), None

    @property
    def version(self):
        return self.client.initialize_result.protocolVersion

    async def message(self, message):
        match getattr(message, "root", None):
            case ToolListChangedNotification():
                self.told.set()
            case ProgressNotification(params=params):
                self.progress_token = params.progressToken

    async def tools(self):
        return {tool.name: tool.inputSchema for tool in await self.client.list_tools()}

    async def call(self, name, arguments, heard=None):
        async def progress(done, total, message):
            heard(done, total)

        result = await self.client.call_tool(
            name, arguments, progress_handler=progress if heard else None, raise_on_error=False
        )
        return Answer(result.is_error, result.content[0].text if result.content else "", result.structured_content)

    async def abandon(self, call):
        # Cancelling the task tells the server nothing: see the remark on cancellation in ../README.md. The identifier of
        # the request is the token of its progress.
        while self.progress_token is None:
            await asyncio.sleep(0)
        await self.client.cancel(self.progress_token)
        call.cancel()
        await asyncio.wait([call])

    async def resources(self):
        return [str(resource.uri) for resource in await self.client.list_resources()]

    async def templates(self):
        return [template.uriTemplate for template in await self.client.list_resource_templates()]

    async def read(self, uri):
        return (await self.client.read_resource(uri))[0].text

    async def prompts(self):
        listed = await self.client.list_prompts()
        return {prompt.name: [argument.name for argument in prompt.arguments] for prompt in listed}

    async def prompt(self, name, arguments):
        return (await self.client.get_prompt(name, arguments)).messages[0].content.text

    async def complete_prompt(self, name, argument, typed):
        return await self._complete(PromptReference(type="ref/prompt", name=name), argument, typed)

    async def complete_template(self, uri, variable, typed):
        return await self._complete(ResourceTemplateReference(type="ref/resource", uri=uri), variable, typed)

    async def _complete(self, reference, name, typed):
        return (await self.client.complete(reference, {"name": name, "value": typed})).values

    @asynccontextmanager
    async def changes(self):
        self.told.clear()
        yield self.told


@asynccontextmanager
async def connect(target, mode):
    tried = Tried()
    if isinstance(target, list):
        target = StdioTransport(command=target[0], args=target[1:], keep_alive=False)
    async with Client(target, message_handler=tried.message, timeout=PATIENCE) as tried.client:
        yield tried


if __name__ == "__main__":
    main("fastmcp 2.14.7", {"legacy": "2025-11-25"}, connect)
