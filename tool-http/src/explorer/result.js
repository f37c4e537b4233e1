// The progress and the result of a call, also of one that runs as a task.

import { anchor, button, copyText, destination, errorOf, fill, h, isResult, prose, put, quiet, rawOf, tabs, toolUrl, write } from "./basics.js";
import { addresses } from "./form.js";

export const card = (heading, beside, ...rest) => h("section.card", h("div.bar", h("h2", heading), beside), rest);

// Shows how far a call is, and its last messages.
export function progress(start) {
	const text = h("p.quiet", start);
	const bar = h("progress", { "aria-label": "Progress" });
	const messages = h("ul.mono", { "aria-label": "Messages" });
	const set = (done, total, message) => {
		if (total) Object.assign(bar, { max: total, value: done });
		fill(text, message || `${done}${total ? ` of ${total}` : ""}`);
	};
	const add = (message) => {
		put(messages, h("li", message));
		if (messages.children.length > 20) messages.firstChild.remove();
	};
	return { text, bar, messages, set, add };
}

// The result: as text, as structured data, and as the raw HTTP response.

const LARGE = 200_000;
const TOKENS = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d[\d.eE+-]*/g;

// Highlights JSON, and links the texts for which `linkTo` returns an address. Large JSON stays plain.
export function highlighted(text, linkTo = () => undefined) {
	const element = h("pre.code", { tabindex: 0 });
	if (text.length > LARGE) return put(element, text);
	let at = 0;
	for (const match of text.matchAll(TOKENS)) {
		const token = match[1] ?? match[0];
		const url = match[1] && !match[2] && linkTo(JSON.parse(token));
		put(element, text.slice(at, match.index), url ? anchor(url, token) : h(match[2] ? "span.json-name" : match[1] ? "span.json-text" : "span.json-value", token));
		at = match.index + token.length;
	}
	return put(element, text.slice(at));
}

export function result(answer, tool) {
	const body = answer.json instanceof Map ? answer.json : new Map();
	const failed = !answer.ok || body.get("isError") === true;
	const verdict = answer.verdict ?? (!failed ? "Done" : body.get("isError") ? "The tool failed" : answer.status < 500 ? "Not run" : "Failed");
	const structured = body.get("structuredContent") ?? (answer.ok ? undefined : answer.json);
	const call = toolUrl(tool.get("name"), "/call");
	const view = () => {
		const text = write(structured, "  ");
		const urls = text.length < LARGE ? addresses(tool.get("outputSchema"), structured) : new Set();
		return highlighted(text, (text) => (urls.has(text) || isResult(text)) && destination(text, call));
	};
	const callId = body.get("_meta")?.get("callId");
	if (answer.error) return { element: h("p.bad", answer.error), failed: true, verdict: answer.error };
	const views = tabs("Views of the result", [
		["Text", () => text(answer, body, call)],
		["Structured", () => (structured === undefined ? quiet("The tool returned no structured data.") : view())],
		["Raw", () => h("pre.code", { tabindex: 0 }, `HTTP ${answer.status}\n`, [...answer.headers].map(([name, value]) => `${name}: ${value}\n`), "\n", answer.text)],
	], body.has("structuredContent") ? 1 : 0);
	const copy = button("Copy", () => copyText([...views.panel.children].map(rawOf).join("\n"), copy), { "aria-label": "Copy the result" }, ".small");
	const element = [
		h("p", h(failed ? "strong.bad" : "strong.good", verdict), h("span.quiet", ` ${answer.status}${answer.took ? ` in ${Math.round(answer.took)} ms` : ""}`, callId && [", call ", h("code", callId)])),
		h("div.bar", views.list, copy),
		views.panel,
	];
	return { element, failed, verdict };
}

function text(answer, body, call) {
	const content = body.get("content");
	if (!content) return h("p", prose(errorOf(answer)));
	return content.length ? content.map((part) => block(part, call)) : quiet("The tool returned nothing.");
}

function block(part, call) {
	const { type, text, data, mimeType, uri, name, description } = Object.fromEntries(part);
	if (type === "resource_link") {
		const url = destination(uri, call);
		return [h("p", url ? anchor(url, name) : h("strong", name), h("span.quiet", !isResult(uri) && [" ", h("code", uri)], mimeType && `, ${mimeType}`)), description && quiet(description)];
	}
	if (type === "text") return h("pre", { tabindex: 0 }, text);
	return type === "image" ? h("img", { src: `data:${mimeType};base64,${data}`, alt: type }) : highlighted(write(part, "  "));
}
