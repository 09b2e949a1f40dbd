// What browsers, and what is served beside the scripts, have that tsc does not know.

interface Window {
  [key: symbol]: any;
  /** The faults of Python in this window, for whoever drives the browser. */
  modelcontextFaults: string[];
  modelcontextFault?: (message: string) => void;
  modelcontextReady: Promise<void>;
  Observable?: any;
}

declare var FeaturePolicy: { prototype: { allowedFeatures(): string[] } };
declare var Subscriber: { prototype: { addTeardown(steps: () => void): void } };

declare module "*/pyodide.mjs" {
  export function loadPyodide(options: object): Promise<any>;
}

declare module "*/pyodide.asm.mjs" {
  export default function createPyodideModule(settings: object): Promise<object>;
}

declare module "*/quickjs/index.js" {
  export { QuickJS } from "quickjs-wasi";
}

declare module "*/start-python.js" {
  export function startPython(archiveName: string): Promise<any>;
}
