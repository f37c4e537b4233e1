// The form and the JSON editor: two views of one value, of every shape.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { button, eventually, field, fixture, json, openTool, run, structured } from "./harness.mjs";

let server;
before(async () => (server = await fixture("--execute")));

const BIG = "9007199254740993";
const form = (page) => page.getByRole("tab", { name: "Form", exact: true }).click();
const input = (page, pointer) => field(page, pointer).locator("input, textarea, select").first();
const arguments_ = async (page) => JSON.parse(await json(page));

test("every shape is filled in by the form and arrives as it was meant", async (t) => {
  const page = await openTool(t, server, "all_shapes");
  const calls = [];
  page.on("request", (request) => request.url().endsWith("/call") && calls.push(request.postData()));
  await input(page, "/text").fill("two words");
  await input(page, "/whole").fill("7");
  await input(page, "/ratio").fill("0.25");
  await input(page, "/flag").selectOption({ label: "false" });
  await input(page, "/speed").selectOption("1");
  assert.match(await input(page, "/speed").innerText(), /fast — Tomorrow before noon\./);
  await button(page, "Add an item: words").click();
  await input(page, "/words/0").fill("one");
  await button(page, "Add an item: words").click();
  await input(page, "/words/1").fill("two");
  await button(page, "Send empty: counts").click();
  await button(page, "Add an entry").click();
  await page.getByLabel("Name", { exact: true }).fill("a/b~c");
  // Takes the name over, goes on to the value, and is no wish to run.
  await page.getByLabel("Name", { exact: true }).press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.closest("[data-at]").dataset.at), "/counts/a~1b~0c");
  await field(page, "/counts/a~1b~0c").locator("input").fill("3");
  await button(page, "Add: address").click();
  await input(page, "/address/street").fill("Main Street 1");
  await input(page, "/address/postcode").fill("12345");
  await page.getByLabel("Form of payment").selectOption({ label: "card" });
  await input(page, "/payment/holder").fill("Ada");
  await input(page, "/payment/month").fill("12");
  await button(page, "Add: part").click();
  await input(page, "/part/name").fill("car");
  await button(page, "Add an item: parts").click();
  await input(page, "/part/parts/0/name").fill("wheel");
  await field(page, "/part/parts/0/parts").getByRole("button", { name: "Add an item: parts" }).click();
  await input(page, "/part/parts/0/parts/0/name").fill("tyre");
  await page.getByLabel("Form of amount").selectOption({ index: 2 });
  await input(page, "/amount/value").fill("1.5");
  await input(page, "/amount/unit").fill("kg");
  await input(page, "/anything").fill('{"deep": [1, null]}');
  await button(page, "Send null: note").click();
  await page.getByText("Fits.").waitFor();
  await run(page);
  await page.locator("#outcome .good").waitFor();
  const answer = await structured(page);
  assert.deepEqual(answer.result ?? answer, {
    text: "two words",
    whole: 7,
    ratio: 0.25,
    flag: false,
    speed: "fast",
    words: ["one", "two"],
    counts: { "a/b~c": 3 },
    address: { street: "Main Street 1", postcode: "12345", country: null },
    payment: { kind: "card", holder: "Ada", month: 12 },
    part: { name: "car", parts: [{ name: "wheel", parts: [{ name: "tyre", parts: [] }] }] },
    amount: { value: 1.5, unit: "kg" },
    anything: { deep: [1, null] },
    note: null,
  });
  assert.equal(calls.length, 1);
});

test("absent, null and empty are three things", async (t) => {
  const page = await openTool(t, server, "all_shapes");
  assert.deepEqual(await arguments_(page), {});
  await form(page);
  await button(page, "Send empty: text").click();
  await button(page, "Send empty: note").click();
  await button(page, "Send empty: words").click();
  assert.deepEqual(await arguments_(page), { text: "", note: "", words: [] });
  await form(page);
  await button(page, "Send null: note").click();
  assert.deepEqual(await arguments_(page), { text: "", note: null, words: [] });
  await form(page);
  assert.equal(await field(page, "/note").locator(".state").innerText(), "null");
  await button(page, "Leave out: note").click();
  assert.deepEqual(await arguments_(page), { text: "", words: [] });
  await form(page);
  // A text that was typed and deleted is empty, and not absent; a number is absent.
  await input(page, "/note").fill("x");
  await input(page, "/note").fill("");
  await input(page, "/whole").fill("1");
  await input(page, "/whole").fill("");
  assert.deepEqual(await arguments_(page), { text: "", words: [], note: "" });
});

test("an integer beyond 2^53 arrives exactly, typed into the form or into the editor", async (t) => {
  const page = await openTool(t, server, "exact");
  await input(page, "/number").fill(BIG);
  assert.equal((await json(page)).replace(/\s/g, ""), `{"number":${BIG}}`);
  await page.getByLabel("Arguments as JSON").fill(`{"number": ${BIG}}`);
  await form(page);
  assert.equal(await input(page, "/number").inputValue(), BIG);
  const sent = page.waitForRequest((request) => request.url().endsWith("/call"));
  await run(page);
  assert.equal((await sent).postData(), `{"number":${BIG}}`);
  await page.locator("#outcome .good").waitFor();
  assert.match(await page.locator("#outcome pre").innerText(), new RegExp(BIG));
});

test("the editor keeps what no field can show, and the form shows it as JSON", async (t) => {
  const page = await openTool(t, server, "all_shapes");
  const given = { text: { not: "a text" }, whole: "seven", words: "no list", unknown: [1], part: { name: 5, extra: true } };
  await json(page);
  await page.getByLabel("Arguments as JSON").fill(JSON.stringify(given));
  await form(page);
  assert.equal(await input(page, "/whole").inputValue(), "seven");
  assert.equal(await field(page, "/whole").locator(".state").innerText(), "not a number");
  assert.deepEqual(JSON.parse(await input(page, "/text").inputValue()), { not: "a text" });
  assert.equal(await page.getByLabel("Name", { exact: true }).first().inputValue(), "extra");
  assert.deepEqual(await arguments_(page), given);
  await form(page);
  await field(page, "/unknown").getByRole("button", { name: "Remove: unknown" }).click();
  assert.deepEqual(Object.keys(await arguments_(page)), ["text", "whole", "words", "part"]);
});

test("a line break survives the form, though the text is short", async (t) => {
  const page = await openTool(t, server, "all_shapes");
  await json(page);
  await page.getByLabel("Arguments as JSON").fill('{"text": "two\\nlines"}');
  await form(page);
  assert.equal(await input(page, "/text").inputValue(), "two\nlines");
  await input(page, "/text").press("End");
  await input(page, "/text").pressSequentially("!");
  assert.equal((await arguments_(page)).text.replace("!", ""), "two\nlines");
});

test("JSON that is not finished stays in the editor, and the form waits", async (t) => {
  const page = await openTool(t, server, "exact");
  await json(page);
  await page.getByLabel("Arguments as JSON").fill('{"number": 5,\n "number": 6}');
  await page.getByText("This is no JSON yet: line 2, column 10: the name number is there twice").waitFor();
  await form(page);
  assert.equal(await page.getByLabel("Arguments as JSON").inputValue(), '{"number": 5,\n "number": 6}');
  await page.getByLabel("Arguments as JSON").fill('{"number": 5}');
  await form(page);
  assert.equal(await input(page, "/number").inputValue(), "5");
});

test("JSON that is not finished in a field is kept, and nothing of it is sent", async (t) => {
  const page = await openTool(t, server, "all_shapes");
  const calls = [];
  page.on("request", (request) => request.method() === "POST" && calls.push(request.postData()));
  await input(page, "/text").fill("x");
  await page.getByText("Fits.").waitFor();
  const before = calls.length;
  await input(page, "/anything").fill('1, "flag": true');
  await page.getByText("Something is unfinished.").waitFor();
  await run(page);
  await page.getByText("Something is unfinished.").waitFor();
  assert.equal(calls.length, before);
  assert.equal(await input(page, "/anything").inputValue(), '1, "flag": true');
});

test("a variant that was left is found again as it was", async (t) => {
  const page = await openTool(t, server, "all_shapes");
  const pick = page.getByLabel("Form of payment");
  await pick.selectOption({ label: "card" });
  await input(page, "/payment/holder").fill("Ada");
  await pick.selectOption({ label: "account" });
  await input(page, "/payment/number").fill("12");
  await pick.selectOption({ label: "card" });
  assert.equal(await input(page, "/payment/holder").inputValue(), "Ada");
  assert.deepEqual(await arguments_(page), { payment: { kind: "card", holder: "Ada" } });
});

test("what is wrong is told on the field, by the server", async (t) => {
  const page = await openTool(t, server, "all_shapes");
  // Nobody is blamed for what was not touched.
  await page.getByText("Still to fill in: text").waitFor();
  assert.equal(await page.locator("[aria-invalid]").count(), 0);
  await input(page, "/whole").fill("101");
  const problem = field(page, "/whole").locator(".problem");
  await eventually(() => problem.innerText(), (text) => /100/.test(text));
  const told = await (await fetch(`${server.url}/tools/all_shapes/validate`, { method: "POST", headers: { "content-type": "application/json" }, body: '{"text":"","whole":101}' })).json();
  assert.equal(await problem.innerText(), told.errors[0].message.replaceAll("`", ""));
  assert.equal(await input(page, "/whole").getAttribute("aria-invalid"), "true");
  assert.ok((await input(page, "/whole").getAttribute("aria-describedby")).includes(await problem.getAttribute("id")));
  await input(page, "/whole").fill("100");
  await eventually(() => problem.innerText(), (text) => text === "");
  // Asked to run, it tells what is missing, goes there, and runs nothing.
  const calls = [];
  page.on("request", (request) => request.url().endsWith("/call") && calls.push(request.url()));
  await run(page);
  await eventually(() => field(page, "/text").locator(".problem").innerText(), (text) => /missing/.test(text));
  assert.equal(await page.evaluate(() => document.activeElement.closest("[data-at]")?.dataset.at), "/text");
  assert.deepEqual(calls, []);
});

test("a nested problem is told where it is, and a near value can be taken", async (t) => {
  const page = await openTool(t, server, "all_shapes");
  await json(page);
  await page.getByLabel("Arguments as JSON").fill('{"text": "", "speed": "fats", "address": {"street": "", "postcode": "12"}}');
  await form(page);
  await eventually(() => field(page, "/address/postcode").locator(".problem").innerText(), (text) => /12/.test(text));
  await button(page, "Use fast").click();
  assert.equal((await arguments_(page)).speed, "fast");
});

test("names that mean something to JavaScript are only names", async (t) => {
  const page = await openTool(t, server, "hostile_members");
  await input(page, "/__proto__").fill("a");
  await input(page, "/constructor").fill("5");
  await input(page, "/a b").fill("b");
  await input(page, "/0").selectOption({ label: "true" });
  const own = page.locator('[data-at="/"]').locator("textarea");
  await own.fill("c");
  await run(page);
  await page.locator("#outcome .good").waitFor();
  const text = await page.locator("#outcome pre").innerText();
  assert.deepEqual(JSON.parse(text), JSON.parse('{"__proto__":"a","constructor":5,"a b":"b","0":true,"":"c"}'));
  assert.equal(await page.evaluate(() => ({}).polluted ?? Object.prototype.a), undefined);
});

test("an example is filled in with one click", async (t) => {
  const page = await openTool(t, server, "all_shapes");
  await button(page, "Example 2").click();
  assert.equal(await input(page, "/address/postcode").inputValue(), "12345");
  await button(page, "Example 1").click();
  assert.deepEqual(await arguments_(page), { text: "hello", whole: 7, speed: "fast", words: ["one", "two"] });
});

test("what was filled in is still there after a look at another tool", async (t) => {
  const page = await openTool(t, server, "exact");
  await input(page, "/number").fill("77");
  await page.locator('#tools a[data-name="count_notes"]').click();
  await page.getByRole("heading", { name: "Count the notes" }).waitFor();
  await page.locator('#tools a[data-name="exact"]').click();
  await page.getByRole("heading", { name: "Exact number" }).waitFor();
  assert.equal(await input(page, "/number").inputValue(), "77");
});
