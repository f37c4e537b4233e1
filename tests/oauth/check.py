"""Tests the content example as a resource server: users sign in at an issuer, and tools take its tokens.

The issuer is oidc-provider, the clients are the Python SDK of MCP and the command line of the MCP Inspector.

    python check.py PROGRAM NODE INSPECTOR

prints one line for each check, which ends with `... ok` or `... FAILED`, and exits with 1 if one failed. `PROGRAM` is the path
of the example's binary, `NODE` that of node, `INSPECTOR` that of the inspector.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import pty
import re
import socket
import sys
import tempfile
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import PIPE, Popen
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlencode, urljoin, urlsplit

# Requests to these local servers must not go through a proxy.
os.environ["NO_PROXY"] = os.environ["no_proxy"] = "127.0.0.1"

import httpx2
from mcp import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.auth import OAuthClientInformationFull, OAuthClientMetadata, OAuthToken

#: The time limit of each scenario in seconds.
TIMEOUT = 60

#: The two eras of the protocol.
MODES = ("2026-07-28", "legacy")

#: Where the browser of a user would be sent with the code. Nobody listens.
CALLBACK = "http://127.0.0.1:9/callback"

WELL_KNOWN = "/.well-known/oauth-protected-resource/mcp"


def equal(found: Any, expected: Any) -> None:
    assert found == expected, f"\n   found: {found!r}\nexpected: {expected!r}"


@contextmanager
def running(arguments: list[str], environment: dict[str, str], log: list[str]) -> Iterator[str]:
    """Runs a server until the end of the block, and returns its address. `log` gets what it prints."""
    with Popen(arguments, stderr=PIPE, text=True, env=os.environ | environment) as process:
        try:
            for line in process.stderr:
                if line.startswith("listening on "):
                    break
                log.append(line)
            else:
                raise AssertionError(f"{arguments} does not listen: {log}")
            reader = Thread(target=lambda: log.extend(process.stderr), daemon=True)
            reader.start()
            yield line.removeprefix("listening on ").strip()
        finally:
            process.kill()


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@dataclass
class Storage:
    """The tokens of a client, in memory."""

    tokens: OAuthToken | None = None
    client: OAuthClientInformationFull | None = None
    scopes: list[str] = field(default_factory=list)

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens
        self.scopes.append(tokens.scope or "")

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


@dataclass
class Browser:
    """The browser of a user, who signs in and agrees to everything."""

    user: str
    callback: str = CALLBACK
    result: AuthorizationCodeResult | None = None

    async def open(self, url: str) -> str:
        """Returns the address that the user is sent to at the end."""
        url = f"{url}&{urlencode({'login_hint': self.user})}"
        async with httpx2.AsyncClient() as client:
            for _ in range(20):
                response = await client.get(url)
                assert response.is_redirect, f"{url}: {response.status_code} {response.text}"
                url = urljoin(url, response.headers["location"])
                if url.startswith(self.callback):
                    break
        query = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        assert "code" in query, query
        self.result = AuthorizationCodeResult(**{name: query.get(name) for name in ("code", "state", "iss")})
        return url

    async def returned(self) -> AuthorizationCodeResult:
        assert self.result, "nobody opened the browser"
        return self.result


@dataclass
class Site:
    """The running servers, and what they print."""

    issuer: str
    mcp: str
    http: str
    log: list[str]
    node: str
    inspector: str


@dataclass
class Session:
    """A client of MCP, with what it gets from the network."""

    client: Client
    storage: Storage
    responses: list[httpx2.Response]

    def refusals(self) -> list[tuple[int, str]]:
        """Returns the status and the challenge of each refused request to the server, and forgets them."""
        refused = [response for response in self.responses if response.status_code in (401, 403)]
        self.responses.clear()
        return [(response.status_code, response.headers.get("www-authenticate", "")) for response in refused]


@asynccontextmanager
async def session(site: Site, user: str, mode: str) -> AsyncIterator[Session]:
    storage, browser, responses = Storage(), Browser(user), []
    metadata = OAuthClientMetadata(
        client_name="check",
        redirect_uris=[CALLBACK],
        grant_types=["authorization_code", "refresh_token"],
        response_types=["code"],
        token_endpoint_auth_method="none",
    )
    auth = OAuthClientProvider(f"{site.mcp}/mcp", metadata, storage, browser.open, browser.returned)
    async with create_mcp_http_client(auth=auth) as http:

        async def record(response: httpx2.Response) -> None:
            responses.append(response)

        http.event_hooks["response"].append(record)
        async with Client(streamable_http_client(f"{site.mcp}/mcp", http_client=http), mode=mode) as client:
            yield Session(client, storage, responses)


def challenge(site: Site, error: str, scope: str) -> str:
    error = f'error="{error}", ' if error else ""
    return f'Bearer {error}resource_metadata="{site.mcp}{WELL_KNOWN}", scope="{scope}"'


async def names(client: Client, cache_mode: str = "use") -> set[str]:
    return {tool.name for tool in (await client.list_tools(cache_mode=cache_mode)).tools}


# Scenarios


async def sign_in_and_step_up(site: Site, mode: str) -> None:
    async with session(site, "otto", mode) as otto:
        listed = await names(otto.client)
        assert "find_nodes" in listed and "publish_node" not in listed, listed
        equal(otto.refusals(), [(401, challenge(site, "", "node.view"))])
        equal(otto.storage.scopes, ["node.view"])

        result = await otto.client.call_tool("publish_node", {"id": 3})
        assert not result.is_error, result.content
        equal(otto.refusals(), [(403, challenge(site, "insufficient_scope", "node.view node.publish"))])
        equal([set(scope.split()) for scope in otto.storage.scopes[1:]], [{"node.view", "node.publish"}])
        # The list has what the new scope unlocks.
        assert "publish_node" in await names(otto.client, "refresh")

        result = await otto.client.call_tool("publish_node", {"id": 5})
        assert not result.is_error, result.content
        equal(otto.refusals(), [])


async def roles_limit_scopes(site: Site, mode: str) -> None:
    """The issuer gives out every scope, but an author may not publish."""
    async with session(site, "june", mode) as june:
        assert "find_nodes" in await names(june.client)
        june.refusals()
        try:
            result = await june.client.call_tool("publish_node", {"id": 3})
        except Exception:
            pass
        else:
            assert result.is_error, result
        statuses = [status for status, _ in june.refusals()]
        equal(statuses, [403, 403])
        equal(set(june.storage.scopes[-1].split()), {"node.view", "node.publish"})


async def unknown_user(site: Site, mode: str) -> None:
    try:
        async with session(site, "mallory", mode) as mallory:
            await names(mallory.client)
    except Exception:
        return
    raise AssertionError("somebody who is not a user has listed tools")


async def token_of(site: Site, user: str, tool: str | None) -> str:
    """Signs a user in, and returns the token, after a call of a tool."""
    async with session(site, user, MODES[0]) as signed_in:
        await names(signed_in.client)
        if tool:
            await signed_in.client.call_tool(tool, {"id": 3})
        assert signed_in.storage.tokens
        return signed_in.storage.tokens.access_token


async def same_token_over_http(site: Site, _: str) -> None:
    weak, strong = await token_of(site, "otto", None), await token_of(site, "otto", "publish_node")
    url = f"{site.http}/tools/publish_node/call"
    async with httpx2.AsyncClient() as client:
        for token, status, refusal in [
            (None, 401, challenge(site, "", "node.view")),
            (weak, 403, challenge(site, "insufficient_scope", "node.view node.publish")),
            (strong[:-4] + "AAAA", 401, challenge(site, "invalid_token", "node.view")),
            (strong, 200, None),
        ]:
            headers = {"authorization": f"Bearer {token}"} if token else {}
            response = await client.post(url, json={"id": 3}, headers=headers)
            equal((response.status_code, response.headers.get("www-authenticate")), (status, refusal))


async def metadata(site: Site, _: str) -> None:
    async with httpx2.AsyncClient() as client:
        for server in (site.mcp, site.http):
            response = await client.get(f"{server}{WELL_KNOWN}", headers={"origin": "https://app.example.org"})
            equal((response.status_code, response.headers["access-control-allow-origin"]), (200, "*"))
            document = response.json()
            equal(document["resource"], f"{site.mcp}/mcp")
            equal(document["authorization_servers"], [site.issuer])
            assert {"node.view", "node.publish"} < set(document["scopes_supported"]), document
        document = (await client.get(f"{site.http}/openapi.json")).json()
        scheme = document["components"]["securitySchemes"]["caller"]
        equal((await client.get(scheme["openIdConnectUrl"])).json()["issuer"], site.issuer)


async def inspector_signs_in(site: Site, era: str) -> None:
    """The inspector asks for all scopes at once. It shows the address to sign in at, since it has a terminal."""
    callback = f"http://127.0.0.1:{free_port()}/oauth/callback"
    arguments = ["--cli", "--transport", "http", "--server-url", f"{site.mcp}/mcp", "--callback-url", callback]
    call = ["--method", "tools/call", "--tool-name", "publish_node", "--tool-args-json", '{"id":3}']
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            "PATH": f"{Path(site.node).parent}{os.pathsep}{os.environ['PATH']}",
            "MCP_STORAGE_DIR": folder,
            "MCP_INSPECTOR_SECRET_STORE": "memory",
            "MCP_AUTO_OPEN_ENABLED": "false",
        }
        _, terminal = pty.openpty()
        process = await asyncio.create_subprocess_exec(
            site.inspector,
            *arguments,
            *("--format", "json", "--protocol-era", era),
            *call,
            env=os.environ | environment,
            stdin=terminal,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        lines = []
        try:
            async for line in process.stdout:
                lines.append(line.decode())
                if address := re.search(rf"{re.escape(site.issuer)}/auth\?\S+", lines[-1]):
                    url = await Browser("otto", callback).open(address[0])
                    async with httpx2.AsyncClient() as client:
                        equal((await client.get(url)).status_code, 200)
            equal((await process.wait(), '"isError":false' in lines[-1]), (0, True))
        except AssertionError as error:
            raise AssertionError("".join(lines)) from error
        finally:
            if process.returncode is None:
                process.kill()


async def silent_log(site: Site, _: str) -> None:
    """No token is in a log."""
    token = await token_of(site, "otto", None)
    signature = token.rsplit(".", 1)[1]
    changed = base64.urlsafe_b64encode(b"x" * 64).decode().rstrip("=")
    async with httpx2.AsyncClient() as client:
        headers = {"authorization": f"Bearer {token.replace(signature, changed)}"}
        response = await client.post(f"{site.http}/tools/find_nodes/call", json={}, headers=headers)
        equal(response.status_code, 401)
    while not any("signature of the token is wrong" in line for line in site.log):
        await asyncio.sleep(0.01)
    text = "".join(site.log)
    assert signature not in text and changed not in text, text


#: What is tried, and in which eras.
SCENARIOS: list[tuple[Callable[[Site, str], Awaitable[None]], tuple[str, ...]]] = [
    (metadata, ("http",)),
    (sign_in_and_step_up, MODES),
    (roles_limit_scopes, MODES),
    (unknown_user, MODES),
    (same_token_over_http, ("http",)),
    (inspector_signs_in, ("modern", "legacy")),
    (silent_log, ("http",)),
]


@contextmanager
def servers(program: str, node: str, inspector: str) -> Iterator[Site]:
    script = str(Path(__file__).with_name("issuer.mjs"))
    log: list[str] = []
    with tempfile.TemporaryDirectory() as folder, running([node, script], {}, []) as issuer:
        resource = f"http://127.0.0.1:{(port := free_port())}/mcp"
        environment = {
            "CONTENT_DATABASE": f"{folder}/museum.sqlite",
            "CONTENT_SIGNING_KEY": "correct horse battery",
            "RUST_LOG": "info",
        }
        take = ["--issuer", issuer, "--resource", resource]
        mcp = [program, "serve", "mcp", "--addr", f"127.0.0.1:{port}", *take]
        http = [program, "serve", "http", "--addr", "127.0.0.1:0", "--allow-execute", *take]
        with running(mcp, environment, log) as mcp_at, running(http, environment, log) as http_at:
            yield Site(issuer, mcp_at, http_at, log, node, inspector)


async def main(program: str, node: str, inspector: str) -> int:
    failed = 0
    with servers(program, node, inspector) as site:
        for scenario, modes in SCENARIOS:
            for mode in modes:
                name = f"{scenario.__name__.replace('_', ' ')}, {mode}"
                try:
                    await asyncio.wait_for(scenario(site, mode), TIMEOUT)
                    print(f"{name} ... ok", flush=True)
                except Exception:
                    failed += 1
                    traceback.print_exc(file=sys.stdout)
                    print(f"{name} ... FAILED", flush=True)
        if failed:
            print("".join(site.log))
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(asyncio.run(main(*sys.argv[1:])))
