// Documents of other origins, which cannot reach this window (realm/relay.js). Their values are known here by their keys, and
// they are told by messages to do things.
/** @import { Converted, Facts, Key, ToPage, ToPython, WindowPath, Written } from "../protocol.d.ts" */
/** @import { Connect, RemoteRealm } from "./types.d.ts" */
import { pathOf, windowAt } from "../wire.js";
import { bareRealm, documentIdOf, enterRemote, realmOfWindow, realms, recordOf, remotes } from "./documents.js";
import { answerTurn, enter, post, python, turnsOf } from "./python.js";
import { dropTask, runTask } from "./tasks.js";
import { held, hold } from "./values.js";

/** A value of a document elsewhere. */
export class Elsewhere {
  #mark = true;

  /** Without instanceof, which a proxy of the page would notice. @type {(value: any) => value is Elsewhere} */
  static is(value) {
    return typeof value === "object" && value !== null && #mark in value;
  }

  /** @type {(service: RemoteRealm, key: Key, known?: Facts) => number} */
  static hold(service, key, known = {}) {
    return hold(new Elsewhere(service, key, known));
  }

  /** @param {RemoteRealm} service @param {Key} key @param {Facts} known */
  constructor(service, key, known) {
    this.service = service;
    this.key = key;
    this.known = known;
  }
}

/**
 * Tells a document elsewhere to make a value, and returns its handle.
 * @template {keyof ToPage} Name
 * @param {RemoteRealm} service
 * @param {Name} name
 * @param {ToPage[Name] extends [any, infer Field] ? Field : null} subject
 * @param {Facts} [known]
 */
export function command(service, name, subject, known = {}) {
  const key = `a${++service.lastKey}`;
  post(service, name, .../** @type {any} */ ([key, subject]));
  return Elsewhere.hold(service, key, known);
}

/**
 * Performs steps with a value that is elsewhere; returns undefined for other values.
 * @template T
 * @param {number} handle
 * @param {(value: Elsewhere) => T} steps
 */
export function remotely(handle, steps) {
  const value = held(handle);
  return Elsewhere.is(value) ? steps(value) : undefined;
}

/** Python's data, with the names by which a realm elsewhere knows its values and windows. @type {(text: string) => Written<Key, WindowPath | null>} */
export function sent(text) {
  /** @type {(data: Written) => Written<Key, WindowPath | null>} */
  const translate = (data) => {
    if (typeof data !== "object" || data === null) return data;
    switch (data[0]) {
      case "held":
      case "promise":
        return [data[0], held(data[1]).key];
      case "list":
        return ["list", data[1].map(translate)];
      case "dictionary":
        return ["dictionary", data[1].map(([key, member]) => [key, translate(member)])];
      case "window":
        return ["window", pathOf(realms[data[1]].window)];
    }
    return data;
  };
  return translate(JSON.parse(text));
}

/**
 * The data of a realm elsewhere. Its numbers stand for values, with facts about each, or for windows.
 * @type {(service: RemoteRealm, data: Converted, facts: Record<number, Facts>) => Converted}
 */
function received(service, data, facts) {
  if (Array.isArray(data)) return data.map((item) => received(service, item, facts));
  if (typeof data !== "number") return data;
  const known = facts[data];
  if (known.path === undefined) return Elsewhere.hold(service, data, known);
  const view = windowAt(service.window.top, known.path);
  return view === null ? bareRealm(null).id : realmOfWindow(view);
}

/** @type {{ [Name in keyof ToPython]: (service: RemoteRealm, ...fields: ToPython[Name]) => void }} */
const answers = {
  get(service, name, reference) {
    const id = python.get(documentIdOf(service), name);
    service.objects.set(reference, id);
    post(service, "wrapped", reference, id);
  },
  call(service, reference, operation, data, promise, facts) {
    service.gone ||= !facts.active;
    const converted = JSON.stringify(received(service, JSON.parse(data), facts));
    service.calling = promise;
    const result = python.call(/** @type {number} */ (service.objects.get(reference)), operation, converted);
    service.calling = null;
    post(service, "adopt", promise, held(result).key);
  },
  run(service, task, turn, seen) {
    runTask(task);
    if (turn !== null) answerTurn(service, turn, seen);
  },
  drop: (_, task) => dropTask(task),
  settled: (service, id, fulfilled, key, known) => python.settled(id, fulfilled, Elsewhere.hold(service, key, known)),
  aborted(service, promise) {
    const steps = service.abortSteps.get(promise);
    service.abortSteps.delete(promise);
    if (steps !== undefined) python.abort(steps);
  },
  hide(service, persisted) {
    service.leaving = true;
    python.unload(documentIdOf(service));
    service.leaving = false;
    if (persisted) recordOf(service).cached = true;
    else service.gone = true;
  },
  show(service) {
    recordOf(service).cached = false;
    remotes.set(service.window, service);
    service.port.onshow();
  },
};

/** @type {Connect} */
export function connect(view, port, { origin, features }) {
  const of = { window: view, top: view.top, port, features, origin: () => origin, turns: turnsOf(origin) };
  const state = {
    gone: false,
    lastKey: 0,
    objects: new Map(),
    abortSteps: new Map(),
    calling: null,
    lastLetter: 0,
    unseen: [],
  };
  const service = /** @type {RemoteRealm} */ (/** @type {unknown} */ ({ __proto__: null, ...of, ...state }));
  enterRemote(service);
  port.onmessage = (/** @type {{ data: string }} */ { data }) => {
    /** @type {[keyof ToPython, ...any]} */
    const [name, ...fields] = JSON.parse(data);
    const answer = /** @type {(service: RemoteRealm, ...fields: unknown[]) => void} */ (answers[name]);
    enter(service, () => answer(service, ...fields));
  };
}
