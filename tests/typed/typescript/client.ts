// Calls the examples through clients whose types are generated from their OpenAPI documents.
//
// Usage: node client.ts WEATHER CONTENT TOKEN, with the URLs of the servers and the token of a user of the second.
//
// The compiler checks this file, too: a line after `@ts-expect-error` fails unless it is a type error.

import createClient from "openapi-fetch";

import type { components, paths as ContentPaths } from "./generated/content.js";
import type { paths as WeatherPaths } from "./generated/weather.js";

declare const process: { argv: string[]; exitCode?: number };

const [weatherUrl = "", contentUrl = "", token = ""] = process.argv.slice(2);

// Calls answer with JSON or, if asked for, with events.
type Json = "application/json";
const weather = createClient<WeatherPaths, Json>({ baseUrl: weatherUrl });
const content = createClient<ContentPaths, Json>({
  baseUrl: contentUrl,
  headers: { authorization: `Bearer ${token}` },
});

type CallError = components["schemas"]["CallError"];

/** Returns the message of a failed call: only a tool that ran has content. */
function message(error: CallError | undefined): string | undefined {
  if (error === undefined) return undefined;
  return "content" in error ? error.content[0]?.text : error.error;
}

function equal(actual: unknown, expected: unknown): void {
  const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (left !== right) throw new Error(`${left} is not ${right}`);
}

/** Asserts at compile time that a type is exactly another one. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function same<A, B>(..._: Same<A, B> extends true ? [] : [never]): void {}

const checks: Record<string, () => Promise<void>> = {
  async "weather, success"() {
    const { data, response } = await weather.POST("/tools/get_weather/call", {
      body: { location: "Seattle", date: "2014-07-04" },
    });
    equal(response.status, 200);
    if (data === undefined) throw new Error("there is no body");
    const day = data.structuredContent;
    same<typeof day.temp_max, number>();
    same<typeof day.weather, "drizzle" | "fog" | "rain" | "snow" | "sun">();
    equal([day.weather, day.temp_max, data.isError], ["sun", 23.9, false]);
  },
  async "weather, optional inputs"() {
    const { data } = await weather.POST("/tools/find_days/call", {
      body: { from: "2012-01-01", to: "2012-01-31", weather: "snow", location: null },
    });
    equal(data?.structuredContent.days.every((day) => day.weather === "snow"), true);
  },
  async "weather, invalid"() {
    const { error, response } = await weather.POST("/tools/get_weather/call", {
      // @ts-expect-error: it is no city of the archive.
      body: { location: "Paris", date: "today" },
    });
    equal(response.status, 422);
    if (error === undefined || !("problems" in error)) throw new Error("it lists no problems");
    equal(error.problems?.map((problem) => [problem.path, problem.keyword]), [["/location", "enum"], ["/date", "format"]]);
  },
  async "weather, failing"() {
    const { error, response } = await weather.POST("/tools/get_weather/call", {
      body: { location: "Seattle", date: "1999-07-04" },
    });
    equal(response.status, 404);
    equal(message(error)?.startsWith("no observation on 1999-07-04"), true);
  },
  async "weather, read"() {
    const query = { location: "Seattle", date: "2014-07-04" } as const;
    const byName = await weather.GET("/tools/get_weather/result", { params: { query } });
    const atAddress = await weather.GET("/get_weather/{location}/{date}", { params: { path: query } });
    equal([byName.data?.weather, atAddress.data?.weather], ["sun", "sun"]);
    const columns = await weather.GET("/explain_columns");
    same<NonNullable<typeof columns.data>[number]["unit"], string | null>();
    equal(columns.data?.some((column) => column.name === "temp_max"), true);
  },
  async "weather, no such input"() {
    const { response } = await weather.POST("/tools/explain_columns/call", {
      // @ts-expect-error: the tool has no inputs.
      body: { sort: "name" },
    });
    equal(response.status, 422);
  },
  async "weather, discovery"() {
    const { data } = await weather.POST("/tools/{name}/validate", {
      params: { path: { name: "get_weather" } },
      body: { location: "Seattle" },
    });
    equal([data?.valid, data?.errors?.[0]?.path], [false, "/date"]);
  },
  async "content, success"() {
    const { data, response } = await content.POST("/tools/create_node/call", {
      body: {
        kind: "article",
        title: "A boat",
        body: "It floats.",
        components: [{ kind: "quote", variant: "large", props: { text: "Ahoy" } }],
      },
    });
    equal(response.status, 200);
    const id = data?.structuredContent.id ?? 0;
    const node = (await content.GET("/node/{id}", { params: { path: { id } } })).data;
    const [block] = node?.components ?? [];
    if (block?.kind !== "quote") throw new Error(`${block?.kind} is not a quote`);
    same<typeof block.variant, "inline" | "large">();
    equal([node?.title, block.variant, block.props.text], ["A boat", "large", "Ahoy"]);
  },
  async "content, invalid"() {
    const { error, response } = await content.POST("/tools/get_node/call", { body: { id: 0 } });
    equal(response.status, 422);
    equal(message(error), "invalid input for `get_node`: 1 problem");
  },
  async "content, invalid variant"() {
    const { error, response } = await content.POST("/tools/create_node/call", {
      body: {
        kind: "article",
        title: "A boat",
        body: "It floats.",
        // @ts-expect-error: this variant is that of another kind.
        components: [{ kind: "quote", variant: "danger", props: { text: "Ahoy" } }],
      },
    });
    equal([response.status, message(error)], [422, "invalid input for `create_node`: 1 problem"]);
  },
  async "content, failing"() {
    const { error, response } = await content.POST("/tools/get_node/call", { body: { id: 99999 } });
    equal(response.status, 404);
    equal(typeof message(error), "string");
    equal(error !== undefined && "content" in error, true);
  },
  async "content, task"() {
    const { data, response } = await content.POST("/tools/export_site/call", {
      params: { header: { Prefer: "respond-async" } },
      body: {},
    });
    equal(response.status, 202);
    if (data === undefined || !("taskId" in data)) throw new Error("it is no task");
    equal(data.tool, "export_site");
  },
  async "content, unauthorized"() {
    const stranger = createClient<ContentPaths, Json>({ baseUrl: contentUrl });
    const { error, response } = await stranger.POST("/tools/get_node/call", { body: { id: 1 } });
    equal([response.status, message(error)], [401, "Unauthorized"]);
  },
};

for (const [name, check] of Object.entries(checks)) {
  try {
    await check();
    console.log(`typescript: ${name} ... ok`);
  } catch (error) {
    console.log(`typescript: ${name} ... FAILED\n${error}`);
    process.exitCode = 1;
  }
}
