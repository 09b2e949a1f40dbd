// The tools of a document are listed in the order in which they were registered.
// Breaks: step 5

const order = shared("order", () => []);
after_registration(({ name }) => order.push([self, text_of(name)]));
const place = (tool) => order.findLastIndex(([target, name]) => target === tool.window && name === tool.name);
change_list((tools) => [...tools].sort((a, b) => place(a) - place(b)));
