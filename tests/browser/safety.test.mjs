// Tools of somebody who wishes us ill, and what the browser is told about the page.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { eventually, fixture, json, open, openTool, run } from "./harness.mjs";

let server;
before(async () => (server = await fixture("--execute")));

const pwned = (page) => page.evaluate(() => window.pwned);
const CONTROLS = /[\u0001-\u0008\u001b\u200b\u202a-\u202e\u{e0000}-\u{e007f}]/u;

test("texts of a tool are text: no markup, no template, no control does anything", async (t) => {
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
  await page.getByText("Fits.").waitFor();
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

test("what is unseen reaches the tool as it was, and is seen in the editor", async (t) => {
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

test("a hostile link does nothing but fill in", async (t) => {
  const args = encodeURIComponent(JSON.stringify({ text: "<img src=x onerror=\"window.pwned='link'\">", ["__proto__"]: 1 }));
  const page = await openTool(t, server, `hostile_texts?args=${args}`);
  await eventually(() => page.locator('[data-at="/text"] textarea').inputValue(), (text) => text.startsWith("<img"));
  assert.equal(await pwned(page), undefined);
  const named = await open(t, `${server.url}/#/tool/${encodeURIComponent("<img src=x onerror=window.pwned=1>")}`, { expected: [/404/] });
  await named.getByRole("heading", { name: "There is no such tool" }).waitFor();
  assert.equal(await pwned(named), undefined);
});

test("the browser is told to load nothing else, and it does refuse", async (t) => {
  const page = await open(t, server.url, { expected: [/Content Security Policy|Trusted(HTML|Script)/] });
  const response = await fetch(server.url);
  const policy = response.headers.get("content-security-policy").split("; ");
  for (const rule of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'"]) {
    assert.ok(policy.includes(rule), rule);
  }
  assert.equal(response.headers.get("x-content-type-options"), "nosniff");
  assert.equal(response.headers.get("referrer-policy"), "no-referrer");
  // The listener of the harness works: each of these is seen.
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
