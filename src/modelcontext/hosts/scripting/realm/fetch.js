// fetch(), as far as tests read files: URLs, methods, texts and JSON.
import {
  createMember,
  decode,
  encode,
  hide,
  NativePromise,
  NativeTypeError,
  parse,
  python,
  realm,
  scope,
} from "./intrinsics.js";

/** @typedef {{ status: number, url: string, headers: Record<string, string>, text: string }} Answer */

/** @type {WeakMap<object, Answer>} */
const answers = new WeakMap();
const answerOf = (/** @type {object} */ response) => {
  const answer = answers.get(response);
  if (answer === undefined) throw new NativeTypeError("this is not a Response");
  return answer;
};

class Response {
  constructor() {
    throw new NativeTypeError("Response cannot be constructed here");
  }
  get status() {
    return answerOf(this).status;
  }
  get ok() {
    const { status } = answerOf(this);
    return status >= 200 && status <= 299;
  }
  get url() {
    return answerOf(this).url;
  }
  get headers() {
    const { headers } = answerOf(this);
    const get = (/** @type {unknown} */ name) =>
      Object.hasOwn(headers, `${name}`.toLowerCase()) ? headers[`${name}`.toLowerCase()] : null;
    return { get, has: (/** @type {unknown} */ name) => get(name) !== null };
  }
  async text() {
    return answerOf(this).text;
  }
  async json() {
    return parse(answerOf(this).text);
  }
}
hide(scope, "Response", Response);

createMember(scope, "fetch", function fetch(input, init) {
  return new NativePromise((resolve, reject) => {
    const method = `${init?.method ?? "GET"}`.toUpperCase();
    const body = init?.body === undefined || init.body === null ? "" : `${init.body}`;
    const arrive = (/** @type {Answer | null} */ answer) => {
      if (answer === null) {
        reject(new NativeTypeError("the resource could not be fetched"));
        return;
      }
      const response = { __proto__: Response.prototype };
      answers.set(response, answer);
      resolve(response);
    };
    decode(python("fetch", realm.id, `${input}`, method, body, encode(arrive)));
  });
});
