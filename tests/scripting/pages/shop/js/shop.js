import format, { goods } from "./catalogue.js";

const list = document.querySelector("#goods");
const template = document.getElementById("row");
const cart = () => JSON.parse(localStorage.getItem("cart") ?? "{}");

for (const [id, { name, price }] of goods) {
  const row = template.content.cloneNode(true);
  row.querySelector("b").textContent = name;
  row.querySelector(".price").textContent = format(price * 100);
  row.firstElementChild.dataset.id = id;
  list.append(row);
}

function add(id, quantity) {
  if (!goods.has(id)) throw new RangeError(`there is no ${id}`);
  const items = { ...cart(), [id]: (cart()[id] ?? 0) + quantity };
  localStorage.setItem("cart", JSON.stringify(items));
  document.querySelector("#count").value = Object.values(items).reduce((one, other) => one + other, 0);
  list.querySelector(`li[data-id="${CSS.escape(id)}"]`).classList.add("in-cart");
}

list.addEventListener("click", ({ target }) => {
  const button = target.closest("button[data-action=add]");
  if (button) add(button.closest("li").dataset.id, 1);
});

const { modelContext } = document;
await modelContext.registerTool({
  name: "add_to_cart",
  description: "Adds goods to the cart",
  inputSchema: {
    type: "object",
    properties: { id: { enum: [...goods.keys()] }, quantity: { type: "integer", minimum: 1 } },
    required: ["id"],
  },
  execute({ id, quantity = 1 }) {
    add(id, quantity);
    return {
      inCart: document.querySelectorAll("#goods > li.in-cart").length,
      count: document.querySelector("#count").value,
    };
  },
});
await modelContext.registerTool({
  name: "press_all",
  description: "Presses the button of all goods that are not in the cart",
  execute() {
    for (const button of list.querySelectorAll("li:not(.in-cart) button")) button.click();
    return { cart: cart(), prices: Array.from(list.querySelectorAll(".price"), (one) => one.textContent) };
  },
});
