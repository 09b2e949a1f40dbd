// The user of a test, whom testdriver.js asks to act. Each action comes when the page has nothing else to do, as events that are
// trusted (https://w3c.github.io/uievents/). The user sees no boxes, and so clicks elements rather than points.
/** @import { Data } from "../protocol.d.ts" */
import { SUBMIT_BUTTONS } from "./forms.js";
import { idOf } from "./interfaces.js";
import { decode, encode, facts, hide, NativeError, python, realm, scope } from "./intrinsics.js";

/** The keys that are not characters, by the code points of WebDriver. @type {Record<string, string>} */
const KEYS = { "\ue003": "Backspace", "\ue006": "Enter", "\ue007": "Enter", "\ue00c": "Escape", "\ue00d": " " };
const TYPED = /^(text|search|url|tel|email|password|number)$/;

/** Fires a trusted event; returns whether it was not canceled. @type {(target: any, type: string, kind: string, data?: Record<string, any>) => boolean} */
function fire(target, type, kind, data = {}) {
  /** @type {[string, Data][]} */
  const members = Object.entries(data).map(([name, value]) => [name, encode(value)]);
  /** @type {Data[]} */
  const values = [type, kind, ["dictionary", members], true, kind !== "Event" && kind !== "InputEvent"];
  return decode(python("operation", idOf(target, "EventTarget"), "EventTarget.fire", values));
}

/** The act of a user in a task of its own. @type {(act: () => void) => Promise<void>} */
const acts = (act) =>
  new Promise((resolve, reject) => {
    const task = () => {
      try {
        resolve(act());
      } catch (error) {
        reject(error);
      }
    };
    python("set_timer", realm.id, encode(task), [], 0, false);
  });

/** Whether keys change the value of an element. @type {(element: any) => boolean} */
const isTyped = (element) =>
  element.matches("textarea, input:not([readonly])") && (element.localName === "textarea" || TYPED.test(element.type));

/** https://html.spec.whatwg.org/#implicit-submission @type {(form: any) => void} */
function submitImplicitly(form) {
  const button = [...form.getRootNode().querySelectorAll(SUBMIT_BUTTONS)].find((one) => one.form === form);
  if (button !== undefined) {
    if (!button.matches(":disabled")) fire(button, "click", "PointerEvent");
  } else if ([...form.elements].filter((one) => one.localName === "input" && isTyped(one)).length <= 1) {
    form.requestSubmit();
  }
}

/** @type {(element: any, value: string, data: string | null) => void} */
function change(element, value, data) {
  element.value = value;
  fire(element, "input", "InputEvent", { data, inputType: data === null ? "deleteContentBackward" : "insertText" });
}

/** @type {(key: string) => void} */
function press(key) {
  const element = scope.document.activeElement ?? scope.document.documentElement;
  const isText = key.length === 1 || key === "Enter";
  const isGoing =
    fire(element, "keydown", "KeyboardEvent", { key }) &&
    (!isText || fire(element, "keypress", "KeyboardEvent", { key }));
  if (isGoing) {
    const isButton = element.matches("button, input:is([type=submit i], [type=button i], [type=reset i])");
    if (isButton && isText) fire(element, "click", "PointerEvent");
    else if (isTyped(element)) {
      const isLine = key === "Enter" && element.localName === "textarea";
      if (key.length === 1 || isLine) change(element, element.value + (isLine ? "\n" : key), isLine ? null : key);
      else if (key === "Backspace") change(element, element.value.slice(0, -1), null);
      else if (key === "Enter" && element.form !== null) {
        fire(element, "change", "Event");
        submitImplicitly(element.form);
      }
    }
  }
  fire(element, "keyup", "KeyboardEvent", { key });
}

/** @type {(element: any) => void} */
function click(element) {
  if (fire(element, "pointerdown", "PointerEvent") && fire(element, "mousedown", "MouseEvent")) {
    let area = element;
    for (; area !== null && scope.document.activeElement !== area; area = area.parentElement) area.focus?.();
    if (area === null) scope.document.activeElement?.blur?.();
  }
  fire(element, "pointerup", "PointerEvent");
  fire(element, "mouseup", "MouseEvent");
  if (!element.matches(":disabled")) fire(element, "click", "PointerEvent");
}

/** @type {(request: { action: string, keys?: string[] }) => Promise<void>} */
async function drive({ action, keys = [] }) {
  if (action !== "send_keys") throw new NativeError(`the user of the simulated browser cannot ${action}`);
  for (const key of keys) {
    if (/[\ue000-\uf8ff]/.test(key) && !(key in KEYS)) {
      throw new NativeError(`the user of the simulated browser has no key U+${key.charCodeAt(0).toString(16)}`);
    }
  }
  for (const key of keys) await acts(() => press(KEYS[key] ?? key));
}
if (facts.drives) {
  hide(scope, "modelcontextDrive", drive);
  hide(drive, "click", (/** @type {any} */ element) => acts(() => click(element)));
}
