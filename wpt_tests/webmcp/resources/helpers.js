// What the tests of this folder share. Needs testharness.js, and for frames and popups /common/get-host-info.sub.js.

/** A valid tool; `members` are added to it, or replace what is there. */
function make_tool(name = "t", members = {}) {
  return { name, description: `The tool ${name}`, execute: async () => null, ...members };
}

/**
 * Registers a tool until the test is over, and waits until this document has heard of it. The clean-up waits for the event of
 * the removal as well, so that no test sees an event of the test before it. A test that aborts the controller that is
 * returned has to wait for the event itself.
 */
async function register(t, tool, options = {}) {
  const controller = new AbortController();
  const changed = next_event(document.modelContext, "toolchange");
  await document.modelContext.registerTool(tool, { ...options, signal: controller.signal });
  t.add_cleanup(async () => {
    if (!controller.signal.aborted) {
      await unregister(controller);
    }
  });
  await changed;
  return controller;
}

/** Registers a tool that records the arguments of its callback, as the array that is returned has them, and resolves with true. */
async function register_recorder(t, name = "t") {
  const calls = [];
  await register(
    t,
    make_tool(name, {
      async execute(...args) {
        calls.push(args);
        return true;
      },
    }),
  );
  return calls;
}

/**
 * Registers a tool whose callback does not settle by itself. `started` is fulfilled with the signal of the callback;
 * `settle` resolves the callback's promise. For one execution only.
 */
async function register_pending(t, name = "t", options = {}) {
  const tool = {};
  tool.started = new Promise((started) => {
    tool.execute = (_input, { signal }) =>
      new Promise((settle) => {
        tool.settle = settle;
        started(signal);
      });
  });
  tool.controller = await register(t, make_tool(name, { execute: (...args) => tool.execute(...args) }), options);
  return tool;
}

/** Aborts the controller of a registration, and waits until this document has heard of it. */
async function unregister(controller) {
  const changed = next_event(document.modelContext, "toolchange");
  controller.abort();
  await changed;
}

/** A controller that is aborted when the test is over, for registrations whose signal is what the test is about. */
function controller_for(t) {
  const controller = new AbortController();
  t.add_cleanup(() => controller.abort());
  return controller;
}

/**
 * Waits for some round trips to whoever keeps the tools, after a document has come. In Chromium a modelContext that is first used
 * within milliseconds of its document's load is, once in a hundred times, never answered; what becomes of that is not what
 * the tests that use this are about.
 */
async function settle_documents() {
  for (let trips = 0; trips < 3; trips++) {
    await document.modelContext?.getTools().catch(() => {});
  }
}

/** The next load of a frame. */
async function load_of(frame) {
  await next_event(frame, "load");
  await settle_documents();
}

/** The next event of a type at a target. */
function next_event(target, type) {
  return nth_event(target, type, 1);
}

/**
 * Waits for a round trip of another document, after listeners were added there. A browser in which the news of changes comes from
 * another process has to be told first that somebody listens; what becomes of changes before that is not what the tests
 * that use this are about.
 */
async function settle_listeners(modelContext) {
  await modelContext.getTools();
}

/** Fulfilled by the n-th event of a type at a target from now on. */
function nth_event(target, type, n) {
  let resolve;
  const promise = new Promise((function_of_promise) => {
    resolve = function_of_promise;
  });
  // Not in the executor of the promise: where there is no target, this throws.
  target.addEventListener(type, function listener(event) {
    if (--n === 0) {
      target.removeEventListener(type, listener);
      resolve(event);
    }
  });
  return promise;
}

/** Records every event of a type at a target until the test is over. */
function record_events(t, target, type) {
  const events = [];
  const listener = (event) => events.push(event);
  target.addEventListener(type, listener);
  t.add_cleanup(() => target.removeEventListener(type, listener));
  return events;
}

/** The listed tool of a name; fails if it is not listed exactly once. */
async function get_tool(name, options = {}) {
  const found = (await document.modelContext.getTools(options)).filter((tool) => tool.name === name);
  assert_equals(found.length, 1, `tools with the name "${name}"`);
  return found[0];
}

/** The names of the listed tools. */
async function tool_names(options = {}) {
  return (await document.modelContext.getTools(options)).map((tool) => tool.name);
}

/** A dictionary that names a tool without listing it. */
function reference_to(name, members = {}) {
  return { name, description: "", origin: location.origin, window, ...members };
}

/** Fails unless the promise is rejected with a DOMException of that name, of this realm. */
async function assert_rejects(t, name, promise, description) {
  assert_true(promise instanceof Promise, "a promise is returned");
  await promise_rejects_dom(t, name, promise, description);
}

/**
 * Adds an iframe and waits until it has loaded. The frame goes away when the test is over.
 * `attributes` are those of the element; `pipe` is applied to the response.
 */
async function add_frame(t, { origin = location.origin, pipe, attributes = {} } = {}) {
  const frame = document.createElement("iframe");
  for (const [name, value] of Object.entries(attributes)) {
    frame.setAttribute(name, value);
  }
  frame.src = frame_url(origin, pipe);
  const loaded = load_of(frame);
  document.body.append(frame);
  t.add_cleanup(() => frame.remove());
  await loaded;
  return frame;
}

/**
 * Adds an iframe to the document of another window, which shows resources/frame.html and may be cross-origin, and waits until it
 * has loaded. Returns its window. It goes away with that document.
 */
async function add_frame_within(outer, { origin = location.origin, pipe, attributes = {} } = {}) {
  await remote(
    outer,
    async (url, attributes) => {
      const frame = document.createElement("iframe");
      for (const [name, value] of Object.entries(attributes)) {
        frame.setAttribute(name, value);
      }
      frame.src = url;
      await new Promise((resolve) => {
        frame.onload = resolve;
        document.documentElement.append(frame);
      });
    },
    frame_url(origin, pipe),
    attributes,
  );
  await settle_documents();
  return outer[outer.length - 1];
}

/** The names of the tools that another window lists. */
function remote_tool_names(target, options = {}) {
  return remote(
    target,
    async (options) => (await document.modelContext.getTools(options)).map((tool) => tool.name),
    options,
  );
}

/** Opens a popup and waits until it has loaded. It is closed when the test is over. */
async function open_popup(t, { origin = location.origin } = {}) {
  const popup = window.open(frame_url(origin));
  t.add_cleanup(() => popup.close());
  await new Promise((resolve) => {
    window.addEventListener("message", function listener({ source, data }) {
      if (source === popup && data === "loaded") {
        window.removeEventListener("message", listener);
        resolve();
      }
    });
  });
  await settle_documents();
  return popup;
}

/** The URL of the page that runs what remote() asks for. */
function frame_url(origin, pipe) {
  const url = new URL("/webmcp/resources/frame.html", origin);
  if (pipe !== undefined) {
    url.searchParams.set("pipe", pipe);
  }
  return url.href;
}

/**
 * Calls a function in another window, which shows resources/frame.html. The function must need nothing of this one but its
 * arguments. What it throws or rejects with becomes an error here, with the same name.
 */
async function remote(target, callback, ...args) {
  const channel = new MessageChannel();
  const answer = next_event(channel.port1, "message");
  channel.port1.start();
  target.postMessage({ source: String(callback), args }, "*", [channel.port2]);
  const { value, error } = (await answer).data;
  if (error !== undefined) {
    throw Object.assign(new Error(error.message), { name: error.name });
  }
  return value;
}

/**
 * Registers a tool in another window that shows resources/frame.html. It stays until that document goes away, or until
 * unregister_remotely() with the same key. Where this document is told of the change, this waits for that, too.
 */
function register_remotely(target, name, options = {}, key = name) {
  return and_hear_of_it(target, options, () =>
    remote(
      target,
      async (name, options, key) => {
        controllers[key] = new AbortController();
        await document.modelContext.registerTool(
          { name, description: `The tool ${name}`, execute: async (input) => ({ by: name, input }) },
          { ...options, signal: controllers[key].signal },
        );
      },
      name,
      options,
      key,
    ),
  );
}

/** Registers a tool in the document of a same-origin frame, until that goes away; waits until this document has heard of it. */
function register_in(frame, tool) {
  return and_hear_of_it(frame.contentWindow, {}, () => frame.contentDocument.modelContext.registerTool(tool));
}

/** Takes back what register_remotely() has registered; `options` are those that were given there. */
function unregister_remotely(target, key, options = {}) {
  return and_hear_of_it(target, options, () => remote(target, (key) => controllers[key].abort(), key));
}

/** Runs what changes a tool of another window, and waits for the event if this document may see the tool. */
async function and_hear_of_it(target, { exposedTo = [] }, change) {
  if (target.top !== window.top || !(exposedTo.includes(location.origin) || is_same_origin(target))) {
    return await change();
  }
  const changed = next_event(document.modelContext, "toolchange");
  await settle_listeners(document.modelContext);
  await change();
  await changed;
}

/**
 * Gets another window, which shows resources/frame.html, to listen for toolchange. Returns a function that waits for the next
 * one there.
 */
async function listen_remotely(target) {
  await remote(target, async () => {
    self.changed = new Promise((resolve) => {
      document.modelContext.addEventListener("toolchange", () => resolve(), { once: true });
    });
    // As settle_listeners() does.
    await document.modelContext.getTools();
  });
  return () => remote(target, () => changed);
}

/** Whether another window shows a document of the same origin. */
function is_same_origin(target) {
  try {
    return target.location.origin === location.origin;
  } catch {
    return false;
  }
}
