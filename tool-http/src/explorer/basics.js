// Shared functions: lossless JSON, elements, requests and local storage.

// JSON: numbers keep their digits, objects the order of their members, and no member name is special.
// An object is a Map, a list an array, a number a Raw.

// Unparsed JSON text: a number, or invalid text that the user is still typing.
export class Raw {
	constructor(text) {
		this.text = text;
	}
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const SPACE = /[ \t\n\r]*/y;
const WORDS = { null: null, true: true, false: false };
const DEEPEST = 120;

export const isNumber = (text) => (NUMBER.lastIndex = 0, NUMBER.test(text)) && NUMBER.lastIndex === text.length;

// Rejects duplicate member names, like the server.
export function parse(text) {
	let at = 0;
	const fail = (message) => {
		const lines = text.slice(0, at).split("\n");
		throw new SyntaxError(`Not valid JSON: line ${lines.length}, column ${lines.at(-1).length + 1}: ${message}`);
	};
	const match = (pattern) => {
		pattern.lastIndex = at;
		const found = pattern.exec(text)?.[0];
		at += found?.length ?? 0;
		return found;
	};
	const string = () => JSON.parse(match(STRING) ?? fail("expected a text in double quotes"));
	const parts = (close, part) => {
		at++;
		match(SPACE);
		for (let more = text[at] !== close; more; ) {
			part();
			match(SPACE);
			more = text[at] !== close;
			if (more && text[at++] !== ",") fail(`expected \`,\` or \`${close}\``);
			match(SPACE);
		}
		at++;
	};
	const value = (depth) => {
		if (depth > DEEPEST) fail("nested too deeply");
		match(SPACE);
		if (text[at] === '"') return string();
		if (text[at] === "[") {
			const list = [];
			parts("]", () => list.push(value(depth + 1)));
			return list;
		}
		if (text[at] === "{") {
			const object = new Map();
			parts("}", () => {
				const name = string();
				if (object.has(name)) fail(`the name \`${name}\` is given twice`);
				match(SPACE);
				if (text[at] !== ":") fail("expected `:`");
				at++;
				object.set(name, value(depth + 1));
			});
			return object;
		}
		const word = match(/null|true|false/y);
		return word ? WORDS[word] : new Raw(match(NUMBER) ?? fail("expected a value"));
	};
	const result = value(0);
	match(SPACE);
	if (at < text.length) fail("expected nothing more");
	return result;
}

// Control characters, direction marks, invisible characters and lone surrogates.
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}\ud800-\udfff]/gu;
const hex = (code) => code.toString(16).padStart(4, "0");

// Replaces each invisible character with its code point, for display.
export const visible = (text) => text.replace(INVISIBLE, (c) => (/[\n\t]/.test(c) ? c : `⟨U+${hex(c.codePointAt(0)).toUpperCase()}⟩`));

// Serializes a value as JSON and escapes invisible characters.
export function write(value, indent = "", outer = "\n") {
	if (value instanceof Raw) return value.text;
	if (typeof value === "string") return JSON.stringify(value).replace(INVISIBLE, (c) => c.split("").map((unit) => "\\u" + hex(unit.charCodeAt(0))).join(""));
	if (!value || typeof value !== "object") return String(value);
	const inner = outer + indent;
	const [open, close, parts] = Array.isArray(value)
		? ["[", "]", value.map((item) => write(item, indent, inner))]
		: ["{", "}", [...(value.entries?.() ?? Object.entries(value))].map(([name, member]) => `${write(name)}:${indent && " "}${write(member, indent, inner)}`)];
	return !indent || !parts.length ? open + parts.join(",") + close : open + inner + parts.join("," + inner) + outer + close;
}

// Elements and requests. Every text becomes a text node, never markup.

export const $ = (id) => document.getElementById(id);

let ids = 0;
export const id = () => `e${ids++}`;

// `h("p.quiet", { title }, "text")`: attributes are optional, and `false` or undefined ones are omitted.
export function h(name, ...children) {
	const [tag, ...classes] = name.split(".");
	const element = document.createElement(tag);
	if (classes[0]) element.className = classes.join(" ");
	if (/input|textarea/.test(tag)) Object.assign(element, { autocomplete: "off", spellcheck: false, rows: 1 });
	const attributes = children[0]?.constructor === Object ? children.shift() : {};
	for (const [name, value] of Object.entries(attributes)) {
		if (value === undefined || value === false) continue;
		if (name.startsWith("on") || name === "value") element[name] = value;
		else element.setAttribute(name, value === true ? "" : value);
	}
	return put(element, children);
}

export function put(element, ...children) {
	for (const child of children.flat(9)) {
		if (child) element.append(child instanceof Node ? child : Object.assign(new Text(visible(`${child}`)), { raw: child }));
	}
	return element;
}

// Returns the original text of an element, with its invisible characters.
export const rawOf = (node) => node.raw ?? [...node.childNodes].map(rawOf).join("");

export function fill(element, ...children) {
	element.replaceChildren();
	return put(element, children);
}

export const button = (label, onclick, attributes, look = "") => h("button" + look, { type: "button", onclick, ...attributes }, label);
export const quiet = (...text) => h("p.quiet", text);

// Shows text in backticks as code.
export const prose = (text) => text.split(/(`[^`]+`)/).map((part) => (/^`.+`$/.test(part) ? h("code", part.slice(1, -1)) : part));

// Announces a text to screen readers.
export function announce(text) {
	$("live").textContent = "";
	requestAnimationFrame(() => fill($("live"), text));
}

// `all` contains `[label, panel()]`. Each panel is built whenever it is shown.
export function tabs(label, all, start = 0, allowed = () => true) {
	let shown;
	const panel = h("div.panel", { role: "tabpanel", id: id() });
	const show = (index) => {
		if (!allowed(index)) return;
		shown = index;
		buttons.forEach((tab, n) => {
			tab.setAttribute("aria-selected", n === index);
			tab.tabIndex = n === index ? 0 : -1;
		});
		panel.setAttribute("aria-labelledby", buttons[index].id);
		fill(panel, all[index][1]());
	};
	const buttons = all.map(([text], index) => button(text, () => show(index), { role: "tab", id: id(), "aria-controls": panel.id }));
	const onkeydown = ({ key }) => {
		const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
		if (!step) return;
		show((shown + step + all.length) % all.length);
		buttons[shown].focus();
	};
	const list = h("div.tabs", { role: "tablist", "aria-label": label, onkeydown }, buttons);
	show(start);
	return { list, panel, show, again: () => show(shown) };
}

export async function copyText(text, from) {
	const label = (from.dataset.label ??= from.textContent);
	const copied = await navigator.clipboard?.writeText(text).then(() => true, () => false);
	from.textContent = copied ? "Copied" : "Not allowed: select the text";
	announce(from.textContent);
	setTimeout(() => (from.textContent = label), 1500);
}

// The URL of the page: this file is one folder below it.
export const base = new URL("..", import.meta.url);
export const toolUrl = (name, rest = "") => new URL(`tools/${encodeURIComponent(name)}${rest}`, base);

// The token is only in memory: a reload discards it.
let token = "";
export const setToken = (text) => (token = text);
export const hasToken = () => token !== "";
const authorization = () => (token ? { authorization: `Bearer ${token}` } : {});

// Whether a text is the address of a stored result, relative to the call or to the server.
export const isResult = (text) => /^(\.\.\/\.\.)?\/results\/[0-9a-f]{64}$/.test(text);

// Resolves an address in a result: an absolute web address, or one on this server relative to the call.
export function destination(text, from) {
	try {
		const url = new URL(text, from);
		return /^https?:$/.test(url.protocol) && (/^https?:/i.test(text) || url.origin === base.origin) ? url : undefined;
	} catch {}
}

export const anchor = (url, label, look = "") => h(`a${look}`, { href: url.href, target: "_blank", rel: "noopener noreferrer", onclick: url.href.startsWith(new URL("results/", base).href) && save }, label);

// Downloads a stored result. Only its caller may read it, and a link cannot send the token.
async function save(event) {
	if (!token) return;
	event.preventDefault();
	const link = event.currentTarget;
	const response = await fetch(link.href, { headers: authorization(), redirect: "error" }).catch(() => undefined);
	if (!response?.ok) return link.after(h("span.bad", ` It cannot be fetched${response ? `: the server answered with the status ${response.status}` : ""}.`));
	const href = URL.createObjectURL(await response.blob());
	h("a", { href, download: /filename="([^"]+)"/.exec(response.headers.get("content-disposition"))?.[1] ?? "result" }).click();
	setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

// Gives each event of a stream to `watch`. Returns the data of the event `result`, the last one of a call.
async function readEvents(stream, watch) {
	const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
	for (let rest = ""; ; ) {
		const { value, done } = await reader.read();
		if (done) throw Error();
		const from = Math.max(rest.length - 1, 0);
		rest += value;
		if (rest.indexOf("\n\n", from) < 0) continue;
		const events = rest.split("\n\n");
		rest = events.pop();
		for (const event of events) {
			const [, name, id, data] = /^event: (\w+)\n(?:id: (\w+)\n)?data: ([^]*)$/.exec(event) ?? [];
			if (name === "result") return data;
			if (name) watch(name, parse(data), id);
		}
	}
}

// Returns the response, without `json` if the body is not JSON; or only an `error` if there is no response. `watch` gets
// the events of a call or of a task. They bypass the cache, in which a second request for the same address would wait.
export async function request(url, body, { signal, watch, method = body === undefined ? "GET" : "POST", headers: more } = {}) {
	const used = token;
	const headers = { ...more, accept: watch ? "text/event-stream, application/json;q=0.9" : "application/json", ...authorization() };
	if (body !== undefined) headers["content-type"] = "application/json";
	const started = performance.now();
	let answer;
	try {
		const response = await fetch(url, { method, headers, body, signal, cache: watch ? "no-store" : "no-cache", redirect: "error" });
		let { status, headers: sent } = response;
		let text;
		if (watch && sent.get("content-type") === "text/event-stream") {
			text = (await readEvents(response.body, watch)).replace(/"status":(\d+),?/, (_, given) => ((status = +given), ""));
		} else text = await response.text();
		answer = { status, ok: status < 300, headers: sent, text, took: performance.now() - started };
		answer.json = parse(answer.text);
	} catch {
		answer ??= { error: "The server cannot be reached." };
	}
	if (answer.status === 401 && used === token) document.dispatchEvent(new Event("unauthorized"));
	return answer;
}

export const errorOf = ({ error, json, status }) => error ?? json?.get?.("error") ?? `The server answered with the status ${status}.`;

// Local storage, if the browser allows it: the theme, and calls without their secrets.
const KEY = `explorer ${base.pathname} `;
export const recall = (name) => {
	try {
		return JSON.parse(localStorage.getItem(KEY + name));
	} catch {
		return null;
	}
};
export const remember = (name, value) => {
	try {
		localStorage.setItem(KEY + name, JSON.stringify(value));
	} catch {}
};
