// The parameters that process.py gives the scripts of a realm.

declare global {
  /** The parameter of the function whose body is the modules of main.js. */
  const engine: import("../protocol.d.ts").Engine;
  /** The parameter of the function whose body is the modules of api.js. */
  const api: import("../protocol.d.ts").API;
}

export {};
