// Malicious tools and links, secrets, and the content security policy of the page.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { button, eventually, field, fixture, json, open, openTool, run } from "./harness.mjs";

let server;
before(async () => (server = await fixture("--execute")));

const pwned = (page) => page.evaluate(() => window.pwned);
const CONTROLS = /[\u0001-\u0008\u001b\u200b\u202a-\u202e\u{e0000}-\u{e007f}]/u;

test("renders tool texts without markup, templates or control characters", async (t) => {
  const page = await openTool(t, server, "hostile_texts");
  const seen = async () => {
    assert.equal(await pwned(page), undefined);
    assert.equal(await page.locator("main img, main script, #tools img, #tools script").count(), 0);
    const text = await page.locator("body").innerText();
    assert.ok(!CONTROLS.test(text), JSON.stringify(CONTROLS.exec(text)));
    return text;
  };
  const text = await seen();
  assert.ok(text.includes(`<img src=x onerror="window.pwned='img'">`) && text.includes("{{TITLE}}"));
  assert.ok(text.includes("⟨U+202E⟩") && text.includes("⟨U+001B⟩") && text.includes("⟨U+E0041⟩"));
  await page.getByRole("button", { name: "Example", exact: true }).click();
  await page.getByText("Valid.").waitFor();
  await run(page);
  await page.locator("#outcome .good").waitFor();
  for (const view of ["Text", "Structured", "Raw"]) {
    await page.getByRole("tab", { name: view }).click();
    await seen();
  }
  for (const copy of ["JSON-RPC", "CLI", "Client config"]) {
    await page.getByRole("tab", { name: copy, exact: true }).click();
    await seen();
  }
  for (const details of await page.locator("summary").all()) await details.click();
  await seen();
});

test("sends invisible characters unchanged and shows them in the editor", async (t) => {
  const page = await openTool(t, server, "hostile_texts");
  const text = "a\u202eb\u200bc\u001b[31m\u0000\u{e0041}\u00ad é 😀";
  await json(page);
  const editor = page.getByLabel("Arguments as JSON");
  await editor.fill(JSON.stringify({ text }));
  const sent = page.waitForRequest((request) => request.url().endsWith("/call"));
  await run(page);
  assert.deepEqual(JSON.parse((await sent).postData()), { text });
  await page.locator("#outcome .good").waitFor();
  await page.getByRole("tab", { name: "Form", exact: true }).click();
  const shown = await json(page);
  assert.ok(!CONTROLS.test(shown), shown);
  assert.ok(shown.includes("\\u202e") && shown.includes("\\udb40\\udc41") && shown.includes("é 😀"), shown);
  assert.deepEqual(JSON.parse(shown), { text });
});

test("fills in a hostile link without running it", async (t) => {
  const args = encodeURIComponent(JSON.stringify({ text: "<img src=x onerror=\"window.pwned='link'\">", ["__proto__"]: 1 }));
  const page = await openTool(t, server, `hostile_texts?args=${args}`);
  await eventually(() => page.locator('[data-at="/text"] textarea').inputValue(), (text) => text.startsWith("<img"));
  assert.equal(await pwned(page), undefined);
  const named = await open(t, `${server.url}/#/tool/${encodeURIComponent("<img src=x onerror=window.pwned=1>")}`, { expected: [/404/] });
  await named.getByRole("heading", { name: "There is no such tool" }).waitFor();
  assert.equal(await pwned(named), undefined);
});

test("enforces the content security policy", async (t) => {
  const page = await open(t, server.url, { expected: [/Content Security Policy|Trusted(HTML|Script)/] });
  const response = await fetch(server.url);
  const policy = response.headers.get("content-security-policy").split("; ");
  for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'"]) {
    assert.ok(policy.includes(rule), rule);
  }
  assert.equal(response.headers.get("x-content-type-options"), "nosniff");
  assert.equal(response.headers.get("referrer-policy"), "no-referrer");
  // The listener of the harness records each of these violations.
  const refused = await page.evaluate(async () => {
    const seen = [];
    const script = document.createElement("script");
    try {
      script.text = "window.pwned = 1";
    } catch {
      seen.push("script");
    }
    try {
      document.body.innerHTML = "<b>markup</b>";
    } catch {
      seen.push("markup");
    }
    await fetch("https://example.org/").catch(() => seen.push("fetch"));
    return seen;
  });
  assert.deepEqual(refused, ["script", "markup", "fetch"]);
  const violations = await eventually(() => page.evaluate(() => window.violations.splice(0)), (all) => all.length >= 3);
  assert.ok(violations.some((violation) => violation.startsWith("connect-src")), violations.join());
  assert.equal(await pwned(page), undefined);
});

const KEY = "hunter2-secret-key";
const CLIPBOARD = { permissions: ["clipboard-read", "clipboard-write"] };
const clipboard = (page) => page.evaluate(() => navigator.clipboard.readText());

/** Opens a tool with this input schema instead of its own, and records its calls. */
async function openShaped(test, inputSchema, { also, ...options } = {}) {
  const calls = [];
  const prepare = async (page) => {
    await page.route("**/tools/add_note", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), inputSchema: { type: "object", ...inputSchema } } });
    });
    await page.route("**/tools/add_note/inputs", (route) => route.fulfill({ json: [] }));
    await page.route("**/tools/add_note/validate", (route) => route.fulfill({ json: { valid: true, errors: [] } }));
    await page.route("**/tools/add_note/call", (route) => {
      calls.push(JSON.parse(route.request().postData()));
      return route.fulfill({ json: { content: [{ type: "text", text: "done" }] } });
    });
    await also?.(page);
  };
  return { page: await openTool(test, server, "add_note", { ...options, prepare }), calls };
}

const secret = { type: "string", writeOnly: true };
const HIDDEN = {
  "in additional properties": [{ additionalProperties: secret }, { one: KEY }],
  "in pattern properties": [{ patternProperties: { "^k": secret } }, { key: KEY }],
  "in a variant behind a reference": [{ properties: { key: { $ref: "#/$defs/K" } }, $defs: { K: { anyOf: [secret, { type: "integer" }] } } }, { key: KEY }],
  "behind two references": [{ properties: { key: { $ref: "#/$defs/A" } }, $defs: { A: { $ref: "#/$defs/B" }, B: secret } }, { key: KEY }],
  "in a recursive list": [{ properties: { keys: { $ref: "#/$defs/T" } }, $defs: { T: { anyOf: [secret, { type: "array", items: { $ref: "#/$defs/T" } }] } } }, { keys: [[KEY]] }],
};

for (const [where, [schema, args]] of Object.entries(HIDDEN)) {
  test(`sends a secret ${where} without showing, linking, copying or storing it`, async (t) => {
    const { page, calls } = await openShaped(t, schema, CLIPBOARD);
    await json(page);
    await page.getByLabel("Arguments as JSON").fill(JSON.stringify(args));
    await page.getByRole("tab", { name: "Form", exact: true }).click();
    assert.ok(!(await json(page)).includes(KEY), "the editor");
    await run(page);
    const dialog = page.getByRole("dialog");
    await dialog.waitFor();
    assert.ok(!(await dialog.innerText()).includes(KEY), "the question");
    await dialog.getByRole("button", { name: "Run it" }).click();
    await page.locator("#outcome .good").waitFor();
    assert.deepEqual(calls, [args]);
    const kept = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }) + decodeURIComponent(location.href));
    assert.ok(!kept.includes(KEY), kept);
    for (const name of ["cURL", "JSON-RPC", "CLI"]) {
      await page.getByRole("tab", { name, exact: true }).click();
      assert.ok(!(await page.locator(`pre[aria-label="${name}"]`).innerText()).includes(KEY), name);
    }
  });
}

test("shows and links values beside a secret", async (t) => {
  const schema = { properties: { key: { $ref: "#/$defs/K" }, question: { type: "string" } }, $defs: { K: secret }, additionalProperties: false };
  const { page } = await openShaped(t, schema);
  await field(page, "/question").locator("textarea").fill("Why?");
  assert.deepEqual(JSON.parse(await json(page)), { question: "Why?" });
  await eventually(() => page.evaluate(() => decodeURIComponent(location.hash)), (hash) => hash.endsWith('{"question":"Why?"}'));
});

const ACCOUNTS = {
  properties: { accounts: { type: "array", items: { type: "object", properties: { user: { type: "string" }, password: secret } } } },
};
const accounts = (...pairs) => ({ accounts: pairs.map(([user, password]) => ({ user, password })) });

/** Opens the editor with the masked accounts of a and b. */
async function openAccounts(test) {
  const { page, calls } = await openShaped(test, ACCOUNTS);
  await json(page);
  const editor = page.getByLabel("Arguments as JSON");
  await editor.fill(JSON.stringify(accounts(["a", "first"], ["b", "second"])));
  await page.getByRole("tab", { name: "Form", exact: true }).click();
  const masked = JSON.parse(await json(page));
  assert.ok(masked.accounts.every(({ password }) => /^•/.test(password)));
  return { page, calls, editor, masked };
}

test("deletes only the secret of an item deleted in the editor", async (t) => {
  const { page, calls, editor, masked } = await openAccounts(t);
  // Like typing: an intermediate value does not change the stored secrets.
  for (const left of [[], [masked.accounts[1]]]) await editor.fill(JSON.stringify({ accounts: left }));
  await run(page);
  await button(page, "Run it").click();
  await eventually(() => calls.length);
  assert.deepEqual(calls, [accounts(["b", "second"])]);
});

test("rejects renamed and unknown masks", async (t) => {
  const { page, calls, editor, masked } = await openAccounts(t);
  const { password } = masked.accounts[0];
  for (const account of [{ pass: password }, { password: "••••••" }, { password: [password] }, { password: `${password}0` }, { user: password, password: "x" }]) {
    await editor.fill(JSON.stringify({ accounts: [account] }));
    await page.locator("form .problem").getByText("enter the secret again").waitFor();
    await run(page);
    await page.getByText("An input is not finished.").waitFor();
    assert.equal(await page.locator("dialog[open]").count(), 0, JSON.stringify(account));
  }
  await editor.fill(JSON.stringify({ accounts: [{ password: "new" }] }));
  await run(page);
  await button(page, "Run it").click();
  await eventually(() => calls.length);
  assert.deepEqual(calls, [{ accounts: [{ password: "new" }] }]);
});

for (const [what, T] of [["list", { type: "array", items: { $ref: "#/$defs/T" } }], ["variant", { anyOf: [{ $ref: "#/$defs/T" }] }]]) {
  test(`shows a field for a recursive ${what}`, async (t) => {
    const { page } = await openShaped(t, { properties: { tree: { $ref: "#/$defs/T" } }, $defs: { T } });
    await field(page, "/tree").waitFor();
    assert.ok((await field(page, "/tree").locator(".type").innerText()).length < 60);
  });
}

test("reports a tool with an endless schema", async (t) => {
  const A = { type: "object", required: ["a"], properties: { a: { $ref: "#/$defs/A" } } };
  const prepare = (page) =>
    page.route("**/tools/exact", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), inputSchema: { ...A, $defs: { A } } } });
    });
  const page = await open(t, `${server.url}/#/tool/exact`, { prepare });
  await page.getByRole("heading", { name: "The tool cannot be shown" }).waitFor();
});

test("closes the confirmation on navigation", async (t) => {
  const { page, calls } = await openShaped(t, {});
  await page.locator('#tools a[data-name="count_notes"]').click();
  await page.getByRole("heading", { name: "Count the notes" }).waitFor();
  await page.locator('#tools a[data-name="add_note"]').click();
  await run(page);
  await page.locator("dialog[open]").waitFor();
  await page.goBack();
  await page.getByRole("heading", { name: "Count the notes" }).waitFor();
  assert.equal(await page.locator("dialog[open]").count(), 0);
  assert.deepEqual(calls, []);
});

test("copies invisible characters of a result", async (t) => {
  const page = await openTool(t, server, "hostile_texts", CLIPBOARD);
  await run(page);
  await page.locator("#outcome .good").waitFor();
  await page.getByRole("tab", { name: "Text" }).click();
  await button(page, "Copy the result").click();
  await page.getByRole("button", { name: "Copy the result" }).getByText("Copied").waitFor();
  const answer = await fetch(`${server.url}/tools/hostile_texts/call`, { method: "POST", headers: { "content-type": "application/json" }, body: "{}" });
  const [{ text }] = (await answer.json()).content;
  assert.match(text, CONTROLS);
  assert.equal(await clipboard(page), text);
});

test("copies no command with control characters, which a terminal takes for keys", async (t) => {
  const { page } = await openShaped(t, { properties: { text: { type: "string" } } }, CLIPBOARD);
  await json(page);
  await page.getByLabel("Arguments as JSON").fill(JSON.stringify({ text: "x\u001b[201~\u0015date\r\n\t" }));
  await page.getByRole("tab", { name: "CLI", exact: true }).click();
  await button(page, "Copy CLI").click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  const command = await clipboard(page);
  assert.doesNotMatch(command, /[\u0000-\u001f]/);
  assert.ok(command.endsWith(String.raw`run add_note 'text:="x\u001b[201~\u0015date\r\n\t"'`), command);
});

test("shows a form for variants of variants of variants at once", async (t) => {
  const $defs = Object.fromEntries(Array.from({ length: 40 }, (_, depth) => [`v${depth}`, { anyOf: [{ type: "string" }, { $ref: `#/$defs/v${depth + 1}` }] }]));
  const schema = { properties: { text: { $ref: "#/$defs/v0" } }, $defs: { ...$defs, v40: { type: "boolean" } } };
  const { page, calls } = await openShaped(t, schema);
  await page.goto(`${server.url}/#/tool/add_note?args=${encodeURIComponent('{"text":5}')}`);
  await page.getByLabel("Form of text").first().waitFor();
  await json(page);
  assert.deepEqual(JSON.parse(await page.getByLabel("Arguments as JSON").inputValue()), { text: 5 });
  await run(page);
  await page.locator("dialog[open]").getByRole("button", { name: "Run" }).click();
  await page.locator("#outcome .good").waitFor();
  assert.deepEqual(calls, [{ text: 5 }]);
});

test("discards late validation results of another tool", async (t) => {
  let release;
  const held = new Promise((resolve) => (release = resolve));
  const also = (page) =>
    page.route("**/tools/add_note/validate", async (route) => {
      await held;
      await route.fulfill({ json: { valid: false, errors: [{ path: "/text", message: "too late", keyword: "type" }] } });
    });
  const { page } = await openShaped(t, { properties: { text: { type: "string" } } }, { also });
  const requested = page.waitForRequest("**/tools/add_note/validate");
  await field(page, "/text").locator("textarea").fill("one");
  await requested;
  await page.locator('#tools a[data-name="count_notes"]').click();
  await page.getByRole("heading", { name: "Count the notes" }).waitFor();
  const answered = page.waitForResponse("**/tools/add_note/validate");
  release();
  await (await answered).finished();
  // Waits for a later response, so that the first one has been read.
  await button(page, "Check").click();
  await page.getByText("Valid.").waitFor();
  assert.ok(!(await page.locator("body").innerText()).includes("too late"));
});

test("runs no tool if its inputs change during validation", async (t) => {
  let release;
  const held = new Promise((resolve) => (release = resolve));
  const also = (page) =>
    page.route("**/tools/add_note/validate", async (route) => {
      if (route.request().postData().includes("one more")) return route.fulfill({ json: { valid: true } });
      await held;
      await route.fulfill({ json: { valid: true } });
    });
  const { page, calls } = await openShaped(t, { properties: { text: { type: "string" } } }, { also });
  const text = field(page, "/text").locator("textarea");
  await text.fill("one");
  const requested = page.waitForRequest((request) => request.url().endsWith("/validate") && request.postData() === '{"text":"one"}');
  await run(page);
  await requested;
  await text.fill("one more");
  await page.getByText("Valid.").waitFor();
  release();
  await eventually(() => page.locator("#outcome").innerText(), (text) => text === "The inputs have changed: nothing ran.");
  assert.equal(await page.locator("dialog[open]").count(), 0);
  assert.deepEqual(calls, []);
});

test("links only web addresses of a result", async (t) => {
  const page = await openTool(t, server, "hostile_links");
  await run(page);
  await page.locator("#outcome .good").waitFor();
  const links = () => page.locator("#outcome a").evaluateAll((all) => all.map(({ href, target, rel }) => [href, target, rel]));
  const outside = (href) => [href, "_blank", "noopener noreferrer"];
  await page.getByRole("tab", { name: "Structured" }).click();
  assert.deepEqual(await links(), [outside("https://example.com/a?b=%3Cc%3E#d")]);
  // The label is the original text.
  assert.equal(await page.locator("#outcome a").innerText(), '"https://example.com/a?b=<c>#d"');
  await page.getByRole("tab", { name: "Text" }).click();
  assert.deepEqual(await links(), [outside("https://example.com/doc")]);
  const text = await page.locator("#outcome").innerText();
  for (const shown of ["javascript:window.pwned='link'", "content://node/1", "//example.com/elsewhere", "⟨U+202E⟩"]) assert.ok(text.includes(shown), shown);
  assert.equal(await pwned(page), undefined);
});

test("links each address of a list in place", async (t) => {
  const page = await openTool(t, server, "plan_trip");
  await json(page);
  await page.getByLabel("Arguments as JSON").fill('{"town": "Rome", "stops": ["Bern", "Rostock"]}');
  await run(page);
  await page.locator("#outcome .good").waitFor();
  const links = await page.locator("#outcome a").evaluateAll((all) => all.map(({ href }) => href));
  assert.deepEqual(links, ["https://example.com/trips?to=Rome", "https://example.com/stops/Bern", "https://example.com/stops/Rostock"]);
});
