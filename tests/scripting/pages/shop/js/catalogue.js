export const goods = new Map([
  ["mug", { name: "Mug", price: 9.5 }],
  ["tea-pot", { name: "Tea pot", price: 24 }],
  ["spoon", { name: "Spoon", price: 3.25 }],
]);
export default (cents) => new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" }).format(cents / 100);
