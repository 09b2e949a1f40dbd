/** The states of a card. */
export type CallState = "running" | "waiting" | "approval" | "done" | "error" | "denied" | "limit";

export interface ToolDefinition {
  name: string;
  title?: string;
  description?: string;
  inputSchema?: unknown;
  annotations?: Record<string, boolean>;
  origin?: string;
  frame?: string;
  url?: string;
}

export interface UserItem {
  kind: "user";
  text: string;
}

export interface AnswerItem {
  kind: "answer";
  text: string;
  isStreaming: boolean;
}

/** A call of a tool, or of the advisor. Texts in it are the page's and the model's: nobody vouches for them. */
export interface CallItem {
  kind: "call";
  id: string;
  name: string;
  origin: string | null;
  frame: string | null;
  args: string;
  state: CallState;
  isStored: boolean;
  output?: unknown;
  createdAt: string | null;
  resultAt: string | null;
  tool?: ToolDefinition;
  digest?: string;
  reasons?: string[];
  /** Other origins, whose words the model may have put into the arguments. */
  flowsFrom?: string[];
  /** Names exactly the call that the card shows, so that no other one is approved. */
  approvalDigest?: string;
  /** True if the page says that the output has words of others. */
  isUntrusted?: boolean;
}

export interface AdvisorItem {
  kind: "advisor";
  id: string;
  question: string;
  state: CallState;
  isStored: boolean;
  advice?: string;
  error?: string;
  model?: string;
  remaining?: number;
  tokens?: number;
  createdAt: string;
  resultAt: string | null;
}

export interface RetryItem {
  kind: "retry";
  attempt: number;
  error: string;
  retryingAt: string;
  isOver: boolean;
}

export interface ErrorItem {
  kind: "error";
  title: string;
  /** The kind of the failure, as the server names it. */
  failure: string;
  message: string;
  detail: string;
}

/** A chat in the list of chats. */
export interface ListedChat {
  id: string;
  first_message: string;
  updated_at: string;
}

export interface NoteItem {
  kind: "note";
  text: string;
}

export type Item = UserItem | AnswerItem | CallItem | AdvisorItem | RetryItem | ErrorItem | NoteItem;

export interface State {
  status: string;
  items: Item[];
  queue: string[];
}

/** An event of the chat, as the server sends it. */
export interface ChatEvent {
  type: string;
  data: any;
  id: string;
}

export interface Change {
  /** Items whose cards are to be drawn anew. */
  changed: Item[];
  /** Words for people who do not see the page; the empty string for nothing. */
  said: string;
}

export interface Api {
  get(path: string): Promise<any>;
  post(path: string, body: unknown): Promise<any>;
  follow(
    path: string,
    onEvent: (event: ChatEvent) => void,
    onState: (isConnected: boolean, error?: unknown) => void,
  ): () => void;
}
