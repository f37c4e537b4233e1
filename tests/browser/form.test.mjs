// The form and the JSON editor, which edit the same value, with every shape of input.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { button, eventually, field, fixture, json, openTool, run, structured } from "./harness.mjs";

let server;
before(async () => (server = await fixture("--execute")));

const BIG = "9007199254740993";
const form = (page) => page.getByRole("tab", { name: "Form", exact: true }).click();
const input = (page, pointer) => field(page, pointer).locator("input, textarea, select").first();
const arguments_ = async (page) => JSON.parse(await json(page));

test("sends inputs of every shape as entered", async (t) => {
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
  await button(page, "Set empty: counts").click();
  await button(page, "Add an entry").click();
  await page.getByLabel("Name", { exact: true }).fill("a/b~c");
  // Enter confirms the name and moves on to the value, but does not run the tool.
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
  await button(page, "Set null: note").click();
  await page.getByText("Valid.").waitFor();
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

test("distinguishes absent, null and empty", async (t) => {
  const page = await openTool(t, server, "all_shapes");
  assert.deepEqual(await arguments_(page), {});
  await form(page);
  await button(page, "Set empty: text").click();
  await button(page, "Set empty: note").click();
  await button(page, "Set empty: words").click();
  assert.deepEqual(await arguments_(page), { text: "", note: "", words: [] });
  await form(page);
  await button(page, "Set null: note").click();
  assert.deepEqual(await arguments_(page), { text: "", note: null, words: [] });
  await form(page);
  assert.equal(await field(page, "/note").locator(".state").innerText(), "null");
  await button(page, "Do not send: note").click();
  assert.deepEqual(await arguments_(page), { text: "", words: [] });
  await form(page);
  // After typing and deleting, a text is empty, but a number is absent.
  await input(page, "/note").fill("x");
  await input(page, "/note").fill("");
  await input(page, "/whole").fill("1");
  await input(page, "/whole").fill("");
  assert.deepEqual(await arguments_(page), { text: "", words: [], note: "" });
});

test("keeps integers beyond 2^53 exact in form and editor", async (t) => {
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

test("shows values without a field as JSON and keeps them", async (t) => {
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

test("keeps line breaks in short texts", async (t) => {
  const page = await openTool(t, server, "all_shapes");
  await json(page);
  await page.getByLabel("Arguments as JSON").fill('{"text": "two\\nlines"}');
  await form(page);
  assert.equal(await input(page, "/text").inputValue(), "two\nlines");
  await input(page, "/text").press("End");
  await input(page, "/text").pressSequentially("!");
  assert.equal((await arguments_(page)).text.replace("!", ""), "two\nlines");
});

test("keeps the editor open while its JSON is invalid", async (t) => {
  const page = await openTool(t, server, "exact");
  await json(page);
  await page.getByLabel("Arguments as JSON").fill('{"number": 5,\n "number": 6}');
  await page.getByText("Not valid JSON: line 2, column 10: the name number is given twice").waitFor();
  await form(page);
  assert.equal(await page.getByLabel("Arguments as JSON").inputValue(), '{"number": 5,\n "number": 6}');
  await page.getByLabel("Arguments as JSON").fill('{"number": 5}');
  await form(page);
  assert.equal(await input(page, "/number").inputValue(), "5");
});

test("keeps invalid JSON in a field without sending it", async (t) => {
  const page = await openTool(t, server, "all_shapes");
  const calls = [];
  page.on("request", (request) => request.method() === "POST" && calls.push(request.postData()));
  await input(page, "/text").fill("x");
  await page.getByText("Valid.").waitFor();
  const before = calls.length;
  await input(page, "/anything").fill('1, "flag": true');
  await page.getByText("An input is not finished.").waitFor();
  await run(page);
  await page.getByText("An input is not finished.").waitFor();
  assert.equal(calls.length, before);
  assert.equal(await input(page, "/anything").inputValue(), '1, "flag": true');
});

test("restores a variant after switching back", async (t) => {
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

test("shows problems from the server on their fields", async (t) => {
  const page = await openTool(t, server, "all_shapes");
  // Inputs that the user has not touched have no problem.
  await page.getByText("Still to fill in: text").waitFor();
  assert.equal(await page.locator("[aria-invalid]").count(), 0);
  await input(page, "/whole").fill("101");
  const problem = field(page, "/whole").locator(".problem");
  await eventually(() => problem.innerText(), (text) => /100/.test(text));
  const expected = await (await fetch(`${server.url}/tools/all_shapes/validate`, { method: "POST", headers: { "content-type": "application/json" }, body: '{"text":"","whole":101}' })).json();
  assert.equal(await problem.innerText(), expected.errors[0].message.replaceAll("`", ""));
  assert.equal(await input(page, "/whole").getAttribute("aria-invalid"), "true");
  assert.ok((await input(page, "/whole").getAttribute("aria-describedby")).includes(await problem.getAttribute("id")));
  await input(page, "/whole").fill("100");
  await eventually(() => problem.innerText(), (text) => text === "");
  // `Run` shows the missing input, focuses it and calls nothing.
  const calls = [];
  page.on("request", (request) => request.url().endsWith("/call") && calls.push(request.url()));
  await run(page);
  await eventually(() => field(page, "/text").locator(".problem").innerText(), (text) => /missing/.test(text));
  assert.equal(await page.evaluate(() => document.activeElement.closest("[data-at]")?.dataset.at), "/text");
  assert.deepEqual(calls, []);
});

test("shows nested problems in place and applies suggestions", async (t) => {
  const page = await openTool(t, server, "all_shapes");
  await json(page);
  await page.getByLabel("Arguments as JSON").fill('{"text": "", "speed": "fats", "address": {"street": "", "postcode": "12"}}');
  await form(page);
  await eventually(() => field(page, "/address/postcode").locator(".problem").innerText(), (text) => /12/.test(text));
  await button(page, "Use fast").click();
  assert.equal((await arguments_(page)).speed, "fast");
});

test("treats JavaScript property names as plain names", async (t) => {
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

test("fills in an example with one click", async (t) => {
  const page = await openTool(t, server, "all_shapes");
  await button(page, "Example 2").click();
  assert.equal(await input(page, "/address/postcode").inputValue(), "12345");
  await button(page, "Example 1").click();
  assert.deepEqual(await arguments_(page), { text: "hello", whole: 7, speed: "fast", words: ["one", "two"] });
});

test("keeps the input after visiting another tool", async (t) => {
  const page = await openTool(t, server, "exact");
  await input(page, "/number").fill("77");
  await page.locator('#tools a[data-name="count_notes"]').click();
  await page.getByRole("heading", { name: "Count the notes" }).waitFor();
  await page.locator('#tools a[data-name="exact"]').click();
  await page.getByRole("heading", { name: "Exact number" }).waitFor();
  assert.equal(await input(page, "/number").inputValue(), "77");
});

test("shows a list of allowed values as described check boxes", async (t) => {
  const page = await openTool(t, server, "plan_trip");
  const days = page.getByRole("group", { name: "days" });
  const box = (name) => days.getByRole("checkbox", { name });
  assert.equal(await days.getByRole("checkbox").count(), 3);
  assert.match(await days.innerText(), /wednesday\s+The market is open\./);
  assert.equal(await field(page, "/days").locator(".state").innerText(), "not sent");
  await box("saturday").check();
  await box("monday").check();
  // The values have the order in which the boxes were checked, and the page shows it.
  assert.deepEqual(await arguments_(page), { days: ["saturday", "monday"] });
  await form(page);
  assert.equal(await field(page, "/days").locator(".state").innerText(), "in this order: saturday, monday");
  assert.equal(await box("monday").isChecked(), true);
  // The space bar unchecks a box and keeps the focus.
  await box("saturday").focus();
  await page.keyboard.press("Space");
  assert.equal(await page.evaluate(() => document.activeElement.type), "checkbox");
  assert.deepEqual(await arguments_(page), { days: ["monday"] });
  await form(page);
  await box("monday").uncheck();
  assert.equal(await field(page, "/days").locator(".state").innerText(), "empty");
  assert.deepEqual(await arguments_(page), { days: [] });
  await form(page);
  await button(page, "Do not send: days").click();
  assert.deepEqual(await arguments_(page), {});
  // Check boxes cannot show this value: it is kept and shown as a list.
  await page.getByLabel("Arguments as JSON").fill('{"days": ["monday", "monday"]}');
  await form(page);
  assert.equal(await days.getByRole("checkbox").count(), 0);
  assert.deepEqual(await arguments_(page), { days: ["monday", "monday"] });
});

test("shows described constants as a choice", async (t) => {
  const size = { oneOf: [{ const: "s", description: "Up to 2 kg." }, { const: "l", description: "Up to 30 kg." }] };
  const inputSchema = { type: "object", properties: { size, sizes: { type: "array", items: size, uniqueItems: true } } };
  const prepare = async (page) => {
    await page.route("**/tools/exact", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), inputSchema } });
    });
    await page.route("**/tools/exact/inputs", (route) => route.fulfill({ json: [] }));
  };
  const page = await openTool(t, server, "exact", { prepare });
  await input(page, "/size").selectOption({ label: "l — Up to 30 kg." });
  const sizes = page.getByRole("group", { name: "sizes" });
  assert.match(await sizes.innerText(), /s\s+Up to 2 kg\.\s+l\s+Up to 30 kg\./);
  await sizes.getByRole("checkbox", { name: "l" }).check();
  await sizes.getByRole("checkbox", { name: "s" }).check();
  // A set has no order to show.
  assert.equal(await field(page, "/sizes").locator(".state").count(), 0);
  assert.deepEqual(await arguments_(page), { size: "l", sizes: ["l", "s"] });
});

test("picks dates and times in the format of the schema", async (t) => {
  const page = await openTool(t, server, "plan_trip", { timezoneId: "Asia/Kolkata" });
  await input(page, "/town").fill("Rome");
  const pick = (pointer, value) => field(page, pointer).locator("input.picker").fill(value);
  await pick("/starts_on", "2014-07-04");
  await pick("/leaves_at", "07:15");
  await pick("/arrives", "2014-07-06T18:30");
  const given = { town: "Rome", starts_on: "2014-07-04", leaves_at: "07:15:00+05:30", arrives: "2014-07-06T18:30:00+05:30" };
  assert.equal(await field(page, "/arrives").getByRole("textbox").inputValue(), given.arrives);
  await page.getByText("Valid.").waitFor();
  assert.deepEqual(await arguments_(page), given);
  await form(page);
  // Other values can be typed, and the picker starts from them.
  const text = field(page, "/arrives").getByRole("textbox");
  await text.fill("2014-07-06T12:00:00Z");
  await field(page, "/arrives").getByRole("button", { name: "Pick a date and time: arrives" }).click();
  assert.equal(await field(page, "/arrives").locator("input.picker").inputValue(), "2014-07-06T17:30");
  await page.keyboard.press("Escape");
  await text.fill("tomorrow");
  await eventually(() => field(page, "/arrives").locator(".problem").innerText(), (text) => /tomorrow/.test(text));
});

test("uses the offset of the picked day across daylight saving", async (t) => {
  const page = await openTool(t, server, "plan_trip", { timezoneId: "America/New_York" });
  for (const [picked, sent] of [["2014-01-06T18:30:15", "2014-01-06T18:30:15-05:00"], ["2014-07-06T18:30", "2014-07-06T18:30:00-04:00"]]) {
    await field(page, "/arrives").locator("input.picker").fill(picked);
    assert.equal(await field(page, "/arrives").getByRole("textbox").inputValue(), sent);
  }
});

test("proposes values for typed text and other inputs", async (t) => {
  const page = await openTool(t, server, "plan_trip");
  const requests = [];
  page.on("request", (request) => request.url().endsWith("/complete") && requests.push(JSON.parse(request.postData())));
  const proposed = (pointer) => field(page, pointer).getByRole("option").allInnerTexts();
  const town = field(page, "/town").getByRole("combobox");
  await town.focus();
  await eventually(() => proposed("/town"), (values) => values.join() === "Rome,Rostock,Bern");
  await town.pressSequentially("Ro");
  await eventually(() => proposed("/town"), (values) => values.join() === "Rome,Rostock");
  // Selects a value by keyboard.
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  const active = await town.getAttribute("aria-activedescendant");
  assert.equal(await page.locator(`#${active}`).innerText(), "Rostock");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  assert.equal(await town.inputValue(), "Rome");
  assert.deepEqual(await proposed("/town"), []);
  assert.equal(await town.getAttribute("aria-expanded"), "false");
  assert.equal(await page.locator("#outcome").innerText(), "Nothing has run yet.");
  // Selects a value with the mouse; the request contains the other inputs.
  const street = field(page, "/street").getByRole("combobox");
  await street.click();
  await field(page, "/street").getByRole("option", { name: "Via Veneto" }).click();
  assert.equal(await street.inputValue(), "Via Veneto");
  assert.deepEqual(requests.at(-1), { argument: { name: "street", value: "" }, context: { arguments: { town: "Rome" } } });
  // Items of a list get the values of their list, Escape closes the proposals, and other values can be typed.
  await button(page, "Add an item: stops").click();
  const stop = field(page, "/stops/0").getByRole("combobox");
  await eventually(() => proposed("/stops/0"), (values) => values.includes("Bern"));
  await page.keyboard.press("Escape");
  assert.deepEqual(await proposed("/stops/0"), []);
  await stop.fill("Paris");
  assert.deepEqual(await arguments_(page), { town: "Rome", street: "Via Veneto", stops: ["Paris"] });
});

test("requests no proposals for inputs without completion", async (t) => {
  const page = await openTool(t, await fixture(), "plan_trip");
  page.on("request", (request) => assert.ok(!request.url().endsWith("/complete")));
  await page.getByRole("textbox", { name: "town" }).fill("Ro");
  await eventually(() => page.locator(".state").first().innerText());
  assert.equal(await page.getByRole("combobox", { name: "town" }).count(), 0);
});

test("shows the state of an input in words", async (t) => {
  const page = await openTool(t, server, "all_shapes");
  const state = (pointer) => field(page, pointer).locator(".state").first().innerText();
  const type = (pointer) => field(page, pointer).locator(".type").first().innerText();
  assert.equal(await state("/whole"), "not sent, default 5");
  assert.equal(await state("/ratio"), "not sent");
  assert.equal(await field(await openTool(t, server, "plan_trip"), "/stops").locator(".state").innerText(), "not sent, default empty");
  await button(page, "Set empty: words").click();
  assert.equal(await state("/words"), "empty");
  await button(page, "Set null: note").click();
  assert.equal(await state("/note"), "null");
  await button(page, "Add: part").click();
  assert.equal(await type("/part/parts"), "list of objects");
  assert.equal(await type("/words"), "list of texts");
  const text = await page.locator("article").innerText();
  for (const odd of ["counts as", "Send empty", "group", "Leave out"]) assert.ok(!text.includes(odd), odd);
});
