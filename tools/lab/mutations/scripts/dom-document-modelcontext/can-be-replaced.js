// The attribute can be assigned to, after which it gives the new value.
// Breaks: Web IDL

const descriptor = Object.getOwnPropertyDescriptor(Document.prototype, "modelContext");
Object.defineProperty(Document.prototype, "modelContext", {
  ...descriptor,
  set(value) {
    Object.defineProperty(this, "modelContext", { value, configurable: true, enumerable: true, writable: true });
  },
});
