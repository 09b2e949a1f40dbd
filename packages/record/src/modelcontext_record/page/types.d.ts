// The data of the recorder's part in a document.

import type { Realm } from "../../../../../src/modelcontext/programs/program/runtime/types.d.ts";

/** What the recorder gives each document. */
export interface Recorder {
  /** The text of the symbol that opens the door. */
  secret: string;
  /** The name of the way to the recorder. */
  binding: string;
  /** The time at which the recording began. */
  epoch: number;
  /** The largest number of notes of a document. */
  limit: number;
  /** The number of notes that are sent at once, and the milliseconds after which fewer are. */
  batch: number;
  delay: number;
  /** The number of microtasks after which a turn of the event loop counts as over. */
  microtasks: number;
  /** The largest number of values in a value, and of characters. */
  nodes: number;
  characters: number;
  /** The methods of a ModelContext, and the types of its events. */
  methods: ("registerTool" | "getTools" | "executeTool")[];
  types: string[];
  /** The members of dictionaries. */
  members: string[];
  /** A page that dispatches an event at a ModelContext does so itself; not so if a script is the API. */
  dispatches: boolean;
}

/** Something that happened, with its document, number, turn of the event loop and time in milliseconds. */
export interface Note {
  k: string;
  d: string;
  n: number;
  t: number;
  w: number;
}

/** An argument: its value, or the members that the browser read. */
export interface Passed {
  v?: unknown;
  o?: [string, unknown][];
}

/** What the documents of one event loop share. */
export interface Shared {
  id: string;
  notes: number;
  calls: number;
  invocations: number;
  signals: number;
  turn: number;
  isInTurn: boolean;
  /** The number of calls that are running. */
  busy: number;
  realms: Realm[];
  /** The signals that have a number. */
  numbers: WeakMap<object, { s: number; isNoted: boolean }>;
  /** The functions that pages called before, by those that they call now. */
  natives: WeakMap<object, object>;
  /** The events that pages dispatched. */
  dispatched: WeakSet<object>;
}

/** The recorder in a window. */
export interface Door {
  shared: Shared;
  /** Returns the name of the document. */
  name(): string;
  /** Calls a function in a task of the document that comes soon. */
  soon(steps: () => void): void;
  flush(): void;
  rest(rounds: number): Promise<void>;
}

declare global {
  /** The parameter of the function that these modules are joined to. */
  const recorder: Recorder;
}
