// A browser, the servers that the tests look at, and what must hold of every page whatever a test is about.
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

/** How long anything may take. Nothing waits that long unless it fails. */
export const PATIENCE = 15_000;

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

/** Starts a program of ours that says `listening on http://ADDR` first; where it listens, and how to end it. */
async function start(program, args) {
  assert.ok(program, "`cargo xtask test browser` says where the programs are");
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

/** The tools of every shape. */
export const fixture = (...args) => start(process.env.FIXTURE, args);
/** The weather example, behind the policy of `tool_http::Server`. */
export const weather = (...args) => start(process.env.WEATHER, ["serve", "http", "--addr", "127.0.0.1:0", ...args]);

/**
 * Opens a page. When the test ends, nothing may have been said on the console, no policy violated, and nothing asked of
 * anybody else; `expected` are the patterns of console lines that belong to the test, `prepare` is done before it is loaded.
 */
export async function open(test, url, { expected = [], prepare = () => {}, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  const origin = new URL(url).origin;
  const wrong = [];
  page.on("pageerror", (error) => wrong.push(`error: ${error.stack}`));
  page.on("console", (line) => {
    const text = line.text();
    if (["error", "warning"].includes(line.type()) && !expected.some((pattern) => pattern.test(text))) wrong.push(`console: ${text}`);
  });
  page.on("request", (request) => {
    const asked = request.url();
    if (!asked.startsWith("data:") && new URL(asked).origin !== origin) wrong.push(`request to ${asked}`);
  });
  page.on("dialog", (dialog) => {
    wrong.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  await page.addInitScript(() => {
    window.violations = [];
    document.addEventListener("securitypolicyviolation", (event) => window.violations.push(`${event.violatedDirective}: ${event.blockedURI} ${event.sample}`));
  });
  test.after(async () => {
    const violations = await page.evaluate(() => window.violations);
    await context.close();
    assert.deepEqual([...wrong, ...violations], []);
  });
  await prepare(page);
  await page.goto(url);
  return page;
}

/** Opens the page of a tool, and waits until it is there. */
export async function openTool(test, server, name, options) {
  const page = await open(test, `${server.url}/#/tool/${name}`, options);
  await page.locator("article .work").waitFor();
  return page;
}

/** Waits until something holds. */
export async function eventually(look, holds = Boolean) {
  const deadline = Date.now() + PATIENCE;
  for (;;) {
    const seen = await look();
    if (holds(seen)) return seen;
    if (Date.now() > deadline) assert.fail(`still ${JSON.stringify(seen)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The field of an input. */
export const field = (page, pointer) => page.locator(`[data-at="${pointer}"]`);
export const button = (page, name) => page.getByRole("button", { name, exact: true });
export const run = (page) => button(page, "Run").click();

/** What the JSON editor says. It is left open. */
export async function json(page) {
  await page.getByRole("tab", { name: "JSON", exact: true }).click();
  return page.getByLabel("Arguments as JSON").inputValue();
}

/** The last result as structured data. */
export async function structured(page) {
  await page.getByRole("tab", { name: "Structured" }).click();
  return JSON.parse(await page.locator("#outcome pre").innerText());
}
