// The modules of one realm: its module map, its import map, and the loading of graphs.
// https://html.spec.whatwg.org/multipage/webappapis.html#integration-with-the-javascript-module-system
//
// Python fetches, and the platform compiles, links and evaluates.
"use strict";

/** @import { ModuleEntry, ModuleFailure, ModuleHost, ModuleRequest, ModuleScript, Realm } from "./protocol.d.ts" */

const JAVASCRIPT = /^(text|application)\/(x-)?(java|ecma)script$|^text\/(jscript|livescript|javascript1\.[0-5])$/;
const JSON_TYPE = /^(application|text)\/json$|\+json$/;

/** The line of a text on which a specifier stands first. @type {(source: string, specifier: string, start: number) => number} */
function lineOf(source, specifier, start) {
  const place = Math.max(source.search(new RegExp(`["']${RegExp.escape(specifier)}["']`)), 0);
  return start + source.slice(0, place).split("\n").length;
}

/** @type {(rules: Record<string, string | null>) => [string, string | null][]} */
const longestFirst = (rules) => Object.entries(rules).sort(([one], [other]) => (one < other ? 1 : -1));

/** Makes what loads the modules of a realm. @type {(realm: Realm, host: ModuleHost) => Realm["modules"]} */
function makeModules(realm, { modules, urlOf, nameOf, fetch, report, missing, place }) {
  /** @type {Map<string, ModuleEntry>} */
  const moduleMap = new Map();
  /** @type {{ imports: Record<string, string | null>, scopes: Record<string, Record<string, string | null>> }} */
  const importMap = { imports: {}, scopes: {} };
  /** The specifiers that were resolved, which later import maps do not change. @type {Set<string>} */
  const resolvedModuleSet = new Set();

  const typeError = (/** @type {string} */ message) => realm.error("TypeError", "TypeError", message);
  const parse = (/** @type {string} */ text, /** @type {string | undefined} */ base) => {
    try {
      return urlOf(text, base);
    } catch {
      return null;
    }
  };
  const urlLike = (/** @type {string} */ specifier, /** @type {string} */ base) =>
    parse(specifier, /^\.{0,2}\//.test(specifier) ? base : undefined);

  /** https://html.spec.whatwg.org/#resolving-an-imports-match
   * @type {(specifier: string, asURL: URL | null, rules: Record<string, string | null>) => string | undefined}
   */
  function resolveAnImportsMatch(specifier, asURL, rules) {
    for (const [key, address] of longestFirst(rules)) {
      const isPrefix = key.endsWith("/") && specifier.startsWith(key);
      if (key !== specifier && !(isPrefix && (asURL === null || /^(https?|wss?|ftp|file):$/.test(asURL.protocol))))
        continue;
      if (address === null) throw typeError(`the import map blocks "${specifier}"`);
      if (key === specifier) return address;
      const url = parse(specifier.slice(key.length), address);
      if (url === null || !url.href.startsWith(address)) {
        throw typeError(`"${specifier}" leads out of "${address}" in the import map`);
      }
      return url.href;
    }
    return undefined;
  }

  /** https://html.spec.whatwg.org/#resolve-a-module-specifier @type {(base: string, specifier: string) => string} */
  function resolveAModuleSpecifier(base, specifier) {
    const asURL = urlLike(specifier, base);
    const normalized = asURL?.href ?? specifier;
    resolvedModuleSet.add(normalized);
    for (const prefix of Object.keys(importMap.scopes).sort().reverse()) {
      if (prefix !== base && !(prefix.endsWith("/") && base.startsWith(prefix))) continue;
      const match = resolveAnImportsMatch(normalized, asURL, importMap.scopes[prefix]);
      if (match !== undefined) return match;
    }
    const match = resolveAnImportsMatch(normalized, asURL, importMap.imports) ?? asURL?.href;
    if (match !== undefined) return match;
    throw typeError(`"${specifier}" is no URL: begin it with "/", "./" or "../", or name it in an import map`);
  }

  /** https://html.spec.whatwg.org/#sorting-and-normalizing-a-module-specifier-map
   * @type {(rules: any, base: string, what: string) => Record<string, string | null>}
   */
  function normalize(rules, base, what) {
    if (typeof rules !== "object" || rules === null || Array.isArray(rules)) {
      throw typeError(`${what} of an import map must be an object`);
    }
    /** @type {Record<string, string | null>} */
    const normalized = {};
    for (const [key, value] of Object.entries(rules)) {
      const address = typeof value === "string" ? urlLike(value, base) : null;
      const isOpen = key.endsWith("/") && !address?.href.endsWith("/");
      if (key !== "") normalized[urlLike(key, base)?.href ?? key] = isOpen ? null : (address?.href ?? null);
    }
    return normalized;
  }

  /** https://html.spec.whatwg.org/#register-an-import-map @type {(text: string, base: string) => void} */
  function registerAnImportMap(text, base) {
    let parsed;
    try {
      parsed = JSON.parse(text);
    } catch (error) {
      throw typeError(`the import map is no JSON: ${/** @type {Error} */ (error).message}`);
    }
    const imports = normalize(parsed?.imports ?? (parsed === Object(parsed) ? {} : parsed), base, "imports");
    for (const key of Object.keys(imports)) {
      const isUsed = [...resolvedModuleSet].some((one) => one === key || (key.endsWith("/") && one.startsWith(key)));
      if (!isUsed && !(key in importMap.imports)) importMap.imports[key] = imports[key];
    }
    for (const [prefix, rules] of Object.entries(parsed.scopes ?? {})) {
      const url = parse(prefix, base)?.href;
      const scoped = normalize(rules, base, "a scope");
      if (url !== undefined) importMap.scopes[url] = { ...scoped, ...importMap.scopes[url] };
    }
  }

  /** https://html.spec.whatwg.org/#creating-a-javascript-module-script
   * @type {(source: string, url: string, line?: number, column?: number) => ModuleScript}
   */
  function createAJavaScriptModuleScript(source, url, line = 0, column = 0) {
    /** @type {ModuleScript} */
    const script = { url, module: null, error: null, requests: [], isLinked: false };
    const requested = (/** @type {string} */ specifier, /** @type {Record<string, string>} */ attributes) => {
      const at = `${url}:${lineOf(source, specifier, line)}`;
      try {
        return request(url, specifier, attributes, at);
      } catch (error) {
        place(/** @type {object} */ (error), at);
        throw error;
      }
    };
    try {
      script.module = modules.compile(source, nameOf(url), line, column, realm.global, {
        meta(meta) {
          meta.url = url;
          meta.resolve = (/** @type {unknown} */ specifier) => resolveAModuleSpecifier(url, `${specifier}`);
        },
        importing: importing(url),
      });
      script.requests = script.module.requests.map(({ specifier, attributes }) => requested(specifier, attributes));
    } catch (error) {
      script.error = { value: error };
    }
    return script;
  }

  /** https://html.spec.whatwg.org/#creating-a-json-module-script @type {(text: string, url: string) => ModuleScript} */
  function createAJSONModuleScript(text, url) {
    /** @type {ModuleScript} */
    const script = { url, module: null, error: null, requests: [], isLinked: false };
    try {
      script.module = modules.compileJSON(text, url, realm.global);
    } catch (error) {
      const value = /** @type {object} */ (realm.error("SyntaxError", "SyntaxError", String(error)));
      place(value, `${url}:1`);
      script.error = { value };
    }
    return script;
  }

  /** @type {(base: string, specifier: string, attributes: Record<string, string>, at: string) => ModuleRequest} */
  function request(base, specifier, attributes, at) {
    const { type = "javascript" } = attributes;
    if (type === "css") missing("CSS modules");
    if (type !== "javascript" && type !== "json") throw typeError(`there is no module type "${type}" here`);
    return { url: resolveAModuleSpecifier(base, specifier), type, at };
  }

  /** https://html.spec.whatwg.org/#fetch-a-single-module-script
   * @type {(request: ModuleRequest, onComplete: (entry: ModuleEntry) => void) => void}
   */
  function fetchASingleModuleScript({ url, type, at }, onComplete) {
    const key = `${type} ${url}`;
    const known = moduleMap.get(key);
    if (known !== undefined) {
      if (known.waiting === null) onComplete(known);
      else known.waiting.push(onComplete);
      return;
    }
    /** @type {ModuleEntry} */
    const entry = { script: null, problem: "", waiting: [onComplete] };
    moduleMap.set(key, entry);
    fetch(url, (answer) => {
      const essence = (answer?.headers["content-type"] ?? "").split(";")[0].trim().toLowerCase();
      if (answer === null) entry.problem = "cannot be fetched from here";
      else if (answer.status < 200 || answer.status > 299) entry.problem = `was answered with status ${answer.status}`;
      else if (!(type === "json" ? JSON_TYPE : JAVASCRIPT).test(essence)) {
        entry.problem = `has the type "${essence}", which is not that of a ${type} module`;
      } else if (type === "json") entry.script = createAJSONModuleScript(answer.text, url);
      else entry.script = createAJavaScriptModuleScript(answer.text, url);
      if (entry.problem !== "") entry.problem = `the module ${url} ${entry.problem}${at === "" ? "" : ` (${at})`}`;
      const waiting = entry.waiting ?? [];
      entry.waiting = null;
      for (const one of waiting) one(entry);
    });
  }

  const loaded = (/** @type {ModuleRequest} */ { url, type }) =>
    /** @type {ModuleScript} */ (/** @type {ModuleEntry} */ (moduleMap.get(`${type} ${url}`)).script);

  /** https://html.spec.whatwg.org/#fetch-the-descendants-of-and-link-a-module-script
   * @type {(script: ModuleScript, onComplete: (failure: ModuleFailure | null) => void) => void}
   */
  function fetchTheDescendantsOfAndLink(script, onComplete) {
    /** @type {Set<ModuleScript>} */
    const visited = new Set();
    /** @type {ModuleFailure | null} */
    let failure = null;
    let pending = 1;
    const finish = () => {
      pending -= 1;
      if (pending > 0) return;
      for (const one of failure === null ? visited : []) {
        if (!one.isLinked) one.module?.link(one.requests.map((each) => /** @type {any} */ (loaded(each).module)));
        one.isLinked = true;
      }
      try {
        if (failure === null) script.module?.instantiate();
      } catch (error) {
        failure = { error };
      }
      onComplete(failure);
    };
    const visit = (/** @type {ModuleScript} */ one) => {
      visited.add(one);
      if (one.error !== null) failure ??= { error: one.error.value };
      for (const each of one.error === null ? one.requests : []) {
        pending += 1;
        fetchASingleModuleScript(each, (entry) => {
          if (entry.script === null) failure ??= { problem: entry.problem };
          else if (!visited.has(entry.script)) visit(entry.script);
          finish();
        });
      }
    };
    visit(script);
    finish();
  }

  /** https://tc39.es/ecma262/#sec-import-calls, with the steps of HTML to load an imported module
   * @type {(base: string) => (specifier: string, attributes: Record<string, string>) => Promise<object>}
   */
  function importing(base) {
    return (specifier, attributes) =>
      new Promise((resolve, reject) => {
        const fail = (/** @type {ModuleFailure} */ failure) =>
          reject("error" in failure ? failure.error : typeError(failure.problem));
        fetchASingleModuleScript(request(base, specifier, attributes, ""), ({ script, problem }) => {
          if (script === null) return fail({ problem });
          fetchTheDescendantsOfAndLink(script, (failure) => {
            const { module } = script;
            if (failure !== null || module === null) return fail(failure ?? { error: script.error?.value });
            module.evaluate().then(() => resolve(module.namespace), reject);
          });
        });
      });
  }

  /** The scripts of elements that are loaded, with what went wrong. @type {Map<number, [ModuleScript, ModuleFailure | null]>} */
  const ready = new Map();

  return {
    importing,
    registerAnImportMap,
    /** https://html.spec.whatwg.org/#fetch-a-module-script-tree, or an inline one if there is a source */
    load(number, url, source, line, column, onReady) {
      const link = (/** @type {ModuleScript} */ script) =>
        fetchTheDescendantsOfAndLink(script, (failure) => {
          ready.set(number, [script, failure]);
          onReady(failure !== null && "problem" in failure ? failure.problem : null);
        });
      if (source !== null) link(createAJavaScriptModuleScript(source, url, line, column));
      else {
        fetchASingleModuleScript({ url, type: "javascript", at: "" }, ({ script, problem }) =>
          script === null ? onReady(problem) : link(script),
        );
      }
    },
    /** https://html.spec.whatwg.org/#run-a-module-script */
    run(number) {
      const [{ module }, failure] = /** @type {[ModuleScript, ModuleFailure | null]} */ (ready.get(number));
      if (failure !== null && "error" in failure) report(failure.error);
      else module?.evaluate().then(undefined, report);
    },
  };
}

module.exports = { makeModules };
