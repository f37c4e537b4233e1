"""Checks what the examples publish, and the entries that they write, with the programs of others.

    python check.py WEATHER CONTENT NODE MCPB

prints one line for each check, which ends with `... ok` or `... FAILED`, and exits with 1 if one failed. The arguments are the
paths of the examples' binaries, of node and of the program `mcpb`.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import tomllib
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import skills_ref

SCHEMA = Path(__file__).resolve().parents[2] / "tool-cli" / "tests" / "publish" / "server.schema.json"

#: The time limit of each program in seconds.
TIMEOUT = 120

Json = dict[str, Any]


class Example:
    """An example, with folders of its own."""

    def __init__(self, program: Path, mcpb: list[str], folder: Path) -> None:
        self.name, self.program, self.mcpb, self.folder = program.stem, program, mcpb, folder
        self.environment = os.environ | {
            "HOME": str(folder),
            "CONTENT_DATABASE": str(folder / "museum.sqlite"),
            "WEATHER_REPORTS": str(folder / "reports.jsonl"),
        }
        for variable in ("XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"):
            self.environment.pop(variable, None)

    def run(self, command: list[str], **more: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=self.folder, env=self.environment, text=True, capture_output=True, timeout=TIMEOUT, **more
        )

    def own(self, *arguments: str) -> str:
        """Runs the example, which must succeed."""
        ran = self.run([str(self.program), *arguments])
        assert ran.returncode == 0, ran
        return ran.stdout

    def others(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Runs `mcpb`."""
        return self.run([*self.mcpb, *arguments])

    def served(self, command: str, arguments: list[str]) -> list[str]:
        """Starts a server over stdio, and returns the names of its tools."""
        client = {"name": "check", "version": "1"}
        version = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
        messages = [
            {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": version},
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
        ]
        text = "".join(json.dumps(message) + "\n" for message in messages)
        ran = self.run([command, *arguments], input=text)
        answers = [json.loads(line) for line in ran.stdout.splitlines()]
        result = next(answer["result"] for answer in answers if answer.get("id") == 2)
        return [tool["name"] for tool in result["tools"]]

    # What is checked.

    def bundle(self) -> None:
        """`mcpb` unpacks the bundle and accepts its manifest, which starts the server."""
        self.own("publish", "mcpb", "--output", "example.mcpb")
        info = self.others("info", "example.mcpb")
        assert info.returncode == 0 and "example.mcpb" in info.stdout, info
        unpacked = self.folder / "unpacked"
        assert self.others("unpack", "example.mcpb", str(unpacked)).returncode == 0
        validated = self.others("validate", str(unpacked / "manifest.json"))
        assert validated.returncode == 0, validated
        manifest = json.loads((unpacked / "manifest.json").read_text())
        program = unpacked / manifest["server"]["entry_point"]
        assert os.access(program, os.X_OK), "the program can be run"
        config = manifest["server"]["mcp_config"]
        command = config["command"].replace("${__dirname}", str(unpacked))
        assert Path(command) == program, command
        listed = {tool["name"] for tool in manifest["tools"]}
        served = set(self.served(command, config["args"]))
        assert served and served <= listed, served - listed
        prompts = {prompt["name"] for prompt in manifest.get("prompts", [])}
        print(f"   {self.name}: {len(listed)} tools, {len(prompts)} prompts")

    def bad_bundle(self) -> None:
        """`mcpb` notices what the example could do wrong."""
        manifest = json.loads((self.folder / "unpacked" / "manifest.json").read_text())
        for member, value in [
            ("author", None), ("server", {"type": "rust"}), ("tools", [{"title": "x"}]), ("prompts", [{"name": "x"}]),
            ("homepage", "here"), ("compatibility", {"platforms": ["macos"]}), ("manifest_version", "9"),
        ]:
            path = self.folder / "bad.json"
            path.write_text(json.dumps(manifest | {member: value}))
            ran = self.others("validate", str(path))
            assert ran.returncode != 0, (member, ran)

    def server_json(self) -> None:
        """The schema of the registry accepts `server.json`, and the digest is that of the bundle."""
        url = "https://github.com/example/example/releases/download/v1/example.mcpb"
        self.own("publish", "server-json", "--mcpb", "example.mcpb", url, "--remote", "https://example.org/mcp")
        document = json.loads((self.folder / "server.json").read_text())
        validator = jsonschema.Draft7Validator(json.loads(SCHEMA.read_text()))
        validator.validate(document)
        digest = hashlib.sha256((self.folder / "example.mcpb").read_bytes()).hexdigest()
        assert document["packages"][0]["fileSha256"] == digest, document
        for member, value in [("name", "example"), ("description", "a" * 101), ("version", 1), ("packages", [{}])]:
            assert not validator.is_valid(document | {member: value}), member

    def skill(self) -> None:
        """The reference library accepts the skill, and reads what the example says of itself."""
        self.own("publish", "skill")
        folder = self.folder / "skills" / self.name
        problems = skills_ref.validate(folder)
        assert problems == [], problems
        properties = skills_ref.read_properties(folder)
        assert properties.name == self.name and self.name in properties.description, properties
        names = self.own("list", "--format", "name").split()
        assert {path.stem for path in (folder / "references").iterdir()} == set(names)
        skill = folder / "SKILL.md"
        text = skill.read_text()
        for bad in [text.replace("name: ", "name: x"), text.replace("license:", "licence:"), text.replace("description:", "d:")]:
            if bad != text:
                skill.write_text(bad)
                assert skills_ref.validate(folder) != [], bad[:80]
        skill.write_text(text)

    def entries(self) -> None:
        """What is written for each client starts the server."""
        files = {
            "claude-code": (".mcp.json", "mcpServers"),
            "cursor": (".cursor/mcp.json", "mcpServers"),
            "vscode": (".vscode/mcp.json", "servers"),
            "codex": (".codex/config.toml", "mcp_servers"),
        }
        for client, (path, section) in files.items():
            self.own("serve", "mcp", "--install", client, "--project", "--yes")
            text = (self.folder / path).read_text()
            document = tomllib.loads(text) if path.endswith(".toml") else json.loads(text)
            entry = document[section][self.name]
            assert self.served(entry["command"], entry["args"]), client


def main() -> int:
    weather, content, node, mcpb = (Path(argument).resolve() for argument in sys.argv[1:])
    failed = 0
    for program in (weather, content):
        with tempfile.TemporaryDirectory() as folder:
            example = Example(program, [str(node), str(mcpb)], Path(folder).resolve())
            checks: list[Callable[[], None]] = [
                example.bundle, example.bad_bundle, example.server_json, example.skill, example.entries,
            ]
            for check in checks:
                try:
                    check()
                    print(f"{example.name}: {check.__name__} ... ok", flush=True)
                except Exception:
                    traceback.print_exc()
                    print(f"{example.name}: {check.__name__} ... FAILED", flush=True)
                    failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
