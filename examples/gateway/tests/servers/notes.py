"""A FastMCP server over stdio, or with `--http` over streamable HTTP. Then it first prints its URL."""

import os
import socket
import sys

from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.utilities.types import Image

server = FastMCP("notes", version="4.5.6")
notes: list[str] = ["buy milk"]


@server.tool(annotations={"title": "List notes", "readOnlyHint": True, "openWorldHint": False})
def list_notes() -> list[str]:
    """Lists all notes."""
    return notes


@server.tool(annotations={"destructiveHint": False, "openWorldHint": False})
def add_note(text: str, urgent: bool = False) -> int:
    """Adds a note, and tells how many there are."""
    notes.append(text + ("!" if urgent else ""))
    return len(notes)


@server.tool(annotations={"readOnlyHint": True})
def find_note(text: str) -> str:
    """Finds a note."""
    raise ToolError(f"there is no note about {text}")


@server.tool(annotations={"readOnlyHint": True})
async def read_aloud(context: Context) -> str:
    """Reads all notes, one after the other."""
    for position in range(4):
        await context.report_progress(position / 4, 1, f"line {position}")
    return "read"


@server.tool(annotations={"readOnlyHint": True})
def sketch() -> Image:
    """Draws something."""
    return Image(data=b"\x89PNG", format="png")


@server.tool(annotations={"readOnlyHint": True})
def environment() -> list[str]:
    """Names the variables of the environment."""
    return sorted(os.environ)


@server.tool
async def quit() -> None:
    """Ends the server in the middle of the call."""
    os._exit(5)


def main():
    if "--http" not in sys.argv:
        server.run(show_banner=False)
        return
    import uvicorn

    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listener.getsockname()[1]}/mcp", flush=True)
    config = uvicorn.Config(server.http_app(path="/mcp"), log_level="warning")
    uvicorn.Server(config).run(sockets=[listener])


main()
