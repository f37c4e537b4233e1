// Tasks: starting one, following it, finding it again, answering its questions and canceling it.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { button, eventually, field, fixture, open, openTool, run } from "./harness.mjs";

const TOKEN = "open-sesame-5f1c";
const LONG = 100_000;
let server;
before(async () => (server = await fixture("--execute", "--tasks")));

const badge = (page) => page.locator("article .about .badge");
const link = (page) => page.getByRole("link", { name: "Tasks", exact: true });
const rows = (page) => page.locator("[data-task]");
const inState = (page, state) => eventually(() => badge(page).innerText().catch(() => ""), (text) => text === state);
const confirm = (page) => page.getByRole("dialog").getByRole("button", { name: "Run it" }).click();
const hash = (page) => page.evaluate(() => location.hash);

/** Opens `walk` with a number of steps, starts it as a task and returns the page and the identifier of the task. */
async function walk(t, steps, at = server, options) {
  const page = await openTool(t, at, "walk", options);
  await page.getByRole("textbox", { name: "steps" }).fill(`${steps}`);
  return start(page);
}

async function start(page) {
  await button(page, "Run as a task").click();
  await confirm(page);
  const found = await eventually(() => hash(page), (text) => /^#\/tasks\/[0-9a-f]{32}$/.test(text));
  await badge(page).waitFor();
  return { page, id: found.slice(8) };
}

/** Returns the progress of the task, as the bar shows it. */
const done = (page) => page.getByRole("progressbar", { name: "Progress" }).evaluate(({ value, max }) => [value, max]).catch(() => [0, 0]);

/** Cancels the task of the page and waits for its end. */
async function cancel(page) {
  await button(page, "Cancel the task").click();
  await eventually(() => badge(page).innerText(), (text) => ["Canceled", "Completed"].includes(text));
}

test("runs a tool as a task and shows its result", async (t) => {
  const sent = [];
  const prepare = (page) => page.on("request", (request) => request.url().endsWith("/call") && sent.push(request.headers().prefer));
  const { page } = await walk(t, 3, server, { prepare });
  await inState(page, "Completed");
  assert.deepEqual(sent, ["respond-async"]);
  assert.match(await page.locator("#outcome").innerText(), /^Done 200, call [0-9a-f]+/);
  assert.match(await page.locator("#outcome pre").innerText(), /"result": 3/);
  assert.equal(await button(page, "Cancel the task").isVisible(), false);
  await page.getByRole("tab", { name: "Raw" }).click();
  assert.match(await page.locator("#outcome pre").innerText(), /^HTTP 200\n\n\{"content":/);
  assert.equal(await page.getByRole("heading", { level: 1 }).innerText(), "Walk");
  assert.match(await page.locator("[aria-live=polite]").innerText(), /Completed/);
});

test("still runs an optional task as a call", async (t) => {
  const page = await openTool(t, server, "walk");
  await page.getByText("Can run as a task, which goes on when you leave").waitFor();
  await button(page, "Example").click();
  await run(page);
  await confirm(page);
  await page.locator("#outcome .good").waitFor();
  assert.match(await hash(page), /^#\/tool\/walk/);
});

test("shows progress, survives a reload, and finds the task in the list", async (t) => {
  const { page, id } = await walk(t, LONG);
  const [first, max] = await eventually(() => done(page), ([value]) => value > 0);
  assert.equal(max, LONG);
  await page.getByText(/^step \d+$/).first().waitFor();
  await page.reload();
  await inState(page, "Working");
  await eventually(() => done(page), ([value]) => value > first);
  // The browser is what remembers tasks of a caller without a name: the server lists none of them.
  assert.deepEqual(await (await fetch(`${server.url}/tasks`)).json(), []);
  await link(page).click();
  const row = page.locator(`[data-task="${id}"]`);
  await row.waitFor();
  assert.equal(await link(page).getAttribute("aria-current"), "page");
  assert.match(await row.innerText(), /^Walk\s+Working\s+walk\s+step \d+\s+/);
  const shown = await row.innerText();
  await eventually(() => row.innerText(), (text) => text !== shown);
  await row.click();
  await inState(page, "Working");
  await cancel(page);
  await link(page).click();
  await eventually(() => row.innerText(), (text) => /Canceled|Completed/.test(text));
});

test("cancels a task", async (t) => {
  const { page, id } = await walk(t, LONG);
  await eventually(() => done(page), ([value]) => value > 0);
  await button(page, "Cancel the task").click();
  await eventually(() => badge(page).innerText(), (text) => text !== "Working");
  const task = await (await fetch(`${server.url}/tasks/${id}`)).json();
  assert.ok(["cancelled", "completed"].includes(task.status), task.status);
  assert.ok((task.result.structuredContent?.result ?? 0) < LONG);
  assert.equal(await button(page, "Cancel the task").isVisible(), false);
});

test("answers a form and a link of a task that every call is", async (t) => {
  const page = await openTool(t, server, "buy");
  await page.getByText("Always runs as a task, which goes on when you leave").waitFor();
  assert.equal(await button(page, "Run").count(), 0);
  await button(page, "Example").click();
  const { id } = await start(page);
  await inState(page, "Has a question");
  await page.getByText("How much bread?").waitFor();
  // What is required must be filled in before it is sent.
  await button(page, "Answer").click();
  await page.getByText("This is required.").waitFor();
  await field(page, "/count").getByRole("textbox").fill("12");
  await button(page, "Answer").click();
  // The server asks again, with what was wrong.
  await page.getByText(/expected at most 9, got 12/).first().waitFor();
  await field(page, "/count").getByRole("textbox").fill("2");
  await field(page, "/present").getByRole("combobox").selectOption({ label: "true" });
  await button(page, "Answer").click();
  const there = page.getByRole("link", { name: "https://pay.example/42" });
  await there.waitFor();
  assert.equal(await there.getAttribute("rel"), "noopener noreferrer");
  assert.equal(await button(page, "Answer").count(), 0);
  await button(page, "Done there").click();
  await inState(page, "Completed");
  const task = await (await fetch(`${server.url}/tasks/${id}`)).json();
  assert.equal(task.result.content[0].text, "2 bread as a present");
});

test("declines a question", async (t) => {
  const page = await openTool(t, server, "buy");
  await button(page, "Example").click();
  const { id } = await start(page);
  await button(page, "Decline").click();
  await eventually(() => page.locator("#outcome strong.bad").count());
  const task = await (await fetch(`${server.url}/tasks/${id}`)).json();
  assert.ok(task.status !== "input_required" && task.resultStatus >= 400, JSON.stringify(task));
  assert.equal(await button(page, "Decline").count(), 0);
});

test("keeps two windows in step", async (t) => {
  const page = await openTool(t, server, "buy");
  await button(page, "Example").click();
  const { id } = await start(page);
  const other = await page.context().newPage();
  await other.goto(`${server.url}/#/tasks/${id}`);
  await Promise.all([inState(page, "Has a question"), inState(other, "Has a question")]);
  // A draft in one window stays while the other does something else.
  await field(other, "/count").getByRole("textbox").fill("7");
  await field(page, "/count").getByRole("textbox").fill("1");
  await button(page, "Answer").click();
  for (const window of [page, other]) await window.getByRole("link", { name: "https://pay.example/42" }).waitFor();
  assert.equal(await field(other, "/count").count(), 0);
  await button(other, "Decline").click();
  for (const window of [page, other]) await window.locator("#outcome strong.bad").waitFor();
});

test("follows two windows of a running task at once", async (t) => {
  const { page, id } = await walk(t, LONG);
  const other = await page.context().newPage();
  await other.goto(`${server.url}/#/tasks/${id}`);
  for (const window of [page, other]) {
    const [first] = await eventually(() => done(window), ([value]) => value > 0);
    await eventually(() => done(window), ([value]) => value > first);
  }
  await cancel(other);
  await eventually(() => badge(page).innerText(), (text) => text !== "Working");
});

test("lists the tasks of a caller with a token, and of nobody else", async (t) => {
  const guarded = await fixture("--execute", "--tasks", "--token", TOKEN);
  const page = await openTool(t, guarded, "walk", { expected: [/401/] });
  await button(page, "Example").click();
  await button(page, "Run as a task").click();
  await confirm(page);
  await page.getByLabel(/^Bearer token/).fill(TOKEN);
  await button(page, "Use it").click();
  // The call is repeated as a task.
  await inState(page, "Completed");
  await link(page).click();
  await eventually(() => rows(page).count(), (count) => count === 1);
  assert.ok(!(await page.evaluate(() => localStorage.getItem("explorer / tasks"))));
  await page.reload();
  await page.getByLabel(/^Bearer token/).waitFor();
  assert.equal(await rows(page).count(), 0);
  await page.getByLabel(/^Bearer token/).fill(TOKEN);
  await button(page, "Use it").click();
  await eventually(() => rows(page).count(), (count) => count === 1);
});

test("reconnects to a task where it was", async (t) => {
  const seen = [];
  let cut = true;
  // The first stream breaks off after one event.
  const broken = async (route) => {
    seen.push(route.request().headers()["last-event-id"]);
    if (!cut) return route.continue();
    cut = false;
    await route.fulfill({ contentType: "text/event-stream", body: `event: task\nid: 1\ndata: ${JSON.stringify(STATE)}\n\n` });
  };
  const STATE = { taskId: "", tool: "walk", status: "working", createdAt: "2020-01-01T00:00:00Z", lastUpdatedAt: "2100-01-01T00:00:00Z", ttlMs: 60000, pollIntervalMs: 1000, attempt: 1, progress: { done: 1, total: 2, message: "half" } };
  const page = await openTool(t, server, "walk", { prepare: (page) => page.route("**/events", broken) });
  await page.getByRole("textbox", { name: "steps" }).fill(`${LONG}`);
  await start(page);
  await page.getByText("The connection was lost. Trying again …").waitFor();
  await eventually(() => seen.length, (count) => count > 1);
  assert.deepEqual(seen.slice(0, 2), [undefined, "1"]);
  await button(page, "Cancel the task").click();
});

test("reports a missing task and a missing tool", async (t) => {
  const page = await open(t, `${server.url}/#/tasks/${"0".repeat(32)}`, { expected: [/404/] });
  await page.getByRole("heading", { name: "There is no such task" }).waitFor();
});

test("cancels and answers nothing while execution is off", async (t) => {
  const off = await fixture("--tasks");
  const page = await openTool(t, off, "walk");
  assert.equal(await button(page, "Run as a task").count(), 0);
  await link(page).click();
  await page.getByText("There are no tasks.").waitFor();
});

test("has no trace of tasks without an engine", async (t) => {
  const plain = await fixture("--execute");
  const requests = [];
  const page = await openTool(t, plain, "walk", { prepare: (page) => page.on("request", (request) => requests.push(request.url())) });
  await button(page, "Example").click();
  await page.getByText("Valid.").waitFor();
  assert.equal(await button(page, "Run as a task").count(), 0);
  assert.equal(await link(page).isVisible(), false);
  assert.ok(!/task/i.test(await page.locator("body").innerText()), await page.locator("body").innerText());
  assert.deepEqual(requests.filter((url) => /\/tasks(\/|$)/.test(new URL(url).pathname)), []);
});
