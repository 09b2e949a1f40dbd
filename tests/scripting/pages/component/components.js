const html = (strings, ...values) => {
  const template = document.createElement("template");
  template.innerHTML = String.raw(
    { raw: strings },
    ...values.map((one) => `${one}`.replaceAll("&", "&amp;").replaceAll('"', "&quot;")),
  );
  return document.importNode(template.content, true);
};

class LabelledField extends HTMLElement {
  connectedCallback() {
    const [name, label] = ["name", "label"].map((one) => this.getAttribute(one));
    this.replaceChildren(html`<label>${label} <input name="${name}"></label>`);
    this.input.required = this.hasAttribute("required");
  }
  get input() {
    return this.querySelector("input");
  }
}

class ToolForm extends HTMLElement {
  connectedCallback() {
    const form = document.createElement("form");
    form.setAttribute("toolname", this.getAttribute("tool"));
    form.setAttribute("tooldescription", this.getAttribute("about"));
    form.toggleAttribute("toolautosubmit", true);
    for (const field of document.querySelectorAll("labelled-field")) form.append(field);
    form.append(html`<labelled-field name="count" label="How many?"></labelled-field><button>Order</button>`);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const data = [...new FormData(form)];
      this.dispatchEvent(new CustomEvent("order", { bubbles: true, composed: true, detail: data }));
      if (event.agentInvoked)
        event.respondWith(
          Promise.resolve({ data, labels: [...form.elements.title.labels].map((one) => one.innerText.trim()) }),
        );
    });
    this.append(form);
  }
}
for (const [name, type] of Object.entries({ "labelled-field": LabelledField, "tool-form": ToolForm }))
  customElements.define(name, type);

let orders = 0;
document.body.addEventListener("order", ({ target, detail }) => {
  orders += target.matches("tool-form") ? detail.length : 0;
});
document.modelContext.registerTool({
  name: "orders",
  description: "Counts what was ordered",
  execute: () => ({ orders, fields: document.querySelectorAll("labelled-field input").length }),
});
