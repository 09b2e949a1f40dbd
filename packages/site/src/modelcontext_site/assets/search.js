// The search: every word has to be in an entry; entries whose titles begin with the words come first.
const MOST = 50;
const box = /** @type {any} */ (document.getElementById("q"));
const found = /** @type {any} */ (document.getElementById("found"));
const count = /** @type {any} */ (document.getElementById("count"));

/** The address, the kind, the title and other words. @type {[string, string, string, string][]} */
const all = /** @type {any} */ (window).entries;
const texts = all.map(([, kind, title, more]) => [title.toLowerCase(), `${title} ${kind} ${more}`.toLowerCase()]);

/** @type {(index: number, words: string[], whole: string) => number} */
function score(index, words, whole) {
  const [title, text] = texts[index];
  if (!words.every((word) => text.includes(word))) return 0;
  if (title === whole) return 5;
  if (title.startsWith(whole)) return 4;
  if (words.every((word) => title.includes(word))) return all[index][1] === "Step" ? 2 : 3;
  return 1;
}

function show() {
  const whole = box.value.trim().toLowerCase();
  const words = whole.split(/\s+/).filter(Boolean);
  const scores = words.length ? all.map((_, index) => score(index, words, whole)) : [];
  const hits = [...scores.keys()].filter((index) => scores[index] > 0).sort((a, b) => scores[b] - scores[a] || a - b);
  found.replaceChildren(
    ...hits.slice(0, MOST).map((index) => {
      const [address, kind, title, more] = all[index];
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = address;
      link.textContent = title;
      const label = document.createElement("span");
      label.className = "mark notrun";
      label.textContent = kind;
      item.append(label, " ", link, more ? ` ${more}` : "");
      return item;
    }),
  );
  if (!words.length) count.textContent = "Type a word: a term, a step, a program, an error, an Issue.";
  else
    count.textContent =
      hits.length > MOST ? `${hits.length} found, of which ${MOST} are shown` : `${hits.length || "Nothing"} found`;
}

box.value = new URLSearchParams(location.search).get("q") ?? "";
box.addEventListener("input", show);
/** @type {any} */ (document.getElementById("search")).addEventListener("submit", (/** @type {any} */ event) => {
  event.preventDefault();
  found.querySelector("a")?.focus();
});
box.focus();
show();
