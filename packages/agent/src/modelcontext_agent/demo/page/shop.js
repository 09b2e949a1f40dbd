// The shop's tools. `open_basket` registers another one; `place_order` has a consequence.
const TEAS = [
  { name: "Sencha", kind: "green", price: 9 },
  { name: "Gunpowder", kind: "green", price: 6 },
  { name: "Assam", kind: "black", price: 7 },
  { name: "Rooibos", kind: "herbal", price: 5 },
];

/** @type {{ name: string, amount: number }[]} */
const basket = [];
const [list, state] = ["basket", "state"].map((id) => /** @type {HTMLElement} */ (document.getElementById(id)));
const { modelContext } = /** @type {any} */ (document);

const string = { type: "string" };
const tools = {
  search_teas: {
    title: "Search teas",
    description: "Searches the shop for teas. Without a kind, all teas are found. Prices are in euros for 100 grams.",
    inputSchema: { type: "object", properties: { kind: { ...string, enum: ["green", "black", "herbal"] } } },
    annotations: { readOnlyHint: true },
    execute: ({ kind = "" }) => ({ teas: TEAS.filter((tea) => !kind || tea.kind === kind) }),
  },
  open_basket: {
    title: "Open a basket",
    description: "Opens a basket. Afterwards there is a tool that adds teas to it.",
    inputSchema: { type: "object", properties: {} },
    async execute() {
      if (!open) await register("add_to_basket", addToBasket);
      open = true;
      return { basket };
    },
  },
  place_order: {
    title: "Place the order",
    description: "Orders what is in the basket, and pays for it.",
    inputSchema: { type: "object", properties: {} },
    annotations: { consequentialHint: true },
    execute() {
      if (basket.length === 0) throw new Error("the basket is empty");
      state.textContent = `Ordered: ${basket.map(({ name, amount }) => `${amount} × ${name}`).join(", ")}.`;
      return { parcel: "P-1001", ordered: basket.splice(0) };
    },
  },
};

const addToBasket = {
  title: "Add to the basket",
  description: "Adds portions of 100 grams of a tea to the basket.",
  inputSchema: {
    type: "object",
    properties: { name: string, amount: { type: "integer", minimum: 1, maximum: 10 } },
    required: ["name"],
  },
  execute({ name = "", amount = 1 }) {
    const tea = TEAS.find((tea) => tea.name.toLowerCase() === String(name).toLowerCase());
    if (!tea) throw new Error(`there is no tea “${name}”`);
    basket.push({ name: tea.name, amount });
    const item = document.createElement("li");
    item.textContent = `${amount} × ${tea.name}`;
    list.append(item);
    return { basket };
  },
};

let open = false;

/** @type {(name: string, tool: object) => Promise<void>} */
const register = (name, tool) => modelContext.registerTool({ name, ...tool });

for (const [name, tool] of Object.entries(tools)) await register(name, tool);

// The parcel service is another site of the same server.
const frame = /** @type {HTMLIFrameElement} */ (document.getElementById("parcels"));
frame.src = new URL("parcels.html", location.href.replace("//a.", "//b.")).href;
