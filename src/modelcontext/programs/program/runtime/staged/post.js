// What a script tells the stage; see ../post.js.
/** @import { Message } from "../types.d.ts" */
import { hasRecorded } from "../entries.js";
import { pause, stringify } from "../pristine.js";
import { stage } from "./stage.js";

/** Tells the stage what it does not see by itself. */
export function send(/** @type {Message} */ message) {
  if (message.kind === "called") stage("called", message.label);
  if (message.kind === "broken") stage("broken", message.text);
}

/** Records an entry; `settles` is the label of the promise that it settles. @type {(entry: object, settles?: string) => void} */
export function record(entry, settles) {
  pause();
  stage("record", stringify(entry), settles ?? null);
  hasRecorded();
}

/** Posts a message to the document in a document's window. @type {(to: string, message: Message) => void} */
export const post = (to, message) => stage(message.kind, to, message.message ?? null);

/** Runs a function in a task of a timer. */
export const afterTimeout = (/** @type {() => void} */ fire) => stage("after_timeout", fire);
