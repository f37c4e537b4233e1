import { $, Raw, button, fill, h, id, isNumber, parse, prose, put, rawOf, write } from "./basics.js";

// A JSON Schema as the form uses it: each place has one kind, and references are resolved.

const isMap = (value) => value instanceof Map;
const list = (value) => (Array.isArray(value) ? value : []);
const text = (value) => (typeof value === "string" ? value : "");

// Resolves a reference such as `#/$defs/Part`.
const target = (root, reference) =>
	reference.replace(/^#\/?/, "").split("/").filter(Boolean).reduce((node, part) => {
		const name = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
		return isMap(node) ? node.get(name) : list(node)[name];
	}, root);

// Merges two schemas that both apply; the second one takes precedence.
function merged(one, two) {
	if (!isMap(two)) return one;
	const both = new Map([...one, ...two]);
	const [a, b] = [one.get("properties"), two.get("properties")];
	if (a && b) both.set("properties", new Map([...a, ...b]));
	both.set("required", [...list(one.get("required")), ...list(two.get("required"))]);
	return both;
}

function resolved(root, schema) {
	let node = isMap(schema) ? schema : new Map();
	for (let steps = 0; steps < 32 && (node.has("$ref") || node.has("allOf")); steps++) {
		const { $ref, allOf, ...rest } = Object.fromEntries(node);
		const bases = [text($ref) && target(root, $ref), ...list(allOf)];
		node = [...bases, new Map(Object.entries(rest))].reduce(merged, new Map());
	}
	return node;
}

// `kind` is text, integer, number, boolean, choice, constant, object, map, list, union or any. The other members depend on
// the kind; `nullable` is true if `null` is allowed.
export function shape(root, schema, depth = 9) {
	const node = resolved(root, schema);
	const branches = list(node.get("oneOf") ?? node.get("anyOf"));
	const some = branches.filter((branch) => !isMap(branch) || (branch.get("type") !== "null" && branch.get("const") !== null));
	const all = [node.get("type")].flat().filter(text);
	const types = all.filter((type) => type !== "null");
	const nullable = some.length < branches.length || types.length < all.length || list(node.get("enum")).includes(null);
	const common = new Map([...node].filter(([key]) => key !== "oneOf" && key !== "anyOf"));
	const shapeOf = (kind, more) => ({ kind, node, nullable, ...more });

	// The depth limit ends a schema that only refers to itself.
	if (some.length === 1 && depth) return { ...shape(root, merged(resolved(root, some[0]), common), depth - 1), nullable };
	const constants = some.map((branch) => resolved(root, branch));
	if (some.length > 1 && constants.every((branch) => branch.has("const") && !branch.has("properties"))) {
		return shapeOf("choice", { values: constants.map((branch) => branch.get("const")), meanings: constants.map((branch) => text(branch.get("description"))) });
	}
	if (some.length > 1) {
		common.delete("description");
		return shapeOf("union", { variants: some.map((branch) => merged(common, resolved(root, branch))) });
	}
	if (node.has("const")) return shapeOf("constant", { value: node.get("const") });
	if (node.has("enum")) return shapeOf("choice", { values: list(node.get("enum")).filter((value) => value !== null) });
	if (types.length > 1) return shapeOf("union", { variants: types.map((type) => new Map([...common, ["type", type]])) });
	const type = types[0] ?? (node.has("properties") ? "object" : node.has("items") ? "array" : "any");
	if (type === "object") {
		const properties = [...(node.get("properties") ?? [])].map(([name, schema]) => ({ name, schema, required: list(node.get("required")).includes(name) }));
		const rest = node.get("additionalProperties") ?? true;
		return shapeOf(properties.length || rest === false ? "object" : "map", { properties, rest });
	}
	if (type === "array") return shapeOf("list", { items: node.get("items"), first: list(node.get("prefixItems")) });
	return shapeOf({ string: "text", integer: "integer", number: "number", boolean: "boolean" }[type] ?? "any");
}

const itemSchema = (place, index) => place.first[index] ?? place.items;
export const describe = (place) => text(place.node.get("description"));
const isSecret = (place) => place.node.get("writeOnly") === true;

const same = (one, two) => two !== undefined && write(one) === write(two);
const FITS = {
	text: (_, value) => typeof value === "string",
	integer: (_, value) => value instanceof Raw,
	number: (_, value) => value instanceof Raw,
	boolean: (_, value) => typeof value === "boolean",
	choice: ({ values }, value) => values.some((allowed) => same(allowed, value)),
	constant: (place, value) => same(place.value, value),
	list: (_, value) => Array.isArray(value),
	map: (_, value) => isMap(value),
	object: ({ properties, rest }, value, root) =>
		isMap(value) &&
		properties.every(({ name, schema }) => !value.has(name) || fits(root, shape(root, schema), value.get(name))) &&
		(rest !== false || [...value.keys()].every((name) => properties.some((property) => property.name === name))),
	union: (place, value, root) => place.variants.some((variant) => fits(root, shape(root, variant), value)),
};

// Whether a value is of this kind, checked only as deeply as needed to distinguish variants.
const fits = (root, place, value) => (value === null && place.nullable) || (FITS[place.kind]?.(place, value, root) ?? true);

// Returns the variant that a value fits, preferably one whose required members it has.
function variantOf(root, place, value) {
	const inner = place.variants.map((variant) => shape(root, variant));
	const fit = (complete) => inner.findIndex((variant) => fits(root, variant, value) && (!complete || (variant.properties ?? []).every(({ name, required }) => !required || value.has(name))));
	const best = fit(true);
	return best < 0 ? fit(false) : best;
}

// Returns the texts in a value that are addresses by their schema.
export function addresses(root, value, schema = root, found = new Set()) {
	const place = shape(root, schema);
	const within = (part, schema = new Map()) => addresses(root, part, schema, found);
	if (typeof value === "string" && /^[iu]ri(-reference)?$/.test(text(place.node.get("format")))) found.add(value);
	if (place.kind === "union") {
		const variant = place.variants[variantOf(root, place, value)];
		if (variant) within(value, variant);
	} else if (place.first && Array.isArray(value)) value.forEach((part, index) => within(part, itemSchema(place, index)));
	else if (place.properties && isMap(value)) value.forEach((part, name) => within(part, (place.properties.find((property) => property.name === name) ?? { schema: place.rest }).schema));
	return found;
}

// Returns the initial value of a place, or undefined if the user has to choose one.
export function skeleton(root, place) {
	switch (place.kind) {
		case "constant":
			return place.value;
		case "object":
			return new Map(place.properties.filter(({ required }) => required).map(({ name, schema }) => [name, shape(root, schema)]).filter(([, { kind }]) => kind === "constant" || kind === "object").map(([name, inner]) => [name, skeleton(root, inner)]));
		case "map":
			return new Map();
		case "list":
			return [];
		case "union":
			return skeleton(root, shape(root, place.variants[0]));
	}
	return place.kind === "text" ? "" : undefined;
}

// Returns an initial value that is never undefined, as a list needs.
const initial = (root, schema) => {
	const place = shape(root, schema);
	return skeleton(root, place) ?? { integer: new Raw("0"), number: new Raw("0"), boolean: false, choice: place.values?.[0] }[place.kind] ?? "";
};

// Names a variant by its title, its constants, or its members.
function variantName(root, schema) {
	const { kind, node, value, properties = [] } = shape(root, schema);
	const constants = properties.map((property) => shape(root, property.schema)).filter((inner) => inner.kind === "constant");
	return text(node.get("title")) || (kind === "constant" && write(value)) || constants.map(({ value }) => text(value) || write(value)).join(" ") || properties.map(({ name }) => name).join(", ") || typeWords(root, shape(root, schema));
}

// The name of each kind, in the singular and plural.
const NAMES = {
	text: ["text", "texts"], integer: ["whole number", "whole numbers"], number: ["number", "numbers"], boolean: ["true or false", "true or false"],
	choice: ["choice", "choices"], object: ["object", "objects"], map: ["names with values", "names with values"], list: ["list", "lists"],
	union: ["one of several forms", "values of several forms"], any: ["any JSON", "any JSON"],
};
const FORMATS = { date: ["date, YYYY-MM-DD", "dates, YYYY-MM-DD"], time: ["time with UTC offset", "times with UTC offset"], "date-time": ["date and time with UTC offset", "dates and times with UTC offset"] };

function typeWords(root, place, depth = 3, many = 0) {
	const format = place.kind === "text" && text(place.node.get("format"));
	if (format) return FORMATS[format]?.[many] ?? format;
	if (place.kind === "list" && !place.first.length && depth) return `${NAMES.list[many]} of ${typeWords(root, shape(root, place.items), depth - 1, 1)}`;
	return place.kind === "constant" ? `always ${write(place.value)}` : NAMES[place.kind][many];
}

const LIMITS = {
	minimum: "from #", maximum: "up to #", exclusiveMinimum: "more than #", exclusiveMaximum: "less than #", multipleOf: "a multiple of #",
	minLength: "at least # characters", maxLength: "at most # characters", minItems: "at least # items", maxItems: "at most # items", pattern: "matching `#`",
};

// Describes the type and the constraints in words.
export function words(root, place) {
	const limits = Object.entries(LIMITS).map(([key, words]) => {
		const value = place.node.get(key);
		return value !== undefined && words.split("#").join(value?.text ?? value);
	});
	return [typeWords(root, place), ...limits, place.nullable && "or null"].filter(Boolean).join(", ");
}

// Returns the names of all secret members at any depth, with `undefined` if all members count as secret.
export function secrets(root) {
	const names = new Set();
	const seen = new Map();
	const walk = (node, name) => {
		if (Array.isArray(node)) node.forEach((part) => walk(part, name));
		if (!isMap(node)) return;
		const visited = seen.get(node) ?? new Set();
		if (visited.has(name)) return;
		seen.set(node, visited.add(name));
		const definition = node.has("$ref") ? target(root, text(node.get("$ref"))) : node;
		if (!definition || node.get("writeOnly") === true) names.add(name);
		walk(definition, name);
		for (const [key, part] of node) {
			if (key === "properties" && isMap(part)) part.forEach(walk);
			else if (key !== "$defs") walk(part, name);
		}
	};
	walk(root);
	return names;
}

// Replaces each secret with `change(secret, name)`, and omits members that become undefined.
export function withoutSecrets(names, value, change) {
	const inner = (part, name) => (names.has(name) || names.has() ? change(part, name) : withoutSecrets(names, part, change));
	if (Array.isArray(value)) return value.map(inner);
	if (!isMap(value)) return value;
	return new Map([...value].map(([name, part]) => [name, inner(part, name)]).filter(([, part]) => part !== undefined));
}

// Formats a value for display: texts without quotes.
const plain = (value) => (typeof value === "string" && value ? value : write(value));

// The picker of each format: the input type, its label, and the conversions from the picked value to text and back.
// RFC 3339 requires seconds and a UTC offset: the offset is the local one.
const two = (number) => String(number).padStart(2, "0");
const seconds = (time) => (/:\d\d:/.test(time) ? time : `${time}:00`);
function offset(date) {
	const minutes = -date.getTimezoneOffset();
	return (minutes < 0 ? "-" : "+") + two(Math.trunc(Math.abs(minutes) / 60)) + ":" + two(Math.abs(minutes) % 60);
}
const digits = (date, shift = 0) => (isNaN(date) ? "" : new Date(date - shift * 60_000).toISOString().slice(0, 19));
const PICKERS = {
	date: ["date", "Pick a date", (text) => text, (text) => digits(new Date(`${text}T00:00Z`)).slice(0, 10)],
	time: ["time", "Pick a time", (text) => seconds(text) + offset(new Date()), (text) => /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?/.exec(text)?.[0] ?? ""],
	"date-time": ["datetime-local", "Pick a date and time", (text) => seconds(text) + offset(new Date(text)), (text) => digits(new Date(text), new Date(text).getTimezoneOffset())],
};

// A form for a value: every field reads and writes its own place in it. Absent, null and empty differ.

const DEEPEST = 30;
const GROUPS = ["object", "map", "list", "union"];
const NUMBERS = ["integer", "number"];

// Whether a value contains text that is not valid JSON.
export const unfinished = (value) =>
	value instanceof Raw ? !isNumber(value.text) : value instanceof Map ? unfinished([...value.values()]) : Array.isArray(value) && value.some(unfinished);

// Returns the place of a member. Setting a member also creates its parents.
const member = (at, name, schema, more) => ({
	pointer: `${at.pointer}/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`,
	depth: at.depth + 1,
	label: typeof name === "number" ? `${name + 1}` : name,
	schema,
	get: () => (at.get() instanceof Map ? at.get().get(name) : Array.isArray(at.get()) ? at.get()[name] : undefined),
	set(value) {
		const list = typeof name === "number";
		if (list ? !Array.isArray(at.get()) : !(at.get() instanceof Map)) at.set(list ? [] : new Map());
		if (list) at.get()[name] = value ?? "";
		else if (value === undefined) at.get().delete(name);
		else at.get().set(name, value);
	},
	...more,
});

// `get` and `set` access the whole value. `changed(pointer)` is called after each change by the user. `propose(input, text)`
// returns completions, if the server supports them. `native` is the response of `GET /tools/{name}/inputs`, which describes
// the values of an enum.
export function form({ root, native, get, set, changed, propose }) {
	const fields = new Map();

	function field(at) {
		at.completes ??= at.native?.get?.("completes") && at.label;
		const place = shape(root, at.schema);
		const [label, id_, hint, problem] = [id(), id(), id(), id()];
		const acts = h("span.acts");
		const control = { at, place, id: id_, described: `${hint} ${problem}` };
		let element;
		control.redraw = (focus) => {
			const old = element;
			draw();
			old.replaceWith(element);
			(element.querySelector(focus ?? "input, textarea, select") ?? element.querySelector("button"))?.focus();
		};
		control.refresh = () => acts.replaceChildren(...actions(control));
		// Applies a change that was not typed.
		control.apply = (value, focus) => {
			at.set(value);
			changed(at.pointer);
			control.redraw(focus);
		};
		function draw() {
			const value = at.get();
			const unreadable = at.depth > DEEPEST || (value !== undefined && value !== null && !readable(place, value));
			const group = !unreadable && GROUPS.includes(place.kind);
			const name = group ? h("span.name", { id: label }, at.label) : h("label.name", { id: label, for: id_ }, at.label);
			const head = !at.bare && [name, at.required && h("span.due", "required"), isSecret(place) && h("span.due", "secret"), h("span.type", prose(words(root, place)))];
			element = h(`div.field${group ? ".group" : ""}`, { "data-at": at.pointer, role: group && "group", "aria-labelledby": group && !at.bare && label },
				h("div.head", head, acts),
				h("div.hint", { id: hint }, !at.bare && prose(description(control)), unreadable && h("p", "This value does not match the schema: edit it as JSON.")),
				unreadable ? rawText(control) : body(control),
				h("div.problem", { id: problem }));
			control.refresh();
			fields.set(at.pointer, { ...control, element, problem });
		}
		draw();
		return element;
	}

	// Whether a control can show a value without loss.
	function readable(place, value) {
		if (value instanceof Raw && !isNumber(value.text)) return false;
		if (NUMBERS.includes(place.kind)) return value instanceof Raw || typeof value === "string";
		if (["map", "object"].includes(place.kind)) return value instanceof Map;
		return ["union", "any"].includes(place.kind) || fits(root, place, value) || (value === "" && !GROUPS.includes(place.kind));
	}

	// Returns the description, without the list of values that the field shows itself.
	const description = ({ at, place }) => (at.native?.get?.("allowed") ? describe(place).replace(/\n- `[^`]*`: .*/g, "") : describe(place));

	// Returns the state of a place, and the buttons that change it.
	function actions({ at, place, apply }) {
		const value = at.get();
		const act = (label, to) => button(label, typeof to === "function" ? to : () => apply(to), { "aria-label": `${label}: ${at.label}` }, ".link");
		const standard = place.node.get("default");
		const chosen = ["boolean", "choice", "union"].includes(place.kind);
		const ordered = ticked(place, value) && value?.length > 1 && place.node.get("uniqueItems") !== true;
		const state = value === undefined ? !at.required && (standard !== undefined ? `not sent, default ${standard?.length === 0 ? "empty" : write(standard)}` : !chosen && "not sent")
			: value === null ? "null" : value === "" || value.length === 0 || (place.kind === "map" && value.size === 0) ? "empty"
			: ordered ? `in this order: ${value.map(plain).join(", ")}` : typeof value === "string" && NUMBERS.includes(place.kind) && "not a number";
		return [
			state && h("span.state", state),
			value === undefined && ["text", "list", "map"].includes(place.kind) && act("Set empty", skeleton(root, place)),
			value === undefined && ["object", "constant"].includes(place.kind) && !at.required && act("Add", skeleton(root, place)),
			value !== null && place.nullable && act("Set null", null),
			at.remove ? act("Remove", at.remove) : at.pointer && value !== undefined && (!at.required || value === "" || value === null) && act("Do not send", undefined),
		].filter(Boolean);
	}

	function body(control) {
		const { at, place } = control;
		switch (place.kind) {
			case "text":
			case "integer":
			case "number":
				return line(control);
			case "boolean":
				return select(control, [true, false]);
			case "choice":
				return select(control, place.values);
			case "constant":
				return h("output", { id: control.id }, write(place.value));
			case "object":
				return at.get() === undefined && !at.required ? [] : object(control);
			case "map":
				return at.get() === undefined ? [] : h("div.inside", entries(control));
			case "list":
				return ticked(control.place, at.get()) ? boxes(control) : items(control);
			case "union":
				return union(control);
		}
		return rawText(control);
	}

	const common = ({ id, described, at }) => ({ id, "aria-describedby": described, "aria-required": at.required && "true", "aria-label": at.bare && `${at.label}` });

	// Applies a typed value.
	const typed = ({ at, refresh }, value) => {
		at.set(value);
		refresh();
		changed(at.pointer);
	};

	function line(control) {
		const { at, place } = control;
		const value = at.get();
		const number = place.kind !== "text";
		const secret = isSecret(place);
		const get = (key) => place.node.get(key);
		const short = number || secret || get("format") || get("pattern") || at.completes;
		const example = get("examples")?.[0] ?? get("default");
		const input = h(short && !`${value}`.includes("\n") ? "input" : "textarea", {
			...common(control),
			type: secret && "password",
			inputmode: number && "decimal",
			placeholder: !secret && (example?.text ?? (typeof example === "string" && example)) && `e.g. ${example.text ?? example}`,
			value: value?.text ?? value ?? "",
			oninput() {
				const text = number ? input.value.trim() : input.value;
				typed(control, !number ? text : text === "" ? undefined : isNumber(text) ? new Raw(text) : text);
			},
		});
		if (input.tagName !== "INPUT" || secret) return input;
		if (at.completes && propose) return completed(at, input);
		return PICKERS[get("format")] && !number ? picked(at, input, ...PICKERS[get("format")]) : input;
	}

	// Adds a button that opens the picker of the browser.
	function picked(at, input, type, label, toText, fromText) {
		const picker = h("input.picker.away", { type, tabindex: -1, "aria-hidden": "true", step: type === "date" ? undefined : 1, oninput() {
			if (picker.value) input.value = toText(picker.value);
			input.oninput();
		} });
		const open = button(label, () => {
			picker.value = fromText(input.value);
			picker.showPicker();
		}, { "aria-label": `${label}: ${at.label}` }, ".small");
		return h("div.pick", input, picker, open);
	}

	// Adds a list of completions below the text. The arrow keys select one, Enter applies it, Escape closes the list.
	function completed(at, input) {
		let [marked, ticket, timer] = [-1, 0];
		const options = h("ul.options", { role: "listbox", id: id(), hidden: true, "aria-label": `Values for ${at.label}` });
		const all = { role: "combobox", "aria-autocomplete": "list", "aria-controls": options.id, "aria-expanded": "false" };
		for (const [name, value] of Object.entries(all)) input.setAttribute(name, value);
		const mark = (index) => {
			marked = index;
			[...options.children].forEach((option, n) => option.setAttribute("aria-selected", n === index));
			const option = options.children[index];
			option?.scrollIntoView({ block: "nearest" });
			option ? input.setAttribute("aria-activedescendant", option.id) : input.removeAttribute("aria-activedescendant");
		};
		const show = (values) => {
			const option = (value) => h("li", { role: "option", id: id(), onclick: () => take(value), onmousedown: (event) => event.preventDefault() }, value);
			fill(options, values.map(option));
			options.hidden = !values.length;
			input.setAttribute("aria-expanded", !options.hidden);
			mark(-1);
		};
		const close = () => {
			clearTimeout(timer);
			ticket++;
			show([]);
		};
		const take = (value) => {
			input.value = value;
			input.oninput();
			close();
		};
		async function look() {
			const mine = ++ticket;
			const values = await propose(at.completes, input.value);
			if (mine === ticket && document.activeElement === input) show(values);
		}
		input.onfocus = look;
		input.onblur = close;
		input.addEventListener("input", () => {
			clearTimeout(timer);
			timer = setTimeout(look, 120);
		});
		input.onkeydown = (event) => {
			const count = options.children.length;
			const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
			if (step && !count) look();
			else if (step) mark((marked + step + count) % count);
			else if (event.key === "Enter" && !event.ctrlKey && !event.metaKey && marked >= 0) take(rawOf(options.children[marked]));
			else if (event.key === "Escape" && count) close();
			else return;
			event.preventDefault();
		};
		return h("div.combo", input, options);
	}

	// Returns the descriptions of enum values, by the JSON of the value.
	const meaningsOf = (native, { values, meanings = [] }) =>
		new Map([...values.map((value, index) => [write(value), meanings[index]]), ...(native?.get?.("allowed") ?? []).map((entry) => [write(entry.get("value")), entry.get("description")])]);

	// Returns the choice of the items if check boxes can show the list: each value occurs at most once.
	function ticked(place, given) {
		const value = given ?? [];
		if (place.kind !== "list" || place.first.length || !Array.isArray(value)) return undefined;
		const choice = shape(root, place.items);
		const texts = value.map((item) => write(item));
		return choice.kind === "choice" && !choice.nullable && new Set(texts).size === texts.length && value.every((item) => fits(root, choice, item)) ? choice : undefined;
	}

	function boxes(control) {
		const { at, place } = control;
		const choice = ticked(place, at.get());
		const descriptions = meaningsOf(at.native?.get?.("items"), choice);
		return h("div.boxes", choice.values.map((value) => {
			const others = () => list(at.get()).filter((item) => !same(item, value));
			const box = h("input", { type: "checkbox", checked: list(at.get()).some((item) => same(item, value)), onchange: () => typed(control, box.checked ? [...others(), value] : others()) });
			return h("label.box", box, h("span", plain(value)), h("span.hint", prose(descriptions.get(write(value)) ?? "")));
		}));
	}

	function select(control, values) {
		const { at } = control;
		const value = at.get();
		const descriptions = meaningsOf(at.native, control.place.kind === "choice" ? control.place : { values: [] });
		const current = value === undefined ? -1 : values.findIndex((allowed) => write(allowed) === write(value));
		const element = h("select", { ...common(control), onchange: () => typed(control, element.value === "" ? undefined : values[element.value]) },
			h("option", { value: "" }, value === null ? "null" : at.required ? "choose …" : "not sent"),
			values.map((value, index) => h("option", { value: index, selected: index === current }, [plain(value), descriptions.get(write(value))].filter(Boolean).join(" — "))));
		return element;
	}

	// Edits a value as JSON if no other control fits. Invalid text is kept as it was typed.
	function rawText(control) {
		const value = control.at.get();
		const fault = h("p.problem");
		const area = h("textarea.code", {
			...common(control),
			placeholder: 'JSON, such as "text", 5 or {}',
			value: value === undefined ? "" : write(value, "  "),
			oninput() {
				fill(fault);
				let value = new Raw(area.value);
				try {
					value = area.value.trim() ? parse(area.value) : undefined;
				} catch ({ message }) {
					fill(fault, prose(message));
				}
				typed(control, value);
			},
		});
		return [area, fault];
	}

	function object(control) {
		const { at, place } = control;
		const native = (name) => at.native?.get?.("properties")?.find((inner) => inner.get("name") === name);
		// A required constant needs no field.
		const free = ({ schema, required }) => !required || shape(root, schema).kind !== "constant";
		const all = place.properties.filter(free).map(({ name, schema, required }) => field(member(at, name, schema, { required, native: native(name) })));
		return h(at.pointer ? "div.inside" : "div", all, entries(control));
	}

	// Members with free names, and members that the schema does not define.
	function entries({ at, place: { kind, node, properties, rest }, apply }) {
		const value = at.get() instanceof Map ? at.get() : new Map();
		const declared = properties.map(({ name }) => name);
		const row = (name) => {
			const fault = h("p.problem");
			const input = h("input.key", {
				"aria-label": "Name", value: name,
				onchange() {
					if (value.has(input.value) && input.value !== name) fill(fault, "This name is already used.");
					else apply(new Map([...value].map(([key, value]) => [key === name ? input.value : key, value])), `[data-at="${CSS.escape(member(at, input.value).pointer)}"] :is(input, textarea, select)`);
				},
			});
			const remove = () => {
				value.delete(name);
				apply(value);
			};
			return h("div.entry", h("div", input, fault), field(member(at, name, rest, { bare: true, remove })));
		};
		const add = () => {
			let n = 1;
			while (value.has(`name${n}`)) n++;
			apply(value.set(`name${n}`, initial(root, rest)), ".entry:last-of-type .key");
		};
		// Without `additionalProperties`, more members are allowed but rarely intended.
		const open = kind === "map" || (rest !== false && node.has("additionalProperties"));
		return [[...value.keys()].filter((name) => !declared.includes(name)).map(row), open && button("Add an entry", add, {}, ".small")];
	}

	function items({ at, place, apply }) {
		const all = Array.isArray(at.get()) ? at.get() : [];
		const schema = (index) => itemSchema(place, index);
		const item = (_, index) => field(member(at, index, schema(index), { native: at.native?.get?.("items"), completes: at.completes, remove: () => apply(all.toSpliced(index, 1)) }));
		const add = () => apply([...all, initial(root, schema(all.length))], ":scope > .inside > .field:nth-last-of-type(1) :is(input, textarea, select)");
		return h("div.inside", all.map(item), button("Add an item", add, { "aria-label": `Add an item: ${at.label}` }, ".small"));
	}

	function union(control) {
		const { at, place, apply } = control;
		const value = at.get();
		// The values of the other variants, which are restored when the user selects them again.
		at.drafts ??= new Map();
		const found = value === undefined ? -1 : variantOf(root, place, value);
		if (found >= 0 || value === undefined) at.chosen = found;
		const chosen = at.chosen ?? -1;
		const pick = h("select", {
			...common(control),
			"aria-label": `Form of ${at.label}`,
			onchange() {
				at.drafts.set(chosen, value);
				at.chosen = pick.value === "" ? -1 : Number(pick.value);
				apply(at.chosen < 0 ? undefined : at.drafts.get(at.chosen) ?? initial(root, place.variants[at.chosen]), "select");
			},
		},
			h("option", { value: "" }, at.required ? "choose …" : "not sent"),
			place.variants.map((variant, index) => h("option", { value: index, selected: index === chosen }, variantName(root, variant))));
		const inner = { ...control, id: id() };
		if (value === undefined || value === null) return pick;
		if (chosen < 0) return [pick, rawText(inner)];
		inner.place = shape(root, place.variants[chosen]);
		inner.at = { ...at, required: true, bare: true, native: at.native?.get?.("variants")?.[chosen] };
		return [pick, h("div.hint", prose(describe(inner.place))), body(inner)];
	}

	// Returns the field of a place, or of its nearest ancestor.
	function nearest(pointer) {
		const found = fields.get(pointer);
		return found?.element.isConnected || pointer === "" ? found : nearest(pointer.slice(0, pointer.lastIndexOf("/")));
	}

	const element = field({ pointer: "", depth: 0, label: "Inputs", bare: true, required: true, schema: root, native: new Map([["properties", native]]), get, set });
	return {
		element,
		// Shows each problem at its field instead of the previous ones, and returns the first of these fields.
		show(problems) {
			for (const { problem, id } of fields.values()) {
				$(problem)?.replaceChildren();
				$(id)?.removeAttribute("aria-invalid");
			}
			for (const { path, message, suggestion } of problems) {
				const { at, id, apply, problem, place } = nearest(path);
				const fix = place.values?.includes(suggestion) && button(`Use ${suggestion}`, () => apply(suggestion), {}, ".link");
				put($(problem), h("p", at.pointer !== path && [h("code", path), " "], prose(message), " ", fix));
				$(id)?.setAttribute("aria-invalid", "true");
			}
			return problems[0] && nearest(problems[0].path).element;
		},
	};
}
