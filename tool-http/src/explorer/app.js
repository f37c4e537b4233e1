import { $, announce, base, button, copyText, errorOf, fill, h, hasToken, id, parse, prose, quiet, recall, remember, request, setToken, tabs, toolUrl, write } from "./basics.js";
import { describe, form, secrets, shape, skeleton, unfinished, withoutSecrets, words } from "./form.js";
import { card, highlighted, progress, result } from "./result.js";
import { keepTask, listTasks, openTask, taskAddress } from "./tasks.js";

const root = document.documentElement;
const { title } = root.dataset;
const execute = root.dataset.execute === "true";
const main = $("main");
let open;
// Ends what the shown page still waits for.
let visit = new AbortController();
// `repeat` repeats a refused call; `tokenChanged` runs when the token changes.
let repeat;
let tokenChanged;

// The effects of a tool in words, and the confirmation before a modifying call.

const OPERATIONS = {
	explain: ["Explains", "Describes the system itself, changes nothing"],
	read: ["Reads", "Returns what is stored, changes nothing"],
	transform: ["Computes", "Works something out, changes nothing"],
	trigger: ["Triggers", "Starts something elsewhere"],
	write: ["Writes", "Changes what is stored"],
};
const UNDECLARED = [["Reads", "Changes nothing"], ["Changes", "Changes something"], ["Unknown", "Does not say what it does, may destroy"]];

// A tool without hints counts as destructive, as in MCP.
function effects(tool) {
	const hints = tool.get("annotations") ?? new Map();
	const declared = tool.has("operation") || hints.size > 0;
	const modifying = hints.get("readOnlyHint") !== true;
	const destructive = modifying && hints.get("destructiveHint") !== false;
	const all = [[modifying ? (declared ? "warn" : "danger") : "calm", ...(OPERATIONS[tool.get("operation")] ?? UNDECLARED[modifying + !declared])]];
	if (destructive && declared) all.unshift(["danger", "Destructive", "May delete or overwrite for good"]);
	if (modifying && hints.get("idempotentHint")) all.push(["calm", "Repeatable", "Running it twice has the same effect as once"]);
	if (declared && hints.get("openWorldHint") !== false) all.push(["calm", "Outside", "May reach other systems"]);
	return { modifying, destructive, badges: all.map(([kind, word, text]) => [h(`span.badge.${kind}`, word), h("span", text)]) };
}

// Formats the permission `any(a, all(b, c))` as "a or (b and c)"; other texts stay unchanged.
function permissionText(permission) {
	const lists = [[]];
	for (const [token] of permission.matchAll(/\s*(?:\b(?:all|any)\(|[^(),]+|[()])/g)) {
		const name = token.trim();
		if (/^a..\($/.test(name)) lists.push(Object.assign([], { joint: name === "any(" ? " or " : " and " }));
		else if (name === ")" && lists[1]) {
			const list = lists.pop();
			lists.at(-1).push(lists[1] ? `(${list.join(list.joint)})` : list.join(list.joint));
		} else if (name) lists.at(-1).push(name);
	}
	return lists[1] || lists[0][1] ? permission : lists[0][0];
}

function header(tool) {
	const get = (key) => tool.get(key);
	const [needs, deprecated, permission, task] = [get("requirements"), get("deprecated"), get("permission"), get("task")];
	const since = deprecated?.get?.("since");
	const facts = {
		Permission: permission && `Needs ${permissionText(permission)}`,
		Tasks: task && (task.get("support") === "required" ? "Always runs as a task, which goes on when you leave" : "Can run as a task, which goes on when you leave"),
		Requirements: needs?.get && (needs.get("met") ? "Met" : `Cannot run now: ${needs.get("message") ?? "something is missing"}`),
		Deprecated: deprecated && ([since && `Since ${since}.`, deprecated.get?.("note")].filter(Boolean).join(" ") || "Yes"),
		Tags: get("tags")?.length && get("tags").join(", "),
	};
	return h("header.about",
		h("h1", { tabindex: -1 }, get("title") ?? get("name")),
		h("p.id", h("code", get("name"))),
		h("p.lead", prose(get("description") ?? "")),
		h("ul.badges", { "aria-label": "What it may do" }, effects(tool).badges.map((badge) => h("li", badge))),
		h("dl", Object.entries(facts).filter(([, text]) => text).map(([name, text]) => [h("dt", name), h("dd", text)])));
}

// Asks for confirmation before a modifying call; a destructive one gets a stronger warning.
function confirmed(tool, args) {
	const { destructive } = effects(tool);
	const dialog = $("confirm");
	const name = tool.get("title") ?? tool.get("name");
	return new Promise((resolve) => {
		const answer = (yes) => () => (resolve(yes), dialog.close());
		const cancel = button("Cancel", answer(false));
		const go = button(destructive ? "Run anyway" : "Run it", answer(true), {}, destructive ? ".danger" : ".primary");
		dialog.className = destructive ? "danger" : "";
		fill(dialog,
			h("h2", { id: "confirm-title" }, destructive ? `Really run ${name}?` : `Run ${name}?`),
			h("p", destructive ? "This may delete or overwrite for good, and cannot be undone here." : "This changes something."),
			highlighted(write(args, "  ")),
			h("div.row.end", cancel, go));
		dialog.onclose = answer(false);
		dialog.showModal();
		(destructive ? cancel : go).focus();
	});
}

// The list of tools. It first draws a hundred tools, and more on scrolling.

let rows = [];
let shown = [];
let drawn = 0;
let timer;

const links = () => [...document.querySelectorAll("#tools a")];
const address = (name) => `#/tool/${encodeURIComponent(name)}`;

// Takes the list from `GET /tools`.
function setTools(tools) {
	$("tasks").hidden = !tools.some((tool) => tool.has("task"));
	rows = tools.map((tool) => {
		const [name, title, about, operation] = ["name", "title", "description", "operation"].map((key) => tool.get(key) ?? "");
		const tags = tool.get("tags") ?? [];
		return { tool, name, title, about, operation, tags, low: [name, title, tags.join(" "), about].map((part) => part.toLowerCase()) };
	});
	choices("operation", rows.map((row) => row.operation));
	choices("tag", rows.flatMap((row) => row.tags));
	refresh();
}

function choices(id, all) {
	const [select, values] = [$(id), [...new Set(all)].filter(Boolean).sort()];
	const chosen = select.value;
	select.hidden = !values.length;
	fill(select, h("option", { value: "" }, `Any ${id}`), values.map((value) => h("option", { value }, value)));
	select.value = values.includes(chosen) ? chosen : "";
}

// Ranks a row by its matches of every word: lower is better, and `NaN` is no match.
const rank = ({ low }, words) => words.reduce((sum, word) => {
	const place = low.findIndex((part) => part.includes(word));
	return sum + (place < 0 ? NaN : place * 2 + !low[place].startsWith(word));
}, 0);

function refresh() {
	const words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
	const [operation, tag] = [$("operation").value, $("tag").value];
	shown = rows
		.filter((row) => (!operation || row.operation === operation) && (!tag || row.tags.includes(tag)))
		.map((row) => [rank(row, words), row])
		.filter(([rank]) => rank >= 0)
		.sort(([a], [b]) => a - b)
		.map(([, row]) => row);
	const count = `${shown.length < rows.length ? `${shown.length} of ` : ""}${rows.length} ${rows.length === 1 ? "tool" : "tools"}`;
	fill($("count"), count);
	clearTimeout(timer);
	timer = setTimeout(() => words.length && announce(count), 600);
	fill($("tools"), !shown.length && h("li", quiet(rows.length ? "No tool matches." : "There are no tools here.")));
	$("list").scrollTop = drawn = 0;
	more();
}

function more() {
	const next = shown.slice(drawn, drawn + 100);
	drawn += next.length;
	$("tools").append(...next.map(({ tool, name, title, about }) => h("li", h("a", { href: address(name), "data-name": name },
		h("span.top", h("strong", title || name), effects(tool).badges[0][0]),
		title && h("code", name),
		h("span.more", about.slice(0, 200))))));
	mark();
}

// Marks the open tool. The tab key reaches only one link, the arrow keys reach the others.
function mark() {
	const all = links();
	const own = all.find((link) => link.dataset.name === open);
	for (const link of all) {
		link.tabIndex = link === (own ?? all[0]) ? 0 : -1;
		link.ariaCurrent = link === own ? "true" : null;
	}
}

function startList() {
	$("search").oninput = $("operation").onchange = $("tag").onchange = refresh;
	$("list").onkeydown = (event) => {
		const at = links().indexOf(event.target);
		if (event.target === $("search") && event.key === "Enter" && shown[0]) location.hash = address(shown[0].name);
		const to = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
		if (to === undefined || event.target.tagName === "SELECT") return;
		event.preventDefault();
		(links()[to] ?? $("search")).focus();
	};
	$("list").onscroll = ({ target }) => target.scrollHeight - target.scrollTop < 2 * target.clientHeight && more();
}

// One tool: its description, a form and a JSON editor for the same value, and the result of a call.

const MASK = "••••••";
const LONGEST = 6000;

// The inputs of each tool, kept while the page is open.
const drafts = new Map();

// `native` is the response of `.../inputs`, `given` the arguments of a link.
function toolView(tool, native, given) {
	const name = tool.get("name");
	const schema = tool.get("inputSchema");
	const { modifying, destructive } = effects(tool);
	const draft = drafts.get(name) ?? { value: skeleton(schema, shape(schema, schema)) ?? new Map(), touched: new Set(), masked: new Map() };
	drafts.set(name, draft);

	const hidden = secrets(schema);
	const shareable = () => withoutSecrets(hidden, draft.value, () => undefined);

	// The form and the editor.
	let fields;
	const status = h("div", { role: "status" });
	const fault = h("div.problem", { id: id() });

	function formPanel() {
		fields = form({ root: schema, native, propose: execute && propose, get: () => draft.value, set: (value) => (draft.value = value), changed(pointer) {
			draft.touched.add(pointer);
			changed();
		} });
		const { kind, properties } = shape(schema, schema);
		return [kind === "object" && !properties.length && quiet("It takes no inputs."), fields.element];
	}

	// Requests completions for the typed text of an input. The request contains the other inputs, except secrets.
	async function propose(input, value) {
		const others = [...shareable()].filter(([name]) => name !== input).map(([name, value]) => [name, typeof value === "string" ? value : write(value)]);
		const answer = await request(toolUrl(name, "/complete"), write({ argument: { name: input, value }, context: { arguments: new Map(others) } }));
		return (answer.ok && answer.json.get("values")) || [];
	}

	function jsonPanel() {
		fields = undefined;
		draft.json ??= write(withoutSecrets(hidden, draft.value, (secret, name) => {
			const mask = MASK + draft.masked.size;
			draft.masked.set(write([mask, name]), secret);
			return mask;
		}), "  ");
		const area = h("textarea.code.json", { "aria-label": "Arguments as JSON", "aria-describedby": fault.id, value: draft.json, oninput() {
			draft.json = area.value;
			readJson();
			draft.tried = true;
			changed();
		} });
		return [area, fault];
	}

	// Reads the editor if its text is valid JSON. Each secret has its own mask, so it is restored wherever its object was
	// moved. A mask under another name is an error.
	function readJson() {
		const plain = (part) => {
			if (hidden.size && write(part).includes(MASK)) throw Error("The mask of a secret was changed: enter the secret again.");
			return part;
		};
		try {
			const given = parse(draft.json);
			plain(withoutSecrets(hidden, given, () => undefined));
			draft.value = withoutSecrets(hidden, given, (secret, name) => {
				const key = write([secret, name]);
				return draft.masked.has(key) ? draft.masked.get(key) : plain(secret);
			});
			draft.fault = "";
		} catch ({ message }) {
			draft.fault = message;
		}
		fill(fault, prose(draft.fault));
	}

	const editors = tabs("Ways to fill in", [["Form", formPanel], ["JSON", jsonPanel]], draft.fault ? 1 : 0, (index) => {
		if (index) return true;
		if (draft.fault) return announce(draft.fault);
		draft.json = undefined;
		return true;
	});

	function load(value) {
		draft.value = parse(write(value));
		draft.json = draft.fault = undefined;
		draft.tried = false;
		editors.again();
		changed();
	}

	// Validation by the server.
	let ticket = 0;
	let timer;
	let problems = [];
	function changed() {
		repeat = undefined;
		clearTimeout(timer);
		ticket++;
		timer = setTimeout(check, 300);
		copies.again();
		const args = write(shareable());
		const unlinkable = args === "{}" || args.length > LONGEST || draft.fault || unfinished(draft.value);
		setLink(name, unlinkable ? undefined : args);
	}

	const state = (kind, text) => fill(status, h(`p.${kind}`, text));

	// Returns whether the inputs are valid, `undefined` if the server returned no verdict, or `null` if the inputs have changed.
	async function check() {
		clearTimeout(timer);
		const mine = ++ticket;
		if (draft.fault || unfinished(draft.value)) {
			state("bad", "An input is not finished.");
			return false;
		}
		const answer = await request(toolUrl(name, "/validate"), write(draft.value));
		if (mine !== ticket || !formElement.isConnected) return null;
		const verdict = answer.json?.get?.("valid");
		if (typeof verdict !== "boolean") {
			state("bad", errorOf(answer));
			return undefined;
		}
		problems = (answer.json.get("errors") ?? []).map((problem) => Object.fromEntries(problem));
		if (verdict) state("good", "Valid.");
		showProblems();
		return verdict;
	}

	// Hides missing inputs that the user has not touched yet, until the first explicit check.
	function showProblems() {
		const visible = problems.filter(({ path, keyword }) => draft.tried || keyword !== "required" || draft.touched.has(path));
		const place = fields?.show(visible);
		if (!fields) fill(fault, visible.map(({ path, message }) => h("p", h("code", path || "/"), " ", prose(message))));
		if (visible.length) state("bad", visible.length === 1 ? "1 problem." : `${visible.length} problems.`);
		else if (problems.length) state("quiet", `Still to fill in: ${problems.map(({ path }) => path.slice(1)).join(", ")}`);
		return place;
	}

	async function validate() {
		draft.tried = true;
		const verdict = await check();
		if (verdict === false) showProblems()?.querySelector("input, textarea, select")?.focus();
		return verdict;
	}

	// Running.
	const outcome = h("div.panel", { id: "outcome" });
	const showOutcome = (kind, text) => fill(outcome, h(`p.${kind}`, text));
	showOutcome("quiet", execute ? "Nothing has run yet." : "Tools do not run here: execution is off on this server.");
	const support = tool.get("task")?.get("support");
	const runButton = execute && h("button.primary", { type: "submit" }, support === "required" ? "Run as a task" : "Run");
	const taskButton = execute && support === "optional" && button("Run as a task", () => runTool(true));
	const runs = [runButton, taskButton].filter(Boolean);
	const checkButton = button("Check", validate);

	async function runTool(asTask) {
		if ($("token").value) useToken();
		const valid = await validate();
		if (valid === false || !formElement.isConnected) return;
		if (valid === null) return showOutcome("quiet", "The inputs have changed: nothing ran.");
		if (valid === undefined) return showOutcome("bad", status.textContent);
		const [args, kept] = [write(draft.value), write(shareable())];
		if (modifying && !(await confirmed(tool, withoutSecrets(hidden, draft.value, () => MASK)))) return announce("Cancelled, nothing ran.");
		await call(args, kept, asTask);
	}

	async function call(args, kept, asTask) {
		repeat = undefined;
		runs.forEach((run) => (run.disabled = true));
		const stop = new AbortController();
		const { text, bar, messages, set, add } = progress("Running …");
		const watch = (event, data) => {
			const [done, total, message, level, logged] = ["progress", "total", "message", "level", "data"].map((name) => data.get(name)?.text ?? data.get(name));
			event === "log" ? add(`${level}: ${typeof logged === "string" ? logged : write(logged)}`) : set(done, total, message);
		};
		fill(outcome, text, bar, !asTask && button("Stop", () => stop.abort(), {}, ".small"), messages);
		const answer = await request(toolUrl(name, "/call"), args, asTask ? { headers: { prefer: "respond-async" } } : { signal: stop.signal, watch });
		if (stop.signal.aborted) answer.error = modifying ? "Stopped waiting. It may change something, so it runs to its end." : "Stopped.";
		const task = answer.status === 202 && answer.json?.get?.("taskId");
		if (task) keepTask(task);
		if (task && formElement.isConnected) location.hash = taskAddress(task);
		const { element, failed, verdict } = result(answer, tool);
		const refused = [401, 403].includes(answer.status);
		fill(outcome, element, refused && quiet("Giving a token above repeats this call."));
		announce(`${verdict}. ${outcome.querySelector("pre")?.textContent.slice(0, 300) ?? ""}`);
		const others = calls().filter((call) => call[0] !== name || call[1] !== kept);
		if (kept.length < LONGEST) remember("calls", [[name, kept, failed, Date.now()], ...others].slice(0, 40));
		past();
		runs.forEach((run) => (run.disabled = false));
		outcome.scrollIntoView({ block: "nearest" });
		if (refused && formElement.isConnected) {
			repeat = () => call(args, kept, asTask);
			if (answer.status === 403) requestToken(hasToken() && "The token does not allow this call.");
			$("token").focus();
		}
	}

	// The same call in other programs, and earlier calls.
	const isReadable = ["explain", "read"].includes(tool.get("operation")) && !hidden.size;
	const copies = tabs("Ways to call it", ["cURL", "JSON-RPC", "CLI", "Client config", ...(isReadable ? ["Link"] : [])].map((label, index) => [label, () => {
		const args = withoutSecrets(hidden, draft.value, (_, name) => `<${name}>`);
		const [text, note] = snippet(index, name, args, schema, destructive);
		const copy = button(`Copy ${label}`, () => copyText(text, copy), {}, ".small");
		return [h("pre.code", { tabindex: 0, "aria-label": label }, text), h("div.row", copy, note && h("span.quiet", prose(note)))];
	}]));

	tokenChanged = copies.again;

	const pastCalls = h("div");
	function past() {
		const own = calls().filter((call) => call[0] === name).slice(0, 8);
		const forget = button("Forget these", () => {
			remember("calls", calls().filter((call) => call[0] !== name));
			past();
		}, {}, ".link");
		fill(pastCalls, own.length > 0 && card("Earlier calls", forget, h("ul", own.map(([, args, failed, at]) =>
			h("li", button(args, () => load(parse(args)), {}, ".link.mono"), h("span.quiet", ` ${failed ? "failed, " : ""}${new Date(at).toLocaleString()}`))))));
	}
	past();

	const examples = exampleCalls(schema).map((example, index, all) => button(all.length > 1 ? `Example ${index + 1}` : "Example", () => load(example), { title: write(example) }, ".small"));
	const formElement = h("form", { novalidate: true, onsubmit(event) {
		event.preventDefault();
		execute ? runTool(support === "required") : validate();
	}, onkeydown(event) {
		if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) formElement.requestSubmit();
	} },
		card("Inputs", editors.list, examples.length > 0 && h("div.row", h("span.quiet", "Fill in:"), examples), editors.panel, h("div.row.run", runButton, taskButton, checkButton, status)));

	const output = tool.get("outputSchema");
	const element = h("article", header(tool), h("div.work",
		formElement,
		h("div.column",
			card("Result", undefined, outcome),
			card("Call it from elsewhere", copies.list, copies.panel),
			pastCalls,
			h("section.card",
				output && h("details", h("summary", "What it returns"), members(output, output, 0)),
				h("p", h("a", { href: toolUrl(name) }, "Everything about it, as JSON"))))));
	if (given === undefined) changed();
	else {
		draft.json = given;
		draft.masked.clear();
		readJson();
		draft.fault ? editors.show(1) : load(draft.value);
	}
	return element;
}

const calls = () => [recall("calls") ?? []].flat();

// Describes an output schema in words.
function members(root, schema, depth) {
	const place = shape(root, schema);
	const { properties = [] } = place.kind === "list" ? shape(root, place.items) : place;
	if (!properties.length || depth > 3) return depth === 0 && h("p", prose(words(root, place)));
	return h("dl.members", properties.map(({ name, schema }) => {
		const member = shape(root, schema);
		return [h("dt", h("code", name), " ", h("span.type", prose(words(root, member)))), h("dd", prose(describe(member)), members(root, schema, depth + 1))];
	}));
}

// Returns the example calls of the tool, or else one call built from the examples of its inputs.
function exampleCalls(schema) {
	const given = schema.get("examples");
	if (given?.length) return given.slice(0, 5);
	const all = shape(schema, schema).properties ?? [];
	const call = new Map(all.map(({ name, schema: inner, required }) => {
		const { node, values } = shape(schema, inner);
		return [name, node.get("examples")?.[0] ?? (required ? node.get("default") ?? values?.[0] : undefined)];
	}).filter(([, value]) => value !== undefined));
	return call.size && all.every(({ name, required }) => !required || call.has(name)) ? [call] : [];
}

const quoted = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

// Returns the call for another program, and a note about it.
function snippet(index, name, args, schema, destructive) {
	const program = /^[a-z][\w.-]*$/.test(title) ? title : "your-program";
	if (index === 0) {
		const token = hasToken() ? ` \\\n  -H "authorization: Bearer $TOKEN"` : "";
		return [`curl ${quoted(toolUrl(name, "/call").href)} \\\n  -H 'content-type: application/json'${token} \\\n  --data-raw ${quoted(write(args))}`, token && "Set the variable `TOKEN` to your token first."];
	}
	if (index === 4) {
		// Scalars are texts, a list repeats its name, everything else is JSON.
		const text = (value) => (typeof value === "string" ? value : write(value));
		const pairs = [...args].flatMap(([name, value]) => (Array.isArray(value) && value.length ? value : [value]).map((item) => [name, text(item)]));
		const url = toolUrl(name, "/result");
		url.search = new URLSearchParams(pairs);
		return [url.href, "Reads the result without an envelope, for whoever may call the tool."];
	}
	if (index === 1) return [write({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }, "  "), "For an MCP server of the same tools."];
	if (index === 3) return [write({ mcpServers: { [program]: { command: program, args: ["serve", "mcp"] } } }, "  "), `For an MCP client: give the full path of the program, or the \`url\` of the MCP server.`];
	// Texts are passed as they are, other values as JSON.
	const kind = (name) => shape(schema, shape(schema, schema).properties?.find((property) => property.name === name)?.schema).kind;
	// A terminal would take control characters for keys. In JSON they are escaped.
	const isPlain = (value) => typeof value === "string" && !/[\u0000-\u001f]/.test(value) && write(value) === JSON.stringify(value);
	const pair = ([name, value]) => quoted(isPlain(value) && ["text", "choice"].includes(kind(name)) ? `${name}=${value}` : `${name}:=${write(value)}`);
	const needsJson = !(args instanceof Map) || [...args.keys()].some((name) => !/^[A-Za-z_]\w*$/.test(name));
	const words = needsJson ? ["--input-json", quoted(write(args))] : [...args].map(pair);
	return [[program, "run", quoted(name), ...words, ...(destructive ? ["--yes"] : [])].join(" "), program !== title && "Put the name of your program in place of `your-program`."];
}

// The page: the open tool, the theme, the token, and connection errors.

// Parses the address: `#/tool/NAME?args=JSON`, `#/tasks` or `#/tasks/ID`.
function parseAddress() {
	const [, path, query] = /^#\/tool\/([^?]*)\??(.*)$/.exec(location.hash) ?? [];
	const tasks = /^#\/tasks\/?(\w*)$/.exec(location.hash);
	if (tasks) return { task: tasks[1] };
	try {
		return path ? { name: decodeURIComponent(path), args: new URLSearchParams(query).get("args") ?? undefined } : {};
	} catch {
		return { name: path };
	}
}

// Writes the inputs to the address, so that it can be shared.
function setLink(name, args) {
	const query = args === undefined ? "" : `?${new URLSearchParams({ args })}`;
	if (name === open) history.replaceState(null, "", `#/tool/${encodeURIComponent(name)}${query}`);
}

function notice(heading, ...rest) {
	fill(main, h("article.notice", h("h1", { tabindex: -1 }, heading), rest));
	announce(heading);
}

const again = (act) => button("Try again", act, {}, ".small");

// Opens the tool in the address and fills in its inputs, or opens the tasks. It never runs a tool.
async function route(event) {
	const { name, args, task } = parseAddress();
	visit.abort();
	visit = new AbortController();
	const { signal } = visit;
	document.body.classList.toggle("one", name !== undefined || task !== undefined);
	open = name;
	repeat = tokenChanged = undefined;
	$("confirm").close();
	mark();
	$("tasks").ariaCurrent = task === undefined ? null : "page";
	document.title = [name ?? (task !== undefined && "Tasks"), title].filter(Boolean).join(" – ");
	if (task !== undefined) await showTasks(task, signal);
	else if (name === undefined) {
		return notice(title,
			h("p", "Choose a tool to see what it does and what it takes", execute ? ", and to run it." : ". Tools do not run here: execution is off on this server."),
			quiet(h("code", "/"), " searches, the arrow keys walk through the list."));
	} else await showTool(name, args, signal);
	if (signal.aborted) return;
	main.scrollTop = 0;
	if (event) main.querySelector("h1").focus();
}

const unreachable = () => notice("The server cannot be reached", h("p", "What you filled in is kept. ", again(route)));

async function showTool(name, args, signal) {
	fill(main, quiet("Loading …"));
	const [tool, inputs] = await Promise.all([request(toolUrl(name)), request(toolUrl(name, "/inputs"))]);
	if (signal.aborted) return;
	if (tool.error) return unreachable();
	if (tool.status === 404) return notice("There is no such tool", h("p", "Nothing here is called ", h("code", name), "."));
	try {
		fill(main, toolView(tool.json, inputs.json, args));
	} catch ({ message }) {
		notice("The tool cannot be shown", h("p", tool.ok ? message : errorOf(tool), " ", again(route)));
	}
}

// Shows one task, or all if the id is empty.
async function showTasks(id, signal) {
	const titleOf = (name) => rows.find((row) => row.name === name)?.title || name;
	if (!id) return fill(main, listTasks(signal, titleOf));
	fill(main, quiet("Loading …"));
	const refuse = (answer) => {
		if (answer.error) return unreachable();
		if (answer.status === 404) return notice("There is no such task", h("p", "It does not exist, has expired, or belongs to another caller."));
		notice("The task cannot be shown", h("p", errorOf(answer), " ", again(route)));
	};
	const [answer, element] = await openTask(id, signal, refuse);
	if (!signal.aborted) element ? fill(main, element) : refuse(answer);
}

async function loadTools() {
	const answer = await request(new URL("tools", base));
	if (answer.ok && Array.isArray(answer.json)) return setTools(answer.json);
	fill($("tools"), h("li.bad", errorOf(answer), " ", again(loadTools)));
	announce(errorOf(answer));
}

const THEMES = ["system", "light", "dark"];
function setTheme(name) {
	root.dataset.theme = name;
	fill($("theme"), `Theme: ${name}`);
}

setTheme(THEMES.find((name) => name === recall("theme")) ?? "system");
$("theme").onclick = () => {
	const next = THEMES[(THEMES.indexOf(root.dataset.theme) + 1) % 3];
	remember("theme", next);
	setTheme(next);
};
$("openapi").href = new URL("openapi.json", base).href;

// Uses the typed token; an empty text drops the current token.
function useToken() {
	setToken($("token").value.trim());
	$("token").value = "";
	$("token-bar").hidden = true;
	$("token-state").hidden = !hasToken();
	tokenChanged?.();
}

function requestToken(note) {
	fill($("token-note"), note);
	$("token-bar").hidden = false;
	announce(note || "The server requires a token.");
}

document.addEventListener("unauthorized", () => {
	const note = hasToken() && "The token was refused.";
	const typed = $("token").value;
	$("token").value = "";
	useToken();
	$("token").value = typed;
	requestToken(note);
});
$("token-bar").onsubmit = (event) => {
	event.preventDefault();
	const again = repeat;
	useToken();
	main.focus();
	loadTools();
	if (again) again();
	else if (!main.querySelector("form")) route();
};
$("token-change").onclick = () => {
	requestToken();
	$("token").focus();
};
$("token-drop").onclick = () => {
	$("token").value = "";
	useToken();
	main.focus();
	announce("The token is no longer used.");
};
document.onkeydown = (event) => {
	if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || document.activeElement?.matches("input, textarea, select")) return;
	event.preventDefault();
	$("search").focus();
};
$("skip").onclick = (event) => {
	event.preventDefault();
	main.focus();
};
window.onhashchange = route;
startList();
loadTools().then(() => route());
