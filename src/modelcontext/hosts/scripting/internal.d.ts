// The modules of Node.js that main.cjs takes with --expose-internals.

declare module "internal/test/binding" {
  export function internalBinding(name: "task_queue"): {
    promiseRejectEvents: { kPromiseRejectWithNoHandler: number; kPromiseHandlerAddedAfterReject: number };
    setPromiseRejectCallback(told: (type: number, promise: Promise<unknown>, reason: unknown) => void): void;
  };
}

declare module "internal/util" {
  /** Puts the place of a syntax error before its stack. */
  export function decorateErrorStack(error: unknown): void;
}
