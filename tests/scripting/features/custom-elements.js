class Plain extends HTMLElement {}
threw(() => new Plain());
class X extends HTMLElement {
  static observedAttributes = ["a"];
  constructor() {
    super();
    log.push(["constructed", this.isConnected]);
  }
  connectedCallback() {
    log.push(["connected", this.getAttribute("a")]);
    this.innerHTML = "<b></b>";
  }
  disconnectedCallback() {
    log.push(["disconnected"]);
  }
  attributeChangedCallback(...values) {
    log.push(values);
  }
}
root.innerHTML = "<x-one a=1 b=2></x-one>";
const whenDefined = customElements.whenDefined("x-one");
customElements.define("x-one", X);
log.push([
  root.firstChild instanceof X,
  (await whenDefined) === X,
  customElements.get("x-one") === X,
  customElements.getName(X),
]);
root.firstChild.setAttribute("a", "3");
root.firstChild.setAttribute("b", "3");
root.firstChild.removeAttribute("a");
const made = document.createElement("x-one");
root.append(made);
log.push(["appended"]);
made.remove();
log.push(["removed"]);
root.append(new X());
root.insertAdjacentHTML("beforeend", "<div><x-one a=z></x-one></div>");
log.push([root.lastChild.firstChild.constructor.name, root.querySelectorAll("x-one > b").length]);
root.textContent = "";
for (const name of ["nodash", "X-y", "font-face", "x-one"])
  threw(() => customElements.define(name, class extends HTMLElement {}));
threw(() => customElements.define("x-two", X));
threw(() => customElements.define("x-two", {}));
customElements.define(
  "x-two",
  class extends HTMLElement {
    constructor() {
      super();
      this.attachShadow({ mode: "open" }).innerHTML = "<i></i>";
    }
  },
);
log.push([
  document.createElement("x-two").shadowRoot.firstChild.localName,
  new (customElements.get("x-two"))().localName,
]);
