// Requests to the server, with the token. The token stays in this tab.

const KEY = "modelcontext-agent-token";
const LONGEST_PAUSE = 10_000;
const UNANSWERED =
  "The server does not answer. Is it still running? If it was started again, open the address that it prints. Its list of chats contains this chat.";

/** A request that the server refused; `status` is that of HTTP, or 0 if there was no answer. */
export class Refusal extends Error {
  /** @param {string} message @param {number} status */
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

export const token = {
  get: () => sessionStorage.getItem(KEY) ?? "",
  /** @param {string} value */
  set: (value) => sessionStorage.setItem(KEY, value),
};

/** @type {(path: string, options?: RequestInit) => Promise<Response>} */
async function ask(path, options = {}) {
  const headers = { Authorization: `Bearer ${token.get()}`, ...options.headers };
  let response;
  try {
    response = await fetch(path, { ...options, headers, cache: "no-store", credentials: "omit" });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new Refusal(UNANSWERED, 0);
  }
  if (response.ok) return response;
  const body = await response.json().catch(() => null);
  throw new Refusal(body?.error?.message ?? `The server answered ${response.status}.`, response.status);
}

/** @type {(response: Response) => Promise<any>} */
const json = async (response) => (response.status === 204 ? null : response.json());

/** @type {(stream: ReadableStream<Uint8Array<ArrayBuffer>>) => AsyncGenerator<import("./types.d.ts").ChatEvent>} */
async function* eventsOf(stream) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let event = { type: "message", data: "", id: "" };
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const [, name, text] = /^([^:]*)(?::\s?(.*))?$/s.exec(line.replace(/\r$/, "")) ?? [];
      if (name === "event") event.type = text ?? "";
      else if (name === "data") event.data += (event.data && "\n") + (text ?? "");
      else if (name === "id") event.id = text ?? "";
      else if (line.replace(/\r$/, "") === "" && event.data) {
        yield { ...event, data: JSON.parse(event.data) };
        event = { type: "message", data: "", id: "" };
      }
    }
  }
}

/** @type {import("./types.d.ts").Api} */
export const api = {
  get: async (path) => json(await ask(path)),

  post: async (path, body) =>
    json(
      await ask(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
    ),

  // Follows a chat's events, over interruptions of the network, until the function that it returns is called.
  follow(path, onEvent, onState) {
    const stopping = new AbortController();
    let last = "0";
    let pause = 500;
    const run = async () => {
      while (!stopping.signal.aborted) {
        let problem;
        try {
          const response = await ask(path, { headers: { "Last-Event-ID": last }, signal: stopping.signal });
          onState(true);
          pause = 500;
          if (!response.body) return;
          for await (const event of eventsOf(response.body)) {
            if (stopping.signal.aborted) return;
            onEvent(event);
            if (event.id) last = event.id;
          }
        } catch (error) {
          if (stopping.signal.aborted) return;
          if (error instanceof Refusal && error.status >= 400 && error.status < 500) throw error;
          // A stream that breaks is opened again at once; a server that cannot be asked is told of.
          if (error instanceof Refusal) problem = error;
        }
        onState(false, problem);
        pause = Math.min(pause * 2, LONGEST_PAUSE);
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    };
    run().catch((error) => onEvent({ type: "refused", data: error, id: "" }));
    return () => stopping.abort();
  },
};
