// What the tests of forms that are tools share. Needs testharness.js and helpers.js.

/** A form that is a tool once it is inserted; `attributes` are added to its own or replace them, and null takes one away. */
function make_form(controls = "", attributes = {}, owner = document) {
  const form = owner.createElement("form");
  form.innerHTML = controls;
  for (const [name, value] of Object.entries({ toolname: "t", tooldescription: "d", ...attributes })) {
    if (value !== null) {
      form.setAttribute(name, value);
    }
  }
  return form;
}

/** Fulfilled in a task of its own. */
function next_task() {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = resolve;
    port2.postMessage(null);
  });
}

/** Lets pending updates, and the news of them, come: some tasks, and as many round trips to whoever keeps the tools. */
async function settle_changes(trips = 4) {
  for (let trip = 0; trip < trips; trip++) {
    await next_task();
    await document.modelContext?.getTools().catch(() => {});
  }
}

/** Waits until a condition holds. Gives up in the end, so that what never comes fails an assertion and does not time out. */
async function until(condition) {
  for (let trip = 0; trip < 60 && !(await condition()); trip++) {
    await settle_changes(1);
  }
}

/** Waits until a tool of a name is listed, which must be so in the end. */
async function listed(name) {
  await until(async () => (await tool_names()).includes(name));
  return await get_tool(name);
}

/** Takes a node away, and waits for the event that it may lead to, so that no test sees an event of the test before it. */
async function take_away(node) {
  node.remove();
  await settle_changes();
}

/** Inserts a form, or what contains it, until the test is over; fails unless its tool is listed, and the change was heard of. */
async function insert_form(t, node, name = "t", parent = document.body) {
  const events = record_events(t, document.modelContext, "toolchange");
  parent.append(node);
  t.add_cleanup(() => take_away(node));
  await until(() => events.length > 0);
  const tool = await listed(name);
  await settle_changes(1);
  return tool;
}

/** Inserts a form that is a tool, with some controls, until the test is over. */
async function add_form(t, controls = "", attributes = {}) {
  const form = make_form(controls, attributes);
  await insert_form(t, form, form.getAttribute("toolname"));
  return form;
}

/** The schema of a form with some controls; `around` is markup to put the form into, at its element `main`. */
async function schema_of(t, controls, { around = "<main></main>", attributes = {} } = {}) {
  const box = document.createElement("div");
  box.innerHTML = around;
  box.querySelector("main").replaceWith(make_form(controls, attributes));
  const { inputSchema } = await insert_form(t, box, attributes.toolname);
  return inputSchema;
}

/** A subtest: a form with these controls has these properties, with their members in that order, and these are required. */
function schema_test(controls, properties, title, { required = [], around } = {}) {
  promise_test(async (t) => {
    const schema = await schema_of(t, controls, { around });
    assert_equals(JSON.stringify(schema), JSON.stringify({ type: "object", properties, required }));
  }, title);
}

/** A subtest: the parameter "a" of a form with these controls has this schema; undefined if there is none. */
function parameter_test(controls, expected, title, { around } = {}) {
  promise_test(async (t) => {
    const { properties } = await schema_of(t, controls, { around });
    assert_equals(JSON.stringify(properties.a), JSON.stringify(expected));
  }, title);
}

/** A subtest: the parameter "a" has this description; undefined if it has none. */
function description_test(controls, expected, title, { around } = {}) {
  promise_test(async (t) => {
    const { properties } = await schema_of(t, controls, { around });
    assert_true("a" in properties, "there is a parameter");
    assert_equals(properties.a.description, expected);
  }, title);
}

/** The schema of one of some values; a title is given as [value, title]. */
function one_of(...values) {
  const pairs = values.map((value) => (Array.isArray(value) ? value : [value]));
  return {
    type: "string",
    anyOf: pairs.map(([value, title]) => ({ type: "string", const: value, ...(title === undefined ? {} : { title }) })),
    enum: pairs.map(([value]) => value),
  };
}

/** The schema of some of some values. */
function some_of(...values) {
  return { type: "array", items: one_of(...values), uniqueItems: true };
}

/**
 * The names that are listed after something was inserted. A form that is a tool in any case is inserted after it, and waited for.
 */
async function names_after(t, insert) {
  await insert();
  await add_form(t, "", { toolname: "marker" });
  await settle_changes();
  const names = await tool_names();
  assert_true(names.includes("marker"));
  return names.filter((name) => name !== "marker");
}

/** Fails unless a change leads to that many events of type toolchange at this document. */
async function assert_changes(t, expected, change) {
  const events = record_events(t, document.modelContext, "toolchange");
  await change();
  await until(() => events.length >= expected);
  await settle_changes();
  assert_equals(events.length, expected, "events of type toolchange");
}

/** A subtest: what a script does with a form in one task leads to that many events of type toolchange. */
function changes_test(controls, change, expected, title) {
  promise_test(async (t) => {
    const form = await add_form(t, controls);
    await assert_changes(t, expected, () => change(form, form.elements[0]));
  }, title);
}

/** The controls of a form that has been changed, as the properties of the schema that is listed then. */
async function properties_after(change) {
  await change();
  await settle_changes();
  return (await get_tool("t")).inputSchema.properties;
}

/** Inserts a form that is a tool in another window, which shows resources/frame.html, and lists the tools there until it is one. */
async function add_form_remotely(target, name = "t", controls = "<input name=a>") {
  return await remote(
    target,
    async (name, controls) => {
      const form = document.createElement("form");
      form.innerHTML = controls;
      form.setAttribute("toolname", name);
      form.setAttribute("tooldescription", "d");
      document.documentElement.append(form);
      let names = [];
      for (let trip = 0; trip < 60 && !names.includes(name); trip++) {
        const { port1, port2 } = new MessageChannel();
        await new Promise((resolve) => {
          port1.onmessage = resolve;
          port2.postMessage(null);
        });
        names = await document.modelContext.getTools().then(
          (tools) => tools.map((tool) => tool.name),
          () => [],
        );
      }
      return names;
    },
    name,
    controls,
  );
}
