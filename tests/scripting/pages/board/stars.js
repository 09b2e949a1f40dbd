export class Stars extends HTMLElement {
  static formAssociated = true;
  static observedAttributes = ["label"];
  #internals = this.attachInternals();
  #value = null;
  constructor() {
    super();
    const root = this.attachShadow({ mode: "closed" });
    root.innerHTML = "<span></span>";
    this.span = root.firstChild;
    this.value = 1;
  }
  attributeChangedCallback(_name, _old, label) {
    this.span.textContent = label;
  }
  get value() {
    return this.#value;
  }
  set value(value) {
    this.#value = value;
    const isTooMany = value > 5;
    this.#internals.setFormValue(`${value}`);
    this.#internals.setValidity(isTooMany ? { rangeOverflow: true } : {}, isTooMany ? "at most five" : "");
  }
  get valid() {
    return this.#internals.checkValidity();
  }
}
customElements.define("board-stars", Stars);
