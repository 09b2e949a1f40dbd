// The data of the page side of the program language: the configuration, which render.py writes, and the messages.

import type { Data, Engine } from "../../../hosts/scripting/protocol.d.ts";

/** A document of the program. */
export interface Spec {
  id: string;
  /** The document whose window this one is shown in, one after the other. */
  holder: string;
  parent: string | null;
  opener: string | null;
  /** The document whose place it takes in the tab. */
  tab: string | null;
  allow: string | null;
  sandbox: string | null;
  /** The document is not there at the start; a step brings it. */
  later: boolean;
  origin: string;
  url: string;
}

export interface Step {
  do: string;
  label: string;
  wait: boolean;
  on: string | null;
  /** The place of the step in the program, for messages. */
  place: string;
  arguments: Record<string, any>;
}

export interface Config {
  id: string;
  /** The global whose attribute `modelContext` is the API: document, or navigator. */
  accessor: "document" | "navigator";
  /** The operations that return a promise. */
  promises: string[];
  /** The event loop of this document. */
  log: string;
  documents: Spec[];
  /** The serialized origins by their letters. */
  origins: Record<string, string>;
  script: Step[];
  notations: string[];
  /** How many parents lie between this document and the top of its tab, then the same for its opener, and so on. */
  climbs: number[];
  /** Milliseconds; see pages() in render.py. */
  quiet: number;
  patience: number;
  report: string | null;
  /** The markup of the body, if steps can name elements. */
  html?: string;
  /** The timetable of a steered run: its points, a unit of time in milliseconds, and the path at which documents meet. */
  timetable?: { unit: number; points: Point[]; meeting: string };
  /** The documents have markup, so that the script begins when the tools of forms are registered. */
  rests?: boolean;
  /** On a stage only (staged/): what the platform was given in this realm of the simulated browser. */
  given: Given;
}

/** Part of what scripting/engine.cjs gives a realm, with what a stage knows more. */
export interface Given extends Pick<Engine, "realm" | "encode" | "decode"> {
  /** An object that the realms of one event loop share. */
  cell: Cell;
  /** Calls a function of Python with data. */
  python(name: "stage", realm: number, operation: string, data: Data[]): Data;
}

/** A point of a timetable, as in timetable.py. */
export interface Point {
  what: string;
  after: string[];
  units: number;
  begins: string | null;
  needs: string | null;
  idles: boolean;
  tells: boolean;
}

/** A message between documents: its kind, and the fields of this kind. */
export interface Message {
  kind: string;
  id?: string;
  [field: string]: any;
}

/** A message on its way. */
export interface Envelope {
  modelcontext: Message;
  run: string;
  from: string;
  to: string;
  number: number;
}

/** What the documents of one event loop share. */
export interface Cell {
  id: string;
  sequence: number;
  contexts: Record<string, any>;
  documents: Record<string, Document>;
  realms: Realm[];
  frames: Record<string, HTMLIFrameElement>;
  posts: { alive: () => boolean; post: (message: Message) => void }[];
  coordinate: ((message: Message, source: Window) => void) | null;
  /** The points of timetables that are passed. */
  passed: Record<string, true>;
}

/** The intrinsic prototypes of a document's realm, with the names of their constructors. */
export interface Realm {
  id: string;
  intrinsics: Map<object, string>;
}

/** An operation of the language. It returns true if the script waits, to be continued by a call of `next`. */
export type Operation = (data: Record<string, any>, step: Step, next: Next) => unknown;
export type Next = (() => void) | null;

declare global {
  /** The parameter of the function that render.py puts the modules into. */
  const config: Config;
}
