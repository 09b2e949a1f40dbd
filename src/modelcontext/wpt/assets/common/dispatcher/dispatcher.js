// Messages between documents that cannot reach each other, through the server: queues that are known by a UUID.

const dispatcher_path = "/common/dispatcher/dispatcher.py";
// The server hands out what is there; until something is, it has to be asked again.
const dispatcher_pause = 50;

/** Appends a message to a queue. */
async function send(uuid, message) {
  const response = await fetch(`${dispatcher_path}?uuid=${uuid}`, { method: "POST", body: message });
  if (!response.ok) {
    throw new Error(`The message was not taken: ${await response.text()}`);
  }
}

/** Takes the first message from a queue, as soon as there is one. */
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

/** The URL of a document on another origin that runs what a RemoteContext with this UUID sends it. */
function remote_executor_url(uuid, origin = location.origin) {
  return `${origin}/common/dispatcher/executor.html?uuid=${uuid}`;
}

/** A document that runs an Executor with this UUID. */
class RemoteContext {
  constructor(uuid) {
    this.context_id = uuid;
  }

  /** Runs a function there with these arguments, which are passed as JSON, and is fulfilled with its result as JSON has it. */
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

/** Runs what is sent to a UUID, one after the other, for as long as the document is there. */
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
        // A function may be written as a method or as an arrow: in parentheses both are expressions.
        // biome-ignore lint/security/noGlobalEval: what is sent here is the text of a function
        answer = { status: "success", value: await globalThis.eval(`(${fn})`)(...args) };
      } catch (error) {
        answer = { status: "exception", value: String(error) };
      }
      await send(receiver, JSON.stringify(answer));
    }
  }
}
