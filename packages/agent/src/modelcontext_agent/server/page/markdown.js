// Texts in Markdown. The server turns them into HTML that has no links and no images; markup in a text stays text there.

import { api } from "./api.js";
import { make } from "./dom.js";

/** The HTML of each text that was shown: a card is drawn anew whenever something in it changes. @type {Map<string, string>} */
const known = new Map();

/** An element with a text as Markdown. It shows the text itself until the server has answered. @param {string} text */
export function markdown(text) {
  const element = make("div", { class: "text" }, text);
  const html = known.get(text);
  if (html !== undefined) show(element, html);
  else
    api.post("/markdown", { text }).then(
      (answer) => {
        known.set(text, answer.html);
        show(element, answer.html);
      },
      // The text itself is shown already.
      () => {},
    );
  return element;
}

/** @type {(element: HTMLElement, html: string) => void} */
function show(element, html) {
  element.className = "markdown";
  element.replaceChildren(...new DOMParser().parseFromString(html, "text/html").body.childNodes);
}
