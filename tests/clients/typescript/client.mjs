// The scenarios of `../scenarios.py`, with the TypeScript SDK of MCP.
//
//     node client.mjs PROGRAM ENDPOINT
//
// prints one line for each cell of the table, `CLIENT, MODE over TRANSPORT: COLUMN ... ok`, and exits with 1 if one failed.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { argv } from "node:process";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

/** The time limit of each scenario in milliseconds. */
const TIMEOUT = 30_000;

/** Calls a tool and returns its result. */
async function call(client, name, args, options) {
  const result = await client.callTool({ name, arguments: args }, undefined, { timeout: TIMEOUT, ...options });
  return { failed: result.isError ?? false, text: result.content[0]?.text ?? "", structured: result.structuredContent };
}

/** Asserts that the client throws an error whose message contains `why`. */
const assertError = (request, why) => assert.rejects(request, (error) => error.message.toLowerCase().includes(why));

const SCENARIOS = {
  async list({ client }) {
    const { tools } = await client.listTools();
    const names = ["add", "archive", "change", "chatter", "colour", "colours", "count", "dropped", "explode", "purge", "release", "rename", "wait", "write"];
    assert.deepEqual(tools.map((tool) => tool.name), names);
    assert.deepEqual([tools[0].inputSchema.required, tools[0].inputSchema.additionalProperties], [["a"], false]);
  },
  async call({ client }) {
    const answer = await call(client, "add", { a: 2, b: 3 });
    assert.deepEqual(answer, { failed: false, text: '{"sum":5,"of":[2,3]}', structured: { sum: 5, of: [2, 3] } });
  },
  async invalid({ client }) {
    const answer = await call(client, "add", { a: "two", c: 3 });
    assert.ok(answer.failed && answer.text.includes("integer") && answer.text.includes("unknown input"), answer.text);
    await assertError(call(client, "nothing", {}), "not found");
  },
  async failing({ client }) {
    const answer = await call(client, "purge", {});
    assert.deepEqual([answer.failed, answer.text], [true, "the archive is locked"]);
  },
  async panic({ client }) {
    const answer = await call(client, "explode", {});
    assert.ok(answer.failed && answer.text.startsWith("internal error (call "), answer.text);
    assert.ok(!answer.text.includes("secret"), answer.text);
  },
  async resources({ client }) {
    const { resources } = await client.listResources();
    assert.deepEqual(resources.map((resource) => resource.uri), ["fixture://tools", "fixture://colours"]);
    const { contents } = await client.readResource({ uri: "fixture://colours" });
    assert.equal(contents[0].text, '["red","green","grey"]');
    await assertError(client.readResource({ uri: "fixture://nothing" }), "not found");
  },
  async templates({ client }) {
    const { resourceTemplates } = await client.listResourceTemplates();
    const templates = resourceTemplates.map((template) => template.uriTemplate);
    assert.deepEqual(templates, ["fixture://tool/{name}", "fixture://colour/{name}"]);
    const { contents } = await client.readResource({ uri: "fixture://colour/green" });
    assert.equal(contents[0].text, "the colour green");
    const page = await client.readResource({ uri: "fixture://tool/add" });
    assert.ok(page.contents[0].text.includes('"name":"add"'), page.contents[0].text);
  },
  async prompts({ client }) {
    const { prompts } = await client.listPrompts();
    assert.deepEqual(prompts.map((prompt) => prompt.name), ["describe"]);
    assert.deepEqual(prompts[0].arguments.map((argument) => argument.name), ["colour", "words"]);
    const { messages } = await client.getPrompt({ name: "describe", arguments: { colour: "grey", words: "7" } });
    assert.equal(messages[0].content.text, "Describe grey in at most 7 words.");
    await assertError(client.getPrompt({ name: "describe", arguments: {} }), "colour");
  },
  async completion({ client }) {
    const complete = async (ref, name, value) => (await client.complete({ ref, argument: { name, value } })).completion;
    const colour = await complete({ type: "ref/prompt", name: "describe" }, "colour", "gr");
    assert.deepEqual(colour.values, ["green", "grey"]);
    const name = await complete({ type: "ref/resource", uri: "fixture://colour/{name}" }, "name", "r");
    assert.deepEqual(name.values, ["red"]);
  },
  async progress({ client }) {
    const reports = [];
    const last = Promise.withResolvers();
    const key = randomUUID();
    const onprogress = ({ progress, total }) => {
      reports.push([progress, total]);
      if (progress === total) last.resolve();
    };
    const counting = call(client, "count", { to: 5, key }, { onprogress });
    await last.promise;
    await call(client, "release", { key });
    assert.deepEqual((await counting).structured, { result: 5 });
    assert.deepEqual(reports, [1, 2, 3, 4, 5].map((n) => [n, 5]));
  },
  async cancellation({ client }) {
    const controller = new AbortController();
    const key = randomUUID();
    // The first report shows that the call has started.
    const waiting = call(client, "wait", { key }, { onprogress: () => controller.abort(), signal: controller.signal });
    await assert.rejects(waiting);
    // The tool reports that its future was dropped.
    assert.equal((await call(client, "dropped", { key })).text, key);
  },
  async changes({ client, changed }) {
    await call(client, "change", {});
    await changed;
  },
  async stdout({ client }) {
    const answer = await call(client, "chatter", {});
    assert.deepEqual([answer.failed, answer.text], [false, "printed"]);
    // Printed text does not precede or replace the next response.
    assert.deepEqual((await call(client, "add", { a: 1 })).structured, { sum: 6, of: [1, 5] });
  },
};

async function connected(transport) {
  const changed = Promise.withResolvers();
  const listChanged = { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => changed.resolve() } };
  const client = new Client({ name: "clients", version: "1.0.0" }, { listChanged });
  await client.connect(transport);
  return { client, changed: changed.promise };
}

/** Rejects the promise after the time limit. */
function withTimeout(promise) {
  let timer;
  const timeout = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no result within ${TIMEOUT} ms`)), TIMEOUT);
  });
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
}

const [program, endpoint] = argv.slice(2);
const transports = {
  stdio: () => new StdioClientTransport({ command: program, args: ["serve", "mcp"] }),
  http: () => new StreamableHTTPClientTransport(new URL(endpoint)),
};
let failed = false;
for (const [name, transport] of Object.entries(transports)) {
  const connection = await withTimeout(connected(transport()));
  for (const [column, scenario] of Object.entries(SCENARIOS)) {
    const cell = `typescript-sdk 1.32.2, legacy over ${name}: ${column}`;
    try {
      await withTimeout(scenario(connection));
      console.log(`${cell} ... ok`);
    } catch (error) {
      failed = true;
      console.log(`${cell} ... FAILED\n${error.stack}`);
    }
  }
  await connection.client.close();
}
// Exits without waiting for idle keep-alive connections.
process.exit(failed ? 1 : 0);
