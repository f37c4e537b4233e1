"""The Python SDK of MCP, version 1: see `../scenarios.py`."""

import asyncio
import sys
from contextlib import asynccontextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from scenarios import Answer, main


class Tried:
    def __init__(self, session):
        self.session, self.told = session, asyncio.Event()
        self.version, self.progress_token = "", None

    async def message(self, message):
        match getattr(message, "root", None):
            case types.ToolListChangedNotification():
                self.told.set()
            case types.ProgressNotification(params=params):
                self.progress_token = params.progressToken

    async def tools(self):
        return {tool.name: tool.inputSchema for tool in (await self.session.list_tools()).tools}

    async def call(self, name, arguments, heard=None):
        async def progress(done, total, message):
            heard(done, total)

        result = await self.session.call_tool(name, arguments, progress_callback=progress if heard else None)
        return Answer(result.isError, result.content[0].text if result.content else "", result.structuredContent)

    async def abandon(self, call):
        # Cancelling the task tells the server nothing: see the remark on cancellation in ../README.md. The identifier of
        # the request is the token of its progress.
        while self.progress_token is None:
            await asyncio.sleep(0)
        cancelled = types.CancelledNotificationParams(requestId=self.progress_token)
        await self.session.send_notification(types.ClientNotification(types.CancelledNotification(params=cancelled)))
        call.cancel()
        await asyncio.wait([call])

    async def resources(self):
        return [str(resource.uri) for resource in (await self.session.list_resources()).resources]

    async def templates(self):
        return [template.uriTemplate for template in (await self.session.list_resource_templates()).resourceTemplates]

    async def read(self, uri):
        return (await self.session.read_resource(uri)).contents[0].text

    async def prompts(self):
        listed = (await self.session.list_prompts()).prompts
        return {prompt.name: [argument.name for argument in prompt.arguments] for prompt in listed}

    async def prompt(self, name, arguments):
        return (await self.session.get_prompt(name, arguments)).messages[0].content.text

    async def complete_prompt(self, name, argument, typed):
        return await self._complete(types.PromptReference(type="ref/prompt", name=name), argument, typed)

    async def complete_template(self, uri, variable, typed):
        return await self._complete(types.ResourceTemplateReference(type="ref/resource", uri=uri), variable, typed)

    async def _complete(self, reference, name, typed):
        return (await self.session.complete(reference, {"name": name, "value": typed})).completion.values

    @asynccontextmanager
    async def changes(self):
        self.told.clear()
        yield self.told


@asynccontextmanager
async def connect(target, mode):
    if isinstance(target, list):
        streams = stdio_client(StdioServerParameters(command=target[0], args=target[1:]))
    else:
        streams = streamable_http_client(target)
    async with streams as (reader, writer, *_):
        tried = Tried(None)
        async with ClientSession(reader, writer, message_handler=tried.message) as tried.session:
            tried.version = (await tried.session.initialize()).protocolVersion
            yield tried


if __name__ == "__main__":
    main("mcp 1.30.0", {"legacy": "2025-11-25"}, connect)
