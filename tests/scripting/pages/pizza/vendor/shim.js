import { note, notes as registered } from "log";

export { registered };

const native = document.modelContext ?? navigator.modelContext;
const wrapped = new Proxy(native, {
  get(target, key) {
    const value = Reflect.get(target, key, target);
    if (typeof value !== "function") return value;
    return (...values) => {
      note(`${key} ${values[0]?.name}`);
      return value.apply(target, values);
    };
  },
});
export const ready = new Promise((resolve) => queueMicrotask(() => resolve(wrapped)));
