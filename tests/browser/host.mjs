// Serves the page of a client that shows pages of tools, with an MCP server under the same origin.
import { readFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const FOLDER = fileURLToPath(new URL(".", import.meta.url));
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript" };

/** Returns the address of the page, and a function that stops the server. `mcp` is the address of the MCP server. */
export async function host(mcp) {
  const server = createServer((incoming, outgoing) => {
    const { pathname } = new URL(incoming.url, "http://host");
    if (pathname === "/mcp") return forward(mcp, incoming, outgoing);
    file(pathname, outgoing);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const stop = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${server.address().port}/host.html`, stop };
}

function forward(mcp, incoming, outgoing) {
  const { origin, host: _, ...headers } = incoming.headers;
  const forwarded = request(`${mcp}/mcp`, { method: incoming.method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode, answer.headers);
    answer.pipe(outgoing);
  });
  forwarded.on("error", () => outgoing.destroy());
  outgoing.on("close", () => forwarded.destroy());
  incoming.pipe(forwarded);
}

async function file(pathname, outgoing) {
  try {
    const text = await readFile(join(FOLDER, normalize(pathname)));
    outgoing.writeHead(200, { "content-type": TYPES[extname(pathname)] ?? "application/octet-stream" });
    outgoing.end(text);
  } catch {
    outgoing.writeHead(404).end();
  }
}
