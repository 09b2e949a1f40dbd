// The console (https://console.spec.whatwg.org/): each call is a line, or some, that Python shows. Time is the virtual one.
import { brandOf, hide, isObject, python, realm, scope } from "./intrinsics.js";

/** The words of an exception, and the lines of its stack that are of scripts. @type {(exception: any) => string} */
const shownException = ({ name, message, stack }) => {
  const ours = /modelcontext:|(engine|main)\.cjs|\bnode:/;
  const frames = stack.split("\n").filter((/** @type {string} */ line) => /^\s+at /.test(line) && !ours.test(line));
  return [message === "" ? name : `${name}: ${message}`, ...frames].join("\n").replace(/#realm-\d+/g, "");
};
/**
 * The words of an object: those of JSON, and more for what JSON has no words for. `outer` are the objects around it.
 * @type {(value: any, outer: object[]) => string}
 */
const shownObject = (value, outer) => {
  if (outer.includes(value)) return "[Circular]";
  /** @type {(item: any) => string} */
  const inner = (item) => {
    if (typeof item === "string") return JSON.stringify(item);
    if (typeof item === "bigint") return `${item}n`;
    if (typeof item === "function") return `[Function${item.name ? `: ${item.name}` : ""}]`;
    return isObject(item) ? shownObject(item, [...outer, value]) : String(item);
  };
  const brand = brandOf(value);
  if (brand) return "localName" in value ? value.outerHTML : `[object ${brand.interface}]`;
  if (typeof value.stack === "string" && "message" in value) return shownException(value);
  if (Array.isArray(value)) return `[${value.map(inner).join(",")}]`;
  if (value instanceof Map) {
    return `Map(${value.size}) {${[...value].map(([key, item]) => `${inner(key)} => ${inner(item)}`).join(", ")}}`;
  }
  if (value instanceof Set) return `Set(${value.size}) {${[...value].map(inner).join(", ")}}`;
  if (value instanceof Promise) return "Promise {}";
  if (typeof value.toJSON === "function") return JSON.stringify(value) ?? String(value);
  const name = value.constructor?.name ?? "";
  const members = Object.keys(value).map((key) => `${JSON.stringify(key)}:${inner(value[key])}`);
  return `${name === "Object" || name === "" ? "" : `${name} `}{${members.join(",")}}`;
};
/** @type {(value: any) => string} */
const shown = (value) => {
  try {
    if (typeof value === "string") return value;
    if (isObject(value) && typeof value.stack === "string" && "message" in value) return shownException(value);
    return isObject(value) && typeof value !== "function" ? shownObject(value, []) : String(value);
  } catch {
    return "a value without a text";
  }
};
/**
 * The words of some values. The specifiers of a first text are replaced by the values after it.
 * @type {(values: any[]) => string}
 */
const formatted = (values) => {
  const [first, ...rest] = values;
  if (typeof first !== "string" || rest.length === 0) return values.map(shown).join(" ");
  const text = first.replace(/%([sdifoOc%])/g, (specifier, kind) => {
    if (kind === "%") return "%";
    if (rest.length === 0) return specifier;
    const value = rest.shift();
    if (kind === "c") return "";
    if (kind === "s" || kind === "o" || kind === "O") return shown(value);
    if (typeof value === "symbol") return "NaN";
    return String(kind === "f" ? Number.parseFloat(value) : Number.parseInt(value, 10));
  });
  return [text, ...rest.map(shown)].join(" ");
};

/**
 * The rows of a table: for each its name, and its cells by their columns. The name of the column of plain values is empty.
 * @type {(data: object) => [string, Map<string, unknown>][]}
 */
const rowsOf = (data) => {
  const rows = data instanceof Map ? [...data] : data instanceof Set ? [...data].entries() : Object.entries(data);
  return [...rows].map(([name, row]) => {
    const isRow = isObject(row) && typeof row !== "function";
    return [shown(name), new Map(isRow ? Object.entries(row) : [["", row]])];
  });
};
/** @type {(data: object, wanted: string[] | undefined) => string} */
const tableOf = (data, wanted) => {
  const rows = rowsOf(data);
  const columns = wanted ?? [...new Set(rows.flatMap(([, cells]) => [...cells.keys()]))].filter((name) => name !== "");
  const hasValues = rows.some(([, cells]) => cells.has(""));
  const names = hasValues ? [...columns, ""] : columns;
  const lines = [["(index)", ...columns, ...(hasValues ? ["Values"] : [])]];
  for (const [name, cells] of rows) {
    lines.push([name, ...names.map((column) => (cells.has(column) ? shown(cells.get(column)) : ""))]);
  }
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  const padded = lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column]))
      .join(" | ")
      .trimEnd(),
  );
  return padded.join("\n");
};

let depth = 0;
const print = (/** @type {string} */ level, /** @type {string} */ text) => {
  python("console", realm.id, level, text.replace(/^/gm, "  ".repeat(depth)));
};
/** @type {Record<string, (...values: any[]) => void>} */
const newConsole = {};
const levels = { debug: "debug", log: "log", info: "info", warn: "warn", error: "error", trace: "debug" };
for (const [name, level] of Object.entries(levels)) {
  newConsole[name] = { [name]: (/** @type {unknown[]} */ ...values) => print(level, formatted(values)) }[name];
}
const counts = new Map();
const timers = new Map();
const group = (/** @type {unknown[]} */ ...label) => {
  if (label.length > 0) print("log", formatted(label));
  depth++;
};
const elapsed = (/** @type {string} */ label, /** @type {string} */ level, /** @type {unknown[]} */ data) => {
  if (!timers.has(label)) return print("warn", `Timer '${label}' does not exist`);
  const time = `${label}: ${python("now") - timers.get(label)} ms`;
  print(level, [time, ...data.map(shown)].join(" "));
};
/** @type {Record<string, (...values: any[]) => void>} */
const others = {
  assert(condition = false, ...data) {
    if (condition) return;
    if (typeof data[0] === "string") data[0] = `Assertion failed: ${data[0]}`;
    else data.unshift("Assertion failed");
    print("error", formatted(data));
  },
  clear() {
    depth = 0;
  },
  count(label = "default") {
    counts.set(`${label}`, (counts.get(`${label}`) ?? 0) + 1);
    print("info", `${label}: ${counts.get(`${label}`)}`);
  },
  countReset(label = "default") {
    if (counts.has(`${label}`)) counts.set(`${label}`, 0);
    else print("warn", `Count for '${label}' does not exist`);
  },
  dir: (item) => print("log", shown(item)),
  dirxml: (...data) => print("log", formatted(data)),
  group,
  groupCollapsed: (...label) => group(...label),
  groupEnd() {
    depth = Math.max(0, depth - 1);
  },
  table(data, properties) {
    print("log", isObject(data) && typeof data !== "function" ? tableOf(data, properties) : shown(data));
  },
  time(label = "default") {
    if (timers.has(`${label}`)) print("warn", `Timer '${label}' already exists`);
    else timers.set(`${label}`, python("now"));
  },
  timeEnd(label = "default") {
    elapsed(`${label}`, "info", []);
    timers.delete(`${label}`);
  },
  timeLog(label = "default", ...data) {
    elapsed(`${label}`, "log", data);
  },
};
hide(scope, "console", Object.assign(newConsole, others));
