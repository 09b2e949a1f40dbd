// The script of a remote page: it connects the document to the server that it came from, and answers the server.
//
// The main frame has the token. A frame asks its ancestors, and the one with the token gets it a ticket, which the server
// takes for that frame and that origin, once. What the server sends comes as server-sent events; the answers are posted.
/** @import { FrameMessage, Message } from "./types.d.ts" */
import { call, cancel, cancelAll, documentId, list, randomWord, watch } from "./tools.js";

const TAB = "modelcontext.agent.tab";
// Milliseconds before the next attempt, after the connection was lost.
const PAUSE = 1000;

/** @type {EventSource | null} */
let stream = null;
let connection = "";
// Counts the attempts to connect, of which only the last one counts.
let turn = 0;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let attempt;
/** @type {WeakMap<object, string>} A window stays when its document goes, so that it stands for the frame. */
const frames = new WeakMap();
/** @type {Set<string>} */
const taken = new Set();
let lastFrame = 0;

/** @type {(path: string, secret: string, body: object) => Promise<any>} */
async function post(path, secret, body) {
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  const response = await fetch(new URL(path, link.src), { method: "POST", headers, body: JSON.stringify(body) });
  if (response.ok) return response.json();
  const error = new Error(`the agent's server refuses ${path}: ${await response.text()}`);
  throw Object.assign(error, { isFinal: response.status < 500 });
}

// The page keeps its name in the tab, and is another one in a tab that copied the name while this one is there.
function tab(/** @type {boolean} */ isNew) {
  try {
    const known = isNew ? null : sessionStorage.getItem(TAB);
    const name = known ?? randomWord();
    sessionStorage.setItem(TAB, name);
    return name;
  } catch {
    return randomWord(); // A document without storage.
  }
}

/** @type {(secret: string, isNew?: boolean) => Promise<void>} */
async function connect(secret, isNew = false) {
  leave();
  const mine = (turn += 1);
  try {
    const made = await post("connect", secret, { document: documentId(), ...(link.token && { tab: tab(isNew) }) });
    if (mine !== turn) return;
    connection = made.connection;
  } catch (error) {
    console.error(error);
    if (mine === turn && !(/** @type {any} */ (error).isFinal)) attempt = setTimeout(enter, PAUSE);
    return;
  }
  stream = new EventSource(new URL(`messages?connection=${connection}`, link.src));
  stream.onmessage = ({ data }) => receive(JSON.parse(data));
  stream.onerror = () => {
    leave();
    attempt = setTimeout(enter, PAUSE);
  };
  if (link.token) stream.onopen = () => greet(window);
  watch(() => tell({ changed: true }));
}

function leave() {
  turn += 1;
  clearTimeout(attempt);
  stream?.close();
  stream = null;
  cancelAll();
}

function ask(/** @type {Window} */ frame) {
  if (frame === frame.parent) return;
  send(frame.parent, { kind: "ask" });
  ask(frame.parent);
}

function enter() {
  if (link.token) connect(link.token);
  else ask(window);
}

const isConnected = () => stream?.readyState === EventSource.OPEN;

function tell(/** @type {object} */ body) {
  if (isConnected()) post("answers", connection, body).catch((error) => console.error(error));
}

/**
 * Answers the server, unless the connection of the question is over. The server may find an answer too large.
 * @type {(ask: number, value: Promise<object>) => Promise<void>}
 */
async function answer(ask, value) {
  const mine = turn;
  const body = { ask, value: await value };
  if (mine !== turn) return;
  await post("answers", connection, body).catch((error) =>
    tell({ ask, value: { end: "failed", said: String(error) } }),
  );
}

/** @type {(message: Message) => Promise<void>} */
async function receive(message) {
  if (message.kind === "list") await answer(message.ask, list());
  else if (message.kind === "call") await answer(message.ask, call({ ...message.call, document: documentId() }));
  else if (message.kind === "cancel") cancel(message.call);
  else if (link.token) await connect(link.token, true);
  else leave();
}

/** @type {(to: Window, message: FrameMessage["modelcontextAgent"], origin?: string) => void} */
function send(to, message, origin = "*") {
  to.postMessage({ modelcontextAgent: message }, origin);
}

// Frames that asked before this script was there, or connected to the server before, ask again.
function greet(/** @type {Window} */ from) {
  for (let index = 0; index < from.length; index += 1) {
    send(from[index], { kind: "hello" });
    greet(from[index]);
  }
}

/** @type {(frame: Window, above: Window) => boolean} */
function isBelow(frame, above) {
  if (frame === above) return false;
  return frame.parent === above || (frame.parent !== frame && isBelow(frame.parent, above));
}

/** The numbers of a frame and of those above it among their siblings. @type {(frame: Window, above: Window) => string} */
function placeOf(frame, above) {
  const index = Array.from({ length: above.length }, (_, at) => above[at]).findIndex(
    (one) => one === frame || isBelow(frame, one),
  );
  return above[index] === frame || index < 0 ? `${index + 1}` : `${index + 1}-${placeOf(frame, above[index])}`;
}

/** @type {(frame: Window, origin: string) => Promise<void>} */
async function admit(frame, origin) {
  let name = frames.get(frame);
  if (!name) {
    // That of its place, unless a frame that stood there before has it.
    const place = `frame-${placeOf(frame, window)}`;
    for (name = place; taken.has(name); name = `${place}-${(lastFrame += 1)}`);
    taken.add(name);
    frames.set(frame, name);
  }
  const { ticket } = await post("tickets", connection, { frame: name, origin });
  send(frame, { kind: "ticket", ticket }, origin);
}

window.addEventListener("message", ({ data, source, origin }) => {
  /** @type {FrameMessage["modelcontextAgent"] | undefined} */
  const message = data?.modelcontextAgent;
  const other = /** @type {Window} */ (source);
  if (link.token) {
    if (message?.kind !== "ask" || !isConnected() || origin === "null" || !isBelow(other, window)) return;
    admit(other, origin).catch((error) => console.error(error));
  } else if (isBelow(window, other)) {
    if (message?.kind === "hello") enter();
    else if (message?.kind === "ticket") connect(message.ticket);
  }
});
window.addEventListener("pagehide", leave);
window.addEventListener("pageshow", ({ persisted }) => {
  if (persisted) enter();
});
enter();
