// Forms in one realm: the members of SubmitEvent, and the functions by which a script does something to forms that no event or
// mutation observer tells in time. They look like the built-ins: a proxy has their names, lengths and texts.
/** @import { FormHub } from "../protocol.d.ts" */
import { isObject, setNull } from "../wire.js";
import { hub } from "./hub.js";
import { extend } from "./interfaces.js";
import {
  addListener,
  apply,
  construct,
  defineProperty,
  getOwnPropertyDescriptor,
  hostWindow,
  mapGet,
  mapSet,
  NativeDOMException,
  NativeTypeError,
  uncurried,
  uncurriedGetter,
} from "./pristine.js";
import { service } from "./service.js";

const NativeProxy = Proxy;
const NativeMutationObserver = MutationObserver;
const observe = uncurried(MutationObserver.prototype.observe);
const takeRecords = uncurried(MutationObserver.prototype.takeRecords);
const submitterOf = uncurriedGetter(SubmitEvent.prototype, "submitter");
const formName = uncurriedGetter(HTMLFormElement.prototype, "name");
const PARENTS = [Document, DocumentFragment, Element];
const VALIDATED = [
  ...[HTMLButtonElement, HTMLFieldSetElement, HTMLFormElement, HTMLInputElement, HTMLObjectElement],
  ...[HTMLOutputElement, HTMLSelectElement, HTMLTextAreaElement, ElementInternals],
];

/** @type {(owner: any, name: string, handler: ProxyHandler<any>) => any} */
function replace(owner, name, handler) {
  const descriptor = setNull(/** @type {PropertyDescriptor} */ (getOwnPropertyDescriptor(owner, name)));
  descriptor.value = new NativeProxy(descriptor.value, setNull(handler));
  defineProperty(owner, name, descriptor);
  return descriptor.value;
}

const agentInvokedOf = (/** @type {Event} */ event) =>
  mapGet(hub.attributes, event)?.agentInvoked ?? hub.forms?.isAgentInvoked(event) ?? false;

/** Adds what https://webmachinelearning.github.io/webmcp/#form-submission adds. */
function extendSubmitEvent() {
  extend(SubmitEvent.prototype, {
    get agentInvoked() {
      submitterOf(this);
      return agentInvokedOf(/** @type {any} */ (this));
    },
    /** @this {any} @param {unknown} agentResponse */
    respondWith(agentResponse) {
      submitterOf(this);
      if (arguments.length < 1) throw new NativeTypeError("respondWith needs 1 arguments, and 0 were given");
      const holder = service.newPromise();
      defineProperty(holder.promise, "constructor", /** @type {any} */ ({ __proto__: null, value: undefined }));
      holder.resolve(agentResponse);
      const agentInvoked = agentInvokedOf(this);
      if (hub.forms) hub.forms.respond(service, this, agentInvoked, holder);
      else throw new NativeDOMException("the event is not that of an agent's submission", "InvalidStateError");
    },
  });
  const replaced = replace(hostWindow, "SubmitEvent", {
    construct(target, values, newTarget) {
      // The browser reads the other members; some browsers read this one, too, and in its place.
      let agentInvoked;
      const read = (/** @type {any} */ init) => {
        agentInvoked = !!init.agentInvoked;
        return agentInvoked;
      };
      const get = (/** @type {any} */ init, /** @type {PropertyKey} */ name) =>
        name === "agentInvoked" ? read(init) : init[name];
      const { length, 0: type, 1: init } = values;
      const observed = isObject(init) ? new NativeProxy(init, setNull({ get })) : init;
      const event = construct(
        target,
        length < 2 ? values : [type, observed],
        newTarget === replaced ? target : newTarget,
      );
      if (agentInvoked === undefined && isObject(init)) read(init);
      agentInvoked ??= false;
      mapSet(hub.attributes, event, /** @type {any} */ ({ __proto__: null, agentInvoked }));
      return event;
    },
  });
  defineProperty(
    replaced.prototype,
    "constructor",
    /** @type {any} */ ({ __proto__: null, value: replaced, writable: true, enumerable: false, configurable: true }),
  );
}

/** Watches the trees of this realm. @type {(forms: FormHub) => void} */
export function watchTrees(forms) {
  const observer = new NativeMutationObserver((records) => forms.process(records));
  const capture = { __proto__: null, capture: true };
  const watcher = setNull({
    observe: (/** @type {Node} */ root, /** @type {MutationObserverInit} */ options) =>
      observe(observer, root, options),
    takeRecords: () => takeRecords(observer),
    listen(/** @type {EventTarget} */ target) {
      addListener(target, "submit", (event) => forms.onSubmit(event), capture);
      addListener(target, "reset", (event) => forms.onReset(event), capture);
      addListener(target, "invalid", (event) => forms.onInvalid(event), capture);
    },
  });
  forms.watchRealm(service, watcher);
  // The window may have got another document.
  for (const type of ["DOMContentLoaded", "load"]) addListener(hostWindow, type, () => forms.flush(), capture);
}

if (given.forms && hub !== null) {
  extendSubmitEvent();
  const { forms } = hub;
  if (forms) {
    /** @type {(target: any, self: any, values: any[]) => unknown} */
    const thenFlush = (target, self, values) => {
      try {
        return apply(target, self, values);
      } finally {
        forms.flush();
      }
    };
    replace(HTMLFormElement.prototype, "requestSubmit", { apply: thenFlush });
    replace(HTMLFormElement.prototype, "reset", { apply: thenFlush });
    replace(HTMLElement.prototype, "click", { apply: thenFlush });
    replace(HTMLFormElement.prototype, "submit", {
      apply(target, self, values) {
        formName(self); // It throws for other objects than a form.
        forms.submitMethod(self);
        return apply(target, self, values);
      },
    });
    replace(Element.prototype, "attachShadow", {
      apply(target, self, values) {
        const root = apply(target, self, values);
        forms.watchShadow(root);
        return root;
      },
    });
    for (let index = 0; index < PARENTS.length; index++) {
      if (!("moveBefore" in PARENTS[index].prototype)) continue;
      replace(PARENTS[index].prototype, "moveBefore", {
        apply: (target, self, values) => forms.move(() => apply(target, self, values)),
      });
    }
    for (let index = 0; index < VALIDATED.length; index++) {
      for (const name of ["checkValidity", "reportValidity"]) {
        replace(VALIDATED[index].prototype, name, {
          apply: (target, self, values) => forms.validate(() => apply(target, self, values)),
        });
      }
    }
  }
}
