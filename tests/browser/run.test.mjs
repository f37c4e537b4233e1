// Running a tool: the confirmation, the result, tokens, and the same call in other programs.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { before, test } from "node:test";
import { promisify } from "node:util";
import { button, eventually, field, fixture, json, open, openTool, run, structured, weather } from "./harness.mjs";

const TOKEN = "open-sesame-5f1c";
const KEY = "hunter2-secret-key";
let server;
before(async () => (server = await fixture("--execute", "--title", "fixture")));

const count = async () => (await (await fetch(`${server.url}/tools/count_notes/call`, { method: "POST" })).json()).structuredContent.result;
const copyAs = async (page, name) => {
  await page.getByRole("tab", { name, exact: true }).click();
  await button(page, `Copy ${name}`).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  return page.evaluate(() => navigator.clipboard.readText());
};
const CLIPBOARD = { permissions: ["clipboard-read", "clipboard-write"] };
const shell = async (command) => (await promisify(execFile)("sh", ["-c", command], { env: { PATH: process.env.PATH, TOKEN } })).stdout;

test("runs a read-only tool at once and shows three views", async (t) => {
  const page = await openTool(t, server, "exact");
  await button(page, "Example").click();
  await run(page);
  await page.locator("#outcome .good").waitFor();
  assert.equal(await page.locator("dialog[open]").count(), 0);
  assert.match(await page.locator("#outcome").innerText(), /Done 200 in \d+ ms, call [0-9a-f]+/);
  await page.getByRole("tab", { name: "Text" }).click();
  assert.equal(await page.locator("#outcome pre").innerText(), '{"result":9007199254740993}');
  await page.getByRole("tab", { name: "Structured" }).click();
  assert.match(await page.locator("#outcome pre").innerText(), /^\{\s+"result": 9007199254740993\s+\}$/);
  await page.getByRole("tab", { name: "Raw" }).click();
  const raw = await page.locator("#outcome pre").innerText();
  assert.match(raw, /^HTTP 200\n/);
  assert.match(raw, /content-type: application\/json/);
  assert.match(raw, /"structuredContent":\{"result":9007199254740993\}/);
  // Screen readers announce it.
  assert.match(await page.locator("[aria-live=polite]").innerText(), /Done\./);
});

test("shows the progress and the messages of a call", async (t) => {
  const page = await openTool(t, server, "climb_tower");
  await button(page, "Check").waitFor();
  await page.getByRole("tab", { name: "JSON", exact: true }).click();
  await page.getByLabel("Arguments as JSON").fill('{"steps": 200, "thoughts": ["is it far?"], "pause": 5}');
  await run(page);
  const bar = page.getByRole("progressbar", { name: "Progress" });
  await eventually(() => bar.evaluate(({ value, max }) => [value, max]).catch(() => [0, 0]), ([value, max]) => value > 0 && max === 200);
  await page.getByText(/^step \d+$/).waitFor();
  await page.getByText("info: is it far?").first().waitFor();
  // The last messages, and not all.
  assert.ok((await page.getByText("info: is it far?").count()) <= 20);
  await page.locator("#outcome .good").waitFor();
  assert.equal(await bar.count(), 0);
  assert.deepEqual(await structured(page), { result: 200 });
  await page.getByRole("tab", { name: "Raw" }).click();
  assert.match(await page.locator("#outcome pre").innerText(), /^HTTP 200\n[^]*\{"content":/);
});

test("stops a call that takes too long", async (t) => {
  const climbs = async () => (await (await fetch(`${server.url}/tools/count_climbs/result`)).json());
  const page = await openTool(t, server, "climb_tower");
  await page.getByRole("textbox", { name: "steps" }).fill("100000");
  await run(page);
  await page.getByText(/^step \d+$/).waitFor();
  assert.equal(await climbs(), 1);
  await button(page, "Stop").click();
  await page.getByText("Stopped.").first().waitFor();
  await eventually(climbs, (running) => running === 0);
  assert.ok(await button(page, "Run").isEnabled());
});

test("gives a link to the result of a tool that reads", async (t) => {
  const page = await openTool(t, server, "climb_tower", CLIPBOARD);
  await page.getByRole("tab", { name: "JSON", exact: true }).click();
  await page.getByLabel("Arguments as JSON").fill('{"steps": 2, "thoughts": ["a&b", "ü"]}');
  const link = await copyAs(page, "Link");
  assert.equal(link, `${server.url}/tools/climb_tower/result?steps=2&thoughts=a%26b&thoughts=%C3%BC`);
  assert.equal(await (await fetch(link)).text(), "2");
  // Neither for a tool that changes something, nor with a secret.
  for (const name of ["add_note", "ask_with_key"]) {
    const page = await openTool(t, server, name);
    await page.getByRole("tab", { name: "cURL", exact: true }).waitFor();
    assert.equal(await page.getByRole("tab", { name: "Link", exact: true }).count(), 0, name);
  }
});

test("asks for confirmation before a modifying tool runs", async (t) => {
  const page = await openTool(t, server, "add_note");
  const notes = await count();
  await page.getByRole("textbox", { name: "text" }).fill("Milk");
  await run(page);
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("heading", { name: "Run Add a note?" }).waitFor();
  assert.match(await dialog.innerText(), /"text": "Milk"/);
  assert.equal(await count(), notes);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await eventually(() => page.locator("dialog[open]").count(), (open) => open === 0);
  await run(page);
  await dialog.getByRole("button", { name: "Run it" }).waitFor();
  await page.keyboard.press("Escape");
  await eventually(() => page.locator("dialog[open]").count(), (open) => open === 0);
  assert.equal(await count(), notes);
  await run(page);
  await dialog.getByRole("button", { name: "Run it" }).click();
  await page.locator("#outcome .good").waitFor();
  assert.equal(await count(), notes + 1);
});

test("warns before a destructive tool and focuses `Cancel`", async (t) => {
  const page = await openTool(t, server, "remove_notes");
  await run(page);
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("heading", { name: "Really run Remove the notes?" }).waitFor();
  assert.match(await dialog.innerText(), /may delete or overwrite for good/);
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Cancel");
  await page.keyboard.press("Enter");
  await eventually(() => page.locator("dialog[open]").count(), (open) => open === 0);
  assert.equal(await page.locator("#outcome").innerText(), "Nothing has run yet.");
});

test("shows the error text of a failed tool", async (t) => {
  const page = await openTool(t, server, "add_note", { expected: [/500/] });
  await button(page, "Set empty: text").click();
  await run(page);
  await page.getByRole("button", { name: "Run it" }).click();
  await page.locator("#outcome strong.bad").waitFor();
  assert.match(await page.locator("#outcome").innerText(), /The tool failed 500/);
  assert.match(await page.locator("#outcome").innerText(), /a note without a word is no note/);
});

test("copies a cURL command that returns the same result", async (t) => {
  const page = await openTool(t, server, "all_shapes", CLIPBOARD);
  await json(page);
  const text = "it's a \"quote\" $HOME `x` \\ ü 😀 \u202e \u0000 <&>";
  await page.getByLabel("Arguments as JSON").fill(JSON.stringify({ text, anything: { "a'b": [9007199254740993n.toString()] } }));
  await run(page);
  await page.locator("#outcome .good").waitFor();
  const shown = await structured(page);
  const command = await copyAs(page, "cURL");
  const answer = JSON.parse(await shell(`${command} --silent`));
  assert.deepEqual(answer.structuredContent, shown);
  assert.equal((shown.result ?? shown).text, text);
});

test("copies numbers exactly", async (t) => {
  const page = await openTool(t, server, "exact", CLIPBOARD);
  await button(page, "Example").click();
  const answer = await shell(`${await copyAs(page, "cURL")} --silent`);
  assert.match(answer, /"result":9007199254740993\b/);
});

test("copies a command line that returns the same result", async (t) => {
  const weatherServer = await weather("--allow-execute");
  const page = await openTool(t, weatherServer, "get_weather", CLIPBOARD);
  await button(page, "Example").click();
  const command = await copyAs(page, "CLI");
  assert.equal(command, "weather run get_weather location=Seattle date=2014-07-04");
  const answer = JSON.parse(await shell(command.replace("weather", process.env.WEATHER)));
  await run(page);
  await page.locator("#outcome .good").waitFor();
  assert.deepEqual(await structured(page), answer);
});

test("shows valid JSON-RPC and client configuration", async (t) => {
  const page = await openTool(t, server, "remove_notes", CLIPBOARD);
  assert.deepEqual(JSON.parse(await copyAs(page, "JSON-RPC")), { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "remove_notes", arguments: {} } });
  assert.deepEqual(JSON.parse(await copyAs(page, "Client config")), { mcpServers: { fixture: { command: "fixture", args: ["serve", "mcp"] } } });
  assert.equal(await copyAs(page, "CLI"), "fixture run remove_notes --yes");
});

test("fills in a deep link without running it", async (t) => {
  const calls = [];
  const args = encodeURIComponent('{"number": 9007199254740993}');
  const page = await openTool(t, server, `exact?args=${args}`, { prepare: (page) => page.on("request", (request) => request.url().endsWith("/call") && calls.push(request.url())) });
  await page.getByText("Valid.").waitFor();
  assert.equal(await page.getByRole("textbox", { name: "number" }).inputValue(), "9007199254740993");
  assert.equal(await page.locator("#outcome").innerText(), "Nothing has run yet.");
  assert.deepEqual(calls, []);
  // The address follows the inputs.
  await page.getByRole("textbox", { name: "number" }).fill("8");
  await eventually(() => page.evaluate(() => decodeURIComponent(location.hash)), (hash) => hash === '#/tool/exact?args={"number":8}');
  // Arguments that are not valid JSON are shown unchanged.
  await page.goto(`${server.url}/#/tool/exact?args=${encodeURIComponent('{"number": ')}`);
  await eventually(() => page.getByLabel("Arguments as JSON").inputValue().catch(() => ""), (text) => text === '{"number": ');
  assert.deepEqual(calls, []);
});

test("runs no tool when execution is off", async (t) => {
  const off = await fixture();
  const page = await openTool(t, off, "exact");
  assert.equal(await button(page, "Run").count(), 0);
  await page.getByText("Tools do not run here").first().waitFor();
  await button(page, "Check").click();
  await eventually(() => field(page, "/number").locator(".problem").innerText(), (text) => /missing/.test(text));
  await button(page, "Example").click();
  await page.getByText("Valid.").waitFor();
  await page.getByRole("textbox", { name: "number" }).press("Enter");
  const refused = await fetch(`${off.url}/tools/exact/call`, { method: "POST", headers: { "content-type": "application/json" }, body: '{"number":1}' });
  assert.equal(refused.status, 403);
  assert.deepEqual(await refused.json(), { error: "Tool execution is disabled." });
});

const tokenField = (page) => page.getByLabel(/^Bearer token/);
const useToken = async (page, token) => {
  await tokenField(page).fill(token);
  await button(page, "Use it").click();
};
const inUse = (page) => page.getByText("A token is in use.");

test("repeats a refused call with a token without storing it", async (t) => {
  const guarded = await fixture("--execute", "--token", TOKEN);
  const calls = [];
  const prepare = (page) => page.on("request", (request) => request.url().endsWith("/call") && calls.push([request.postData(), request.headers().authorization]));
  const page = await openTool(t, guarded, "exact", { ...CLIPBOARD, expected: [/401/], prepare });
  assert.equal(await tokenField(page).isVisible(), false);
  assert.equal(await inUse(page).isVisible(), false);
  await button(page, "Example").click();
  await run(page);
  await tokenField(page).waitFor();
  await eventually(() => page.locator("#outcome").innerText(), (text) => /Not run 401/.test(text) && /a token above repeats this call/.test(text));
  // The next step, entering a token, has the focus.
  assert.equal(await page.evaluate(() => document.activeElement.id), "token");
  // The page repeats the call automatically, and only once.
  await useToken(page, TOKEN);
  await page.locator("#outcome .good").waitFor();
  assert.deepEqual(calls, [['{"number":9007199254740993}', undefined], ['{"number":9007199254740993}', `Bearer ${TOKEN}`]]);
  await inUse(page).waitFor();
  assert.equal(await tokenField(page).isVisible(), false);
  const kept = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }) + document.cookie + location.href + document.documentElement.outerHTML + document.getElementById("token").value);
  assert.ok(!kept.includes(TOKEN));
  // Reloading the page discards the token.
  await page.reload();
  await page.locator("article .work").waitFor();
  assert.equal(await inUse(page).isVisible(), false);
});

test("adds the authorization header to cURL while a token is in use", async (t) => {
  const guarded = await fixture("--execute", "--token", TOKEN);
  const page = await openTool(t, guarded, "count_notes", { ...CLIPBOARD, expected: [/401/] });
  const shown = page.locator('pre[aria-label="cURL"]');
  await run(page);
  await tokenField(page).waitFor();
  assert.ok(!/authorization/.test(await shown.innerText()));
  await useToken(page, TOKEN);
  await eventually(() => shown.innerText(), (text) => text.includes('-H "authorization: Bearer $TOKEN"'));
  await page.getByText("Set the variable TOKEN to your token first.").waitFor();
  const command = await copyAs(page, "cURL");
  assert.ok(!command.includes(TOKEN), command);
  assert.match(await shell(`${command} --silent`), /"result":\d/);
  // A dropped token is not shown as in use, not in the command, and not sent.
  await page.locator("#outcome .good").waitFor();
  await button(page, "Drop it").click();
  assert.equal(await inUse(page).isVisible(), false);
  assert.ok(!/authorization/.test(await shown.innerText()));
  await run(page);
  await eventually(() => page.locator("#outcome").innerText(), (text) => /Not run 401/.test(text));
});

test("reports a rejected token and repeats the call with another", async (t) => {
  const guarded = await fixture("--execute", "--token", TOKEN);
  const page = await openTool(t, guarded, "count_notes", { expected: [/401/] });
  await run(page);
  await useToken(page, "a-wrong-one");
  await page.getByText("The token was refused.").waitFor();
  assert.equal(await inUse(page).isVisible(), false);
  await useToken(page, TOKEN);
  await page.locator("#outcome .good").waitFor();
  await inUse(page).waitFor();
});

test("repeats a denied call with a token that has the permission", async (t) => {
  const optional = await fixture("--execute", "--token", TOKEN, "--optional");
  const page = await openTool(t, optional, "count_towns", { expected: [/403/] });
  await run(page);
  await eventually(() => page.locator("#outcome").innerText(), (text) => /Not run 403/.test(text) && /a token above repeats this call/.test(text));
  await useToken(page, TOKEN);
  await page.locator("#outcome .good").waitFor();
  assert.deepEqual(await structured(page), { result: 3 });
});

test("repeats a refused modifying call only with the confirmed inputs", async (t) => {
  const guarded = await fixture("--execute", "--token", TOKEN);
  const calls = [];
  const prepare = (page) => page.on("request", (request) => request.url().endsWith("/call") && calls.push(request.postData()));
  const page = await openTool(t, guarded, "add_note", { expected: [/401/], prepare });
  const text = page.getByRole("textbox", { name: "text" });
  const confirm = async () => {
    await run(page);
    await button(page, "Run it").click();
  };
  await text.fill("Milk");
  await confirm();
  await tokenField(page).waitFor();
  await useToken(page, TOKEN);
  await page.locator("#outcome .good").waitFor();
  assert.deepEqual(calls, ['{"text":"Milk"}', '{"text":"Milk"}']);
  // Inputs that were changed after the confirmation are not sent.
  await button(page, "Drop it").click();
  await confirm();
  await tokenField(page).waitFor();
  await text.fill("Bread");
  await page.getByText("Valid.").waitFor();
  await useToken(page, TOKEN);
  await inUse(page).waitFor();
  await page.locator('#tools a[data-name="exact"]').waitFor();
  assert.equal(calls.length, 3);
  assert.equal(await page.locator("dialog[open]").count(), 0);
});

test("uses a typed token that was not submitted", async (t) => {
  const guarded = await fixture("--execute", "--token", TOKEN);
  const page = await openTool(t, guarded, "exact", { expected: [/401/] });
  await button(page, "Example").click();
  await run(page);
  await tokenField(page).fill(TOKEN);
  await run(page);
  await page.locator("#outcome .good").waitFor();
  await inUse(page).waitFor();
});

test("links large results and fetches them with the token", async (t) => {
  const guarded = await fixture("--execute", "--token", TOKEN, "--store", "--prefix", "/some/api/");
  const page = await openTool(t, { url: `${guarded.url}/some/api` }, "many_towns", { expected: [/401/] });
  await run(page);
  await useToken(page, TOKEN);
  await page.locator("#outcome .good").waitFor();
  const saved = async (link) => {
    const [download] = await Promise.all([page.waitForEvent("download"), link.click()]);
    const chunks = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk);
    return [download.suggestedFilename(), Buffer.concat(chunks).toString()];
  };
  for (const view of ["Text", "Structured"]) {
    await page.getByRole("tab", { name: view }).click();
    const link = page.locator("#outcome a");
    assert.match(await link.getAttribute("href"), new RegExp(`^${guarded.url}/some/api/results/[0-9a-f]{64}$`));
    const [name, text] = await saved(link);
    assert.match(name, /^result-[0-9a-f]{12}\.json$/);
    assert.equal(JSON.parse(text).length, 500);
  }
});

test("opens a protected list with the token", async (t) => {
  const guarded = await fixture("--token", TOKEN, "--protect");
  const page = await open(t, guarded.url, { expected: [/401/] });
  await page.locator("#tools").getByText("Unauthorized").waitFor();
  await page.getByLabel(/^Bearer token/).fill(TOKEN);
  await button(page, "Use it").click();
  await page.locator('#tools a[data-name="exact"]').click();
  await page.getByRole("heading", { name: "Exact number" }).waitFor();
});

test("sends a secret without showing, linking, copying or storing it", async (t) => {
  const page = await openTool(t, server, "ask_with_key", CLIPBOARD);
  const key = page.getByLabel("key", { exact: true });
  assert.equal(await key.getAttribute("type"), "password");
  await key.fill(KEY);
  await page.getByRole("textbox", { name: "question" }).fill("Why?");
  await page.getByText("Valid.").waitFor();
  await run(page);
  await page.locator("#outcome .good").waitFor();
  assert.match(await page.locator("#outcome pre").innerText(), new RegExp(`with a key of ${KEY.length} characters`));
  const kept = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }) + decodeURIComponent(location.href) + document.body.innerText);
  assert.ok(kept.includes("Why?") && !kept.includes(KEY), kept);
  for (const name of ["cURL", "JSON-RPC", "CLI"]) assert.ok(!(await copyAs(page, name)).includes(KEY), name);
  // The editor masks the secret, and editing other inputs keeps it.
  const text = await json(page);
  assert.ok(!text.includes(KEY), text);
  await page.getByLabel("Arguments as JSON").fill(text.replace("Why?", "When?"));
  await run(page);
  await eventually(() => page.locator("#outcome pre").innerText().catch(() => ""), (text) => text.includes(`When? was asked with a key of ${KEY.length} characters`));
});

test("restores and clears earlier calls", async (t) => {
  const page = await openTool(t, server, "exact");
  await page.getByRole("textbox", { name: "number" }).fill("41");
  await run(page);
  await page.locator("#outcome .good").waitFor();
  await page.goto("about:blank");
  await page.goto(`${server.url}/#/tool/exact`);
  await button(page, '{"number":41}').click();
  assert.equal(await page.getByRole("textbox", { name: "number" }).inputValue(), "41");
  assert.equal(await page.locator("#outcome").innerText(), "Nothing has run yet.");
  await button(page, "Forget these").click();
  assert.equal(await button(page, '{"number":41}').count(), 0);
  await page.reload();
  await page.locator("article .work").waitFor();
  assert.equal(await button(page, '{"number":41}').count(), 0);
});

test("uses the name of the server as title", async (t) => {
  const title = `</title><script>window.pwned=1</script>{{TITLE}} {{ALLOW_EXECUTE}} "'&amp; $&`;
  const named = await fixture("--title", title);
  const page = await open(t, named.url);
  assert.equal(await page.title(), title);
  assert.equal(await page.locator("#home").innerText(), title);
  assert.equal(await page.evaluate(() => window.pwned), undefined);
});
