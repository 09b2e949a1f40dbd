// Runs in every document. Frames of a test can load testharness.js, too; only the page's own report counts.
{
  const { stringify } = JSON;
  const wellFormed = Function.prototype.call.bind(String.prototype.toWellFormed);
  // Reports are written to files in UTF-8.
  /** @type {(value: any) => string} */
  const text = (value) => stringify(value, (_key, part) => (typeof part === "string" ? wellFormed(part) : part));
  const window = /** @type {any} */ (self);
  /** @type {(name: string, inFrames: boolean) => void} */
  const channel = (name, inFrames) => {
    const send = window[name];
    window[name] = (/** @type {any} */ value) => {
      if (send !== undefined && (inFrames || self === self.top)) {
        send(text(value));
      }
      return new Promise(() => {});
    };
  };
  channel("modelcontextReport", false);
  channel("modelcontextDrive", true);
}
