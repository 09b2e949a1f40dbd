// The chat page: one chat, its composer and its tools.

import { api, Refusal, token } from "./api.js";
import { card, countdown, growText } from "./cards.js";
import { byId, make, marked } from "./dom.js";
import { approvals, isBusy, newState, take } from "./state.js";

const STATUS = {
  waiting: "Ready",
  pending: "Waiting for a worker",
  running: "The model is at work",
  interrupting: "Stopping",
  requires_action: "Waiting for the page",
  error: "The turn failed",
};

let state = newState();
/** @type {string | null} */
let chatId = null;
let stopFollowing = () => {};
/** @type {Map<import("./types.d.ts").Item, HTMLElement>} */
let shown = new Map();
/** The id of the last event that had happened when the page came: what it tells is shown, and not said. */
let past = 0;
let isDrawing = false;
/** True while what is shown as the problem is that the server does not answer. */
let isUnanswered = false;
/** @type {Set<import("./types.d.ts").Item>} */
const stale = new Set();

const log = byId("log");
const text = byId("text");

const isAtEnd = () => log.scrollHeight - log.scrollTop - log.clientHeight < 80;

/** @param {unknown} error */
function complain(error) {
  const refusal = error instanceof Refusal ? error : null;
  if (refusal?.status === 401) return askForToken("The server does not accept this token.");
  const wasAtEnd = isAtEnd();
  byId("problem").textContent = refusal ? refusal.message : `The page failed: ${error}`;
  byId("problem").hidden = false;
  isUnanswered = refusal?.status === 0;
  // The words take room from the chat.
  if (wasAtEnd) log.scrollTop = log.scrollHeight;
  if (!refusal) console.error(error);
}

/** Does something that may be refused. @param {() => Promise<void>} action */
async function attempt(action) {
  byId("problem").hidden = true;
  await action().catch(complain);
}

function askForToken(problem = "") {
  byId("token-problem").textContent = problem;
  byId("token-problem").hidden = !problem;
  byId("token-form").hidden = false;
  byId("chat").hidden = true;
  byId("token").focus();
}

/** @type {(id: string | null, isNew?: boolean) => void} */
function open(id, isNew = false) {
  stopFollowing();
  chatId = id;
  state = newState();
  shown = new Map();
  stale.clear();
  log.replaceChildren();
  past = isNew ? 0 : Number.POSITIVE_INFINITY;
  if (id) stopFollowing = api.follow(`/chats/${id}/events`, onEvent, onConnection);
  byId("tools").hidden = true;
  draw();
  if (id) attempt(showTools);
}

/** @param {import("./types.d.ts").ChatEvent} event */
function onEvent(event) {
  if (event.type === "refused") {
    // A chat of another database, perhaps: a new one can be begun.
    complain(event.data);
    return;
  }
  const change = take(state, event);
  for (const item of change.changed) stale.add(item);
  const isNew = !(Number(event.id) <= past && event.id);
  if (change.said && isNew) byId("said").textContent = change.said;
  if (isNew && event.type.includes(":")) tellParent(event);
  if (event.type === "done") attempt(showTools);
  if (isDrawing) return;
  isDrawing = true;
  requestAnimationFrame(() => {
    isDrawing = false;
    draw();
  });
}

/** Tells the page that has this one in a frame what webhooks are told. @param {import("./types.d.ts").ChatEvent} event */
function tellParent({ type, data }) {
  // The server lets only pages of the origins that it was given do so.
  if (parent !== window) parent.postMessage({ modelcontextChat: { type, chat_id: chatId, ...data } }, "*");
}

/** @type {(isConnected: boolean, error?: unknown) => void} */
function onConnection(isConnected, error) {
  document.body.classList.toggle("offline", !isConnected);
  const problem = byId("problem");
  if (isConnected && isUnanswered) problem.hidden = true;
  if (error && problem.hidden) complain(error);
  draw();
}

function draw() {
  const wasAtEnd = isAtEnd();
  for (const [item, element] of shown) {
    if (state.items.includes(item)) continue;
    element.remove();
    shown.delete(item);
  }
  state.items.forEach((item, index) => {
    const known = shown.get(item);
    if (known && !stale.has(item)) return;
    if (known && item.kind === "answer" && item.isStreaming) {
      growText(known, item.text);
      return;
    }
    const element = card(item, decide);
    if (known) replace(known, element);
    else log.insertBefore(element, log.children[index] ?? null);
    shown.set(item, element);
  });
  stale.clear();
  byId("empty").hidden = state.items.length + state.queue.length > 0;
  drawComposer();
  if (wasAtEnd) log.scrollTop = log.scrollHeight;
}

/** Puts a new card in the place of the old one; open parts stay open, closed ones closed, and the focus stays on the card. @type {(old: HTMLElement, element: HTMLElement) => void} */
function replace(old, element) {
  for (const box of old.querySelectorAll("details")) {
    for (const other of element.querySelectorAll("details"))
      if (other.dataset.title === box.dataset.title) other.open = box.open;
  }
  const hadFocus = old.contains(document.activeElement);
  old.replaceWith(element);
  if (hadFocus) text.focus();
}

function drawComposer() {
  const busy = isBusy(state);
  const waiting = approvals(state);
  const status = document.body.classList.contains("offline")
    ? "Not connected"
    : STATUS[/** @type {keyof typeof STATUS} */ (state.status)];
  const isOffline = document.body.classList.contains("offline");
  byId("status").textContent = waiting.length && !isOffline ? "Waiting for you" : status;
  document.body.classList.toggle("busy", busy);
  document.body.classList.toggle("failed", state.status === "error");
  byId("stop").hidden = !busy;
  byId("now").hidden = !busy;
  byId("send").textContent = busy ? "Queue" : "Send";
  byId("queue").hidden = state.queue.length === 0;
  byId("queue-list").replaceChildren(...state.queue.map((one) => make("li", null, one)));
  byId("review").hidden = waiting.length === 0;
  byId("review").textContent =
    waiting.length === 1 ? "1 call needs your approval" : `${waiting.length} calls need your approval`;
}

async function showTools() {
  if (!chatId) return;
  const id = chatId;
  const chat = await api.get(`/chats/${id}`);
  if (id !== chatId) return;
  past = Math.min(past, chat.last_event);
  byId("model").textContent = chat.model;
  byId("tools").hidden = chat.tools.length === 0;
  byId("tools-summary").textContent = chat.tools.length === 1 ? "1 tool" : `${chat.tools.length} tools`;
  byId("tools-list").replaceChildren(
    ...chat.tools.map((/** @type {import("./types.d.ts").ToolDefinition} */ tool) =>
      make(
        "li",
        null,
        make("code", null, marked(tool.name)),
        ` ${tool.origin ?? ""}`,
        make("p", { class: "quiet" }, marked(tool.description ?? "")),
      ),
    ),
  );
}

/** The messages that are being sent, one after the other: the first of a chat makes the chat. */
let sending = Promise.resolve();

/** @param {"queue" | "interrupt"} behavior */
function send(behavior) {
  const words = text.value.trim();
  if (!words) return;
  // What is typed from now on is the next message.
  text.value = "";
  fit();
  sending = sending.then(() =>
    attempt(async () => {
      try {
        await sendWords(words, behavior);
      } catch (error) {
        text.value = text.value ? `${words}\n${text.value}` : words;
        fit();
        throw error;
      }
    }),
  );
  text.focus();
}

/** @type {(words: string, behavior: "queue" | "interrupt") => Promise<void>} */
async function sendWords(words, behavior) {
  if (!chatId) {
    const chat = await api.post("/chats", {});
    history.replaceState(null, "", `#chat=${chat.id}`);
    open(chat.id, true);
  }
  await api.post(`/chats/${chatId}/messages`, { text: words, busy_behavior: behavior });
  log.scrollTop = log.scrollHeight;
}

async function showChats() {
  const { chats } = await api.get("/chats");
  byId("chats-list").replaceChildren(
    ...chats.map((/** @type {import("./types.d.ts").ListedChat} */ chat) =>
      make(
        "li",
        null,
        make("a", { href: `#chat=${chat.id}` }, marked(chat.first_message || "No message yet")),
        make("span", { class: "quiet" }, ` ${new Date(chat.updated_at).toLocaleString()}`),
      ),
    ),
  );
}

function stop() {
  if (chatId && isBusy(state)) attempt(() => api.post(`/chats/${chatId}/interrupt`, {}));
}

/** @type {import("./cards.js").Decide} */
function decide(call, decision, message) {
  attempt(async () => {
    const body = { tool_call_id: call.id, decision, message, approval_digest: call.approvalDigest ?? null };
    await api.post(`/chats/${chatId}/approvals`, body).catch((error) => {
      stale.add(call);
      draw();
      throw error;
    });
  });
}

/** Makes the field as high as its text. */
function fit() {
  text.style.height = "auto";
  text.style.height = `${Math.min(text.scrollHeight + 2, 200)}px`;
}

byId("composer").addEventListener("submit", (/** @type {Event} */ event) => {
  event.preventDefault();
  send("queue");
});
byId("chats").addEventListener("toggle", () => {
  if (/** @type {HTMLDetailsElement} */ (byId("chats")).open) attempt(showChats);
});
byId("now").addEventListener("click", () => send("interrupt"));
byId("stop").addEventListener("click", stop);
byId("new").addEventListener("click", () => {
  history.replaceState(null, "", "#");
  open(null);
  text.focus();
});
byId("review").addEventListener("click", () => {
  const title = log.querySelector(".approval h2");
  title?.scrollIntoView({ block: "center" });
  title?.focus();
});
byId("token-form").addEventListener("submit", (/** @type {Event} */ event) => {
  event.preventDefault();
  token.set(byId("token").value.trim());
  start();
});
text.addEventListener("input", fit);
text.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  send("queue");
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !event.isComposing) stop();
});
setInterval(() => {
  for (const element of document.querySelectorAll("[data-until]")) {
    element.textContent = countdown(/** @type {HTMLElement} */ (element).dataset.until ?? "");
  }
}, 1000);

function start() {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const given = fragment.get("token");
  if (given) {
    token.set(given);
    fragment.delete("token");
    // The address is what people copy.
    history.replaceState(null, "", `#${fragment}`);
  }
  if (!token.get()) return askForToken();
  byId("token-form").hidden = true;
  byId("chat").hidden = false;
  open(fragment.get("chat"));
  text.focus();
  // A wrong token is told of before somebody has written a message.
  attempt(async () => {
    await api.get("/chats?limit=1");
  });
}

addEventListener("hashchange", start);
start();
