// Forms in one realm: the members of SubmitEvent, and the functions by which a script does something to forms that no event or
// mutation observer tells in time. They look like the built-ins: a proxy has their names, lengths and texts.
import { setNull } from "../wire.js";
import { hub } from "./hub.js";
import { extend } from "./interfaces.js";
import {
  apply,
  construct,
  defineProperty,
  getOwnPropertyDescriptor,
  hostWindow,
  mapGet,
  mapSet,
  NativeDOMException,
  NativeTypeError,
  uncurriedGetter,
} from "./pristine.js";
import { service } from "./service.js";

const NativeProxy = Proxy;
const submitterOf = uncurriedGetter(SubmitEvent.prototype, "submitter");
const formName = uncurriedGetter(HTMLFormElement.prototype, "name");
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
      const event = construct(target, values, newTarget === replaced ? target : newTarget);
      const init = values[1];
      const agentInvoked = init !== undefined && init !== null && !!init.agentInvoked;
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
    for (let index = 0; index < VALIDATED.length; index++) {
      for (const name of ["checkValidity", "reportValidity"]) {
        replace(VALIDATED[index].prototype, name, {
          apply: (target, self, values) => forms.validate(() => apply(target, self, values)),
        });
      }
    }
  }
}
