// Accessibility: by keyboard, with a screen reader, in both themes and in a narrow window.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { before, test } from "node:test";
import { button, eventually, fixture, json, open, openTool, run } from "./harness.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let server;
before(async () => (server = await fixture("--execute")));

/** Returns the violations that axe finds on the page. */
async function findings(page) {
  await page.evaluate(AXE);
  const { violations, passes } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  assert.ok(passes.length > 10, "axe checked too few rules");
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target} ${node.failureSummary}`));
}

/** Returns the identifier, the tool name or the text of the focused element. */
const focused = (page) =>
  page.evaluate(() => {
    const { id, dataset, textContent } = document.activeElement;
    return (/^e\d+$/.test(id) ? "" : id) || dataset.name || textContent.trim();
  });

for (const colorScheme of ["light", "dark"]) {
  test(`has no axe findings in the ${colorScheme} theme`, async (t) => {
    const page = await open(t, server.url, { colorScheme, expected: [/401/, /404/, /500/] });
    await page.locator("#tools a").first().waitFor();
    const background = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    assert.equal(Math.max(...background.match(/\d+/g).map(Number)) > 128, colorScheme === "light");
    assert.deepEqual(await findings(page), [], "the start");
    await page.goto(`${server.url}/#/tool/all_shapes`);
    await button(page, "Example 2").click();
    for (const name of ["Set empty: words", "Add: part", "Add an item: parts", "Set empty: counts", "Add an entry"]) await button(page, name).click();
    await page.getByLabel("Form of payment").selectOption({ label: "card" });
    await page.locator('[data-at="/anything"] textarea').fill("{");
    await button(page, "Check").click();
    await page.getByText("An input is not finished.").waitFor();
    assert.deepEqual(await findings(page), [], "a form of every shape");
    await page.locator('[data-at="/anything"] textarea').fill("{}");
    await button(page, "Check").click();
    await page.locator(".problem p").first().waitFor();
    for (const details of await page.locator("summary").all()) await details.click();
    assert.deepEqual(await findings(page), [], "problems and schemas");
    await page.goto(`${server.url}/#/tool/exact`);
    await page.getByRole("heading", { name: "Exact number" }).waitFor();
    await button(page, "Example").click();
    await run(page);
    await page.locator("#outcome .good").waitFor();
    for (const view of ["Text", "Structured", "Raw"]) {
      await page.getByRole("tab", { name: view }).click();
      assert.deepEqual(await findings(page), [], `the result: ${view}`);
    }
    await json(page);
    await page.getByLabel("Arguments as JSON").fill("{");
    assert.deepEqual(await findings(page), [], "the editor");
    await page.goto(`${server.url}/#/tool/remove_notes`);
    await page.getByRole("heading", { name: "Remove the notes" }).waitFor();
    await run(page);
    await page.getByRole("dialog").waitFor();
    assert.deepEqual(await findings(page), [], "the question");
    await page.keyboard.press("Escape");
    await page.goto(`${server.url}/#/tool/plan_trip`);
    await page.getByRole("heading", { name: "Plan a trip" }).waitFor();
    await page.getByRole("checkbox", { name: "monday" }).check();
    await page.getByRole("combobox", { name: "town" }).fill("Ro");
    await page.getByRole("listbox").waitFor();
    await page.keyboard.press("ArrowDown");
    assert.deepEqual(await findings(page), [], "check boxes, pickers and proposed values");
    await page.goto(`${server.url}/#/tool/hostile_links`);
    await page.getByRole("heading", { name: "hostile_links" }).waitFor();
    await run(page);
    await page.locator("#outcome a").first().waitFor();
    assert.deepEqual(await findings(page), [], "links");
    await page.goto(`${server.url}/#/tool/nothing_here`);
    await page.getByRole("heading", { name: "There is no such tool" }).waitFor();
    await page.evaluate(() => document.dispatchEvent(new Event("unauthorized")));
    await page.getByLabel(/^Bearer token/).waitFor();
    assert.deepEqual(await findings(page), [], "an unknown tool, and a token");
    await page.getByLabel(/^Bearer token/).fill("a-token");
    await button(page, "Use it").click();
    await page.getByText("A token is in use.").waitFor();
    // The page requests the tool again.
    await page.getByRole("heading", { name: "There is no such tool" }).waitFor();
    assert.deepEqual(await findings(page), [], "a token in use");
  });
}

test("follows the system theme until the user chooses one", async (t) => {
  const page = await open(t, server.url, { colorScheme: "dark" });
  const dark = () => page.evaluate(() => Math.max(...getComputedStyle(document.documentElement).backgroundColor.match(/\d+/g).map(Number)) < 128);
  assert.equal(await dark(), true);
  await button(page, "Theme: system").click();
  assert.equal(await dark(), false);
  await page.reload();
  await button(page, "Theme: light").waitFor();
  assert.equal(await dark(), false);
  await page.emulateMedia({ colorScheme: "light" });
  await button(page, "Theme: light").click();
  assert.equal(await dark(), true);
  await button(page, "Theme: dark").click();
  assert.equal(await dark(), false);
});

test("finds, fills in, runs and copies a call by keyboard", async (t) => {
  const page = await open(t, server.url, { permissions: ["clipboard-read", "clipboard-write"] });
  await page.locator("#tools a").first().waitFor();
  const press = (...keys) => keys.reduce((done, key) => done.then(() => page.keyboard.press(key)), Promise.resolve());
  const tabTo = (name) => eventually(async () => {
    await press("Tab");
    return focused(page);
  }, (at) => at === name);
  await press("/");
  assert.equal(await focused(page), "search");
  await page.keyboard.type("note");
  await eventually(() => page.locator("#tools a").count(), (count) => count === 3);
  await press("ArrowDown", "ArrowDown");
  assert.equal(await focused(page), "count_notes");
  await press("ArrowUp");
  assert.equal(await focused(page), "add_note");
  await press("ArrowUp");
  assert.equal(await focused(page), "search");
  await press("ArrowDown", "Enter");
  await page.getByRole("heading", { name: "Add a note" }).waitFor();
  await eventually(() => focused(page), (at) => at === "Add a note");
  // Only controls of the form are between the heading and the first input.
  await eventually(async () => {
    await press("Tab");
    return page.evaluate(() => document.activeElement.closest("[data-at]")?.dataset.at);
  }, (at) => at === "/text");
  await eventually(async () => {
    const tag = await page.evaluate(() => document.activeElement.tagName);
    if (tag === "BUTTON") await press("Tab");
    return tag;
  }, (tag) => ["INPUT", "TEXTAREA"].includes(tag));
  await page.keyboard.type("By hand");
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  assert.notEqual(outline, "none");
  await press("Control+Enter");
  await page.getByRole("dialog").waitFor();
  assert.equal(await focused(page), "Run it");
  await press("Enter");
  await page.locator("#outcome .good").waitFor();
  await tabTo("Structured");
  await press("ArrowRight");
  assert.equal(await focused(page), "Raw");
  await tabTo("Copy cURL");
  await press("Enter");
  await eventually(() => page.evaluate(() => navigator.clipboard.readText()), (text) => text.includes("By hand"));
});

test("skips the list with the first tab key", async (t) => {
  const page = await openTool(t, server, "exact");
  await page.keyboard.press("Tab");
  assert.equal(await focused(page), "skip");
  await page.keyboard.press("Enter");
  assert.equal(await focused(page), "main");
  assert.match(page.url(), /#\/tool\/exact/);
});

test("shows list and tool in turn at 400 pixels without clipping", async (t) => {
  const page = await open(t, server.url, { viewport: { width: 400, height: 800 } });
  const wide = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  await page.locator('#tools a[data-name="all_shapes"]').click();
  await page.getByRole("heading", { name: "Every shape" }).waitFor();
  assert.equal(await page.locator("#list").isVisible(), false);
  await button(page, "Example 2").click();
  await button(page, "Add: part").click();
  await run(page);
  await page.locator("#home").click();
  await page.locator("#tools a").first().waitFor();
  assert.equal(await page.locator("main").isVisible(), false);
  for (const name of ["all_shapes", "hostile_texts", "plan_trip", "hostile_links"]) {
    assert.ok((await wide()) <= 0);
    await page.goto(`${server.url}/#/tool/${name}`);
    await page.locator("article .work").waitFor();
    if (name === "hostile_links") {
      await run(page);
      await page.locator("#outcome .good").waitFor();
      await page.getByRole("tab", { name: "Text" }).click();
    }
    assert.ok((await wide()) <= 0, name);
    assert.ok((await page.locator("main").evaluate((main) => main.scrollWidth - main.clientWidth)) <= 0, name);
  }
});
