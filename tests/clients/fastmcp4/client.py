"""FastMCP, version 4, which supports both eras of the protocol: see `../scenarios.py`."""

import asyncio
import sys
from contextlib import asynccontextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from fastmcp_tasks.client import ToolTask, call_tool_task
from fastmcp_tasks.client_models import ClientCreateTaskResult
from mcp.client.subscriptions import listen
from mcp.types import PromptReference, ResourceTemplateReference, ToolListChangedNotification
from scenarios import TIMEOUT, CallResult, main


def call_result(result):
    return CallResult(result.is_error, result.content[0].text if result.content else "", result.structured_content)


class TaskAdapter:
    def __init__(self, task):
        self.task = task

    async def status(self):
        state = await self.task.status()
        return state.status, state.status_message

    async def questions(self):
        state = await self.task.wait(state="input_required", timeout=TIMEOUT)
        return [request["params"]["message"] for request in state.input_requests.values()]

    async def result(self):
        return call_result(await self.task.result())

    async def cancel(self):
        await self.task.cancel()


class Adapter:
    def __init__(self, client, changed):
        self.client, self.changed = client, changed

    @property
    def version(self):
        return self.client.protocol_version

    async def tools(self):
        return {tool.name: tool.input_schema for tool in await self.client.list_tools()}

    async def call(self, name, arguments, on_progress=None):
        async def progress(done, total, message):
            on_progress(done, total)

        result = await self.client.call_tool(
            name, arguments, progress_handler=progress if on_progress else None, raise_on_error=False
        )
        return call_result(result)

    async def cancel(self, call):
        call.cancel()
        await asyncio.wait([call])

    async def resources(self):
        return [str(resource.uri) for resource in await self.client.list_resources()]

    async def templates(self):
        return [template.uri_template for template in await self.client.list_resource_templates()]

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
        if self.version < "2026-07-28":
            yield self.changed
            return
        async with listen(self.client.session, tools_list_changed=True) as events:

            async def watch():
                async for _ in events:
                    self.changed.set()

            watching = asyncio.create_task(watch())
            yield self.changed
            watching.cancel()

    @property
    def has_tasks(self):
        return self.version >= "2026-07-28"

    async def start(self, name, arguments):
        return TaskAdapter(await call_tool_task(self.client, name, arguments, raise_on_error=False))

    def task(self, id):
        created = ClientCreateTaskResult.model_validate(
            {
                "resultType": "task",
                "taskId": id,
                "status": "working",
                "createdAt": "1970-01-01T00:00:00Z",
                "lastUpdatedAt": "1970-01-01T00:00:00Z",
                "ttlMs": 1,
            }
        )
        return TaskAdapter(ToolTask(self.client, "archive", created))


@asynccontextmanager
async def connect(target, mode):
    changed = asyncio.Event()

    async def message(message):
        if isinstance(message, ToolListChangedNotification):
            changed.set()

    async def answer(message, response_type, params, context):
        return {"name": "attic"}

    if isinstance(target, list):
        target = StdioTransport(command=target[0], args=target[1:], keep_alive=False)
    options = {"mode": mode, "message_handler": message, "elicitation_handler": answer, "timeout": TIMEOUT}
    async with Client(target, **options) as client:
        yield Adapter(client, changed)


if __name__ == "__main__":
    main("fastmcp 4.1.4", {"auto": "2026-07-28", "legacy": "2025-11-25"}, connect)
