// The protocol between pages and Python: the data of values, and the messages. The table in __init__.py has the meaning of each
// message; tests/page/test_protocol.py compares the two, and verbs.py and page_host.py.

/** A value of a page, as Python knows it: a number from the window with Python (hub/values.js). */
export type Handle = number;

/**
 * A value of a document elsewhere, as that document knows it (realm/relay.js): its own values are numbers. The values that it
 * is told to make are `a1`, `a2`, …
 */
export type Key = number | string;

/** The path down to a window from its top, by the indices of frames. */
export type WindowPath = number[];

/**
 * A value that Python writes (`PageHost._written`) and a realm makes (`made` in wire.js). Python calls values by handles and
 * windows by the numbers of their realms; on its way to a document elsewhere that becomes keys and paths (`sent`).
 */
export type Written<V = Handle, W = number> =
  | null
  | boolean
  | string
  | ["undefined"]
  | ["held", value: V]
  | ["promise", holder: V]
  | ["error", kind: string, name: string, message: string]
  | ["list", items: Written<V, W>[]]
  | ["dictionary", members: [key: string, value: Written<V, W>][]]
  | ["window", window: W]
  | ["object", id: number];

/** A value that a realm has converted for Python: a number is the handle of an object, or the realm of a window. */
export type Converted = null | boolean | string | number | Converted[];

/** The lookups of `made`. */
export interface Lookup<V, W> {
  value(value: V): any;
  window(window: W): Window | null;
  object(id: number): object | undefined;
}

/** The facts about a value that a document elsewhere sends beforehand, because Python cannot ask it later. */
export interface Facts {
  /** The JSON text of an object; 0 if it has none. */
  text?: string | 0;
  /** The exception of serializing it. */
  thrown?: Key;
  /** Whether a signal is aborted. */
  aborted?: boolean;
  /** The path to a window; null if the window is gone. */
  path?: WindowPath | null;
  isObject?: boolean;
}

/** The facts that a document elsewhere sends with a call: about each value by its key, and whether it is fully active. */
export interface CallFacts {
  active: boolean;
  [key: number]: Facts;
}

/** The reason in a list; null if a promise is not rejected before it is returned. */
export type Refusal = [reason: unknown] | null;

/** The messages of a document elsewhere to the window with Python: realm/relay.js sends them, hub/elsewhere.js answers. */
export interface ToPython {
  get: [name: string, reference: Key];
  call: [reference: Key, operation: string, data: string, promise: Key, facts: CallFacts];
  run: [task: number, turn: string | null, seen: number];
  drop: [task: number];
  settled: [reaction: number, fulfilled: boolean, value: Key, facts: Facts];
  aborted: [promise: Key];
  hide: [persisted: boolean];
  show: [];
}

/** The messages of the window with Python to a document elsewhere: hub/elsewhere.js sends them, realm/relay.js obeys. */
export interface ToPage {
  free: [key: Key];
  wrapped: [reference: Key, object: number];
  new_promise: [key: Key];
  resolve: [promise: Key, data: Written<Key, WindowPath | null>];
  reject: [promise: Key, data: Written<Key, WindowPath | null>];
  adopt: [promise: Key, other: Key];
  react: [promise: Key, reaction: number];
  make: [key: Key, data: Written<Key, WindowPath | null>];
  parse: [key: Key, text: string];
  invoke: [key: Key, call: [callback: Key, list: Written<Key, WindowPath | null>]];
  new_abort_controller: [key: Key];
  signal: [key: Key, controller: Key];
  abort: [controller: Key];
  reason: [key: Key, signal: Key];
  fire: [object: number, type: string, interface: string, attributes: Record<string, unknown> | null];
}

/** A message with its name before its fields. */
export type Message<Table> = { [Name in keyof Table]: [Name, ...Extract<Table[Name], unknown[]>] }[keyof Table];

/** All messages of one entry into Python, which one task performs. The number is one more than that of the letter before. */
export type Letter = [number: number, messages: Message<ToPage>[]];

/** A task of a document elsewhere, sent beside the letters. The document waits at `turns` for the messages of the task, if it can. */
export type Task = ["task", task: number, turns: string | null];

/** The first message of a document elsewhere, about itself. */
export interface Introduction {
  origin: string;
  features: string[];
  path: WindowPath;
}

/** The entries into Python (`PageHost`). */
export interface Entries {
  call(id: number, operation: string, data: string): number;
  get(owner: number, attribute: string): number;
  run(task: number): void;
  drop(task: number): void;
  advance(): void;
  abort(steps: number): void;
  forget(steps: number): void;
  settled(reaction: number, fulfilled: boolean, handle: Handle): void;
  unload(document: number): void;
}

/** The functions of the page that Python calls (documented at `PageVerbs` in verbs.py). Documents, realms and windows are numbers. */
export interface Verbs {
  free(handle: Handle): void;
  realm_of_document(document: number): number;
  document_of_realm(realm: number): number;
  is_fully_active(document: number): boolean;
  is_allowed(document: number, feature: string): boolean;
  origin_of(document: number): string;
  navigable_of(document: number): number;
  top_of(navigable: number): number;
  active_document(navigable: number): number;
  inclusive_descendants(document: number): string;
  new_promise(realm: number): Handle;
  resolve(promise: Handle, realm: number, data: string): void;
  reject(promise: Handle, realm: number, data: string): void;
  new_object(realm: number): Handle;
  is_object(handle: Handle): boolean;
  serialize(handle: Handle): string | Handle;
  parse(text: string, realm: number): Handle;
  make(realm: number, data: string): Handle;
  realm_of_function(handle: Handle, otherwise: number): number;
  invoke(callback: Handle, realm: number, data: string): Handle;
  react(promise: Handle, realm: number, reaction: number): void;
  is_aborted(signal: Handle): boolean;
  abort_reason(signal: Handle): Handle;
  add_abort_steps(signal: Handle, steps: number): void;
  new_abort_controller(realm: number): Handle;
  signal_of(controller: Handle): Handle;
  abort(controller: Handle): void;
  wrap(platform_object: number, interface: string, realm: number): void;
  fire(platform_object: number, realm: number, type: string, interface: string, attributes: string): void;
  queue(realm: number, task: number): void;
  schedule(): void;
}

/** The functions of the page for its elements (documented at `PageFormVerbs` in verbs.py). Elements are numbers. */
export interface FormVerbs {
  is_connected(element: number): boolean;
  document_of(element: number): number;
  attribute_of(element: number, name: string): string | undefined;
  listed_of(form: number): string;
  describe(control: number): string;
  options_of(select: number): string;
  fieldset_of(controls: string): number;
  form_of(control: number): number;
  is_checked(control: number): boolean;
  check(control: number, checkedness: boolean): void;
  select(select: number, index: number, selectedness: boolean): void;
  value_of(control: number): string;
  set_value(control: number, value: string): void;
  sanitize(control: number, value: string): string;
  fire_at(element: number, type: string, bubbles: boolean, composed: boolean): void;
  response_of(handle: Handle): string | Handle | undefined;
  default_button(form: number): number;
  is_sandboxed(form: number): boolean;
  focus(element: number): void;
  submit(form: number, submitter: number): void;
}

/** The entries into Python about forms (`PageForms`). */
export interface FormEntries {
  changed(form: number, past: string): void;
  tree_changed(forms: string): void;
  begin_submission(form: number): number;
  respond(submission: number, state: string, promise: Handle, realm: number): Handle;
  submitted(submission: number, canceled: boolean): void;
  submit_method(form: number): void;
  interrupted(form: number): void;
  forget_form(form: number): void;
}

/** What a realm sees of its trees, with a mutation observer and listeners of its own. */
export interface TreeWatcher {
  observe(root: Node, options: MutationObserverInit): void;
  takeRecords(): ArrayLike<MutationRecord>;
  listen(target: EventTarget): void;
}

/** The functions about forms that a realm calls (hub/forms.js). */
export interface FormHub {
  watchRealm(service: RealmService, watcher: TreeWatcher): void;
  watchShadow(root: ShadowRoot): void;
  process(records: ArrayLike<MutationRecord>): void;
  onSubmit(event: Event): void;
  onReset(event: Event): void;
  onInvalid(event: Event): void;
  isAgentInvoked(event: Event): boolean;
  respond(service: RealmService, event: Event, agentInvoked: boolean, holder: PromiseHolder): void;
  /** The form is about to be submitted by `submit()`. */
  submitMethod(form: Element): void;
  /** Tells Python of what has happened to forms. */
  flush(): void;
  /** Runs steps that move nodes, which are never out of their tree. */
  move<T>(steps: () => T): T;
  /** Runs steps whose `invalid` events are not those of a submission. */
  validate<T>(steps: () => T): T;
}

/** A promise with its resolving functions. */
export interface PromiseHolder extends PromiseWithResolvers<unknown> {
  isSettled?: boolean;
}

/** The functions of one realm of a page (realm/service.js). */
export interface RealmService {
  window: Window;
  prototypes: object[];
  functions: object[];
  navigator: Navigator;
  origin(): string;
  document(): Document;
  newPromise(): PromiseHolder;
  error(kind: string, name: string, message: string): unknown;
  array(items: ArrayLike<unknown>): unknown[];
  object(members: ArrayLike<[string, unknown]>): object;
  stringify(value: unknown): string | undefined;
  parse(text: string): unknown;
  newAbortController(): AbortController;
  signalOf(controller: AbortController): AbortSignal;
  abort(controller: AbortController): void;
  isAborted(signal: AbortSignal): boolean;
  reasonOf(signal: AbortSignal): unknown;
  addAbortSteps(signal: AbortSignal, steps: () => void): void;
  invoke(callback: unknown, values: ArrayLike<unknown>): PromiseHolder;
  react(holder: PromiseHolder, settled: (fulfilled: boolean, value: unknown) => void): void;
  wrap(interfaceName: string): object;
  fire(target: object, type: string, interfaceName: string, own: Record<string, unknown> | null): void;
  fireAt(target: EventTarget, type: string, bubbles: boolean, composed: boolean): void;
}

/** The identity of an object of the API. */
export interface Brand {
  interface: string;
  id: Key;
  handlers: Record<string, { callback: any; listener: (event: Event) => void }>;
}

/** The functions that a realm calls: of the hub itself, if the realm can reach that window, or else of a relay to it. */
export interface Hub {
  attributes: WeakMap<object, Record<string, unknown>>;
  fired: WeakSet<Event>;
  /** Null if forms cannot be tools. */
  forms: FormHub | null;
  hold(value: unknown, kind?: "object" | "signal" | "window"): any;
  take(handle: any): any;
  brandOf(object: object): Brand | undefined;
  enter(service: RealmService): void;
  hide(service: RealmService, persisted: boolean): void;
  show(service: RealmService, persisted: boolean): void;
  documentId(document: Document): number;
  navigatorId(navigator: Navigator): number;
  realmOfWindow(view: Window): any;
  get(owner: number, name: string, interfaceName: string): object;
  /** Returns the handle of a promise, 0, or the negated handle of an exception. */
  call(service: RealmService, id: Key, operation: string, data: string): any;
}
