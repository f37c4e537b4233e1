// Finding a tool: the list, its search and filters, many tools, and missing tools.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { button, eventually, fixture, open, openTool, weather } from "./harness.mjs";

let server;
before(async () => (server = await fixture("--execute")));

const names = (page) => page.locator("#tools a").evaluateAll((links) => links.map((link) => link.dataset.name));

test("lists every tool with title and operation", async (t) => {
  const page = await open(t, server.url);
  const listed = await (await fetch(`${server.url}/tools`)).json();
  await eventually(() => names(page), (seen) => seen.length === listed.length);
  assert.deepEqual(await names(page), listed.map((tool) => tool.name));
  const entry = page.locator('#tools a[data-name="remove_notes"]');
  assert.equal(await entry.locator("strong").innerText(), "Remove the notes");
  assert.equal(await entry.locator(".badge").innerText(), "Destructive");
  assert.equal(await page.locator('#tools a[data-name="count_notes"] .badge').innerText(), "Reads");
  assert.equal(await page.locator("#count").innerText(), `${listed.length} tools`);
});

test("ranks search results and reports an empty result", async (t) => {
  const page = await open(t, server.url);
  await page.locator("#tools a").first().waitFor();
  // Every tool contains this letter; names that begin with it come first.
  await page.getByRole("searchbox").fill("e");
  await eventually(() => names(page), (seen) => seen[0] === "exact");
  await page.getByRole("searchbox").fill("NOTE remove");
  await eventually(() => names(page), (seen) => seen.length === 1);
  assert.deepEqual(await names(page), ["remove_notes"]);
  await page.getByRole("searchbox").fill("no such thing anywhere");
  await page.getByText("No tool matches.").waitFor();
  assert.match(await page.locator("#count").innerText(), /^0 of \d+ tools$/);
});

test("filters tools by operation", async (t) => {
  const page = await open(t, server.url);
  await page.getByLabel("Operation").selectOption("write");
  await eventually(() => names(page), (seen) => seen.length === 2);
  assert.deepEqual(await names(page), ["add_note", "remove_notes"]);
  await page.getByLabel("Operation").selectOption("");
  await eventually(() => names(page), (seen) => seen.length > 2);
});

test("filters tools by tag", async (t) => {
  // Adds tags to the response of the server.
  const tagged = async (route) => {
    const response = await route.fetch();
    const tools = await response.json();
    for (const tool of tools) if (tool.name.endsWith("notes")) tool.tags = ["notes", "of paper"];
    await route.fulfill({ response, json: tools });
  };
  const page = await open(t, server.url, { prepare: (page) => page.route("**/tools", tagged) });
  await page.getByLabel("Tag").selectOption("of paper");
  await eventually(() => names(page), (seen) => seen.length === 2);
  assert.deepEqual(await names(page), ["count_notes", "remove_notes"]);
});

test("searches, navigates and opens 2,000 tools", async (t) => {
  const many = await fixture("--many", "2000");
  const page = await open(t, many.url);
  await eventually(() => page.locator("#count").innerText(), (count) => /^20\d\d tools$/.test(count));
  // The page draws only the first 100 tools.
  await eventually(async () => (await names(page)).length, (drawn) => drawn === 100);
  await page.getByRole("searchbox").fill("parcels 1998");
  await eventually(() => names(page), (seen) => seen.length === 1);
  await page.getByRole("searchbox").press("Enter");
  await page.getByRole("heading", { level: 1, name: "parcels_1998" }).waitFor();
  await page.getByRole("searchbox").fill("");
  await eventually(() => page.locator("#count").innerText(), (count) => /^20\d\d tools$/.test(count));
  // Scrolling reaches the last tool.
  await eventually(async () => {
    await page.locator("#list").evaluate((list) => (list.scrollTop = list.scrollHeight));
    return names(page);
  }, (seen) => seen.length > 2000);
  // Each typed letter draws 100 tools, regardless of how many were drawn before.
  const drawn = await page.evaluate(() => {
    const search = document.getElementById("search");
    return ["r", "re", "ret", "retu", "retur", "return"].map((text) => {
      search.value = text;
      search.dispatchEvent(new Event("input"));
      return document.querySelectorAll("#tools li").length;
    });
  });
  assert.deepEqual(drawn, Array(6).fill(100));
  await many.stop();
});

test("reports an unknown tool", async (t) => {
  const page = await open(t, `${server.url}/#/tool/no_such%2Ftool`, { expected: [/404/] });
  await page.getByRole("heading", { name: "There is no such tool" }).waitFor();
  assert.match(await page.locator("main").innerText(), /no_such\/tool/);
});

test("reports a malformed address as an unknown tool", async (t) => {
  const page = await open(t, `${server.url}/#/tool/%E0%A4%A`, { expected: [/404/] });
  await page.getByRole("heading", { name: "There is no such tool" }).waitFor();
});

test("reports a lost server and keeps the input", async (t) => {
  const short = await fixture("--execute");
  const page = await openTool(t, short, "exact", { expected: [/ERR_CONNECTION_REFUSED/] });
  await page.getByRole("textbox", { name: "number" }).fill("12");
  await page.getByText("Valid.").waitFor();
  await short.stop();
  await button(page, "Run").click();
  await eventually(() => page.locator("#outcome").innerText(), (text) => text === "The server cannot be reached.");
  assert.equal(await page.getByRole("textbox", { name: "number" }).inputValue(), "12");
  await page.locator('#tools a[data-name="count_notes"]').click();
  await page.getByRole("heading", { name: "The server cannot be reached" }).waitFor();
  await button(page, "Try again").waitFor();
});

test("reports a failed list and retries it", async (t) => {
  const prepare = (page) => page.route("**/tools", (route) => route.abort());
  const page = await open(t, server.url, { expected: [/ERR_FAILED/], prepare });
  await page.locator("#tools").getByText("The server cannot be reached.").waitFor();
  await page.unroute("**/tools");
  await page.locator("#tools").getByRole("button", { name: "Try again" }).click();
  await page.locator('#tools a[data-name="exact"]').waitFor();
});

test("finds its files and tools under a prefix", async (t) => {
  const nested = await fixture("--prefix", "/some/api", "--execute");
  const page = await open(t, `${nested.url}/some/api`);
  await page.locator('#tools a[data-name="count_notes"]').click();
  await page.getByRole("heading", { name: "Count the notes" }).waitFor();
  await button(page, "Run").click();
  await page.locator("#outcome .good").waitFor();
  const address = await page.locator("#openapi").getAttribute("href");
  assert.equal(address, `${nested.url}/some/api/openapi.json`);
  const slash = await fixture("--prefix", "/some/api/");
  const other = await open(t, `${slash.url}/some/api/`);
  await other.locator('#tools a[data-name="count_notes"]').waitFor();
});

test("works behind the content security policy of a server", async (t) => {
  const weatherServer = await weather("--allow-execute");
  const page = await openTool(t, weatherServer, "get_weather");
  await button(page, "Example").click();
  await page.getByText("Valid.").waitFor();
  await button(page, "Run").click();
  await page.locator("#outcome .good").waitFor();
});

test("shows requirements in words before a call", async (t) => {
  // Adds these members to the response of the server.
  const restricted = async (route) => {
    const response = await route.fetch();
    const members = {
      permission: "all(notes.read, notes.count)",
      requirements: { met: false, message: "the notebook is not configured" },
      deprecated: { since: "2.0", note: "use `exact`" },
      tags: ["notes"],
    };
    await route.fulfill({ response, json: { ...(await response.json()), ...members } });
  };
  const page = await openTool(t, server, "count_notes", { prepare: (page) => page.route("**/tools/count_notes", restricted) });
  const facts = await page.locator("header dl").innerText();
  for (const fact of ["Needs notes.read and notes.count", "Cannot run now: the notebook is not configured", "Since 2.0. use `exact`", "notes"]) assert.ok(facts.includes(fact), facts);
});

test("treats a tool without an operation as destructive", async (t) => {
  const unannotated = async (route) => {
    const response = await route.fetch();
    const { name, description, inputSchema } = await response.json();
    await route.fulfill({ response, json: { name, description, inputSchema } });
  };
  const page = await openTool(t, server, "count_notes", { prepare: (page) => page.route("**/tools/count_notes", unannotated) });
  assert.match(await page.getByLabel("What it may do").innerText(), /Unknown\s+Does not say what it does, may destroy/);
  await button(page, "Run").click();
  await page.getByRole("heading", { name: "Really run count_notes?" }).waitFor();
});

test("shows permissions in words", async (t) => {
  for (const [permission, words] of [
    ["admin", "Needs admin"],
    ["any(a, b, c)", "Needs a or b or c"],
    ["any(admin, all(node.view, node.edit))", "Needs admin or (node.view and node.edit)"],
    ["all(any(a, b), any(c, all(d, e)))", "Needs (a or b) and (c or (d and e))"],
    ["all of it", "Needs all of it"],
  ]) {
    const restricted = async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), permission } });
    };
    const page = await openTool(t, server, "count_notes", { prepare: (page) => page.route("**/tools/count_notes", restricted) });
    assert.ok((await page.locator("header dl").innerText()).includes(words), words);
  }
});
