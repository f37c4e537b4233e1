"""The scenarios that every Python client runs against `tests/fixtures/clients`.

The module of a client implements `TestClient`, and calls `main` with its name, its modes and a function that connects.

    python mcp2/client.py PROGRAM ENDPOINT

prints one line for each cell of the table, `CLIENT, MODE over TRANSPORT: COLUMN ... ok`, and exits with 1 if one failed.
`PROGRAM` is the fixture, which the client starts itself over stdio; `ENDPOINT` is the URL of a running one.
`typescript/client.mjs` runs the same scenarios.
"""

from __future__ import annotations

import asyncio
import os
import sys
import traceback
import uuid
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Protocol

# Requests to these local servers must not go through a proxy.
os.environ["NO_PROXY"] = os.environ["no_proxy"] = "127.0.0.1"

#: The time limit of each scenario in seconds.
TIMEOUT = 30


@dataclass
class CallResult:
    """The result of a call."""

    failed: bool
    text: str
    structured: Any


class TestTask(Protocol):
    """A task of a client."""

    async def status(self) -> tuple[str, str | None]:
        """Returns the state and its message."""

    async def questions(self) -> list[str]:
        """Waits until the task asks, and returns the messages of its questions."""

    async def result(self) -> CallResult:
        """Waits for the result. Questions are answered with `{"name": "attic"}`."""

    async def cancel(self) -> None: ...


class TestClient(Protocol):
    """A connected client."""

    @property
    def version(self) -> str: ...

    async def tools(self) -> dict[str, dict]:
        """Returns the input schemas by tool name."""

    async def call(self, name: str, arguments: dict, on_progress: Callable[[float, float], None] | None = None) -> CallResult: ...

    async def cancel(self, call: asyncio.Task) -> None:
        """Cancels a call that has reported progress once."""

    async def resources(self) -> list[str]: ...

    async def templates(self) -> list[str]: ...

    async def read(self, uri: str) -> str: ...

    async def prompts(self) -> dict[str, list[str]]:
        """Returns the argument names by prompt name."""

    async def prompt(self, name: str, arguments: dict[str, str]) -> str: ...

    async def complete_prompt(self, name: str, argument: str, typed: str) -> list[str]: ...

    async def complete_template(self, uri: str, variable: str, typed: str) -> list[str]: ...

    def changes(self) -> AbstractAsyncContextManager[asyncio.Event]:
        """Returns an event that is set when the client is notified of a changed tool list."""

    @property
    def has_tasks(self) -> bool:
        """Returns `True` if the connection has tasks. Without it, the other methods for tasks are missing."""

    async def start(self, name: str, arguments: dict) -> TestTask:
        """Calls a tool that runs as a task, and does not wait for its result."""

    def task(self, id: str) -> TestTask: ...


def equal(found: Any, expected: Any) -> None:
    assert found == expected, f"\n   found: {found!r}\nexpected: {expected!r}"


async def assert_error(request: Awaitable[Any], why: str) -> None:
    """Asserts that the client raises an exception whose text contains `why`."""
    try:
        answer = await request
    except Exception as error:
        assert why in str(error).lower(), repr(error)
    else:
        raise AssertionError(f"answered: {answer!r}")


async def list_(client: TestClient) -> None:
    tools = await client.tools()
    names = ["add", "archive", "change", "chatter", "colour", "colours", "count", "dropped", "explode", "purge", "release", "rename", "wait", "write"]
    equal(list(tools), names)
    equal((tools["add"]["required"], tools["add"]["additionalProperties"]), (["a"], False))


async def call(client: TestClient) -> None:
    answer = await client.call("add", {"a": 2, "b": 3})
    equal((answer.failed, answer.structured), (False, {"sum": 5, "of": [2, 3]}))
    equal(answer.text, '{"sum":5,"of":[2,3]}')
    equal((await client.call("add", {"a": 9007199254740993})).structured["sum"], 9007199254740998)


async def invalid(client: TestClient) -> None:
    answer = await client.call("add", {"a": "two", "c": 3})
    assert answer.failed, answer
    assert "integer" in answer.text and "unknown input" in answer.text, answer
    await assert_error(client.call("nothing", {}), "not found")


async def failing(client: TestClient) -> None:
    answer = await client.call("purge", {})
    equal((answer.failed, answer.text), (True, "the archive is locked"))


async def panic(client: TestClient) -> None:
    answer = await client.call("explode", {})
    assert answer.failed and answer.text.startswith("internal error (call "), answer
    assert "secret" not in answer.text, answer


async def resources(client: TestClient) -> None:
    equal(await client.resources(), ["fixture://tools", "fixture://colours"])
    equal(await client.read("fixture://colours"), '["red","green","grey"]')
    await assert_error(client.read("fixture://nothing"), "not found")


async def templates(client: TestClient) -> None:
    equal(await client.templates(), ["fixture://tool/{name}", "fixture://colour/{name}"])
    equal(await client.read("fixture://colour/green"), "the colour green")
    assert '"name":"add"' in await client.read("fixture://tool/add")


async def prompts(client: TestClient) -> None:
    equal(await client.prompts(), {"describe": ["colour", "words"]})
    text = await client.prompt("describe", {"colour": "grey", "words": "7"})
    equal(text, "Describe grey in at most 7 words.")
    await assert_error(client.prompt("describe", {}), "colour")


async def completion(client: TestClient) -> None:
    equal(await client.complete_prompt("describe", "colour", "gr"), ["green", "grey"])
    equal(await client.complete_template("fixture://colour/{name}", "name", "r"), ["red"])


async def progress(client: TestClient) -> None:
    reports, last, key = [], asyncio.Event(), uuid.uuid4().hex

    def on_progress(done: float, total: float) -> None:
        reports.append((done, total))
        if done == total:
            last.set()

    counting = asyncio.create_task(client.call("count", {"to": 5, "key": key}, on_progress))
    await last.wait()
    await client.call("release", {"key": key})
    equal((await counting).structured, {"result": 5})
    equal(reports, [(n, 5) for n in range(1, 6)])


async def cancellation(client: TestClient) -> None:
    started, key = asyncio.Event(), uuid.uuid4().hex
    waiting = asyncio.create_task(client.call("wait", {"key": key}, lambda done, total: started.set()))
    await started.wait()
    await client.cancel(waiting)
    # The tool reports that its future was dropped.
    equal((await client.call("dropped", {"key": key})).text, key)


async def changes(client: TestClient) -> None:
    async with client.changes() as changed:
        await client.call("change", {})
        await changed.wait()


async def stdout(client: TestClient) -> None:
    answer = await client.call("chatter", {})
    equal((answer.failed, answer.text), (False, "printed"))
    # Printed text does not precede or replace the next response.
    equal((await client.call("add", {"a": 1})).structured, {"sum": 6, "of": [1, 5]})


async def begun(client: TestClient, arguments: dict) -> TestTask:
    """Starts a task of `archive`, and waits until its function runs."""
    task = await client.start("archive", arguments)
    while (state := await task.status()) != ("working", "archiving"):
        equal(state, ("working", None))
    return task


async def tasks(client: TestClient) -> None:
    key = uuid.uuid4().hex
    task = await begun(client, {"pages": 3, "key": key})
    await client.call("release", {"key": key})
    answer = await task.result()
    equal((answer.failed, answer.text, answer.structured), (False, '{"result":3}', {"result": 3}))
    equal(await task.status(), ("completed", None))

    failing = await client.start("archive", {"pages": 0, "key": key})
    answer = await failing.result()
    equal((answer.failed, answer.text), (True, "there are no pages"))
    equal(await failing.status(), ("completed", "there are no pages"))

    canceled = await begun(client, {"pages": 3, "key": uuid.uuid4().hex})
    await canceled.cancel()
    while (state := await canceled.status())[0] != "cancelled":
        equal(state, ("working", "archiving"))

    asking = await client.start("rename", {})
    equal(await asking.questions(), ["What is the new name?"])
    equal((await asking.result()).text, "renamed to attic")

    await assert_error(client.task("0" * 32).status(), "no such task")
    await assert_error(client.task("0" * 32).cancel(), "no such task")


SCENARIOS: list[tuple[str, Callable[[TestClient], Awaitable[None]]]] = [
    ("list", list_),
    ("call", call),
    ("invalid", invalid),
    ("failing", failing),
    ("panic", panic),
    ("resources", resources),
    ("templates", templates),
    ("prompts", prompts),
    ("completion", completion),
    ("progress", progress),
    ("cancellation", cancellation),
    ("changes", changes),
    ("stdout", stdout),
    ("tasks", tasks),
]

Connect = Callable[[str | list[str], str], AbstractAsyncContextManager[TestClient]]


async def run_row(row: str, connection: AbstractAsyncContextManager[TestClient], version: str) -> bool:
    """Runs every scenario over one connection, which is one row of the table."""
    passed = []
    async with connection as client:
        equal(client.version, version)
        for column, scenario in SCENARIOS:
            if column == "tasks" and not getattr(client, "has_tasks", False):
                continue
            try:
                async with asyncio.timeout(TIMEOUT):
                    await scenario(client)
            except Exception:
                print(f"{row}: {column} ... FAILED\n{traceback.format_exc()}", flush=True)
                passed.append(False)
            else:
                print(f"{row}: {column} ... ok", flush=True)
                passed.append(True)
    return all(passed)


def main(name: str, modes: dict[str, str], connect: Connect) -> None:
    """Runs all scenarios over both transports in each mode. `modes` maps a mode to the negotiated version."""
    program, endpoint = sys.argv[1:]
    targets = {"stdio": [program, "serve", "mcp"], "http": endpoint}

    async def run_all() -> bool:
        passed = [
            await run_row(f"{name}, {mode} over {transport}", connect(target, mode), version)
            for mode, version in modes.items()
            for transport, target in targets.items()
        ]
        return all(passed)

    sys.exit(0 if asyncio.run(run_all()) else 1)
