// What the mutations share. It stands before the text of one of them, in one function, in every document of a secure context and before the
// document's own scripts. A mutation changes one rule; whatever else it touches here stays as it is: the properties of a method, its name and length,
// which members of a dictionary are read, in what order and how often, what is thrown.

const { apply } = Reflect;
const { setTimeout } = self;
const prototype = ModelContext.prototype;
// Not read before it is needed: in Chromium what first uses it before the document has loaded is sometimes never answered.
const own_getter = Object.getOwnPropertyDescriptor(Document.prototype, "modelContext").get;
const own = () => apply(own_getter, document, []);
const handler_getter = Object.getOwnPropertyDescriptor(prototype, "ontoolchange").get;
const aborted_getter = Object.getOwnPropertyDescriptor(AbortSignal.prototype, "aborted").get;

/** Whether a getter works on a value: platform objects of other realms are no instances of this realm's interfaces. */
function has_brand(getter, value) {
  try {
    apply(getter, value, []);
    return true;
  } catch {
    return false;
  }
}

const is_signal = (value) => has_brand(aborted_getter, value);
const is_object = (value) => (typeof value === "object" && value !== null) || typeof value === "function";
const is_exception = (reason, name) => reason instanceof DOMException && reason.name === name;

/** The text that a member is converted to; empty for an object, whose conversion could be noticed. */
const text_of = (value) => (is_object(value) ? "" : String(value));

/** Whether a text is a valid name of a tool. */
const is_name = (value) => /^[\w.-]{1,128}$/.test(text_of(value));

/** Defines a property again, with another function that has the old one's name and length. */
function redefine(object, key, part, make) {
  const descriptor = Object.getOwnPropertyDescriptor(object, key);
  const old = descriptor[part];
  // A method, since those are no constructors.
  const { replacement } = {
    replacement(...args) {
      return make(this, args, (...given) => apply(old, this, given));
    },
  };
  for (const property of ["name", "length"]) {
    Object.defineProperty(replacement, property, Object.getOwnPropertyDescriptor(old, property));
  }
  Object.defineProperty(object, key, { ...descriptor, [part]: replacement });
}

/** Replaces a method of ModelContext by `steps(call, args)`, where `call(...args)` is what was there before, on the same object. */
function replace_method(name, steps) {
  redefine(prototype, name, "value", (context, args, call) => {
    return has_brand(handler_getter, context) ? steps(call, args, context) : call(...args);
  });
}

/** As then(); but in a document that is not active, where no reaction would run, the promise itself. */
function map(promise, fulfilled, rejected) {
  return document.defaultView === null ? promise : promise.then(fulfilled, rejected);
}

/** Runs steps in a task of their own. */
function later(steps) {
  setTimeout(steps, 0);
}

/** What the documents of one origin in this tab have in common. */
function shared(key, make) {
  let root = self;
  try {
    root = top.document ? top : self;
  } catch {
    // The top-level document is of another origin.
  }
  const symbol = Symbol.for(`mutation: ${key}`);
  if (!(symbol in root)) {
    Object.defineProperty(root, symbol, { value: make() });
  }
  return root[symbol];
}

// Dictionaries

/**
 * A stand-in for a dictionary that is about to be converted: what is read from it, is read from the dictionary. `seen` gets the members as they
 * were read; `replace` has functions by member that a value goes through on its way.
 */
function watch(dictionary, replace = {}) {
  const seen = { __proto__: null };
  if (!is_object(dictionary) && dictionary !== undefined && dictionary !== null) {
    return { object: dictionary, seen };
  }
  const object = new Proxy(
    {},
    {
      get(_, member) {
        seen[member] = is_object(dictionary) ? dictionary[member] : undefined;
        return Object.hasOwn(replace, member) ? replace[member](seen[member], seen) : seen[member];
      },
    },
  );
  return { object, seen };
}

/** The arguments of registerTool() with stand-ins; `seen` has the members of both dictionaries. */
function watch_registration(args, tool = {}, options = {}) {
  if (args.length === 0) {
    return { args, seen: {} };
  }
  const first = watch(args[0], tool);
  const second = watch(args[1], options);
  const seen = new Proxy({}, { get: (_, member) => first.seen[member] ?? second.seen[member] });
  return { args: [first.object, second.object], seen };
}

/** An object with the JSON text of another one, which is serialized when it is; `steps` may run before that, and `failed` hears what it throws. */
function same_text(value, steps = () => {}, failed = () => {}) {
  return {
    toJSON() {
      steps();
      try {
        const text = JSON.stringify(value);
        return text === undefined ? undefined : JSON.parse(text);
      } catch (thrown) {
        failed();
        throw thrown;
      }
    },
  };
}

/** Lets members of the dictionaries of registerTool() go through functions. */
function replace_in_registration(tool, options = {}) {
  replace_method("registerTool", (call, args) => call(...watch_registration(args, tool, options).args));
}

/** Runs `steps(seen)`, soon after the method has returned, for each registration that was accepted. */
function after_registration(steps) {
  replace_method("registerTool", (call, args) => {
    const watched = watch_registration(args);
    const promise = call(...watched.args);
    let failed = false;
    promise.catch(() => {
      failed = true;
    });
    // A promise that was returned rejected has told that one microtask earlier.
    Promise.resolve()
      .then(() => {})
      .then(() => {
        if (!failed) {
          steps(watched.seen);
        }
      });
    return promise;
  });
}

/** Registrations that are rejected with that DOMException, and for which `test(seen, name)` holds, are said to have succeeded. */
function forgive_registration(error, test) {
  replace_method("registerTool", (call, args) => {
    const watched = watch_registration(args);
    return map(call(...watched.args), undefined, (reason) => {
      if (is_exception(reason, error) && test(watched.seen, text_of(watched.seen.name))) {
        return;
      }
      throw reason;
    });
  });
}

/** Gives each registration that has a signal one of its own; `forward(controller, signal)` runs when the page's is aborted. */
function replace_registration_signal(forward) {
  replace_method("registerTool", (call, args) => {
    let has_returned = false;
    const signal_of = (signal) => {
      if (!is_signal(signal) || signal.aborted || document.defaultView === null) {
        return signal;
      }
      const controller = new AbortController();
      signal.addEventListener(
        "abort",
        () => {
          // What the schema aborts while it is serialized is aborted already.
          if (has_returned) {
            forward(controller, signal);
          } else {
            controller.abort(signal.reason);
          }
        },
        { once: true },
      );
      return controller.signal;
    };
    const promise = call(...watch_registration(args, {}, { signal: signal_of }).args);
    has_returned = true;
    return promise;
  });
}

/** The tools of this document by name, with the members that the page gave them. */
function track_tools() {
  const tools = new Map();
  after_registration((seen) => {
    tools.set(text_of(seen.name), seen);
    seen.signal?.addEventListener("abort", () => tools.delete(text_of(seen.name)));
  });
  return tools;
}

/** The arguments of executeTool() with stand-ins, and what was seen of the tool and of the options. */
function watch_execution(args, tool = {}, options = {}) {
  if (args.length === 0) {
    return { args, seen: {}, options: {} };
  }
  const first = watch(args[0], tool);
  const second = watch(args[2], options);
  const watched = [first.object, ...args.slice(1)];
  if (Object.keys(options).length > 0 || args.length > 2) {
    watched[1] = args.length > 1 && args[1] !== undefined ? args[1] : args.length > 2 ? args[1] : {};
    watched[2] = second.object;
  }
  return { args: watched, seen: first.seen, options: second.seen };
}

// Origins

const URLS = { parse: (text, base) => (URL.canParse(text, base) ? new URL(text, base) : null) };

/** Whether a list of origins is one of texts that all can be parsed, as a correct one is. */
function is_list_of_urls(list) {
  return Array.isArray(list) && list.every((item) => typeof item === "string" && URL.canParse(item));
}

/** Lets every list of origins, of both methods that have one, go through a function. */
function replace_origins(change) {
  const of_list = (list) =>
    Array.isArray(list) && list.every((item) => typeof item === "string") ? change([...list]) : list;
  replace_in_registration({}, { exposedTo: of_list });
  replace_method("getTools", (call, args) =>
    call(...(args.length > 0 ? [watch(args[0], { fromOrigins: of_list }).object] : [])),
  );
}

/** The other origins around: those of the documents above, and of the frames in this one. */
function origins_around() {
  const frames = [...document.querySelectorAll("iframe[src]")].map(
    (frame) => new URL(frame.src, document.baseURI).origin,
  );
  return [...new Set([...location.ancestorOrigins, ...frames])].filter(
    (origin) => origin.startsWith("https:") && origin !== location.origin,
  );
}

// Lists and calls

/** Lets every list of tools go through a function. */
function change_list(change) {
  replace_method("getTools", (call, args) => map(call(...args), (tools) => change(tools)));
}

/** Lets each tool of a list go through a function. */
function change_listed(change) {
  change_list((tools) => tools.map((tool) => change(tool)));
}

/** Wraps the callback of every tool: `steps(run, args, name)`, where `run(...args)` is the page's callback. */
function wrap_callback(steps) {
  replace_in_registration({
    execute(callback, seen_before) {
      if (typeof callback !== "function") {
        return callback;
      }
      return function (...args) {
        return steps((...given) => apply(callback, this, given), args, text_of(seen_before.name), callback);
      };
    },
  });
}

/**
 * Writes down every call, for the documents of this origin, until it is over: the name of the tool, its window, the signal, the input, and an object
 * for whatever a mutation has to tell the caller's side. `change(promise, call)` makes what is returned.
 */
function note_calls(change = (promise) => promise) {
  const calls = shared("calls", () => []);
  replace_method("executeTool", (call, args) => {
    const watched = watch_execution(args);
    const entry = {};
    const promise = call(...watched.args);
    Object.assign(entry, {
      name: text_of(watched.seen.name),
      target: watched.seen.window,
      signal: watched.options.signal,
      input: args[1],
      over: false,
    });
    calls.push(entry);
    const end = () => {
      entry.over = true;
      if (calls.includes(entry)) {
        calls.splice(calls.indexOf(entry), 1);
      }
    };
    promise.then(end, end);
    return change(promise, entry);
  });
}

/** The first call of a tool of this document that no callback was invoked for yet. */
function take_call(name) {
  const calls = shared("calls", () => []);
  const index = calls.findIndex((entry) => entry.name === name && entry.target === self);
  return index < 0 ? {} : calls.splice(index, 1)[0];
}

/** Runs a tool's callback without asking the browser, and gives the JSON text of what it resolves with. */
async function run_directly(callback, text) {
  const { signal } = new AbortController();
  return JSON.stringify(await apply(callback, undefined, [JSON.parse(text), { signal }]));
}

// Forms that are tools, as they are listed

/** The form that a listed tool is, if it is in the tree of a document of this origin; undefined for any other tool. */
function listed_form({ name, window: owner }) {
  try {
    return [...owner.document.querySelectorAll("form[toolname]")].find(
      (form) => form.getAttribute("toolname") === name,
    );
  } catch {
    return undefined;
  }
}

/** Whether a listed tool is a form of this document. */
const is_own_form = (tool) => tool.window === self && listed_form(tool) !== undefined;

/** The controls of a form that take part as the parameter of that name. */
function parameter_controls(form, name) {
  return [...form.elements].filter(
    (control) =>
      /^(input|select|textarea)$/.test(control.localName) &&
      !/^(submit|button|reset|file)$/.test(control.type) &&
      !control.matches(":disabled") &&
      control.name.trim() === name,
  );
}

/** Lets the schema of each listed form go through a function that changes it. */
function change_schemas(change) {
  change_listed((tool) => {
    const form = listed_form(tool);
    if (form !== undefined && tool.inputSchema?.properties !== undefined) {
      change(tool.inputSchema, form);
    }
    return tool;
  });
}

/** Lets the schema of each parameter go through a function; it is left out if that returns undefined. */
function change_parameters(change) {
  change_schemas(({ properties }, form) => {
    for (const name of Object.keys(properties)) {
      const changed = change(properties[name], parameter_controls(form, name), form);
      if (changed === undefined) {
        delete properties[name];
      } else {
        properties[name] = changed;
      }
    }
  });
}

/** Lets the description of each parameter go through a function; there is none if that returns undefined or nothing. */
function change_descriptions(change) {
  change_parameters(({ description, ...schema }, controls, form) => {
    const changed = change(description, controls, form);
    return changed ? { ...schema, description: changed } : schema;
  });
}

/** The controls for which a test holds are strings, if they are no parameters otherwise. */
function add_strings(test) {
  change_schemas(({ properties }, form) => {
    for (const control of form.elements) {
      if (test(control, form) && !Object.hasOwn(properties, control.name)) {
        properties[control.name] = { type: "string" };
      }
    }
  });
}

/** The listed tool that a form of this document would be. */
function tool_of_form(form) {
  const description = form.getAttribute("tooldescription");
  const inputSchema = { type: "object", properties: {}, required: [] };
  const name = form.getAttribute("toolname").trim();
  return { description, inputSchema, name, origin: self.origin, title: "", window: self };
}

/** Hears of the changes in this document's tree, in a microtask after them. */
function observe_tree(options, steps) {
  new MutationObserver(steps).observe(document, { subtree: true, ...options });
}

// Events

/** Hears of every event of that type that the browser fires at this document's ModelContext, before everybody else. */
function intercept(type, steps) {
  let listens = false;
  const listener = (event) => {
    if (event.isTrusted) {
      steps(event);
    }
  };
  // As early as the page can listen, and not before it first asks for the object.
  redefine(Document.prototype, "modelContext", "get", (of, args, call) => {
    const context = call(...args);
    if (of === document && !listens) {
      listens = true;
      context.addEventListener(type, listener, { capture: true });
    }
    return context;
  });
}

/** Nobody else hears of the event. */
function drop(event) {
  event.stopImmediatePropagation();
}

const INTERFACES = { toolchange: Event, toolactivated: ToolActivatedEvent, toolcancel: ToolCancelEvent };

/** Dispatches an event of the mutation's own, at this document's ModelContext unless another is given. */
function dispatch(type, init = {}, context = own()) {
  context.dispatchEvent(new INTERFACES[type](type, init));
}

/** The windows of this tab, from the top down; none where the document has gone. */
function windows_of_the_tab() {
  const found = top === null ? [] : [top];
  for (const one of found) {
    for (let index = 0; index < one.length; ++index) {
      found.push(one[index]);
    }
  }
  return found;
}

/** Those of them that are of this origin, without this one. */
function reachable_windows() {
  return windows_of_the_tab().filter((one) => {
    try {
      return one !== self && one.document !== null && one.document !== undefined;
    } catch {
      return false;
    }
  });
}

/** Hears of what the same mutation tells in other windows, which the page does not. */
function listen(steps) {
  self.addEventListener(
    "message",
    (event) => {
      if (event.data?.mutation === true) {
        event.stopImmediatePropagation();
        steps(event.data, event);
      }
    },
    { capture: true },
  );
}

/** Tells something in another window. */
function tell(target, data, ports = []) {
  target.postMessage({ mutation: true, ...data }, "*", ports);
}

// Calls of forms

/** The form that a call names, by what was seen of its tool; undefined where it cannot be found. */
function form_of({ name, window: target }) {
  try {
    return target.document.querySelector(`form[toolname="${CSS.escape(text_of(name))}"]`) ?? undefined;
  } catch {
    return undefined;
  }
}

/** The controls of a form that go by that name, without buttons. */
function members_of(form, name) {
  return [...form.elements].filter(
    (control) =>
      /^(input|select|textarea)$/.test(control.localName) &&
      !/^(submit|button|reset)$/.test(control.type) &&
      control.name.trim() === name,
  );
}

/** Lets the input of every call of a form, as it is in JSON, go through a function. What this returns is the input then; REFUSED fails the call. */
function change_input(change) {
  replace_method("executeTool", (call, args) => {
    const { args: watched, seen } = watch_execution(args);
    const [tool, input, ...options] = watched;
    if (!is_object(input)) {
      return call(...watched);
    }
    const changed = {
      toJSON() {
        const text = JSON.stringify(input);
        const values = text === undefined ? undefined : JSON.parse(text);
        const form = form_of(seen);
        return is_object(values) && form !== undefined ? change(values, form) : values;
      },
    };
    return call(tool, changed, ...options);
  });
}

const REFUSED = [];

/** Lets each value of a call of a form go through a function, which gets the controls of its name as well. REFUSED fails the call. */
function change_values(change) {
  change_input((values, form) => {
    if (Array.isArray(values)) {
      return values;
    }
    const entries = Object.entries(values).map(([name, value]) => [name, change(value, members_of(form, name), form)]);
    return entries.some(([, value]) => value === REFUSED)
      ? REFUSED
      : Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  });
}

/** What the controls of one name are together: "text" for all that are filled in by a text, or the kind of choice. */
function kind_of(members) {
  const [{ type } = {}] = members;
  if (type === "checkbox") {
    return members.length > 1 ? "checkboxes" : "checkbox";
  }
  return ["radio", "select-one", "select-multiple"].includes(type) ? type : "text";
}

/** The values that can be chosen of such controls. */
function choices_of(members) {
  return members.flatMap((one) =>
    one.localName === "select" ? [...one.options].map((option) => option.value) : [one.value],
  );
}

/** Those that are chosen. */
function chosen_of(members) {
  return members.flatMap((one) =>
    one.localName === "select"
      ? [...one.selectedOptions].map((option) => option.value)
      : one.checked
        ? [one.value]
        : [],
  );
}

/** Lets what every call of a form gives go through functions, as then() does; both get the form as well. */
function change_outcome(fulfilled, rejected) {
  replace_method("executeTool", (call, args) => {
    const { args: watched, seen } = watch_execution(args);
    const promise = call(...watched);
    const form = form_of(seen);
    return form === undefined
      ? promise
      : map(
          promise,
          fulfilled && ((result) => fulfilled(result, form)),
          rejected && ((reason) => rejected(reason, form)),
        );
  });
}

/** Hears of every event of that type that the browser fires in this document's forms that are tools, before everybody else. */
function intercept_in_forms(type, steps) {
  self.addEventListener(
    type,
    (event) => {
      const [target] = event.composedPath();
      const form = target.localName === "form" ? target : target.form;
      if (event.isTrusted && form?.hasAttribute("toolname")) {
        steps(event, form, target);
      }
    },
    { capture: true },
  );
}

/** Replaces respondWith() by `steps(call, args, event)`. */
function replace_respond_with(steps) {
  redefine(SubmitEvent.prototype, "respondWith", "value", (event, args, call) => {
    return event instanceof SubmitEvent && args.length > 0 ? steps(call, args, event) : call(...args);
  });
}

/** Lets the value of each response go through a function. */
function change_response(change) {
  replace_respond_with((call, [response]) => call(Promise.resolve(response).then(change)));
}

/** Replaces what the pseudo-classes say of a form, or of its button: `answer(old, form)`. */
function replace_active(answer) {
  redefine(Element.prototype, "matches", "value", (element, args, call) => {
    const old = call(...args);
    const form = element.localName === "form" ? element : element.form;
    return /^:tool-(form|submit)-active$/.test(args[0]) ? answer(old, form) : old;
  });
}
