// The page side of the program language: runs one document's script and records entries.
//
// Every document of a program runs these modules, as the body of one function of its configuration (see render.py). The
// documents of one event loop share a "cell", found by walking same-origin windows, so that their entries have one order. The
// program's top document is also the coordinator: it starts the scripts, collects every entry at once (a frame may be removed
// right after recording one) and decides when the run is over.
import { coordinate } from "./coordinator.js";
import { makeFrame } from "./frames.js";
import { knowContext, receive } from "./messages.js";
import { post, send } from "./post.js";
import { later, listenTo } from "./pristine.js";
import { runScript } from "./steps.js";
import { cell, coordinatorWindow, isAway, me, specs } from "./windows.js";

const coordinator = window === coordinatorWindow && !isAway ? coordinate() : null;
if (coordinator) cell.coordinate = coordinator;

if (config.html !== undefined) {
  // A submission ends in its document, so that the run goes on.
  const policy = document.createElement("meta");
  policy.httpEquiv = "Content-Security-Policy";
  policy.content = "form-action 'none'";
  document.head.append(policy);
  document.write(config.html);
}

listenTo(window, "message", (event) => receive(event, coordinator));
listenTo(window, "load", () => {
  if (isAway || specs[me].later) knowContext();
  if (isAway) {
    later(() => runScript(0), 0);
    return;
  }
  send({ kind: "loaded", id: me });
  const { opener } = specs[me];
  if (opener) post(opener, { kind: "popupLoaded", id: me });
});

for (const spec of config.documents) if (spec.parent === me && !spec.later) makeFrame(spec.id);
