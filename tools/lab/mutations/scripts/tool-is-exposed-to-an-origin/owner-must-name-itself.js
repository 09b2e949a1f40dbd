// A tool that is exposed to other origins is hidden from its own one, unless that is named as well.
// Breaks: step 1
// Noticed by: exposure-own-origin.https.html

const hidden = shared("hidden", () => []);
after_registration(({ name, exposedTo }) => {
  const index = hidden.findIndex(([target, other]) => target === self && other === text_of(name));
  if (index >= 0) {
    hidden.splice(index, 1);
  }
  if (exposedTo?.length > 0 && !exposedTo.some((text) => URLS.parse(text)?.origin === location.origin)) {
    hidden.push([self, text_of(name)]);
  }
});
change_list((tools) =>
  tools.filter((tool) => !hidden.some(([target, name]) => target === tool.window && name === tool.name)),
);
