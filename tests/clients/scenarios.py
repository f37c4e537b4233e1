"""What every client in Python tries against `tests/fixtures/clients`, in the words of none of them.

A client is a module that calls `main` with its name, its modes, and how to connect; what it connects to is a `Tried`.

    python mcp2/client.py PROGRAM ENDPOINT

prints a line a cell of the table, `CLIENT, MODE over TRANSPORT: COLUMN ... ok`, and exits with 1 when one failed. `PROGRAM` is
the fixture, which the client starts itself over stdio; `ENDPOINT` is where it listens. `typescript/client.mjs` tries the same.
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

# The servers of these scripts are no business of a proxy.
os.environ["NO_PROXY"] = os.environ["no_proxy"] = "127.0.0.1"

#: Longer than anything takes.
PATIENCE = 30


@dataclass
class Answer:
    """What a call came to."""

    failed: bool
    text: str
    structured: Any


class Tried(Protocol):
    """A connected client."""

    @property
    def version(self) -> str: ...

    async def tools(self) -> dict[str, dict]:
        """The schemas of the inputs, by name."""

    async def call(self, name: str, arguments: dict, heard: Callable[[float, float], None] | None = None) -> Answer: ...

    async def abandon(self, call: asyncio.Task) -> None:
        """Takes back a call that has reported once."""

    async def resources(self) -> list[str]: ...

    async def templates(self) -> list[str]: ...

    async def read(self, uri: str) -> str: ...

    async def prompts(self) -> dict[str, list[str]]:
        """The names of the arguments, by the name of the prompt."""

    async def prompt(self, name: str, arguments: dict[str, str]) -> str: ...

    async def complete_prompt(self, name: str, argument: str, typed: str) -> list[str]: ...

    async def complete_template(self, uri: str, variable: str, typed: str) -> list[str]: ...

    def changes(self) -> AbstractAsyncContextManager[asyncio.Event]:
        """An event that is set when the client is told that the list of tools has changed."""


def equal(found: Any, expected: Any) -> None:
    assert found == expected, f"\n   found: {found!r}\nexpected: {expected!r}"


async def refused(asked: Awaitable[Any], why: str) -> None:
    """Whatever the client raises for an error of the protocol says why."""
    try:
        answer = await asked
    except Exception as error:
        assert why in str(error).lower(), repr(error)
    else:
        raise AssertionError(f"answered: {answer!r}")


async def list_(client: Tried) -> None:
    tools = await client.tools()
    names = ["add", "change", "chatter", "colour", "colours", "count", "dropped", "explode", "purge", "release", "wait", "write"]
    equal(list(tools), names)
    equal((tools["add"]["required"], tools["add"]["additionalProperties"]), (["a"], False))


async def call(client: Tried) -> None:
    answer = await client.call("add", {"a": 2, "b": 3})
    equal((answer.failed, answer.structured), (False, {"sum": 5, "of": [2, 3]}))
    equal(answer.text, '{"sum":5,"of":[2,3]}')
    equal((await client.call("add", {"a": 9007199254740993})).structured["sum"], 9007199254740998)


async def invalid(client: Tried) -> None:
    answer = await client.call("add", {"a": "two", "c": 3})
    assert answer.failed, answer
    assert "integer" in answer.text and "unknown input" in answer.text, answer
    await refused(client.call("nothing", {}), "not found")


async def failing(client: Tried) -> None:
    answer = await client.call("purge", {})
    equal((answer.failed, answer.text), (True, "the archive is locked"))


async def panic(client: Tried) -> None:
    answer = await client.call("explode", {})
    assert answer.failed and answer.text.startswith("internal error (call "), answer
    assert "secret" not in answer.text, answer


async def resources(client: Tried) -> None:
    equal(await client.resources(), ["fixture://tools", "fixture://colours"])
    equal(await client.read("fixture://colours"), '["red","green","grey"]')
    await refused(client.read("fixture://nothing"), "not found")


async def templates(client: Tried) -> None:
    equal(await client.templates(), ["fixture://tool/{name}", "fixture://colour/{name}"])
    equal(await client.read("fixture://colour/green"), "the colour green")
    assert '"name":"add"' in await client.read("fixture://tool/add")


async def prompts(client: Tried) -> None:
    equal(await client.prompts(), {"describe": ["colour", "words"]})
    text = await client.prompt("describe", {"colour": "grey", "words": "7"})
    equal(text, "Describe grey in at most 7 words.")
    await refused(client.prompt("describe", {}), "colour")


async def completion(client: Tried) -> None:
    equal(await client.complete_prompt("describe", "colour", "gr"), ["green", "grey"])
    equal(await client.complete_template("fixture://colour/{name}", "name", "r"), ["red"])


async def progress(client: Tried) -> None:
    heard, last, key = [], asyncio.Event(), uuid.uuid4().hex

    def hear(done: float, total: float) -> None:
        heard.append((done, total))
        if done == total:
            last.set()

    counting = asyncio.create_task(client.call("count", {"to": 5, "key": key}, hear))
    await last.wait()
    await client.call("release", {"key": key})
    equal((await counting).structured, {"result": 5})
    equal(heard, [(n, 5) for n in range(1, 6)])


async def cancellation(client: Tried) -> None:
    begun, key = asyncio.Event(), uuid.uuid4().hex
    waiting = asyncio.create_task(client.call("wait", {"key": key}, lambda done, total: begun.set()))
    await begun.wait()
    await client.abandon(waiting)
    # The tool itself says that it was dropped.
    equal((await client.call("dropped", {"key": key})).text, key)


async def changes(client: Tried) -> None:
    async with client.changes() as told:
        await client.call("change", {})
        await told.wait()


async def stdout(client: Tried) -> None:
    answer = await client.call("chatter", {})
    equal((answer.failed, answer.text), (False, "printed"))
    # Nothing of what was printed stands before the next answer, or in place of it.
    equal((await client.call("add", {"a": 1})).structured, {"sum": 6, "of": [1, 5]})


SCENARIOS: list[tuple[str, Callable[[Tried], Awaitable[None]]]] = [
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
]

Connect = Callable[[str | list[str], str], AbstractAsyncContextManager[Tried]]


async def tried(row: str, connection: AbstractAsyncContextManager[Tried], version: str) -> bool:
    """One row of the table: every scenario over one connection."""
    held = []
    async with connection as client:
        equal(client.version, version)
        for column, scenario in SCENARIOS:
            try:
                async with asyncio.timeout(PATIENCE):
                    await scenario(client)
            except Exception:
                print(f"{row}: {column} ... FAILED\n{traceback.format_exc()}", flush=True)
                held.append(False)
            else:
                print(f"{row}: {column} ... ok", flush=True)
                held.append(True)
    return all(held)


def main(name: str, modes: dict[str, str], connect: Connect) -> None:
    """Tries everything over both transports, in each mode, of which the version is given that it comes to."""
    program, endpoint = sys.argv[1:]
    targets = {"stdio": [program, "serve", "mcp"], "http": endpoint}

    async def every() -> bool:
        held = [
            await tried(f"{name}, {mode} over {transport}", connect(target, mode), version)
            for mode, version in modes.items()
            for transport, target in targets.items()
        ]
        return all(held)

    sys.exit(0 if asyncio.run(every()) else 1)
