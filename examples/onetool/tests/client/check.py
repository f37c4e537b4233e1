"""Tests every scenario of OneTool's specification over stdio and HTTP.

The client is the Python SDK of MCP, which supports both eras of the protocol.

    python check.py PROGRAM

prints one line for each check, which ends with `... ok` or `... FAILED`, and exits with 1 if one failed. `PROGRAM` is the path
of the example's binary.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from subprocess import PIPE, Popen
from typing import Any

# Requests to these local servers must not go through a proxy.
os.environ["NO_PROXY"] = os.environ["no_proxy"] = "127.0.0.1"

from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client

#: The time limit of each scenario in seconds.
TIMEOUT = 60

#: The two eras of the protocol.
MODES = ("2026-07-28", "legacy")

#: The variables of a server without tools.
EMPTY = {"ONETOOL_TOOLS": ""}

Scenario = Callable[[Client], Awaitable[None]]


def equal(found: Any, expected: Any) -> None:
    assert found == expected, f"\n   found: {found!r}\nexpected: {expected!r}"


async def text_of(client: Client, uri: str) -> str:
    """Returns the JSON text of a resource."""
    [contents] = (await client.read_resource(uri)).contents
    equal((str(contents.uri), contents.mime_type), (uri, "application/json"))
    return contents.text


async def error_of(request: Awaitable[Any]) -> MCPError:
    """Returns the protocol error of a request that must fail."""
    try:
        answer = await request
    except MCPError as error:
        return error
    raise AssertionError(f"answered: {answer!r}")


async def block_of(client: Client, prompt: str, arguments: dict[str, str]) -> str:
    """Returns the code block of a prompt."""
    [message] = (await client.get_prompt(prompt, arguments)).messages
    equal((message.role, message.content.type), ("user", "text"))
    return message.content.text


async def value_of(client: Client, block: str) -> Any:
    """Runs a code block and returns its result."""
    result = await client.call_tool("run", {"command": block})
    assert not result.is_error, result.content
    # The text contains the same JSON as the structured content.
    equal(json.loads(result.content[0].text), result.structured_content)
    return result.structured_content["result"]


# Requirement: Tool Registry Resource


async def list_all_tools(client: Client) -> None:
    tools = json.loads(await text_of(client, "onetool://tools"))
    equal([tool["name"] for tool in tools], ["brave_web_search", "explain_blocks", "run", "web_fetch"])
    equal([set(tool) for tool in tools], [{"name", "signature", "description", "operation"}] * 4)
    signature = 'brave_web_search(query: string, count: integer = 5)'
    assert tools[0]["signature"].startswith(signature), tools[0]
    listed = (await client.list_resources()).resources
    assert "onetool://tools" in [str(resource.uri) for resource in listed], listed


async def empty_registry(client: Client) -> None:
    equal(await text_of(client, "onetool://tools"), "[]")


# Requirement: Individual Tool Resource


async def get_tool_details(client: Client) -> None:
    details = json.loads(await text_of(client, "onetool://tool/brave_web_search"))
    equal(details["name"], "brave_web_search")
    assert details["signature"].startswith("brave_web_search(query: string, count: integer = 5) -> "), details
    assert details["description"].startswith("Searches the web"), details
    equal([(arg["name"], arg["type"], arg["required"]) for arg in details["args"]], [("query", "string", True), ("count", "integer", False)])
    equal(details["args"][1]["default"], 5)
    # These examples are in the prompts file.
    examples = json.dumps(details["examples"])
    assert 'brave_web_search(query = \\"borrow checker\\", count = 3)' in examples, examples
    assert "weather in Seattle" in examples, examples
    templates = (await client.list_resource_templates()).resource_templates
    assert "onetool://tool/{name}" in [template.uri_template for template in templates], templates


async def tool_not_found(client: Client) -> None:
    error = await error_of(client.read_resource("onetool://tool/nonexistent"))
    # Each era uses a different error code.
    equal(error.error.code, -32602 if client.protocol_version == MODES[0] else -32002)
    assert "not found" in error.error.message.lower(), error
    equal(error.error.data["uri"], "onetool://tool/nonexistent")


# Requirement: Batch Search Prompt


async def generate_batch_search_code(client: Client) -> None:
    block = await block_of(client, "batch_search", {"topics": '["AI", "ML"]', "count": "5"})
    lines = block.split("\n")
    equal((lines[:2], lines[-1]), (["__onetool__run", "```python"], "```"))
    assert "    results[topic] = brave_web_search(query=topic, count=5)" in lines, block
    assert 'for topic in ["AI", "ML"]:' in lines, block
    found = await value_of(client, block)
    equal(list(found), ["AI", "ML"])
    equal(found["AI"][0]["title"], "Artificial intelligence")
    equal(found["ML"][0]["title"], "Machine learning")


async def prompt_parameter_validation(client: Client) -> None:
    error = await error_of(client.get_prompt("batch_search", {"count": "5"}))
    equal(error.error.code, -32602)
    assert "topics" in error.error.message + json.dumps(error.error.data), error
    [prompt] = [prompt for prompt in (await client.list_prompts()).prompts if prompt.name == "batch_search"]
    equal([(argument.name, bool(argument.required)) for argument in prompt.arguments], [("topics", True), ("count", False)])


# Requirement: Transform Data Prompt


async def generate_transform_code(client: Client) -> None:
    arguments = {"urls": '["https://example.com"]', "instruction": "Extract titles"}
    lines = (await block_of(client, "transform_data", arguments)).split("\n")
    equal((lines[:2], lines[-1]), (["__onetool__run", "```python"], "```"))
    assert "# Extract titles" in lines, lines
    assert 'for url in ["https://example.com"]:' in lines, lines
    assert "    pages[url] = web_fetch(url=url)" in lines, lines


async def transform_code_runs(client: Client) -> None:
    [hit] = await value_of(client, "brave_web_search(query='föhn', count=1)")
    arguments = {"urls": json.dumps([hit["url"]]), "instruction": "Extract titles\n```\nfail('out of its comment')"}
    pages = await value_of(client, await block_of(client, "transform_data", arguments))
    equal(list(pages), [hit["url"]])
    assert pages[hit["url"]]["text"].startswith("# Zürich\n"), pages


# Requirement: Run Tool Annotations


async def open_world_hint(client: Client) -> None:
    [run] = [tool for tool in (await client.list_tools()).tools if tool.name == "run"]
    hints = run.annotations
    equal((hints.open_world_hint, hints.read_only_hint, hints.destructive_hint), (True, None, False))


async def client_uses_annotations(client: Client) -> None:
    """Acts as a client that requires confirmation for each open-world tool, once per tool."""
    confirmed: list[str] = []
    allowed: set[str] = set()
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    for name, arguments in [("run", {"command": "1"}), ("explain_blocks", {}), ("run", {"command": "2"})]:
        if tools[name].annotations.open_world_hint and name not in allowed:
            confirmed.append(name)
            allowed.add(name)
        result = await client.call_tool(name, arguments)
        assert not result.is_error, result.content
    equal(confirmed, ["run"])


# Beyond the specification


async def failing_line_is_reported(client: Client) -> None:
    block = "__onetool__run\n```python\nhits = brave_web_search(query='tcp')\nweb_fetch(url='http://169.254.169.254/')\n```"
    result = await client.call_tool("run", {"command": block})
    assert result.is_error, result
    assert result.content[0].text.startswith("line 4: `web_fetch` failed: fetching from `http://169.254.169.254`"), result


async def tool_without_inputs_is_a_resource(client: Client) -> None:
    equal(json.loads(await text_of(client, "onetool://explain_blocks"))["marker"], "__onetool__run")


SCENARIOS: list[tuple[str, dict[str, str], Scenario]] = [
    ("list all tools", {}, list_all_tools),
    ("empty registry", EMPTY, empty_registry),
    ("get tool details", {}, get_tool_details),
    ("tool not found", {}, tool_not_found),
    ("generate batch search code", {}, generate_batch_search_code),
    ("prompt parameter validation", {}, prompt_parameter_validation),
    ("generate transform code", {}, generate_transform_code),
    ("transform code runs", {}, transform_code_runs),
    ("open world hint", {}, open_world_hint),
    ("client uses annotations", {}, client_uses_annotations),
    ("failing line is reported", {}, failing_line_is_reported),
    ("tool without inputs is a resource", {}, tool_without_inputs_is_a_resource),
]


@contextmanager
def served(program: str, variables: dict[str, str]) -> Iterator[str]:
    """Starts a server on a free port and yields the endpoint that it prints first."""
    command = [program, "serve", "mcp", "--addr", "127.0.0.1:0"]
    with Popen(command, stderr=PIPE, text=True, env={**os.environ, **variables}) as server:
        try:
            line = server.stderr.readline()
            assert line.startswith("listening on "), line
            yield line.removeprefix("listening on ").strip() + "/mcp"
        finally:
            server.terminate()


@asynccontextmanager
async def connected(target: Any, mode: str) -> AsyncIterator[Client]:
    async with Client(target, mode=mode, read_timeout_seconds=TIMEOUT, cache=None) as client:
        yield client


async def fault_of(scenario: Scenario, target: Any, mode: str) -> str | None:
    """Returns the traceback of a failed scenario, or `None` if it passes."""
    try:
        async with asyncio.timeout(TIMEOUT), connected(target, mode) as client:
            await scenario(client)
    except Exception:
        return traceback.format_exc()
    return None


async def main(program: str) -> int:
    passed = []
    with served(program, {}) as full, served(program, EMPTY) as empty:
        for name, variables, scenario in SCENARIOS:
            stdio = StdioServerParameters(command=program, args=["serve", "mcp"], env={**os.environ, **variables})
            targets = {"stdio": lambda: stdio_client(stdio), "http": lambda: empty if variables else full}
            for transport, target in targets.items():
                for mode in MODES:
                    fault = await fault_of(scenario, target(), mode)
                    passed.append(fault is None)
                    line = f"{name}, {mode} over {transport}"
                    print(f"{line} ... ok" if fault is None else f"{line} ... FAILED\n{fault}", flush=True)
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1])))
