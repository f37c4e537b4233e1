"""Checks that the SDKs of the vendors accept our tools and send them unchanged.

Each golden file of `tool-core` contains one tool in every profile. The script passes each to the SDK of its vendor, as an
application would. It validates the tool with the SDK's types, sends it through the SDK's client to a local server, and runs
the SDK's schema conversion. The server must receive exactly the same tool.

    python check.py [FOLDER]

prints one line for each check, which ends with `... ok` or `... FAILED`, and exits with 1 if one failed.
"""

from __future__ import annotations

import copy
import json
import os
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, get_type_hints

# Requests to the local server must not go through a proxy.
os.environ["NO_PROXY"] = os.environ["no_proxy"] = "127.0.0.1"

import anthropic
import openai
import pydantic
from anthropic.types import ToolParam
from google import genai
from google.genai import types
from openai.types.responses import FunctionToolParam

GOLDEN = Path(__file__).resolve().parents[2] / "tool-core" / "tests" / "tools" / "profiles"

Json = dict[str, Any]


class Wire:
    """A mock server for all vendors. It stores the last request and returns the shortest valid responses."""

    ANSWERS: dict[str, Json] = {
        "/responses": {"id": "r", "object": "response", "output": []},
        "/chat/completions": {
            "id": "c",
            "object": "chat.completion",
            "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "a"}}],
        },
        "/v1/messages": {"id": "m", "type": "message", "role": "assistant", "content": []},
        ":generateContent": {"candidates": []},
    }

    def __init__(self, server: ThreadingHTTPServer) -> None:
        self.address = f"http://127.0.0.1:{server.server_port}"
        self.last: Json = {}

    @classmethod
    @contextmanager
    def open(cls) -> Iterator[Wire]:
        wire: Wire

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                wire.last = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                path = self.path.split("?")[0]
                answer = next(answer for end, answer in cls.ANSWERS.items() if path.endswith(end))
                body = json.dumps(answer).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
            wire = cls(server)
            threading.Thread(target=server.serve_forever, daemon=True).start()
            try:
                yield wire
            finally:
                server.shutdown()


def equal(actual: object, expected: object, what: str) -> None:
    if actual != expected:
        shown = [json.dumps(value, indent=1, sort_keys=True) for value in (actual, expected)]
        raise AssertionError(f"{what}: the first differs from the second\n{shown[0]}\n{shown[1]}")


def assert_type(tool: Json, kind: Any) -> None:
    """Asserts that the tool is a valid value of the SDK's type."""
    unknown = tool.keys() - get_type_hints(kind).keys()
    assert not unknown, f"{kind.__name__} has no member {unknown}"
    pydantic.TypeAdapter(kind).validate_python(tool, strict=True)


class OpenAI:
    """Both APIs: Responses, and Chat Completions, which nests the same function in `function`."""

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self.client = openai.OpenAI(api_key="k", base_url=wire.address, max_retries=0)

    def openai(self, tool: Json) -> None:
        assert_type(tool, FunctionToolParam)
        self.client.responses.create(model="m", input="i", tools=[copy.deepcopy(tool)])
        equal(self.wire.last["tools"], [tool], "on the wire of Responses")
        nested = {"type": "function", "function": {name: tool[name] for name in tool.keys() - {"type"}}}
        self.client.chat.completions.create(model="m", messages=[], tools=[copy.deepcopy(nested)])
        equal(self.wire.last["tools"], [nested], "on the wire of Chat Completions")

    def openai_strict(self, tool: Json) -> None:
        assert tool["strict"] is True
        self.openai(tool)
        parameters = tool["parameters"]

        class Arguments(pydantic.BaseModel):
            @classmethod
            def model_json_schema(cls, *_: Any, **__: Any) -> Json:
                return copy.deepcopy(parameters)

        # This call converts a schema to a strict one: ours must stay unchanged.
        function = openai.pydantic_function_tool(Arguments, name=tool["name"], description=tool["description"])
        equal(function["function"]["parameters"], parameters, "after the conversion to a strict schema")
        # `parse` rejects functions that are not strict.
        self.client.chat.completions.parse(model="m", messages=[], tools=[function])
        equal(self.wire.last["tools"][0]["function"]["parameters"], parameters, "on the wire of `parse`")


class Anthropic:
    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self.client = anthropic.Anthropic(api_key="k", base_url=wire.address, max_retries=0)

    def anthropic(self, tool: Json) -> None:
        assert_type(tool, ToolParam)
        for given in (tool, tool | {"strict": True}):
            self.client.messages.create(model="m", max_tokens=1, messages=[], tools=[copy.deepcopy(given)])
            equal(self.wire.last["tools"], [given], "on the wire of Messages")
        # For strict use, the SDK moves unsupported keywords into descriptions. Our schemas need no such change.
        strict = anthropic.transform_schema(copy.deepcopy(tool["input_schema"]))
        added = descriptions(strict) - descriptions(tool["input_schema"])
        assert not added, f"the SDK added these descriptions: {added}"


class Gemini:
    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self.client = genai.Client(api_key="k", http_options=types.HttpOptions(base_url=wire.address))

    def gemini(self, tool: Json) -> None:
        declaration = types.FunctionDeclaration.model_validate(tool)
        config = types.GenerateContentConfig(tools=[types.Tool(function_declarations=[declaration])])
        self.client.models.generate_content(model="m", contents="c", config=config)
        # Protocol buffers allow two spellings of a name in JSON, and the SDK sends the other one.
        spelled = {name.replace("parametersJsonSchema", "parameters_json_schema"): tool[name] for name in tool}
        equal(self.wire.last["tools"], [{"functionDeclarations": [spelled]}], "on the wire of generateContent")
        # The SDK's types reject unsupported keywords, both here and in the older `Schema`. A tool without inputs has no
        # schema.
        if "parametersJsonSchema" in tool:
            schema = types.JSONSchema.model_validate(tool["parametersJsonSchema"])
            types.Schema.from_json_schema(json_schema=schema, raise_error_on_unsupported_field=True)


def descriptions(schema: object) -> set[str]:
    """Returns all descriptions in a schema, ignoring a property named `description`."""
    below = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    found = {text for value in below for text in descriptions(value)}
    if isinstance(schema, dict) and isinstance(schema.get("description"), str):
        found.add(schema["description"])
    return found


# Changes to the schema of `structure` that the SDK of the profile must reject. They prove that the checks can fail.
BROKEN: list[tuple[str, str, Json]] = [
    ("openai-strict", "an optional property", {"required": []}),
    ("openai-strict", "a default that is null", {"default": None}),
    ("anthropic", "a limit of a number", {"minimum": 1}),
    ("anthropic", "a value without a type", {"type": None}),
    ("gemini", "a constant", {"const": {}}),
    ("gemini", "a limit that its `Schema` lacks", {"uniqueItems": True}),
    ("gemini", "an alternative that its `Schema` lacks", {"oneOf": [{"type": "object"}]}),
]


def checks(wire: Wire) -> dict[str, Callable[[Json], None]]:
    """Returns the check of each profile."""
    vendor = OpenAI(wire)
    return {
        "openai": vendor.openai,
        "openai-strict": vendor.openai_strict,
        "anthropic": Anthropic(wire).anthropic,
        "gemini": Gemini(wire).gemini,
    }


def broken(tool: Json, change: Json) -> Json:
    """Returns a copy of the tool with a changed schema of the input `value`."""
    tool = copy.deepcopy(tool)
    schema = next(tool[name] for name in ("parameters", "input_schema", "parametersJsonSchema") if name in tool)
    schema["properties"]["value"].update(change)
    for name in [name for name, value in change.items() if value is None and name == "type"]:
        del schema["properties"]["value"][name]
    return tool


def fault_of(check: Callable[[Json], None], tool: Json) -> str | None:
    """Returns the traceback of a failed check, or `None` if it passes."""
    try:
        check(tool)
    except Exception:
        return traceback.format_exc()
    return None


def report(name: str, fault: str | None) -> bool:
    print(f"{name} ... ok" if fault is None else f"{name} ... FAILED\n{fault}", flush=True)
    return fault is None


def main(folder: Path) -> int:
    passed = []
    with Wire.open() as wire:
        by_profile = checks(wire)
        for file in sorted(folder.glob("*.json")):
            for profile, tool in json.loads(file.read_text("utf-8")).items():
                # A string instead of a tool is our error for a tool that the profile does not support.
                if profile in by_profile and not isinstance(tool, str):
                    passed.append(report(f"{profile}: {file.stem}", fault_of(by_profile[profile], tool)))
        structure = json.loads((folder / "structure.json").read_text("utf-8"))
        for profile, what, change in BROKEN:
            fault = fault_of(by_profile[profile], broken(structure[profile], change))
            passed.append(report(f"{profile}: rejects {what}", None if fault else "the SDK accepted it"))
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else GOLDEN))
