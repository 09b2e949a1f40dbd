// The recorder's part in a document, an init script: it notes every use of the API, and changes nothing that a page could see.
// The docstring of modelcontext_record has its limits.
import {
  apply,
  getPrototypeOf,
  later,
  listenTo,
  newPromise,
  then,
  uncurried,
} from "../../../../../src/modelcontext/programs/program/runtime/pristine.js";
import { current, wrapAbort, wrapCalls, wrapMethod, wrapText } from "./calls.js";
import { beginNotes, doorOf, flush, flushAtTheEnd, me, note, shared, soon } from "./channel.js";
import { attributesOf, beginCopies } from "./copies.js";

const { querySelector } = Document.prototype;
const FORM = "form[toolname]";
const ownPrototype = Object.prototype;

const isDispatched = uncurried(WeakSet.prototype.has);
const hasDispatched = uncurried(WeakSet.prototype.add);

/** Comes to rest: what the browser has queued for this document until now has run. @type {(rounds: number) => Promise<void>} */
let rest = async () => {};
let hasForm = false;

/** Begins to note what happens in a document of this window, and returns whether it may use the API. @type {(opened: Document) => boolean} */
function begin(opened) {
  const name = beginNotes();
  const context = /** @type {any} */ (opened).modelContext;
  beginCopies(name);
  const policy = /** @type {any} */ (opened).featurePolicy;
  const allowed = policy ? policy.allowsFeature("tools") : true;
  note({
    k: "document",
    url: location.href,
    origin: self.origin,
    loop: shared.id,
    has: context !== undefined,
    allowed,
  });
  if (context === undefined) return false;
  current.context = context;
  current.document = opened;
  flushAtTheEnd(() => {
    if (isRealm(window) && window.document !== opened) begin(window.document);
  });
  for (const type of recorder.types) {
    listenTo(context, type, (event) => {
      if (!isDispatched(shared.dispatched, event)) note({ k: "event", e: attributesOf(event) });
      if (type === "toolchange" && apply(querySelector, opened, [FORM])) noteForm();
    });
  }
  return allowed;
}

/** Returns whether a window still has the realm of this recorder, which another document can take over. */
function isRealm(/** @type {any} */ view) {
  try {
    return view.Object.prototype === ownPrototype;
  } catch {
    return false;
  }
}

const noteLate = (/** @type {string} */ why) => note({ k: "unsaid", why: `${why}, so that the recorder came late` });

function noteForm() {
  if (!hasForm) note({ k: "unsaid", why: "a form of the page is a tool" });
  hasForm = true;
}

/** Looks for forms that are tools, in shadow trees, too. @type {(root: any) => boolean} */
function looksForForms(root) {
  if (root.querySelector(FORM)) return true;
  for (const element of root.querySelectorAll("*"))
    if (element.shadowRoot && looksForForms(element.shadowRoot)) return true;
  return false;
}

function install() {
  const door = { shared, name: () => me, soon, flush, rest: (/** @type {number} */ rounds) => rest(rounds) };
  const context = /** @type {any} */ (document).modelContext;
  wrapText(door);
  const isUsable = begin(document);
  if (context === undefined) return;
  // A browser may give a frame with srcdoc its init scripts while the frame's own scripts run.
  if (isUsable && apply(querySelector, document, ["script"])) noteLate("a script of a frame has run before");
  current.renew = (document) => {
    begin(document);
    noteLate("a script has touched a frame before its page had loaded");
  };
  const prototype = /** @type {any} */ (getPrototypeOf(context));
  const { getTools } = prototype;
  rest = async (rounds) => {
    for (let round = 0; round < rounds; round++) {
      const { promise, resolve } = newPromise();
      const again = () => later(resolve, 0);
      apply(then, apply(getTools, current.context, []), [again, again]);
      await promise;
    }
    if (looksForForms(current.document)) noteForm();
    flush();
  };
  listenTo(window, "load", () => {
    if (apply(querySelector, current.document, [FORM])) noteForm();
  });
  for (const method of recorder.methods) wrapCalls(prototype, method);
  wrapAbort();
  if (!recorder.dispatches) return;
  wrapMethod(EventTarget.prototype, "dispatchEvent", (native, self, values) => {
    if (self === current.context) {
      note({ k: "unsaid", why: "the page dispatches an event of its own" });
      if (values[0] instanceof Event) hasDispatched(shared.dispatched, values[0]);
    }
    return apply(native, self, values);
  });
}

if (!doorOf(window)) install();
