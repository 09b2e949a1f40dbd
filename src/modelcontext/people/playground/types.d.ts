// The answers of Python (session.py).

interface CommonFrame {
  actor: string;
  /** The index, in the run's states, of the state after this frame. */
  state: number;
  changes: string[];
  words: string;
}

export interface StepFrame extends CommonFrame {
  kind: "step";
  algorithm: string;
  step: string;
}

/** The name of a step, by the id of its algorithm. */
export interface StepName {
  algorithm: string;
  step: string;
}

/** A step with other words: as the source of the text would have them. */
export interface Change extends StepName {
  words: string;
}

/** A changed step with its words as a reader sees them. */
export interface ShownStep extends StepName {
  words: string;
}

export interface ScriptFrame extends CommonFrame {
  kind: "script";
  document: string;
  /** The line of the program's text, if the text has one for it. */
  line: number | null;
}

export interface TurnFrame extends CommonFrame {
  kind: "turn";
}

export interface ChoiceFrame extends CommonFrame {
  kind: "choice";
  options: string[];
  answer: number;
  /** The place in the schedule. */
  position: number;
}

export interface EntryFrame extends CommonFrame {
  kind: "entry";
  log: string;
  document: string;
}

export type Frame = StepFrame | ScriptFrame | TurnFrame | ChoiceFrame | EntryFrame;

/** The state after a frame, by the words that the page shows. */
export interface State {
  documents: Record<string, any>;
  "pending executions": Record<string, Record<string, unknown>>;
  "event loops": Record<string, { tasks: string[]; microtasks: number }>;
  "in parallel": string[];
  promises: Record<string, string>;
}

export interface Outcome {
  /** What a person's words call it, in a litmus test. */
  kinds?: string[];
  logs: Record<string, { document: string; words: string }[]>;
  pending: string[];
  /** What was missing, and how a run ended that did not come to its end. */
  notes: string[];
}

/** An outcome, with a schedule that shows it. */
export interface Shown {
  outcome: Outcome;
  schedule: number[];
  key: string;
}

/** How a program comes to the outcome of a key. */
export interface Story {
  key: string;
  schedule: number[];
  moments: { who: string; words: string; step: string; is_decisive: boolean; frame: number }[];
  /** What could have been chosen instead of what was decisive. */
  instead: string[];
}

export interface Run extends Shown {
  title: string;
  revision: string;
  frames: Frame[];
  states: State[];
  problem: string | null;
}

export type Language = "program" | "page" | "script" | "test";

export interface Example {
  name: string;
  group: string;
  title: string;
  text: string;
  race?: string;
  language: Language;
  /** The path of a test, "" for others. */
  place: string;
}

// Between engine.js and quickjs-core.js: texts, numbers, and values of scripts as they are.

export interface QuickJSHost {
  /** Makes a context; returns its number and its global object. */
  newContext(): { id: number; global: any };
  /** Evaluates a script in the context of a number; returns its value, or what it has thrown. */
  evaluate(context: number | undefined, source: string, filename: string): { threw: boolean; value: any };
  /** Calls Python; the answer is "" where the run must end. */
  call(text: string): string;
  /** Lets the next look at the clock throw what no script can catch. */
  leave(): void;
  performCheckpoint(): void;
  /** Returns the name of an object's class in QuickJS; "" for other values. */
  className(value: unknown): string;
  /** Constructs an object of the page; `values` are JSON. */
  make(name: string, values: string): string;
  /** Asks an object of the page for a member; `values` are JSON. */
  ask(id: number, how: string, key: string, values: string): string;
}
