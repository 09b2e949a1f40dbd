// Interfaces of browsers that are not here, and members of Window: a script that reaches for one gets undefined, and the report
// of the run says so. lacking.js has the members of other interfaces.
import { defineProperty, description, python, realm, scope } from "./intrinsics.js";

const NAMES =
  "CSSStyleSheet CustomElementRegistry DOMParser DataTransfer EventSource File FileReader FormData " +
  "Headers Image IntersectionObserver Observable Option PerformanceObserver ReadableStream " +
  "ReportingObserver Request ResizeObserver Selection SharedWorker StaticRange TextDecoder " +
  "TextEncoder TransformStream WebSocket Worker WritableStream XMLHttpRequest XMLSerializer caches confirm cookieStore " +
  "customElements getComputedStyle getSelection indexedDB matchMedia navigation prompt " +
  "requestIdleCallback scheduler trustedTypes visualViewport";

// A name without an object before it is no property that is read, so that Window needs its members.
for (const name of [...NAMES.split(" "), ...description.unimplemented.Window]) {
  if (name in scope) continue;
  defineProperty(scope, name, {
    get() {
      python("missing", realm.id, name);
      return undefined;
    },
    set(value) {
      defineProperty(scope, name, { value, writable: true, enumerable: true, configurable: true });
    },
    enumerable: false,
    configurable: true,
  });
}
