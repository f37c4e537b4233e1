// Starts the browser and the servers of the tests, and checks every page for errors.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { after, before } from "node:test";
import { chromium } from "playwright-core";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** The time limit of each step in milliseconds. Only a failing test reaches it. */
export const TIMEOUT = 15_000;

let browser;
const servers = new Set();

before(async () => {
  browser = await chromium.launch({ executablePath: chromiumPath(), args: FLAGS });
});
after(async () => {
  await browser?.close();
  for (const server of servers) await stop(server);
});

function chromiumPath() {
  const folders = (process.env.PATH ?? "").split(":");
  const found = folders.map((folder) => `${folder}/chromium`).find(existsSync);
  return found ?? assert.fail("`chromium` is not installed");
}

/** Starts a program that prints `listening on http://ADDR` first; returns its URL and a function that stops it. */
async function start(program, args) {
  assert.ok(program, "run the tests with `cargo xtask test browser`");
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"] });
  servers.add(child);
  const lines = createInterface({ input: child.stderr });
  const first = await new Promise((resolve, reject) => {
    lines.once("line", resolve);
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${program} ended with ${code}`)));
  });
  const url = /^listening on (http:\S+)$/.exec(first)?.[1];
  assert.ok(url, `${program} said ${first}`);
  return { url, stop: () => stop(child) };
}

async function stop(child) {
  if (!servers.delete(child) || child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;
}

/** Starts the fixture, whose tools have inputs of every shape. */
export const fixture = (...args) => start(process.env.FIXTURE, args);
/** Starts the weather example, with the content security policy of `tool_http::Server`. */
export const weather = (...args) => start(process.env.WEATHER, ["serve", "http", "--addr", "127.0.0.1:0", ...args]);
/** Starts the weather example as an MCP server. */
export const weatherMcp = () => start(process.env.WEATHER, ["serve", "mcp", "--addr", "127.0.0.1:0"]);

/**
 * Opens a page. The test fails if the page logs an error or a warning, opens a dialog, violates its policy or sends a
 * request to another origin. `expected` lists patterns of allowed console lines; `prepare` runs before the page loads.
 */
export async function open(test, url, { expected = [], prepare = () => {}, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(TIMEOUT);
  const page = await context.newPage();
  const origin = new URL(url).origin;
  const failures = [];
  page.on("pageerror", (error) => failures.push(`error: ${error.stack}`));
  page.on("console", (line) => {
    const text = line.text();
    if (["error", "warning"].includes(line.type()) && !expected.some((pattern) => pattern.test(text))) failures.push(`console: ${text}`);
  });
  page.on("request", (request) => {
    const requested = request.url();
    if (!requested.startsWith("data:") && new URL(requested).origin !== origin) failures.push(`request to ${requested}`);
  });
  page.on("dialog", (dialog) => {
    failures.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  await page.addInitScript(() => {
    window.violations = [];
    document.addEventListener("securitypolicyviolation", (event) => window.violations.push(`${event.violatedDirective}: ${event.blockedURI} ${event.sample}`));
  });
  test.after(async () => {
    const violations = await page.evaluate(() => window.violations);
    await context.close();
    assert.deepEqual([...failures, ...violations], []);
  });
  await prepare(page);
  await page.goto(url);
  return page;
}

/** Opens the page of a tool and waits until it is shown. */
export async function openTool(test, server, name, options) {
  const page = await open(test, `${server.url}/#/tool/${name}`, options);
  await page.locator("article .work").waitFor();
  return page;
}

/** Waits until `holds` returns `true` for the value of `look`, and returns the value. */
export async function eventually(look, holds = Boolean) {
  const deadline = Date.now() + TIMEOUT;
  for (;;) {
    const seen = await look();
    if (holds(seen)) return seen;
    if (Date.now() > deadline) assert.fail(`still ${JSON.stringify(seen)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Returns the field of an input. */
export const field = (page, pointer) => page.locator(`[data-at="${pointer}"]`);
export const button = (page, name) => page.getByRole("button", { name, exact: true });
export const run = (page) => button(page, "Run").click();

/** Opens the JSON editor and returns its text. */
export async function json(page) {
  await page.getByRole("tab", { name: "JSON", exact: true }).click();
  return page.getByLabel("Arguments as JSON").inputValue();
}

/** Opens the structured view of the last result and returns its data. */
export async function structured(page) {
  await page.getByRole("tab", { name: "Structured" }).click();
  return JSON.parse(await page.locator("#outcome pre").innerText());
}
