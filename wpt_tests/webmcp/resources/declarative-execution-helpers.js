// What the tests of executing a form share. Needs testharness.js and helpers.js.

let forms = 0;

/**
 * Adds a form with that markup in it, until the test is over, and waits until it is a tool with a name of its own. The form submits itself
 * unless `attributes` say otherwise; an attribute that is null is left out. It has a button unless `button` is false. A submission is prevented,
 * and answered with "done" if it is the agent's, unless `answer` is false.
 */
async function add_form(t, markup, { attributes = {}, button = true, answer = true, parent = document.body } = {}) {
  const owner = parent.ownerDocument;
  const form = owner.createElement("form");
  const all = { toolname: `form-${++forms}`, tooldescription: "A form", toolautosubmit: "", ...attributes };
  for (const [name, value] of Object.entries(all)) {
    if (value !== null) {
      form.setAttribute(name, value);
    }
  }
  form.innerHTML = markup + (button ? "<button>Go</button>" : "");
  if (answer) {
    answer_with(form, "done");
  }
  t.add_cleanup(() => form.remove());
  parent.append(form);
  await form_is_listed(form);
  return form;
}

/** Adds a form whose submission is left to the user, as add_form() does. */
function add_waiting_form(t, markup, { attributes = {}, ...options } = {}) {
  return add_form(t, markup, { attributes: { toolautosubmit: null, ...attributes }, ...options });
}

/** Waits until the form is a tool; fails if it does not become one in many tasks. */
async function form_is_listed(form) {
  const { modelContext } = form.ownerDocument;
  const name = form.getAttribute("toolname");
  for (let rounds = 0; rounds < 100; rounds++) {
    await next_task();
    if ((await modelContext.getTools()).some((tool) => tool.name === name)) {
      return;
    }
  }
  assert_unreached(`the form ${name} is no tool`);
}

/** Prevents each submission of a form, and answers those of the agent. */
function answer_with(form, response) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (event.agentInvoked) {
      event.respondWith(Promise.resolve(response));
    }
  });
}

/** A tool dictionary for a form, be it listed or not. */
function reference_to_form(form) {
  return reference_to(form.getAttribute("toolname"), { window: form.ownerDocument.defaultView });
}

/** Calls the tool of a form. The promise is rejected by an assertion if it does not settle in many tasks. */
function execute_form(form, input = {}, options = {}) {
  return settles(document.modelContext.executeTool(reference_to_form(form), input, options));
}

/** Calls the tool of a form, which is to be refused with an UnknownError. */
function refuses(t, form, input) {
  return promise_rejects_dom(t, "UnknownError", execute_form(form, input));
}

/**
 * Calls the tool of a form that does not answer at once, and waits until toolactivated was fired for it and all that follows from it is done.
 * Fails if the call settles before that. Returns the promise of the call, in an object.
 */
async function start_form(form, input = {}, options = {}) {
  const { modelContext } = form.ownerDocument;
  const activated = next_event(modelContext, "toolactivated");
  const promise = document.modelContext.executeTool(reference_to_form(form), input, options);
  await settles(Promise.race([activated, promise.then(() => assert_unreached("the call is over already"))]));
  await next_task();
  return { promise };
}

/**
 * Adds a form that answers with a promise, calls its tool, and waits until the promise is all that is missing. `settle` resolves it,
 * `fail` rejects it.
 */
async function start_responding(t, { markup = '<input name="a">', options = {}, ...form_options } = {}) {
  const form = await add_form(t, markup, { answer: false, ...form_options });
  const call = { form };
  const response = new Promise((resolve, reject) => Object.assign(call, { settle: resolve, fail: reject }));
  // A test about something else does not end with its rejection.
  response.catch(() => {});
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (event.agentInvoked) {
      event.respondWith(response);
    }
  });
  return Object.assign(call, await start_form(form, { a: "x" }, options));
}

/** Waits for a task. */
async function next_task() {
  const { port1, port2 } = new MessageChannel();
  const arrived = next_event(port1, "message");
  port1.start();
  port2.postMessage(null);
  await arrived;
  port1.close();
}

/** Waits for some tasks, and as many round trips to whoever keeps the tools: what is on its way has arrived after that. */
async function some_tasks() {
  for (let rounds = 0; rounds < 10; rounds++) {
    await next_task();
    await document.modelContext.getTools();
  }
}

/** A promise that settles as that one does, and is rejected by an assertion if that does not happen in many tasks. */
async function settles(promise) {
  let pending = true;
  const end = () => {
    pending = false;
  };
  promise.then(end, end);
  for (let rounds = 0; pending && rounds < 100; rounds++) {
    await next_task();
    await document.modelContext.getTools();
  }
  assert_false(pending, "the promise is still pending");
  return promise;
}

/** Fails if the promise is settled, now or some tasks later. */
async function stays_pending(promise) {
  let state = "pending";
  promise.then(
    () => {
      state = "fulfilled";
    },
    () => {
      state = "rejected";
    },
  );
  await some_tasks();
  assert_equals(state, "pending", "the state of the promise");
}

/** The types of the events that are fired at a form and at its descendants from now on, as "type name", or "type" at the form. */
function record_types(form, types) {
  const log = [];
  for (const type of types) {
    form.addEventListener(
      type,
      ({ target }) => log.push(target === form ? type : `${type} ${target.name || target.localName}`),
      { capture: true },
    );
  }
  return log;
}

/** What the controls of a form have been set to. */
function state_of(form) {
  const state = [...form.elements].map((control) => {
    if (control.localName === "select") {
      return [...control.options].map((option) => option.selected);
    }
    return ["checkbox", "radio"].includes(control.type) ? control.checked : control.value;
  });
  return JSON.stringify(state);
}

/** Whether the form, and its button, match the pseudo-classes. */
function matches_active(form, button = form.querySelector("button")) {
  return [form.matches(":tool-form-active"), button.matches(":tool-submit-active")];
}

/** For each [value, expected], a subtest: the value is taken by the first control, whose value then is the expected one. */
function test_values_taken(what, markup, pairs) {
  for (const [value, expected = value] of pairs) {
    promise_test(
      async (t) => {
        const form = await add_form(t, markup);
        assert_equals(await execute_form(form, { a: value }), "done");
        assert_equals(form.elements.a.value, expected);
      },
      `${what} takes ${JSON.stringify(value)}${expected === value ? "" : `, as ${JSON.stringify(expected)}`}`,
    );
  }
}

/** For each value, a subtest: the call is refused, and the form is as it was. */
function test_values_refused(what, markup, values) {
  for (const value of values) {
    promise_test(
      async (t) => {
        const form = await add_form(t, markup);
        const before = state_of(form);
        await refuses(t, form, { a: value });
        assert_equals(state_of(form), before);
      },
      `${what} does not take ${JSON.stringify(value)}`,
    );
  }
}
