// The chat as its events tell it. The page is drawn from this, so a page that is loaded anew shows the same.

/** @typedef {import("./types.d.ts").State} State */
/** @typedef {import("./types.d.ts").Item} Item */
/** @typedef {import("./types.d.ts").Change} Change */
/** @typedef {import("./types.d.ts").ChatEvent} ChatEvent */
/** @typedef {import("./types.d.ts").CallItem} CallItem */
/** @typedef {import("./types.d.ts").AdvisorItem} AdvisorItem */

const ADVISOR = "advisor";

/** @returns {State} */
export const newState = () => ({ status: "waiting", items: [], queue: [] });

/** True while a turn is under way. @type {(state: State) => boolean} */
export const isBusy = (state) => !["waiting", "error"].includes(state.status);

/** Calls that wait for a person. @type {(state: State) => CallItem[]} */
export const approvals = (state) =>
  state.items.filter((item) => item.kind === "call").filter((call) => call.state === "approval");

/** Takes an event in. @type {(state: State, event: ChatEvent) => Change} */
export function take(state, event) {
  const change = /** @type {Change} */ ({ changed: [], said: "" });
  const handler = /** @type {Record<string, (state: State, data: any, change: Change) => void>} */ (handlers)[
    event.type
  ];
  if (Object.hasOwn(handlers, event.type)) handler(state, event.data, change);
  return change;
}

const handlers = {
  /** @type {(state: State, data: any, change: Change) => void} */
  status(state, data, change) {
    state.status = data.status;
    if (data.reason === "lease_expired") dropUnstored(state);
    endRetry(state, change);
  },

  /** @type {(state: State, data: any, change: Change) => void} */
  message(state, data, change) {
    if (data.role === "user") {
      if (isBusy(state)) state.queue.push(data.text);
      else add(state, change, { kind: "user", text: data.text });
      return;
    }
    const answer = streaming(state);
    if (answer) {
      answer.text = data.text;
      answer.isStreaming = false;
      change.changed.push(answer);
    } else if (data.text) {
      // It stands before its calls.
      const index = state.items.findIndex((item) => "isStored" in item && !item.isStored);
      const item = /** @type {Item} */ ({ kind: "answer", text: data.text, isStreaming: false });
      state.items.splice(index < 0 ? state.items.length : index, 0, item);
      change.changed.push(item);
    }
    for (const item of state.items) if ("isStored" in item) item.isStored = true;
    if (data.text) change.said = `The model: ${data.text}`;
  },

  /** @type {(state: State, data: any, change: Change) => void} */
  text_delta(state, data, change) {
    endRetry(state, change);
    const answer = streaming(state);
    if (answer) {
      answer.text += data.text;
      change.changed.push(answer);
    } else add(state, change, { kind: "answer", text: data.text, isStreaming: true });
  },

  /** @type {(state: State, data: any, change: Change) => void} */
  tool_call(state, data, change) {
    endRetry(state, change);
    const common = { id: data.tool_call_id, state: /** @type {const} */ ("running"), isStored: false, resultAt: null };
    if (data.tool_name === ADVISOR && data.origin === null) {
      const question = String(parsed(data.args)?.question ?? "");
      add(state, change, { ...common, kind: "advisor", question, createdAt: data.created_at });
    } else {
      const { origin, frame, args } = data;
      const name = data.tool_name;
      add(state, change, { ...common, kind: "call", name, origin, frame, args, createdAt: data.created_at });
    }
  },

  /** @type {(state: State, data: any, change: Change) => void} */
  action_required(state, data, change) {
    for (const told of data.tool_calls) {
      const call = called(state, told.tool_call_id);
      if (call?.kind !== "call") continue;
      call.state = "waiting";
      call.digest = told.binding?.digest;
      call.flowsFrom = told.flows_from ?? [];
      change.changed.push(call);
    }
    change.said = "Waiting for the page.";
  },

  /** @type {(state: State, data: any, change: Change) => void} */
  approval_required(state, data, change) {
    for (const told of data.tool_calls) {
      const call = called(state, told.tool_call_id);
      if (call?.kind !== "call") continue;
      call.state = "approval";
      call.tool = told.tool;
      call.digest = told.binding?.digest;
      call.reasons = told.ask_reasons ?? [];
      call.flowsFrom = told.flows_from ?? [];
      call.approvalDigest = told.approval?.digest;
      change.changed.push(call);
      change.said = `The call of ${call.name} needs your approval.`;
    }
  },

  /** @type {(state: State, data: any, change: Change) => void} */
  approval(state, data, change) {
    const call = called(state, data.tool_call_id);
    if (call?.kind !== "call") return;
    call.state = data.decision === "deny" ? "denied" : "running";
    change.changed.push(call);
  },

  /** @type {(state: State, data: any, change: Change) => void} */
  tool_result(state, data, change) {
    const call = called(state, data.tool_call_id);
    if (!call) return;
    call.resultAt = data.created_at;
    if (call.kind === "advisor")
      takeAdvice(
        call,
        typeof data.output === "string" && data.is_error ? { type: "error", error: data.output } : data.output,
      );
    else {
      call.output = data.output;
      call.isUntrusted = data.untrusted_content === true;
      if (call.state !== "denied") call.state = data.is_error ? "error" : "done";
      change.said = `${call.name}: ${call.state}.`;
    }
    change.changed.push(call);
  },

  /** @type {(state: State, data: any, change: Change) => void} */
  advisor(state, data, change) {
    const item = state.items.findLast((item) => item.kind === "advisor");
    if (!item) return;
    takeAdvice(item, data);
    change.changed.push(item);
    change.said = "The advisor has answered.";
  },

  /** @type {(state: State, data: any, change: Change) => void} */
  retry(state, data, change) {
    dropUnstored(state);
    endRetry(state, change);
    const { attempt, error } = data;
    add(state, change, { kind: "retry", attempt, error, retryingAt: data.retrying_at, isOver: false });
    change.said = `${error} The step is tried again.`;
  },

  /** @type {(state: State, data: any, change: Change) => void} */
  error(state, data, change) {
    dropUnstored(state);
    add(state, change, {
      kind: "error",
      title: data.title ?? "Failed",
      failure: data.kind ?? "",
      message: data.message,
      detail: data.detail ?? "",
    });
    change.said = data.message;
  },

  /** @type {(state: State, data: any, change: Change) => void} */
  done(state, data, change) {
    dropUnstored(state);
    endRetry(state, change);
    if (data.interrupted) {
      add(state, change, { kind: "note", text: "The turn was stopped." });
      change.said = "The turn was stopped.";
    }
    for (const text of state.queue.splice(0)) add(state, change, { kind: "user", text });
  },
};

/** @type {(state: State, change: Change, item: Item) => void} */
function add(state, change, item) {
  state.items.push(item);
  change.changed.push(item);
}

/** The answer that streams now. @param {State} state */
function streaming(state) {
  const answer = state.items.findLast((item) => item.kind === "answer");
  return answer?.isStreaming ? answer : undefined;
}

/** The latest call of an id; a provider may use an id again. @type {(state: State, id: string) => CallItem | AdvisorItem | undefined} */
const called = (state, id) =>
  /** @type {any} */ (
    state.items.findLast((item) => (item.kind === "call" || item.kind === "advisor") && item.id === id)
  );

/** Forgets what a step brought that was thrown away. @param {State} state */
function dropUnstored(state) {
  state.items = state.items.filter((item) => {
    if (item.kind === "answer") return !item.isStreaming;
    return !("isStored" in item) || item.isStored;
  });
}

/** @type {(state: State, change: Change) => void} */
function endRetry(state, change) {
  for (const item of state.items) {
    if (item.kind !== "retry" || item.isOver || state.status === "pending") continue;
    item.isOver = true;
    change.changed.push(item);
  }
}

/** @type {(item: AdvisorItem, data: any) => void} */
function takeAdvice(item, data) {
  const told = data && typeof data === "object" ? data : { type: "advice", advice: words(data) };
  item.state = told.type === "limit_reached" ? "limit" : told.type === "error" ? "error" : "done";
  item.advice = told.advice ?? item.advice;
  item.error = told.error ?? item.error;
  item.model = told.advisor_model ?? item.model;
  item.remaining = told.remaining_uses ?? item.remaining;
  const used = told.usage ? told.usage.input_tokens + told.usage.output_tokens : 0;
  item.tokens = used || item.tokens;
}

/** A value in words. @type {(value: unknown) => string} */
export const words = (value) => (typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "null"));

/** The value of a JSON text, or undefined. @type {(text: string) => any} */
export function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
