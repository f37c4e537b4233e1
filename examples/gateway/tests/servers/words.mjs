// A server with the TypeScript SDK over stdio, or with `--http` over streamable HTTP with sessions. Then it first prints its
// URL.
import { createServer } from "node:http";
import { randomUUID } from "node:crypto";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { isInitializeRequest } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";

function words() {
  const server = new McpServer({ name: "words", version: "1.2.3" });
  server.registerTool(
    "count_words",
    {
      title: "Count words",
      description: "Counts the words of a text.",
      inputSchema: { text: z.string().describe("The text.") },
      outputSchema: { words: z.number().int() },
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ text }) => {
      const structuredContent = { words: text.split(/\s+/).filter(Boolean).length };
      return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
    },
  );
  server.registerTool(
    "fail",
    { description: "Fails, and says why.", annotations: { readOnlyHint: true } },
    () => ({ isError: true, content: [{ type: "text", text: "the dictionary is closed" }] }),
  );
  server.registerTool(
    "spell",
    {
      description: "Spells a word letter by letter, and tells how far it has come.",
      inputSchema: { word: z.string() },
      annotations: { readOnlyHint: true },
    },
    async ({ word }, extra) => {
      const progressToken = extra._meta?.progressToken;
      for (const [n, letter] of [...word].entries()) {
        if (progressToken === undefined) continue;
        await extra.sendNotification({
          method: "notifications/progress",
          params: { progressToken, progress: n + 1, total: word.length, message: letter },
        });
      }
      return { content: [{ type: "text", text: [...word].join(" ") }] };
    },
  );
  server.registerTool("learn", { description: "Learns another tool." }, () => {
    server.registerTool("greet", { description: "Greets.", annotations: { readOnlyHint: true } }, () => ({
      content: [{ type: "text", text: "hello" }],
    }));
    return { content: [{ type: "text", text: "learnt" }] };
  });
  server.registerTool("quit", { description: "Ends the server in the middle of the call." }, () => process.exit(5));
  return server;
}

if (!process.argv.includes("--http")) {
  await words().connect(new StdioServerTransport());
} else {
  const sessions = new Map();
  const http = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = chunks.length ? JSON.parse(Buffer.concat(chunks)) : undefined;
    let transport = sessions.get(request.headers["mcp-session-id"]);
    if (!transport && isInitializeRequest(body)) {
      transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (id) => sessions.set(id, transport),
      });
      await words().connect(transport);
    }
    if (!transport) {
      const error = { code: -32000, message: "Bad Request: No valid session ID provided" };
      response.writeHead(400, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", error, id: null }));
      return;
    }
    await transport.handleRequest(request, response, body);
  });
  http.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${http.address().port}/mcp`));
}
