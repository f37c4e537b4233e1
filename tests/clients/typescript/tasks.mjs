// The scenario `tasks` of `../scenarios.py`, with the TypeScript client of the extension `io.modelcontextprotocol/tasks`.
//
//     node tasks.mjs PROGRAM ENDPOINT
//
// prints the line of its cell, and exits with 1 if it failed. The program is not used: the client leaves the transport of
// requests about tasks to its host, which is `dispatch`.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { argv } from "node:process";

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createApplicationInputHandler, createTaskSessionFromClient } from "@modelcontextprotocol/ext-tasks/client";

/** The time limit of the scenario in milliseconds. */
const TIMEOUT = 30_000;
const CELL = "ext-tasks 0.2.2, modern over http: tasks";
const VERSION = "2026-07-28";

const endpoint = argv[3];
let requests = 0;

/** Sends a request, and returns its response. */
async function dispatch(request, { signal } = {}) {
  const { name, taskId } = request.params;
  const headers = {
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    "mcp-protocol-version": VERSION,
    "mcp-method": request.method,
    "mcp-name": name ?? taskId,
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: ++requests, ...request });
  const response = await fetch(endpoint, { method: "POST", headers, body, signal });
  const { result, error } = await response.json();
  return error === undefined ? { kind: "result", result } : { kind: "error", error };
}

/** Starts a task of `archive`, and waits until its function runs. */
async function begun(session, key) {
  const execution = await session.callTool("archive", { pages: 3, key });
  const task = session.task(execution.handle.taskId);
  for (;;) {
    const { status, statusMessage } = await task.snapshot();
    assert.equal(status, "working");
    if (statusMessage === "archiving") return { execution, task };
  }
}

async function tasks(session) {
  const key = randomUUID();
  const { execution, task } = await begun(session, key);
  const released = await session.callTool("release", { key });
  assert.equal(released.kind, "immediate");
  const { status, result } = await execution.result();
  assert.deepEqual([status, result.isError, result.structuredContent], ["completed", false, { result: 3 }]);
  assert.equal((await task.snapshot()).status, "completed");

  const failing = await (await session.callTool("archive", { pages: 0, key })).result();
  assert.deepEqual([failing.status, failing.result.isError], ["completed", true]);
  assert.equal(failing.result.content[0].text, "there are no pages");

  const canceled = await begun(session, randomUUID());
  await canceled.task.cancel();
  assert.equal((await canceled.execution.result()).status, "cancelled");

  const asking = await (await session.callTool("rename", {})).result();
  assert.equal(asking.result.content[0].text, "renamed to attic");
  assert.deepEqual(questions, ["What is the new name?"]);

  const unknown = session.task("0".repeat(32));
  for (const request of [() => unknown.snapshot(), () => unknown.cancel()]) {
    await assert.rejects(request, ({ code, message }) => code === -32602 && message.includes("no such task"));
  }
}

const questions = [];
const onInputRequest = createApplicationInputHandler({
  elicitation({ params }) {
    questions.push(params.message);
    return { action: "accept", content: { name: "attic" } };
  },
});
const clientInfo = { name: "clients", version: "1.0.0" };
const capabilities = { elicitation: {}, extensions: { "io.modelcontextprotocol/tasks": {} } };
const client = new Client(clientInfo, { capabilities, versionNegotiation: { mode: { pin: VERSION } } });
await client.connect(new StreamableHTTPClientTransport(new URL(endpoint)));
const session = createTaskSessionFromClient(client, {
  endpointId: "fixture",
  onInputRequest,
  rawDispatch: dispatch,
  v2RequestFraming: { protocolVersion: VERSION, clientInfo, clientCapabilities: capabilities },
});
const timeout = new Promise((_, reject) => {
  setTimeout(() => reject(new Error(`no result within ${TIMEOUT} ms`)), TIMEOUT);
});
let failed = false;
try {
  await Promise.race([tasks(session), timeout]);
  console.log(`${CELL} ... ok`);
} catch (error) {
  failed = true;
  console.log(`${CELL} ... FAILED\n${error.stack}`);
}
// Exits without waiting for idle keep-alive connections.
process.exit(failed ? 1 : 0);
