"""Checks the gateway in front of two servers, one with FastMCP and one with the TypeScript SDK.

FastMCP's client connects over stdio and HTTP, and the gateway connects to both servers over stdio and HTTP. The gateway also
runs on the command line.

    check.py GATEWAY NODE
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import traceback
from contextlib import contextmanager
from pathlib import Path

from fastmcp import Client
from fastmcp.client.transports import StdioTransport

HERE = Path(__file__).parent
GATEWAY, NODE = sys.argv[1:3]
NOTES = [sys.executable, str(HERE / "notes.py")]
WORDS = [NODE, str(HERE / "words.mjs")]
TIMEOUT = 60
UNREACHABLE = {"command": "no-such-program-anywhere"}


@contextmanager
def listening(command, where, prefix=""):
    """Starts a program and yields the URL that it prints in a line with `prefix`."""
    pipe = {where: subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipe) as process:
        try:
            for line in getattr(process, where):
                if "http://" in line and prefix in line:
                    yield "http://" + line.split("http://")[1].strip()
                    break
            else:
                raise RuntimeError(f"{command} does not listen")
        finally:
            process.kill()


class Gateway:
    def __init__(self, client):
        self.client, self.reports = client, []

    async def call(self, name, **arguments):
        """Returns whether a call failed, its structured output or its text, and the whole result."""

        async def progress(done, total, message):
            self.reports.append((done, total, message))

        result = await self.client.call_tool(name, arguments, progress_handler=progress, raise_on_error=False)
        text = result.content[0].text if result.content and result.content[0].type == "text" else ""
        return result.is_error, result.structured_content if result.structured_content is not None else text, result

    async def output_of(self, name, **arguments):
        failed, value, _ = await self.call(name, **arguments)
        assert not failed, value
        return value

    async def error_of(self, name, **arguments):
        failed, _, result = await self.call(name, **arguments)
        assert failed, result
        return result.content[0].text

    async def tool(self, server, name, **arguments):
        return await self.output_of("call_tool", server=server, tool_name=name, arguments=arguments)

    async def names(self, **arguments):
        rows, page = [], 1
        while page:
            answer = await self.output_of("list_available_tools", page=page, **arguments)
            rows += [(row["server"], row["tool"]) for row in answer["tools"]]
            page = answer.get("nextPage")
        return rows


async def lists(gateway, _):
    assert [tool.name for tool in await gateway.client.list_tools()] == [
        "list_available_tools",
        "list_tool_details",
        "call_read_only_tool",
        "call_tool",
        "read_result",
    ]
    rows = await gateway.names()
    words = ["count_words", "fail", "learn", "quit", "spell"]
    notes = ["add_note", "environment", "find_note", "list_notes", "quit", "read_aloud", "sketch"]
    assert rows == [("words", name) for name in words] + [("notes", name) for name in notes], rows
    first = await gateway.output_of("list_available_tools")
    assert [absent["server"] for absent in first["unavailable"]] == ["dead"], first
    assert "server `dead` is down" in first["unavailable"][0]["reason"], first
    assert await gateway.names(filter_by_server="notes") == [("notes", name) for name in notes]
    assert (await gateway.names(search="count words"))[0] == ("words", "count_words")
    detailed = await gateway.output_of("list_available_tools", filter_by_server="words", detailed=True)
    assert detailed["tools"][0]["inputSchema"]["required"] == ["text"], detailed


async def details(gateway, _):
    shown = await gateway.output_of("list_tool_details", server="notes", tool_name="add_note")
    assert shown["name"] == "add_note" and shown["server"] == "notes", shown
    assert shown["description"] == "Adds a note, and tells how many there are.", shown
    assert shown["inputSchema"]["properties"]["urgent"]["default"] is False, shown


async def calls(gateway, _):
    assert await gateway.tool("words", "count_words", text="one two three") == {"words": 3}
    before = (await gateway.tool("notes", "list_notes"))["result"]
    assert "buy milk" in before, before
    assert await gateway.tool("notes", "add_note", text="rest", urgent=True) == {"result": len(before) + 1}
    assert (await gateway.tool("notes", "list_notes"))["result"][-1] == "rest!"
    _, _, sketch = await gateway.call("call_tool", server="notes", tool_name="sketch", arguments={})
    assert sketch.content[0].type == "image" and sketch.content[0].data == "iVBORw==", sketch


async def reports(gateway, _):
    for server, name, arguments, expected in [
        ("words", "spell", {"word": "rain"}, [(1, 4, "r"), (2, 4, "a"), (3, 4, "i"), (4, 4, "n")]),
        ("notes", "read_aloud", {}, [(0, 100, "line 0"), (25, 100, "line 1"), (50, 100, "line 2"), (75, 100, "line 3")]),
    ]:
        gateway.reports.clear()
        await gateway.tool(server, name, **arguments)
        received = [(done, total, message) for done, total, message in gateway.reports]
        # The client handles each report in a separate task, which may run late.
        assert set(received) <= set(expected) and len(received) >= 3, received


async def failures(gateway, _):
    text = await gateway.error_of("call_tool", server="words", tool_name="fail", arguments={})
    assert text == "the dictionary is closed", text
    text = await gateway.error_of("call_tool", server="notes", tool_name="find_note", arguments={"text": "rain"})
    assert text == "there is no note about rain", text
    text = await gateway.error_of("call_tool", server="word", tool_name="fail")
    assert text.startswith("there is no server `word`; there is one with a similar name: `words`"), text
    assert "the servers are `words`, `dead`, `notes`" in text, text
    text = await gateway.error_of("list_tool_details", server="words", tool_name="cuont_words")
    assert "there is one with a similar name: `count_words`" in text, text
    text = await gateway.error_of("call_tool", server="dead", tool_name="any")
    assert text.startswith("server `dead` is down: it cannot be started"), text
    text = await gateway.error_of("call_tool", server="notes", tool_name="add_note", arguments={"txt": "x"})
    assert "/text: missing required input" in text, text


async def changes(gateway, _):
    assert await gateway.tool("words", "learn") == "learnt"
    # The gateway is notified, and lists the tool from then on.
    async with asyncio.timeout(TIMEOUT):
        while ("words", "greet") not in await gateway.names(filter_by_server="words"):
            pass
    assert await gateway.tool("words", "greet") == "hello"


async def exits(gateway, over):
    for server in ["words", "notes"]:
        text = await gateway.error_of("call_tool", server=server, tool_name="quit", arguments={})
        assert f"server `{server}`" in text, text
        if over == "stdio":
            assert "its process ended with exit status 5" in text, text
            other = "notes" if server == "words" else "words"
            assert await gateway.names(filter_by_server=other), "the other server is not listed"
            # The tools of the ended server return.
            assert (await gateway.names(filter_by_server=server))[0][0] == server
    if over == "stdio":
        assert await gateway.tool("words", "count_words", text="again") == {"words": 1}
        assert (await gateway.tool("notes", "list_notes"))["result"] == ["buy milk"]
        return
    # The gateway cannot restart these servers: it reports them and keeps running.
    async with asyncio.timeout(TIMEOUT):
        while True:
            page = await gateway.output_of("list_available_tools")
            if page["tools"] == [] and len(page["unavailable"]) == 3:
                break


async def environment(gateway, over):
    names = (await gateway.tool("notes", "environment"))["result"]
    if over == "stdio":
        assert "PATH" in names and "GATEWAY_CONFIG" not in names and "GATEWAY_SECRET" not in names, names


CHECKS = [lists, details, calls, reports, failures, environment, changes, exits]


async def run_checks(name, target, over):
    async with Client(target, timeout=TIMEOUT) as client:
        gateway = Gateway(client)
        for check in CHECKS:
            await report(f"{name}: {check.__name__}", check(gateway, over))


async def report(name, check):
    try:
        await asyncio.wait_for(check, 2 * TIMEOUT)
        print(f"{name} ... ok", flush=True)
    except Exception:
        print(f"{name} ... FAILED\n{traceback.format_exc()}", flush=True)


def configure(folder, servers):
    path = Path(folder) / "gateway.json"
    path.write_text(json.dumps({"mcpServers": servers}))
    os.environ["GATEWAY_CONFIG"] = str(path)


async def command_line():
    """Checks the tools of the servers on the command line."""

    def run(*arguments, code=0):
        ran = subprocess.run([GATEWAY, *arguments], capture_output=True, text=True, timeout=TIMEOUT)
        assert ran.returncode == code, ran
        return ran

    all_servers = run("list", "--format", "json")
    assert "provider `dead`: it is down: it cannot be started" in all_servers.stderr, all_servers
    listed = json.loads(all_servers.stdout)
    names = {row["name"]: row["operation"] for row in listed}
    assert names["words__count_words"] == "read" and names["notes__add_note"] == "write", names
    assert not [name for name in names if name.startswith("dead")], names
    found = json.loads(run("search", "count the words", "--format", "json").stdout)
    assert found[0]["name"] == "words__count_words", found
    info = json.loads(run("info", "notes__add_note", "--format", "json").stdout)
    assert info["inputs"][0]["name"] == "text", info
    counted = json.loads(run("run", "words__count_words", "text=one two", "--format", "json").stdout)
    assert counted["success"] and counted["output"] == {"words": 2}, counted
    failed = run("run", "words__fail", code=1)
    assert failed.stderr.strip().endswith("the dictionary is closed"), failed
    # Only the server of the tool is asked.
    assert "dead" not in failed.stderr, failed
    os.environ["ABSTRACT_PROXY_SERVERS"] = "wrods"
    wrong = run("list", code=1)
    assert "there is no server `wrods`; there is one with a similar name: `words`" in wrong.stderr, wrong
    os.environ["ABSTRACT_PROXY_SERVERS"] = "words,dead,notes"


async def main():
    os.environ["ABSTRACT_PROXY_SERVERS"] = "words,dead,notes"
    os.environ["GATEWAY_SECRET"] = "0b7c5f1e9d2a"
    results = tempfile.mkdtemp()
    os.environ["GATEWAY_RESULTS"] = results
    by_program = {
        "notes": {"command": NOTES[0], "args": NOTES[1:]},
        "words": {"command": WORDS[0], "args": WORDS[1:]},
        "dead": UNREACHABLE,
    }
    with tempfile.TemporaryDirectory() as folder:
        configure(folder, by_program)
        await report("command line", command_line())
        transport = StdioTransport(command=GATEWAY, args=["serve", "mcp"], env=dict(os.environ), keep_alive=False)
        await run_checks("stdio to stdio", transport, "stdio")
        serve = [GATEWAY, "serve", "mcp", "--addr", "127.0.0.1:0"]
        with listening(serve, "stderr", "listening on") as address:
            await run_checks("HTTP to stdio", address + "/mcp", "stdio")
        with listening([*NOTES, "--http"], "stdout") as notes:
            with listening([*WORDS, "--http"], "stdout") as words:
                configure(folder, {"notes": {"url": notes}, "words": {"url": words}, "dead": UNREACHABLE})
                transport = StdioTransport(
                    command=GATEWAY, args=["serve", "mcp"], env=dict(os.environ), keep_alive=False
                )
                await run_checks("stdio to HTTP", transport, "HTTP")


asyncio.run(main())
