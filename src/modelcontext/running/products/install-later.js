// Installs a polyfill. A browser runs an injected script once in each Window. The Window of a frame of the same origin stays
// when its initial about:blank document is replaced by the loaded one, and the polyfill serves the document in which it runs.
// A page that loads the polyfill itself does so in the later document; so here it waits, in the earlier one, until a script
// asks for the API.

/** @type {(install: () => void) => void} */
export function installLater(install) {
  if (location.href !== "about:blank" || !isSecureContext) {
    install();
    return;
  }
  /** @type {[any, string][]} */
  const later = [
    [Document.prototype, "modelContext"],
    [self, "ModelContext"],
  ];
  for (const [target, name] of later) {
    Object.defineProperty(target, name, {
      configurable: true,
      get() {
        for (const [other, its] of later) delete other[its];
        install();
        return this[name];
      },
    });
  }
}
