// The pages that no window has opened, as the window with Python knows them: by what they write into the storage of its origin
// (makeMailbox() in relay.js).
//
// There is no way to their windows. A stand-in for each has what the hub asks a window for: what is around it, and what is in it.
function makeMailroom(connect) {
  "use strict";

  const tabs = new Map();
  const ports = new Map();

  function standIn(outer) {
    const view = new Proxy(
      { __proto__: null, frames: [], closed: false },
      {
        get: (target, key) =>
          key === "length" ? target.frames.length : key in target ? target[key] : target.frames[key],
      },
    );
    view.parent = outer ?? view;
    view.top = outer?.top ?? view;
    return view;
  }

  function viewAt(tab, path) {
    if (!tabs.has(tab)) tabs.set(tab, standIn());
    let view = tabs.get(tab);
    for (const index of path) {
      while (view.length <= index) view.frames.push(standIn(view));
      view = view[index];
    }
    return view;
  }

  function open(id, { tab, info }) {
    const view = viewAt(tab, info.path);
    // A document that comes has no frames; one that comes back has those that it had.
    const frames = [];
    view.frames = frames;
    const port = {
      postMessage(text) {
        localStorage.setItem("modelcontext-to-pages", JSON.stringify([id, text]));
        localStorage.removeItem("modelcontext-to-pages");
      },
      onshow() {
        view.frames = frames;
      },
    };
    ports.set(id, port);
    connect(view, port, info);
  }

  addEventListener("storage", ({ key, newValue }) => {
    if (key !== "modelcontext-to-hub" || newValue === null) return;
    const [id, kind, content] = JSON.parse(newValue);
    if (kind === "open") open(id, content);
    else ports.get(id)?.onmessage({ data: content });
  });
  localStorage.setItem("modelcontext-hub", "");
}
