// What the tests of this folder share. Needs testharness.js.

/** A valid tool; `members` are added to it, or replace what is there. */
function make_tool(name = "t", members = {}) {
  return { name, description: `The tool ${name}`, execute: async () => null, ...members };
}

/** Takes a tool back when the test is over, if there still is (or, against all expectation, came to be) one of that name. */
function forget(t, name = "t", modelContext = navigator.modelContext) {
  // Where there is no API this throws, and not only what a test expects to throw a TypeError.
  const { unregisterTool } = modelContext;
  t.add_cleanup(() => {
    try {
      unregisterTool.call(modelContext, name);
    } catch {
      // There is none, which is how it should be now.
    }
  });
}

/** Registers a tool until the test is over. */
function register(t, tool = make_tool(), modelContext = navigator.modelContext) {
  forget(t, tool.name, modelContext);
  modelContext.registerTool(tool);
}

// No script can list tools. What there is shows in which calls throw: registering throws where there is a tool of that name,
// unregistering where there is none. Each of the two functions uses the call that is to succeed, so that a subtest about
// something else does not depend on how the other one fails.

/** Fails unless the name is free, as it is afterwards. */
function assert_free(name, modelContext = navigator.modelContext) {
  assert_equals(modelContext.registerTool(make_tool(name)), undefined, `"${name}" is free`);
  modelContext.unregisterTool(name);
}

/** Fails unless the name is taken; it is free afterwards. */
function assert_taken(name, modelContext = navigator.modelContext) {
  assert_equals(modelContext.unregisterTool(name), undefined, `"${name}" is taken`);
}

/** An object whose members tell when they are read; they are defined in the reverse of the given order. */
function watched(reads, members) {
  const object = {};
  for (const [name, value] of Object.entries(members).reverse()) {
    Object.defineProperty(object, name, {
      enumerable: true,
      get() {
        reads.push(name);
        return value;
      },
    });
  }
  return object;
}

/** The next event of a type at a target. */
function next_event(target, type) {
  return new Promise((resolve) => target.addEventListener(type, resolve, { once: true }));
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
  if (!("srcdoc" in attributes)) {
    frame.src = frame_url(origin, pipe);
  }
  const loaded = next_event(frame, "load");
  document.body.append(frame);
  t.add_cleanup(() => frame.remove());
  await loaded;
  return frame;
}

/** Opens a popup and waits until it has loaded. It is closed when the test is over. */
async function open_popup(t, origin = location.origin) {
  const popup = window.open(frame_url(origin));
  t.add_cleanup(() => popup.close());
  await has_loaded(popup);
  return popup;
}

/** Waits until a popup that shows resources/frame.html says that it has loaded. */
function has_loaded(popup) {
  return new Promise((resolve) => {
    addEventListener("message", function listener({ source, data }) {
      if (source === popup && data === "loaded") {
        removeEventListener("message", listener);
        resolve();
      }
    });
  });
}

/** The URL of the page that runs what remote() asks for. */
function frame_url(origin, pipe) {
  const url = new URL("/webmcp-2026-03/resources/frame.html", origin);
  if (pipe !== undefined) {
    url.searchParams.set("pipe", pipe);
  }
  return url.href;
}

/**
 * Calls a function in another window, which shows resources/frame.html. The function must need nothing of this one but its
 * arguments. What it throws becomes an error here, with the same name.
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
