customElements.define(
  "form-stars",
  class extends HTMLElement {
    static formAssociated = true;
    #internals = this.attachInternals();
    set value(value) {
      this.#internals.setFormValue(value);
      this.#internals.setValidity(value === null ? { valueMissing: true } : {}, value === null ? "missing" : "");
    }
    get internals() {
      return this.#internals;
    }
  },
);
customElements.define("not-associated", class extends HTMLElement {});
root.innerHTML =
  "<form><label>L <form-stars name=stars></form-stars></label><form-stars></form-stars></form><not-associated></not-associated>";
const form = root.querySelector("form");
const [stars, nameless] = root.querySelectorAll("form-stars");
const entries = () => Array.from(new FormData(form), ([name, value]) => [name, value]);
log.push([form.elements.length, form.elements.stars === stars, stars.internals.form === form, entries()]);
stars.value = "3";
nameless.value = "4";
log.push([entries(), form.checkValidity(), stars.internals.checkValidity()]);
const many = new FormData();
many.append("a", "1");
many.append("b", "2");
nameless.value = many;
log.push([entries()]);
form.addEventListener("invalid", (event) => log.push(["invalid", event.target === stars]), true);
stars.value = null;
log.push([entries(), form.checkValidity(), stars.internals.checkValidity()]);
threw(() => stars.attachInternals());
threw(() => root.attachInternals());
threw(() => stars.internals.setValidity({ tooLong: true }));
const other = root.querySelector("not-associated").attachInternals();
threw(() => other.form);
threw(() => other.setFormValue("x"));
log.push([other.shadowRoot, stars.internals.shadowRoot]);
