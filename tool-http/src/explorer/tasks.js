// Tasks: calls that nobody waits for. The list of them, and one with its questions and its result.

import { announce, anchor, base, button, destination, errorOf, fill, h, hasToken, prose, quiet, recall, remember, request, toolUrl, write } from "./basics.js";
import { form, shape, skeleton, unfinished } from "./form.js";
import { card, progress, result } from "./result.js";

const execute = document.documentElement.dataset.execute === "true";
const taskUrl = (id, rest = "") => new URL(`tasks${id ? `/${id}` : ""}${rest}`, base);
export const taskAddress = (id) => `#/tasks/${id}`;

const STATES = {
	working: ["calm", "Working"],
	input_required: ["warn", "Has a question"],
	completed: ["calm", "Completed"],
	failed: ["danger", "Failed"],
	cancelled: ["danger", "Canceled"],
};
const stateOf = (task) => STATES[task.get("status")] ?? ["warn", task.get("status")];
const badge = (task) => h(`span.badge.${stateOf(task)[0]}`, stateOf(task)[1]);
const hasEnded = (task) => /^(completed|failed|cancelled)$/.test(task.get("status"));
const time = (text) => new Date(text).toLocaleString();
const plain = (map, name) => map?.get(name)?.text ?? map?.get(name);

// The server lists no tasks of an anonymous caller, so the browser remembers those that began here without a token.
const LONGEST = 20;
const kept = () => [recall("tasks") ?? []].flat().filter((id) => /^[0-9a-f]{32}$/.test(id));
export const keepTask = (id) => hasToken() || remember("tasks", [id, ...kept()].slice(0, LONGEST));

// Returns the tasks of the caller, newest first, and whether there are more than these pages; or else an error.
async function load(pages, before) {
	const tasks = [];
	let next = taskUrl();
	for (let page = 0; next && page < pages; page++) {
		const answer = await request(next);
		if (!answer.ok || !Array.isArray(answer.json)) return { error: errorOf(answer), status: answer.status };
		tasks.push(...answer.json);
		const link = /<([^>]*)>/.exec(answer.headers.get("link"))?.[1];
		next = link && new URL(link, next);
	}
	for (const id of hasToken() ? [] : kept()) {
		if (tasks.some((task) => task.get("taskId") === id)) continue;
		const old = before.find((task) => task.get("taskId") === id && hasEnded(task));
		const answer = old ? { json: old } : await request(taskUrl(id));
		if (answer.json?.has?.("taskId")) tasks.push(answer.json);
		if (answer.status === 404) remember("tasks", kept().filter((other) => other !== id));
	}
	const created = (task) => Date.parse(task.get("createdAt"));
	return { tasks: tasks.sort((a, b) => created(b) - created(a)), more: Boolean(next) };
}

// Shows the tasks, and looks again until `signal`, unless the page is hidden. `titleOf` returns the title of a tool.
export function listTasks(signal, titleOf) {
	const list = h("ul.card.tasks", { "aria-label": "Your tasks" });
	const note = h("div", { role: "status" });
	let [pages, tasks, drawn] = [1, [], ""];
	function draw(more) {
		const text = write(tasks);
		if (text === drawn) return;
		drawn = text;
		const focused = document.activeElement?.dataset.task;
		fill(list, tasks.map((task) => {
			const [id, tool, message] = ["taskId", "tool", "statusMessage"].map((name) => task.get(name));
			const [done, total] = ["done", "total"].map((name) => plain(task.get("progress"), name));
			return h("li", h("a", { href: taskAddress(id), "data-task": id },
				h("span.top", h("strong", titleOf(tool)), badge(task)),
				h("code", tool),
				h("span.more", message ?? (done && `${done}${total ? ` of ${total}` : ""}`)),
				total && !hasEnded(task) && h("progress", { "aria-label": "Progress", max: total, value: done }),
				h("span.more", time(task.get("createdAt")))));
		}));
		list.hidden = !tasks.length;
		fill(note, !tasks.length && quiet("There are no tasks. Open a tool that runs as a task, and start one."), more && button("Show more", () => (pages++, look()), {}, ".small"));
		list.querySelector(`[data-task="${focused}"]`)?.focus();
	}
	let timer;
	async function look() {
		clearTimeout(timer);
		if (document.hidden) await new Promise((resolve) => document.addEventListener("visibilitychange", resolve, { once: true }));
		const found = await load(pages, tasks);
		if (signal.aborted) return;
		if (found.tasks) {
			tasks = found.tasks;
			draw(found.more);
		} else {
			drawn = "";
			fill(note, h("p.bad", found.error));
			if ([401, 403, 404].includes(found.status)) return;
		}
		timer = setTimeout(look, 2000);
	}
	signal.onabort = () => clearTimeout(timer);
	list.hidden = true;
	look();
	return h("article", h("header.about", h("h1", { tabindex: -1 }, "Tasks"), quiet("Calls that nobody waits for. They go on when this page is closed.")), list, note);
}

// Gives each state of a task to `show` until it has ended, and reconnects where it was. A hidden page holds no connection.
// Returns the response if the server refuses.
async function follow(id, task, signal, show) {
	let [pause, version] = [500];
	while (!signal.aborted && !hasEnded(task)) {
		if (document.hidden) await new Promise((resolve) => document.addEventListener("visibilitychange", resolve, { once: true }));
		const hidden = new AbortController();
		document.onvisibilitychange = () => document.hidden && hidden.abort();
		const watch = (_, state, at) => {
			[task, version, pause] = [state, at, 500];
			show(state);
		};
		const answer = await request(taskUrl(id, "/events"), undefined, { signal: AbortSignal.any([signal, hidden.signal]), headers: version && { "last-event-id": version }, watch });
		if ([401, 403, 404].includes(answer.status)) return answer;
		if (signal.aborted || hidden.signal.aborted || hasEnded(task)) continue;
		show(task, "The connection was lost. Trying again …");
		await new Promise((resolve) => setTimeout(resolve, pause));
		pause = Math.min(pause * 2, 8000);
	}
}

// Requests a task and returns `[response, element]`, or only the response of a server that refuses. The element follows the
// task until `signal`; `refused` gets a later refusal.
export async function openTask(id, signal, refused) {
	const answer = await request(taskUrl(id));
	if (!answer.ok || !answer.json?.has?.("taskId")) return [answer];
	const name = answer.json.get("tool");
	const described = await request(toolUrl(name));
	// The tool may have been removed since.
	const tool = described.ok && described.json?.get ? described.json : new Map([["name", name], ["outputSchema", new Map()]]);
	const { element, show } = view(id, tool);
	show(answer.json);
	follow(id, answer.json, signal, (...state) => signal.aborted || show(...state)).then((answer) => answer && !signal.aborted && refused(answer));
	return [answer, element];
}

function view(id, tool) {
	const name = tool.get("name");
	const badges = h("p.row");
	const facts = h("dl");
	const { text, bar, messages, set, add } = progress("");
	const fault = h("p.bad", { role: "alert" });
	const cancel = button("Cancel the task", () => change("", undefined, { method: "DELETE" }), {}, ".small");
	const questions = h("div.column");
	const outcome = h("div.panel", { id: "outcome" }, quiet("The task has not ended yet."));
	// The open questions by their keys: one that stays open keeps what was filled in.
	const open = new Map();
	let [last, status, said] = [];

	async function change(rest, body, options) {
		// The events show what became of it. This answer may be older than the last of them.
		const answer = await request(taskUrl(id, rest), body, options);
		if (!answer.ok) fill(fault, errorOf(answer));
		return answer.ok;
	}

	function ask(requests) {
		for (const [key, { element }] of open) {
			if (requests.has(key)) continue;
			element.remove();
			open.delete(key);
		}
		for (const [key, request] of requests) {
			const text = write(request);
			if (open.get(key)?.text === text) {
				// Asked again in the same words.
				enable(open.get(key).element, true);
				continue;
			}
			const element = question(request, (answer) => change("/answers", write({ [key]: answer })));
			open.get(key) ? open.get(key).element.replaceWith(element) : questions.append(element);
			open.set(key, { element, text });
		}
	}

	// Shows a state that is not older than the last one, with a note of what is wrong.
	function show(task, note) {
		if (last && (hasEnded(last) && !hasEnded(task))) return;
		last = task;
		const [attempt, message] = ["attempt", "statusMessage"].map((name) => plain(task, name));
		const ended = hasEnded(task);
		const stopping = task.get("isCanceled") === true;
		fill(fault, note);
		fill(badges, badge(task), stopping && h("span.quiet", "It was asked to end."));
		const expires = new Date(Date.parse(task.get("createdAt")) + Number(plain(task, "ttlMs")));
		const all = { Task: h("code", id), Created: time(task.get("createdAt")), "Last change": time(task.get("lastUpdatedAt")), "Kept until": time(expires), Attempts: attempt > 1 && attempt };
		fill(facts, Object.entries(all).filter(([, value]) => value).map(([name, value]) => [h("dt", name), h("dd", value)]));
		if (task.has("progress")) set(...["done", "total", "message"].map((name) => plain(task.get("progress"), name)));
		if (message && message !== said && !ended) add((said = message));
		text.hidden = bar.hidden = ended || !task.has("progress");
		cancel.hidden = ended || !execute;
		cancel.disabled = stopping;
		ask(ended ? new Map() : task.get("inputRequests") ?? new Map());
		if (status === task.get("status")) return;
		status = task.get("status");
		announce(stateOf(task)[1]);
		if (ended) fill(outcome, ending(task, tool));
	}

	const element = h("article",
		h("header.about",
			h("h1", { tabindex: -1 }, tool.get("title") ?? name),
			h("p.id", h("a", { href: `#/tool/${encodeURIComponent(name)}` }, name), " as a task"),
			badges, facts),
		h("div.work",
			h("div.column", card("Progress", cancel, fault, text, bar, messages), questions),
			card("Result", undefined, outcome)));
	return { element, show };
}

// Shows how a task ended, as the result of a call.
function ending(task, tool) {
	const json = task.get("result");
	if (!json) return quiet(task.get("statusMessage") ?? "It left no result.");
	const status = Number(plain(task, "resultStatus"));
	const verdict = { cancelled: "Canceled", failed: "Failed" }[task.get("status")];
	return result({ json, status, verdict, ok: status < 300, headers: [], text: write(json) }, tool).element;
}

const enable = (element, can) => element.querySelectorAll(".run button").forEach((button) => (button.disabled = !can));

// A question of a task, with a form or a link.
function question(request, send) {
	const params = request.get("params") ?? new Map();
	const [schema, url] = [params.get("requestedSchema"), destination(params.get("url") ?? "", "about:blank")];
	const note = h("div.problem", { role: "status" });
	const place = schema && shape(schema, schema);
	let value = place && skeleton(schema, place);
	for (const { name, schema: inner } of place?.properties ?? []) {
		const standard = shape(schema, inner).node.get("default");
		if (standard !== undefined) value.set(name, standard);
	}
	const fields = place && form({ root: schema, get: () => value, set: (given) => (value = given), changed: () => fields.show([]) });
	async function answer(action) {
		const accepts = action === "accept" && fields;
		const missing = accepts ? (schema.get("required") ?? []).filter((name) => !value.has(name)) : [];
		fill(note, missing.length > 0 ? "Something is missing." : accepts && unfinished(value) && "An input is not finished.");
		if (missing.length) return fields.show(missing.map((name) => ({ path: `/${name}`, message: "This is required." })))?.querySelector("input, textarea, select")?.focus();
		if (note.textContent) return;
		enable(element, false);
		if (!(await send({ action, ...(accepts && { content: value }) }))) enable(element, true);
	}
	const readable = fields || url;
	const element = h("form.card", { novalidate: true, onsubmit(event) {
		event.preventDefault();
		if (readable && execute) answer("accept");
	} },
		h("h2", "A question"),
		h("p.lead", prose(params.get("message") ?? "")),
		fields?.element,
		url && h("p", anchor(url, url.href)),
		!readable && quiet("This page cannot answer ", h("code", request.get("method") ?? ""), "."),
		execute && h("div.row.run", readable && h("button.primary", { type: "submit" }, fields ? "Answer" : "Done there"), button("Decline", () => answer("decline")), note));
	return element;
}
