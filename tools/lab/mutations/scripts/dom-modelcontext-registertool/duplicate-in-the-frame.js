// A name that is taken in another document of the same origin is taken here, too.
// Breaks: step 7
// Noticed by: register-tool.https.html

const taken = shared("taken", () => new Map());
replace_in_registration({
  name: (name) =>
    typeof name === "string" &&
    [...taken].some(([target, names]) => {
      return target !== self && !target.closed && windows_of_the_tab().includes(target) && names.has(name);
    })
      ? ""
      : name,
});
const names = new Set();
taken.set(self, names);
after_registration(({ name, signal }) => {
  names.add(text_of(name));
  signal?.addEventListener("abort", () => names.delete(text_of(name)));
});
