// Interfaces of browsers that are not here: a script that reaches for one gets undefined, and the report of the run says so.
import { defineProperty, python, realm, scope } from "./intrinsics.js";

const NAMES =
  "BroadcastChannel CSSStyleSheet CustomElementRegistry DOMParser DataTransfer EventSource File FileReader FormData " +
  "Headers Image IntersectionObserver MutationObserver Observable Option PerformanceObserver Range ReadableStream " +
  "ReportingObserver Request ResizeObserver Selection SharedWorker StaticRange TextDecoder " +
  "TextEncoder TransformStream WebSocket Worker WritableStream XMLHttpRequest XMLSerializer caches confirm cookieStore " +
  "customElements getComputedStyle getSelection indexedDB matchMedia navigation prompt " +
  "requestIdleCallback scheduler trustedTypes visualViewport";

for (const name of NAMES.split(" ")) {
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
