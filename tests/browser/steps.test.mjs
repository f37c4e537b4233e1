// Five things that a new user does, and the number of steps for each.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { eventually, field, open, weather } from "./harness.mjs";

/** Reads the number of steps for each row of the table in `docs/src/explorer.md`. */
function documented() {
  const lines = readFileSync(new URL("../../docs/src/explorer.md", import.meta.url), "utf8").split("\n");
  const rows = lines.filter((line) => /^\| (find|see|try|run|copy) /.test(line)).map((line) => line.split("|"));
  return Object.fromEntries(rows.map(([, task, steps]) => [task.trim().split(" ")[0], Number(steps)]));
}

test("takes the documented number of steps", async (t) => {
  const server = await weather("--allow-execute");
  const page = await open(t, server.url, { permissions: ["clipboard-read", "clipboard-write"] });
  const steps = { find: 0, see: 0, try: 0, run: 0, copy: 0 };
  const click = (task, name, role = "button") => {
    steps[task] += 1;
    return page.getByRole(role, { name, exact: true }).click();
  };

  await page.locator("#tools").getByText("Weather of a day").waitFor();
  steps.find += 1;
  await page.locator("#tools").getByText("Weather of a day").click();

  // The page shows the effect, the types, the required inputs and the described values.
  await page.getByText("Returns what is stored, changes nothing").waitFor();
  const seen = await page.locator("article form").innerText();
  for (const fact of ["location", "City, as the archive spells it.", "required", "date, YYYY-MM-DD", "New York City, New York."]) assert.ok(seen.includes(fact), fact);

  await click("try", "date", "textbox");
  steps.try += 1;
  await page.keyboard.type("yesterday");
  await eventually(() => field(page, "/date").locator(".problem").innerText(), (text) => /yesterday/.test(text));

  await click("run", "Example");
  await click("run", "Run");
  await page.locator("#outcome .good").waitFor();
  assert.match(await page.locator("#outcome pre").innerText(), /"temp_max": 23.9/);

  await click("copy", "Copy cURL");
  await eventually(() => page.evaluate(() => navigator.clipboard.readText()), (text) => text.startsWith("curl ") && text.includes("2014-07-04"));

  assert.deepEqual(steps, documented());
});
