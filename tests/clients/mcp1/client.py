"""The Python SDK of MCP, version 1: see `../scenarios.py`."""

import asyncio
import sys
from contextlib import asynccontextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from scenarios import CallResult, main


class Adapter:
    def __init__(self, session):
        self.session, self.changed = session, asyncio.Event()
        self.version, self.progress_token = "", None

    async def message(self, message):
        match getattr(message, "root", None):
            case types.ToolListChangedNotification():
                self.changed.set()
            case types.ProgressNotification(params=params):
                self.progress_token = params.progressToken

    async def tools(self):
        return {tool.name: tool.inputSchema for tool in (await self.session.list_tools()).tools}

    async def call(self, name, arguments, on_progress=None):
        async def progress(done, total, message):
            on_progress(done, total)

        result = await self.session.call_tool(name, arguments, progress_callback=progress if on_progress else None)
        return CallResult(result.isError, result.content[0].text if result.content else "", result.structuredContent)

    async def cancel(self, call):
        # Canceling the task does not notify the server: see the note on cancellation in ../README.md. The progress token
        # is the identifier of the request.
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
        self.changed.clear()
        yield self.changed


@asynccontextmanager
async def connect(target, mode):
    if isinstance(target, list):
        streams = stdio_client(StdioServerParameters(command=target[0], args=target[1:]))
    else:
        streams = streamable_http_client(target)
    async with streams as (reader, writer, *_):
        adapter = Adapter(None)
        async with ClientSession(reader, writer, message_handler=adapter.message) as adapter.session:
            adapter.version = (await adapter.session.initialize()).protocolVersion
            yield adapter


if __name__ == "__main__":
    main("mcp 1.30.0", {"legacy": "2025-11-25"}, connect)
