"""Tests the gateway with servers that take the tokens of an issuer: oidc-provider.

    python oauth.py GATEWAY CONTENT NODE

`GATEWAY` and `CONTENT` are the paths of the binaries of these examples, `NODE` is that of node. Prints one line for each check,
which ends with `... ok` or `... FAILED`.
"""

import asyncio
import json
import os
import re
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import traceback
import urllib.parse
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

# Requests to these local servers must not go through a proxy.
os.environ["NO_PROXY"] = os.environ["no_proxy"] = "127.0.0.1"

import httpx2
from fastmcp import Client
from fastmcp.client.transports import StdioTransport

HERE = Path(__file__).parent
GATEWAY, CONTENT, NODE = sys.argv[1:4]
ISSUER_SCRIPT = HERE.parents[3] / "tests" / "oauth" / "issuer.mjs"
TIMEOUT = 60
HOW = "run `gateway sign-in museum"


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@contextmanager
def listening(command, where, log, environment=None):
    """Starts a program and yields the URL that it prints. Everything else that it prints is added to `log`."""
    environment = os.environ | (environment or {})
    with subprocess.Popen(command, text=True, env=environment, **{where: subprocess.PIPE}) as process:
        try:
            for line in getattr(process, where):
                log.append(line)
                if (line.startswith("listening on ") or where == "stdout") and "http://" in line:
                    break
            else:
                raise RuntimeError(f"{command} does not listen: {log}")
            threading.Thread(target=lambda: log.extend(getattr(process, where)), daemon=True).start()
            yield "http://" + line.split("http://")[1].strip()
        finally:
            process.kill()


class Browser:
    """The browser of a user, who signs in and agrees to everything."""

    def __init__(self, user, secrets):
        self.user, self.secrets = user, secrets

    def code(self, url):
        """Follows the URL to the redirect to the program, and returns that."""
        url += "&" + urllib.parse.urlencode({"login_hint": self.user})
        with httpx2.Client() as client:
            for _ in range(20):
                response = client.get(url)
                assert response.is_redirect, f"{url}: {response.status_code} {response.text}"
                url = urllib.parse.urljoin(url, response.headers["location"])
                if "/callback" in url:
                    self.secrets.update(re.findall("code=([^&]+)", url))
                    return url
        raise AssertionError(url)

    def open(self, url):
        return httpx2.get(self.code(url))


class Site:
    """The running servers, the files of the gateway, and everything that the gateway prints."""

    def __init__(self, folder, issuer, issuer_log, museum, guarded):
        self.issuer, self.issuer_log = issuer, issuer_log
        self.credentials = Path(folder) / "state" / "credentials.json"
        self.secrets, self.output = set(), []
        self.guarded = guarded
        self.config = Path(folder) / "gateway.json"
        self.configure({"museum": {"url": museum, "oauth": {}}, "guarded": {"url": guarded, "oauth": True}})
        self.environment = os.environ | {
            "GATEWAY_CONFIG": str(self.config),
            "GATEWAY_CREDENTIALS": str(self.credentials),
            "GATEWAY_RESULTS": "off",
            # Nothing may be in the log, whatever the level.
            "RUST_LOG": "trace",
        }

    def configure(self, servers):
        self.config.write_text(json.dumps({"mcpServers": servers}))

    def entry(self, server="museum"):
        """Returns the entry of a server in the credential file."""
        url = json.loads(self.config.read_text())["mcpServers"][server]["url"]
        self.keep_secrets()
        entries = json.loads(self.credentials.read_text())["accounts"]
        return next((entry for entry in entries if entry["server"] == url), None)

    def keep_secrets(self):
        """Remembers all tokens in the credential file, for the search at the end."""
        for entry in json.loads(self.credentials.read_text())["accounts"]:
            for name in ["access_token", "refresh_token", "id_token"]:
                if token := (entry["token_response"] or {}).get(name):
                    # A part of a token is a secret, too.
                    self.secrets.add(token.rsplit(".", 1)[-1])

    def change(self, server, change):
        """Changes the entry of a server in the credential file."""
        entry = self.entry(server)
        content = json.loads(self.credentials.read_text())
        change(next(other for other in content["accounts"] if other["server"] == entry["server"]))
        temporary = self.credentials.with_suffix(".new")
        temporary.touch(0o600)
        temporary.write_text(json.dumps(content))
        temporary.replace(self.credentials)

    def run(self, *arguments, code=0):
        ran = subprocess.run(
            [GATEWAY, *arguments], capture_output=True, text=True, timeout=TIMEOUT, env=self.environment, stdin=subprocess.DEVNULL
        )
        self.output += [ran.stdout, ran.stderr]
        self.last_log = ran.stderr
        assert ran.returncode == code, (arguments, ran.returncode, ran.stdout, errors(ran.stderr))
        return ran.stdout, errors(ran.stderr)

    @contextmanager
    def signing_in(self, *arguments):
        """Starts `sign-in`, and yields the URL that it prints, and a function that waits for the end."""
        command = [GATEWAY, "sign-in", *arguments]
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        with subprocess.Popen(command, text=True, env=self.environment, **pipes) as process:
            log = []
            reader = threading.Thread(target=lambda: log.extend(process.stderr))
            reader.start()

            def end():
                code = process.wait(TIMEOUT)
                reader.join()
                return code, errors("".join(log))

            try:
                url = process.stdout.readline().strip()
                assert url.startswith(self.issuer), (url, end())
                yield url, end
            finally:
                process.kill()
                reader.join()
                self.output += log

    def sign_in(self, server, *arguments, user="otto"):
        with self.signing_in(server, *arguments) as (url, end):
            page = Browser(user, self.secrets).open(url)
            code, error = end()
        assert (page.status_code, code) == (200, 0), (page.text, error)
        self.keep_secrets()
        return url, error

    def refreshes(self):
        return sum("granted refresh_token" in line for line in self.issuer_log)

    @asynccontextmanager
    async def client(self):
        """Yields a client of the gateway over stdio, which lists all tools of the servers."""
        with tempfile.TemporaryFile("w+") as log:
            transport = StdioTransport(
                command=GATEWAY,
                args=["serve", "mcp"],
                env=self.environment,
                keep_alive=False,
                log_file=log,
            )
            try:
                async with Client(transport, timeout=TIMEOUT) as client:
                    yield MuseumClient(self, client)
            finally:
                log.seek(0)
                self.output.append(log.read())


class MuseumClient:
    def __init__(self, site, client):
        self.site, self.client = site, client

    async def call(self, name, **arguments):
        """Returns whether a call failed, and its structured output or its text."""
        result = await self.client.call_tool(name, arguments, raise_on_error=False)
        text = result.content[0].text if result.content else ""
        self.site.output += [text, json.dumps(result.structured_content)]
        return result.is_error, result.structured_content if not result.is_error and result.structured_content else text

    async def tool(self, server, name, **arguments):
        return await self.call("call_tool", server=server, tool_name=name, arguments=arguments)

    async def works(self):
        failed, text = await self.tool("museum", "find_nodes", limit=1)
        assert not failed, text

    async def unavailable(self):
        _, page = await self.call("list_available_tools")
        return {absent["server"]: absent["reason"] for absent in page.get("unavailable", [])}


def errors(text):
    """Returns what is printed for the user, without the log."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", text)
    return "".join(line for line in text.splitlines(True) if not re.match(r"\s*\d{4}-\d\d-\d\dT", line))


async def not_signed_in(site):
    """A server that needs signing in says so, and nothing waits for a terminal."""
    listed, _ = site.run("list", "--format", "json")
    assert json.loads(listed) == [], listed
    site.run("run", "museum__find_nodes", code=3)
    assert f"provider `museum`: it is down: it requires you to sign in: {HOW}`" in site.last_log, site.last_log
    async with site.client() as client:
        unavailable = await client.unavailable()
        assert HOW + "`" in unavailable["museum"], unavailable
        failed, text = await client.tool("museum", "find_nodes")
        assert failed and HOW + "`" in text, text


async def wrong_usage(site):
    for arguments, expected in [
        (["sign-in", "nobody"], "there is no server `nobody`"),
        (["sign-in"], "<SERVER>"),
        (["sign-in", "museum", "--scope", "a b"], "`a b` is not a valid scope"),
        (["sign-out", "museum", "--force"], "unexpected argument '--force'"),
    ]:
        _, error = site.run(*arguments, code=1)
        assert error.startswith("error: ") and expected in error, error
    help_text, _ = site.run("sign-in", "--help")
    assert "--timeout <SECONDS>" in help_text, help_text
    with site.signing_in("museum", "--timeout", "1") as (_, end):
        code, error = end()
        assert code == 1 and "nobody signed in within 1s: run the command again" in error, error


async def sign_in(site):
    url, error = site.sign_in("museum")
    query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))
    assert query["code_challenge_method"] == "S256" and len(query["code_challenge"]) == 43, query
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/callback", query["redirect_uri"]), query
    assert "node.view" in query["scope"].split() and query["prompt"] == "consent", query
    assert query["resource"] == site.entry()["server"], query
    assert "Signed in to `museum` with the scopes node.view" in error, error
    for path in site.credentials.parent.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
    assert stat.S_IMODE(site.credentials.parent.stat().st_mode) == 0o700
    site.sign_in("guarded", "--scope", "node.view")


async def calls(site):
    listed, _ = site.run("list", "--format", "name")
    assert "museum__find_nodes" in listed and "guarded__was_sent" in listed, listed
    site.run("run", "museum__find_nodes", "limit=1")
    async with site.client() as client:
        await client.works()
        failed, output = await client.tool("guarded", "was_sent", text="Bearer ey")
        assert not failed and output == {"result": True}, output


async def other_callbacks(site):
    """Only the answer to this sign-in, from this issuer, ends it."""
    before = site.entry()
    with site.signing_in("museum") as (url, end):
        callback = Browser("otto", site.secrets).code(url)
        for changed in [re.sub(r"state=[^&]+", "state=other", callback), callback.split("?")[0], callback + "&state=other"]:
            page = httpx2.get(changed)
            assert page.status_code == 400, (changed, page.text)
        assert httpx2.get(callback.split("/callback")[0]).status_code == 404
        page = httpx2.get(callback.replace(urllib.parse.quote_plus(site.issuer), "https%3A%2F%2Fevil.example"))
        assert page.status_code == 400 and "Signing in failed" in page.text, (callback, page.text)
        code, error = end()
        assert code == 1 and "another authorization server" in error and "https://evil.example" in error, error
    with site.signing_in("museum") as (url, end):
        callback = Browser("otto", site.secrets).code(url)
        page = httpx2.get(re.sub("code=[^&]+", "error=access_denied&error_description=not+you", callback))
        code, error = end()
        assert code == 1 and "refused: access_denied: not you" in error, (page.text, error)
    assert site.entry() == before


async def refresh_after_expiry(site):
    async with site.client() as client:
        await client.works()
        before, refreshes = site.entry(), site.refreshes()
        site.change("museum", lambda entry: entry.update(token_received_at=0))
        await asyncio.gather(*(client.works() for _ in range(20)))
        after = site.entry()
        assert site.refreshes() == refreshes + 1, site.issuer_log
        assert after["token_response"]["access_token"] != before["token_response"]["access_token"]
        assert stat.S_IMODE(site.credentials.stat().st_mode) == 0o600


async def refresh_after_rejection(site):
    """A token that the server rejects is refreshed while connected, once for all calls, in two processes."""
    async with site.client() as client, site.client() as other:
        await client.works()
        await other.works()
        refreshes = site.refreshes()
        site.change("museum", lambda entry: entry["token_response"].update(access_token="rejected"))
        await asyncio.gather(*(each.works() for each in [client, other] * 10))
        assert site.refreshes() == refreshes + 1, site.issuer_log
        assert site.entry()["token_response"]["access_token"] != "rejected"


async def step_up(site):
    """A lack of scopes is passed on, and signing in with them takes effect while the gateway runs."""
    site.sign_in("museum", "--scope", "node.publish")
    serve = [GATEWAY, "serve", "http", "--addr", "127.0.0.1:0", "--allow-execute"]
    async with site.client() as client:
        failed, text = await client.tool("museum", "publish_node", id=3)
        assert not failed, text
        with listening(serve, "stderr", site.output, site.environment) as http:
            def post(id):
                response = httpx2.post(
                    f"{http}/tools/museum__publish_node/call",
                    json={"id": id},
                    headers={"authorization": "Bearer the-callers-own-token"},
                    timeout=TIMEOUT,
                )
                site.output.append(response.text)
                return response

            assert post(4).status_code == 200, post(4).text
            site.run("sign-out", "museum")
            # The account is signed in again with fewer scopes, after the tools were listed.
            site.sign_in("museum")
            message = (
                "server `museum` denied `museum__publish_node`: it needs the scope `node.publish`: "
                "run `gateway sign-in museum --scope node.publish`"
            )
            failed, text = await client.tool("museum", "publish_node", id=3)
            assert failed and text == message, text
            response = post(3)
            assert response.status_code == 403 and response.json()["error"] == message, response.text
            site.sign_in("museum", "--scope", "node.publish")
            failed, text = await client.tool("museum", "publish_node", id=3)
            assert not failed, text
            assert post(4).status_code == 200
            sent = httpx2.post(
                f"{http}/tools/guarded__was_sent/call",
                json={"text": "the-callers"},
                headers={"authorization": "Bearer the-callers-own-token"},
                timeout=TIMEOUT,
            )
            assert sent.status_code == 200 and "false" in sent.text, sent.text
    site.secrets.add("own-token")


async def refused_connection(site):
    """A server that needs scopes for everything names them."""
    site.run("sign-out", "guarded")
    site.configure(json.loads(site.config.read_text())["mcpServers"] | {"guarded": {"url": site.guarded, "oauth": {"scopes": ["node.edit"]}}})
    site.sign_in("guarded")
    async with site.client() as client:
        await client.works()
        unavailable = await client.unavailable()
        assert "run `gateway sign-in guarded --scope node.view`" in unavailable["guarded"], unavailable
        # It returns when the account has the scope.
        site.sign_in("guarded", "--scope", "node.view")
        async with asyncio.timeout(TIMEOUT):
            while "guarded" in await client.unavailable():
                await asyncio.sleep(0.1)


async def revoked(site):
    """A token that cannot be refreshed makes the server unavailable, with the command that signs in."""
    async with site.client() as client:
        await client.works()
        entry = site.entry()
        revocation = {"token": entry["token_response"]["refresh_token"], "client_id": entry["client_id"]}
        assert httpx2.post(f"{site.issuer}/token/revocation", data=revocation).status_code == 200
        site.change("museum", lambda entry: entry["token_response"].update(access_token="rejected"))
        failed, text = await client.tool("museum", "find_nodes")
        assert failed and "server `museum`" in text and HOW + "`" in text, text
        async with asyncio.timeout(TIMEOUT):
            while "museum" not in (unavailable := await client.unavailable()):
                await asyncio.sleep(0.1)
        assert HOW + "`" in unavailable["museum"], unavailable
        # The rejected token is not tried again, and the other server goes on.
        assert site.entry()["token_response"] is None
        failed, text = await client.tool("guarded", "was_sent", text="Bearer")
        assert not failed, text
        site.sign_in("museum")
        async with asyncio.timeout(TIMEOUT):
            while "museum" in await client.unavailable():
                await asyncio.sleep(0.1)
        await client.works()


async def exposed_file(site):
    site.credentials.chmod(0o644)
    _, error = site.run("sign-in", "museum", code=1)
    assert f"(mode 0644): run `chmod 600 {site.credentials}`" in error, error
    async with site.client() as client:
        assert "run `chmod 600" in (await client.unavailable())["museum"]
    site.credentials.chmod(0o600)


async def sign_out(site):
    for expected in ["Signed out of `museum`", "You were not signed in to `museum`"]:
        _, error = site.run("sign-out", "museum")
        assert expected in error, error
    assert site.entry() is None and site.entry("guarded") is not None
    async with site.client() as client:
        assert HOW + "`" in (await client.unavailable())["museum"]


async def no_token_in_output(site):
    text = "".join(site.output)
    assert len(site.secrets) > 8 and "TRACE" in text and "DEBUG" in text, (len(site.secrets), text[:1000])
    found = [secret for secret in site.secrets if secret in text]
    assert not found, [text[max(0, text.index(secret) - 300) : text.index(secret) + 100] for secret in found]


CHECKS = [
    not_signed_in,
    wrong_usage,
    sign_in,
    calls,
    other_callbacks,
    refresh_after_expiry,
    refresh_after_rejection,
    step_up,
    refused_connection,
    revoked,
    exposed_file,
    sign_out,
    no_token_in_output,
]


async def main():
    issuer_log = []
    with tempfile.TemporaryDirectory() as folder, listening([NODE, ISSUER_SCRIPT], "stderr", issuer_log) as issuer:
        museum, port = f"http://127.0.0.1:{(museum_port := free_port())}/mcp", free_port()
        content = [CONTENT, "serve", "mcp", "--addr", f"127.0.0.1:{museum_port}", "--issuer", issuer]
        environment = {"CONTENT_DATABASE": f"{folder}/museum.sqlite", "CONTENT_SIGNING_KEY": "correct horse battery"}
        guarded = [sys.executable, str(HERE / "guarded.py"), issuer, str(port), "node.view"]
        with listening(content, "stderr", [], environment), listening(guarded, "stdout", []) as guarded_url:
            site = Site(folder, issuer, issuer_log, museum, guarded_url)
            for check in CHECKS:
                name = f"OAuth: {check.__name__}"
                try:
                    await asyncio.wait_for(check(site), 4 * TIMEOUT)
                    print(f"{name} ... ok", flush=True)
                except Exception:
                    print(f"{name} ... FAILED\n{traceback.format_exc()}", flush=True)


asyncio.run(main())
