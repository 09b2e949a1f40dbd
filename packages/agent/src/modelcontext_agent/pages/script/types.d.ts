// What the scripts of an agent's page give each other and Python.

/** One of `tools.js`: a document, and the definitions of its own tools, each a JSON text. */
export interface DocumentTools {
  document: string;
  origin: string;
  url: string;
  definitions: string[];
}

/** What Python asks for: the tool of this name in this document, if its definition still has this text. */
export interface Call {
  id: string;
  document: string;
  name: string;
  definition: string;
  /** A JSON text. */
  arguments: string;
}

/** The end of a call, in the words of `contract.py`. */
export interface End {
  end: "done" | "failed" | "cancelled" | "document-gone" | "tool-gone" | "tool-changed";
  /** The JSON text of the tool's value. */
  output?: string | null;
  /** What the browser said of a failure. */
  said?: string;
}

/** A message from the server to `remote.js`; `ask` says which question an answer is for. */
export type Message =
  | { kind: "list"; ask: number }
  | { kind: "call"; ask: number; call: Call }
  | { kind: "cancel"; call: string }
  | { kind: "leave" };

/** A message between the frames of a page. */
export interface FrameMessage {
  modelcontextAgent: { kind: "ask" } | { kind: "hello" } | { kind: "ticket"; ticket: string };
}
