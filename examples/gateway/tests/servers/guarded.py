"""A FastMCP server that takes the tokens of an issuer: `guarded.py ISSUER PORT SCOPE`. First prints its URL."""

import sys

from fastmcp import FastMCP
from fastmcp.server.auth import RemoteAuthProvider
from fastmcp.server.auth.providers.jwt import JWTVerifier
from fastmcp.server.dependencies import get_http_headers

ISSUER, PORT, SCOPE = sys.argv[1:4]
BASE = f"http://127.0.0.1:{PORT}"
verifier = JWTVerifier(
    jwks_uri=f"{ISSUER}/jwks", issuer=ISSUER, audience=f"{BASE}/mcp", algorithm="ES256", required_scopes=[SCOPE]
)
server = FastMCP("guarded", auth=RemoteAuthProvider(verifier, [ISSUER], BASE))


@server.tool(annotations={"readOnlyHint": True})
def was_sent(text: str) -> bool:
    """Tells whether a header of the request has a text."""
    return any(text in value for value in get_http_headers(include_all=True).values())


print(f"{BASE}/mcp", flush=True)
server.run("http", host="127.0.0.1", port=int(PORT), show_banner=False, log_level="warning")
