// Messages through the server, for documents that cannot reach each other: queues with UUIDs.

const dispatcher_path = "/common/dispatcher/dispatcher.py";
// Milliseconds between two requests for a message that is not there yet.
const dispatcher_pause = 50;

/** Appends a message to a queue. */
async function send(uuid, message) {
  const response = await fetch(`${dispatcher_path}?uuid=${uuid}`, { method: "POST", body: message });
  if (!response.ok) {
    throw new Error(`The message was not taken: ${await response.text()}`);
  }
}

/** Takes the first message from a queue, and waits for one if necessary. */
async function receive(uuid) {
  for (;;) {
    const response = await fetch(`${dispatcher_path}?uuid=${uuid}`);
    const message = await response.text();
    if (!response.ok) {
      throw new Error(`There is no message: ${message}`);
    }
    if (message !== "not ready") {
      return message;
    }
    await new Promise((resolve) => {
      setTimeout(resolve, dispatcher_pause);
    });
  }
}

/** Returns the URL of a document, on an origin, that runs the functions of a RemoteContext with this UUID. */
function remote_executor_url(uuid, origin = location.origin) {
  return `${origin}/common/dispatcher/executor.html?uuid=${uuid}`;
}

/** A document that runs an Executor with this UUID. */
class RemoteContext {
  constructor(uuid) {
    this.context_id = uuid;
  }

  /** Runs a function there with arguments that are passed as JSON, and is fulfilled with its result, also as JSON. */
  async execute_script(fn, args = []) {
    const receiver = crypto.randomUUID();
    await send(this.context_id, JSON.stringify({ receiver, fn: fn.toString(), args }));
    const { status, value } = JSON.parse(await receive(receiver));
    if (status === "exception") {
      throw new Error(value);
    }
    return value;
  }
}

/** Runs the functions that are sent to a UUID, one after the other, as long as the document exists. */
class Executor {
  constructor(uuid) {
    this.uuid = uuid;
    this.run();
  }

  async run() {
    for (;;) {
      const { receiver, fn, args } = JSON.parse(await receive(this.uuid));
      let answer;
      try {
        // In parentheses the text of a function is an expression.
        // biome-ignore lint/security/noGlobalEval: the message is the text of a function
        answer = { status: "success", value: await globalThis.eval(`(${fn})`)(...args) };
      } catch (error) {
        answer = { status: "exception", value: String(error) };
      }
      await send(receiver, JSON.stringify(answer));
    }
  }
}
