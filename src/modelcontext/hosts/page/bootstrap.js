// Starts Python once, and serves from here the windows that this one opens.
import { formVerbs } from "./hub/controls.js";
import { connect } from "./hub/elsewhere.js";
import { startForms } from "./hub/forms.js";
import { hub } from "./hub/hub.js";
import { openMailroom } from "./hub/mailroom.js";
import { start as enterPython } from "./hub/python.js";
import { verbs } from "./hub/verbs.js";
import { startPython } from "./start-python.js";

const folder = new URL(".", import.meta.url);

async function text(/** @type {string} */ name) {
  const response = await fetch(new URL(name, folder));
  if (!response.ok) throw new Error(`${name} cannot be loaded: ${response.status}`);
  return response.text();
}

function fault(/** @type {string} */ message) {
  window.modelcontextFaults.push(message);
  window.modelcontextFault?.(message);
}

async function start() {
  const [python, shapes, revision] = await Promise.all([
    startPython("modelcontext.zip"),
    text("shapes.json"),
    text("revision.txt"),
  ]);
  const host = python.pyimport("modelcontext.hosts.page.entry").start(verbs, formVerbs, revision, shapes);
  const { call, get, run, drop, advance, abort, forget, settled, unload } = host;
  enterPython({ call, get, run, drop, advance, abort, forget, settled, unload }, fault);
  const { changed, tree_changed, begin_submission, respond, submitted, submit_method, interrupted, forget_form } =
    host.forms;
  startForms({
    changed,
    tree_changed,
    begin_submission,
    respond,
    submitted,
    submit_method,
    interrupted,
    forget_form,
  });
  window[Symbol.for("modelcontext.hub")] = hub;
  if (window === window.top) openMailroom();
  addEventListener("message", ({ data, source, ports: [port] }) => {
    // Other messages are not for this script: testharness.js sends its results to every opener.
    if (typeof data === "string" && data.startsWith('{"modelcontext":')) {
      connect(/** @type {Window} */ (source), port, JSON.parse(data).modelcontext);
    }
  });
}

window.modelcontextFaults = [];
window.modelcontextReady = start();
