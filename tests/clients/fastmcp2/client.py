"""FastMCP, version 2: see `../scenarios.py`."""

import asyncio
import sys
from contextlib import asynccontextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from mcp.types import ProgressNotification, PromptReference, ResourceTemplateReference, ToolListChangedNotification
from scenarios import TIMEOUT, CallResult, main


class Adapter:
    def __init__(self):
        self.client, self.changed, self.progress_token = None, asyncio.Event(), None

    @property
    def version(self):
        return self.client.initialize_result.protocolVersion

    async def message(self, message):
        match getattr(message, "root", None):
            case ToolListChangedNotification():
                self.changed.set()
            case ProgressNotification(params=params):
                self.progress_token = params.progressToken

    async def tools(self):
        return {tool.name: tool.inputSchema for tool in await self.client.list_tools()}

    async def call(self, name, arguments, on_progress=None):
        async def progress(done, total, message):
            on_progress(done, total)

        result = await self.client.call_tool(
            name, arguments, progress_handler=progress if on_progress else None, raise_on_error=False
        )
        return CallResult(result.is_error, result.content[0].text if result.content else "", result.structured_content)

    async def cancel(self, call):
        # Canceling the task does not notify the server: see the note on cancellation in ../README.md. The progress token
        # is the identifier of the request.
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
        self.changed.clear()
        yield self.changed


@asynccontextmanager
async def connect(target, mode):
    adapter = Adapter()
    if isinstance(target, list):
        target = StdioTransport(command=target[0], args=target[1:], keep_alive=False)
    async with Client(target, message_handler=adapter.message, timeout=TIMEOUT) as adapter.client:
        yield adapter


if __name__ == "__main__":
    main("fastmcp 2.14.7", {"legacy": "2025-11-25"}, connect)
