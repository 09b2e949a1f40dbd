// Texts and bytes: atob() and btoa() (https://html.spec.whatwg.org/#atob), TextEncoder and TextDecoder
// (https://encoding.spec.whatwg.org/#api), which knows UTF-8 only.
import { DOMException } from "./exceptions.js";
import { need } from "./interfaces.js";
import {
  createMember,
  defineProperty,
  errors,
  hide,
  NativeTypeError,
  python,
  realm,
  scope,
  toStringTag,
} from "./intrinsics.js";

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const { fromCharCode, fromCodePoint } = String;

createMember(scope, "btoa", function btoa(data) {
  need(arguments, 1, "btoa");
  const text = `${data}`;
  let encoded = "";
  for (let index = 0; index < text.length; index += 3) {
    const units = [0, 1, 2].map((offset) => text.charCodeAt(index + offset));
    if (units.some((unit) => unit > 0xff)) {
      throw new DOMException("btoa() encodes only characters up to U+00FF", "InvalidCharacterError");
    }
    const bits = (units[0] << 16) | ((units[1] || 0) << 8) | (units[2] || 0);
    encoded += LETTERS[bits >> 18] + LETTERS[(bits >> 12) & 63];
    encoded += Number.isNaN(units[1]) ? "=" : LETTERS[(bits >> 6) & 63];
    encoded += Number.isNaN(units[2]) ? "=" : LETTERS[bits & 63];
  }
  return encoded;
});

createMember(scope, "atob", function atob(data) {
  need(arguments, 1, "atob");
  // https://infra.spec.whatwg.org/#forgiving-base64-decode
  let text = `${data}`.replace(/[\t\n\f\r ]/g, "");
  if (text.length % 4 === 0) text = text.replace(/==?$/, "");
  if (text.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(text)) {
    throw new DOMException("the text is not encoded in Base64", "InvalidCharacterError");
  }
  let decoded = "";
  let bits = 0;
  for (let index = 0; index < text.length; index++) {
    bits = ((bits << 6) | LETTERS.indexOf(text[index])) & 0xffffff;
    if (index % 4 !== 0) decoded += fromCharCode((bits >> (6 - 2 * (index % 4))) & 0xff);
  }
  return decoded;
});

/** The bytes of a code point in UTF-8. @type {(point: number) => number[]} */
function bytesOf(point) {
  if (point < 0x80) return [point];
  const last = 0x80 | (point & 63);
  if (point < 0x800) return [0xc0 | (point >> 6), last];
  const middle = 0x80 | ((point >> 6) & 63);
  if (point < 0x10000) return [0xe0 | (point >> 12), middle, last];
  return [0xf0 | (point >> 18), 0x80 | ((point >> 12) & 63), middle, last];
}

class TextEncoder {
  get encoding() {
    return "utf-8";
  }
  encode(input = "") {
    return new Uint8Array(
      Array.from(`${input}`.toWellFormed(), (character) =>
        bytesOf(/** @type {number} */ (character.codePointAt(0))),
      ).flat(),
    );
  }
  encodeInto(/** @type {string} */ source, /** @type {Uint8Array} */ destination) {
    let read = 0;
    let written = 0;
    for (const character of `${source}`.toWellFormed()) {
      const bytes = bytesOf(/** @type {number} */ (character.codePointAt(0)));
      if (written + bytes.length > destination.length) break;
      destination.set(bytes, written);
      read += character.length;
      written += bytes.length;
    }
    return { read, written };
  }
}

/**
 * https://encoding.spec.whatwg.org/#utf-8-decoder: the text of bytes, with what is left of them.
 * @type {(bytes: ArrayLike<number>, isLast: boolean, isFatal: boolean) => [text: string, rest: number[]]}
 */
function decodeUTF8(bytes, isLast, isFatal) {
  let text = "";
  let [point, needed, start, lower, upper] = [0, 0, 0, 0x80, 0xbf];
  const bad = () => {
    if (isFatal) throw new errors.TypeError("the bytes are not encoded in UTF-8");
    text += "\ufffd";
    needed = 0;
  };
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index];
    if (needed > 0) {
      if (byte < lower || byte > upper) {
        bad();
        index -= 1;
      } else {
        point = (point << 6) | (byte & 63);
        needed -= 1;
        if (needed === 0) text += fromCodePoint(point);
      }
      [lower, upper] = [0x80, 0xbf];
    } else if (byte < 0x80) text += fromCharCode(byte);
    else if (byte < 0xc2 || byte > 0xf4) bad();
    else {
      start = index;
      needed = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
      point = byte & (0x3f >> needed);
      if (byte === 0xe0) lower = 0xa0;
      if (byte === 0xed) upper = 0x9f;
      if (byte === 0xf0) lower = 0x90;
      if (byte === 0xf4) upper = 0x8f;
    }
  }
  if (needed > 0 && !isLast) return [text, Array.from(bytes).slice(start)];
  if (needed > 0) bad();
  return [text, []];
}

class TextDecoder {
  /** @type {number[]} */
  #rest = [];
  #isAtStart = true;
  constructor(label = "utf-8", /** @type {{ fatal?: unknown, ignoreBOM?: unknown }} */ options = {}) {
    if (!/^\s*(unicode-1-1-|x-unicode20)?utf-?8\s*$/i.test(`${label}`)) {
      python("missing", realm.id, `TextDecoder for ${label}`);
      throw new errors.RangeError(`the encoding ${label} is not known here`);
    }
    hide(this, "fatal", !!options.fatal);
    hide(this, "ignoreBOM", !!options.ignoreBOM);
  }
  get encoding() {
    return "utf-8";
  }
  decode(
    /** @type {ArrayBuffer | ArrayBufferView | undefined} */ input = undefined,
    /** @type {any} */ { stream = false } = {},
  ) {
    const { fatal, ignoreBOM } = /** @type {any} */ (this);
    const isView = ArrayBuffer.isView(input);
    if (input !== undefined && !isView && !(input instanceof ArrayBuffer)) {
      throw new NativeTypeError("the value must be a buffer or a view of one");
    }
    const given = isView
      ? new Uint8Array(input.buffer, input.byteOffset, input.byteLength)
      : new Uint8Array(input ?? new ArrayBuffer(0));
    let [text, rest] = decodeUTF8([...this.#rest, ...given], !stream, fatal);
    this.#rest = rest;
    if (this.#isAtStart && !ignoreBOM) text = text.replace(/^\ufeff/, "");
    this.#isAtStart = !stream || (this.#isAtStart && text === "");
    return text;
  }
}

for (const [name, type] of Object.entries({ TextDecoder, TextEncoder })) {
  defineProperty(type.prototype, toStringTag, { value: name, configurable: true });
  hide(scope, name, type);
}
