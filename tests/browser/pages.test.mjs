// Pages of tools in the reference host of `@modelcontextprotocol/ext-apps`: the default page, with the tools of the weather example.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { eventually, open, weatherMcp } from "./harness.mjs";
import { host } from "./host.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const MARKUP = "<img src=x onerror=\"window.pwned = 1\"><script>window.pwned = 2</script>";
let client;
before(async () => (client = await host((await weatherMcp()).url)));
after(() => client?.stop());

/** Shows the page of `find_days`; returns the page of the host and the frame. */
async function show(t, options) {
  const page = await open(t, client.url);
  await page.waitForFunction(() => window.ready);
  await page.evaluate((options) => window.show("find_days", options), options);
  return { page, frame: page.frameLocator("iframe") };
}
const call = (page, values) => page.evaluate((values) => window.call("find_days", values), values);
const answer = (page, result) => page.evaluate((result) => window.bridge.sendToolResult(result), result);
const structured = (structuredContent) => ({ content: [], structuredContent });
const rows = (frame) => frame.locator("tbody tr").allInnerTexts();
const runButton = (frame) => frame.getByRole("button");

test("shows the result of a call as a table, and the inputs in the form", async (t) => {
  const { page, frame } = await show(t);
  await call(page, { from: "2014-12-24", to: "2014-12-25", location: "Seattle" });
  await frame.locator("table").waitFor();
  assert.equal(await page.evaluate(() => window.mediaType), "text/html;profile=mcp-app");
  assert.equal(await frame.getByRole("heading", { level: 1 }).innerText(), "Find days");
  assert.deepEqual(await frame.locator("thead th").allInnerTexts(), ["location", "date", "precipitation", "temp_max", "temp_min", "wind", "weather"]);
  assert.deepEqual((await rows(frame)).map((row) => row.split("\t").slice(0, 2)), [["Seattle", "2014-12-24"], ["Seattle", "2014-12-25"]]);
  assert.deepEqual(await frame.locator("dl").allInnerTexts(), ["total\n2"]);
  assert.equal(await frame.getByLabel("from (required)").inputValue(), "2014-12-24");
  assert.equal(await frame.getByLabel("location").locator("option:checked").innerText(), "Seattle");
  assert.deepEqual(await frame.getByLabel("weather").locator("option").allInnerTexts(), ["", "drizzle", "fog", "rain", "snow", "sun"]);
});

test("grows to its height", async (t) => {
  const { page, frame } = await show(t);
  const height = () => page.evaluate(() => document.querySelector("iframe").clientHeight);
  const before = await eventually(height, (height) => height > 100);
  await call(page, { from: "2014-01-01", to: "2014-12-31" });
  await frame.locator("table").waitFor();
  await eventually(height, (height) => height > before + 200);
});

test("calls the tool from the form by keyboard", async (t) => {
  const { page, frame } = await show(t);
  await call(page, { from: "2014-12-24", to: "2014-12-25", location: "Seattle" });
  await frame.locator("table").waitFor();
  await frame.getByLabel("location").selectOption({ label: "New York" });
  await frame.getByLabel("limit").fill("1");
  await page.keyboard.press("Enter");
  await eventually(() => rows(frame), (rows) => rows.length === 1 && rows[0].startsWith("New York\t2014-12-24"));
  assert.deepEqual(await frame.locator("dl").allInnerTexts(), ["total\n2"]);
  assert.equal(await frame.getByRole("status").innerText(), "Done.");
});

test("shows what is wrong, before the call and after it", async (t) => {
  const { frame } = await show(t);
  await runButton(frame).click();
  const from = frame.getByLabel("from (required)");
  assert.equal(await from.getAttribute("aria-invalid"), "true");
  assert.ok(await from.evaluate((it) => it === document.activeElement));
  await from.fill("2015-02-01");
  await frame.getByLabel("to (required)").fill("2014-02-01");
  await runButton(frame).click();
  await frame.locator("#result .error").waitFor();
  assert.match(await frame.locator("#result .error").innerText(), /`from` is 2015-02-01, which is after `to`/);
  assert.equal(await frame.getByRole("status").innerText(), "The call failed.");
  assert.equal(await from.getAttribute("aria-invalid"), null);
});

test("shows that a call was canceled, or refused by the host", async (t) => {
  const { page, frame } = await show(t, { answers: [{ refused: "the host refuses" }] });
  await page.evaluate(() => window.bridge.sendToolCancelled({ reason: "by the user" }));
  await eventually(() => frame.getByRole("status").innerText(), (text) => text === "The call was canceled: by the user");
  await frame.getByLabel("from (required)").fill("2015-02-01");
  await frame.getByLabel("to (required)").fill("2015-02-01");
  await runButton(frame).click();
  assert.match(await frame.locator("#result .error").innerText(), /the host refuses/);
});

test("has no form if the host does not let pages call tools", async (t) => {
  const { page, frame } = await show(t, { capabilities: {} });
  await call(page, { from: "2014-12-24", to: "2014-12-24" });
  await frame.locator("table").waitFor();
  assert.equal(await frame.locator("form").isVisible(), false);
});

for (const theme of ["light", "dark"]) {
  test(`follows the ${theme} theme of the host, without axe findings`, async (t) => {
    const other = theme === "light" ? "dark" : "light";
    const { page, frame } = await show(t, { context: { theme: other } });
    const isLight = () =>
      frame.locator("html").evaluate((root) => Math.max(...getComputedStyle(root).backgroundColor.match(/\d+/g).map(Number)) > 128);
    assert.equal(await isLight(), other === "light");
    await page.evaluate((theme) => window.bridge.setHostContext({ theme }), theme);
    await eventually(isLight, (isLight) => isLight === (theme === "light"));
    await call(page, { from: "2014-12-24", to: "2014-12-25" });
    await frame.locator("table").waitFor();
    const view = page.frames().at(-1);
    await view.evaluate(AXE);
    const { violations, passes } = await view.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
    assert.ok(passes.length > 10, "axe checked too few rules");
    assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes[0].target} ${nodes[0].failureSummary}`), []);
  });
}

test("shows hostile texts as text", async (t) => {
  const toolInfo = {
    name: "hostile",
    title: MARKUP,
    inputSchema: {
      type: "object",
      properties: {
        [MARKUP]: { type: "string", description: MARKUP, default: MARKUP },
        pick: { oneOf: [{ const: MARKUP, title: MARKUP }] },
        ["__proto__"]: { type: "integer" },
      },
    },
  };
  const { page, frame } = await show(t, { toolInfo, context: { styles: { variables: { "--color-text-primary": MARKUP } } } });
  for (const result of [
    structured({ result: [{ [MARKUP]: MARKUP, constructor: MARKUP }] }),
    structured({ [MARKUP]: MARKUP, inner: { [MARKUP]: MARKUP } }),
    structured([[MARKUP]]),
    { content: [{ type: "text", text: MARKUP }] },
    { content: [{ type: "text", text: MARKUP }], isError: true },
    { content: [{ type: "resource_link", name: MARKUP, uri: "javascript:window.pwned = 3" }] },
  ]) {
    await answer(page, result);
    await eventually(() => frame.locator("#result").innerText(), (text) => text.includes("window.pwned"));
    assert.equal(await frame.locator("img, #result script, a").count(), 0);
  }
  assert.equal(await frame.getByRole("heading", { level: 1 }).innerText(), MARKUP);
  const view = page.frames().at(-1);
  assert.equal(await view.evaluate(() => window.pwned ?? Object.prototype.pwned), undefined);
});

test("shows every other shape of a result", async (t) => {
  const { page, frame } = await show(t);
  const shown = async (result, expected) => {
    await answer(page, result);
    const text = () => frame.locator("main > :not(form)").allInnerTexts();
    await eventually(text, (texts) => texts.join("\n").includes(expected));
  };
  await shown(structured({ result: [] }), "No entries.");
  await shown(structured({ name: "Ada", age: null, is_here: false }), "name\nAda\nage\nis_here\nfalse");
  await shown(structured({ result: 7 }), "7");
  await shown(structured({ result: "two\nlines" }), "two\nlines");
  await shown(structured({ deep: [{ list: [1] }] }), "\"list\": [");
  await shown({ content: [] }, "The result is empty.");
  await shown(structured({ result: Array.from({ length: 1001 }, (_, row) => ({ row })) }), "The first 1000 of 1001 rows.");
  const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  await answer(page, { content: [{ type: "image", mimeType: "image/png", data: png }] });
  await frame.getByRole("img").waitFor();
});

test("takes neither a double click, nor a key that is held down, nor other inputs as a confirmation", async (t) => {
  const toolInfo = {
    name: "remove",
    annotations: { destructiveHint: true },
    inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  };
  const { page, frame } = await show(t, { toolInfo, answers: [{ content: [{ type: "text", text: "done" }] }] });
  const calls = () => page.evaluate(() => window.calls);
  const path = frame.getByLabel("path (required)");
  await path.fill("/tmp/a");
  await runButton(frame).dblclick();
  assert.match(await runButton(frame).innerText(), /may delete or overwrite/);
  assert.deepEqual(await calls(), []);
  // Other inputs are asked for again.
  await path.fill("/home");
  await runButton(frame).click();
  assert.deepEqual(await calls(), []);
  const enabled = () => eventually(() => runButton(frame).getAttribute("aria-disabled"), (value) => value === null);
  await enabled();
  await path.fill("/tmp/b");
  // The first one asks, and the others are repetitions.
  for (let repetition = 0; repetition < 3; repetition += 1) await page.keyboard.down("Enter");
  await enabled();
  await page.keyboard.down("Enter");
  await page.keyboard.up("Enter");
  assert.deepEqual(await calls(), []);
  await page.keyboard.press("Enter");
  await eventually(calls, (all) => all.length === 1);
  assert.deepEqual((await calls())[0].arguments, { path: "/tmp/b" });
});

test("sends each kind of input as its type, and asks again before it destroys", async (t) => {
  const toolInfo = {
    name: "shapes",
    annotations: { destructiveHint: true },
    inputSchema: {
      type: "object",
      $defs: { Color: { oneOf: [{ const: "red", title: "Red" }, { const: "blue", title: "Blue" }] } },
      properties: {
        text: { type: "string" },
        count: { type: ["integer", "null"] },
        share: { type: "number" },
        is_on: { type: "boolean", default: true },
        maybe: { type: ["boolean", "null"] },
        color: { $ref: "#/$defs/Color" },
        size: { anyOf: [{ enum: [1, 2] }, { type: "null" }] },
        list: { type: "array" },
        unset: { type: "string" },
        secret: { type: "string", writeOnly: true },
      },
      required: ["text", "color"],
    },
  };
  const { page, frame } = await show(t, { toolInfo, answers: [{ content: [{ type: "text", text: "done" }] }] });
  await page.evaluate(() => window.bridge.sendToolInput({ arguments: { text: "two\nlines", more: 1 } }));
  await eventually(() => frame.getByLabel("text (required)").inputValue(), (text) => text === "two\nlines");
  await frame.getByLabel("count").fill("9007199254740993");
  await frame.getByLabel("share").fill("0.5");
  await frame.getByLabel("is_on").uncheck();
  await frame.getByLabel("maybe").selectOption({ label: "false" });
  await frame.getByLabel("color (required)").selectOption({ label: "Blue" });
  await frame.getByLabel("size").selectOption({ label: "2" });
  await frame.getByLabel("list").fill("[1, ");
  assert.equal(await frame.getByLabel("secret").getAttribute("type"), "password");
  await runButton(frame).click();
  assert.match(await frame.locator(".error:not(:empty)").first().innerText(), /cannot|exactly/);
  assert.equal(await frame.locator("[aria-invalid]").count(), 2);
  await frame.getByLabel("count").fill("-3");
  await frame.getByLabel("list").fill("[1, {}]");
  await runButton(frame).click();
  assert.match(await runButton(frame).innerText(), /may delete or overwrite/);
  assert.deepEqual(await page.evaluate(() => window.calls), []);
  await runButton(frame).click();
  await frame.getByText("done", { exact: true }).waitFor();
  assert.deepEqual(await page.evaluate(() => window.calls), [
    {
      name: "shapes",
      arguments: { more: 1, text: "two\nlines", count: -3, share: 0.5, is_on: false, maybe: false, color: "blue", size: 2, list: [1, {}] },
    },
  ]);
});
