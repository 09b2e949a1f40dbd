// The data that crosses between Python and the engine's process, and the objects that the process and its realms share.

/** The number of a value of a script that is no platform object. */
export type Handle = number;

/** A value as data. Python writes and reads it in border.py, the engine in engine.cjs. */
export type Data =
  | null
  | boolean
  | number
  | string
  | ["undefined"]
  /** Null, where null itself means that there is no value. */
  | ["null"]
  | ["number", text: string]
  | ["held", handle: Handle]
  | ["function", handle: Handle, realm: number]
  | ["promise", handle: Handle, realm: number]
  | ["error", key: number, kind: string, name: string, message: string, realm: number]
  | ["list", items: Data[]]
  | ["dictionary", members: [name: string, value: Data][]]
  | ["object", id: number]
  | PlatformObject
  | ["window", navigable: number]
  | ["clone", handle: number];

/** A platform object with what a realm needs to make it, if the realm has not seen it. Python writes this form. */
export type PlatformObject = ["object", id: number, name: string, realm: number, attributes?: Record<string, Data>];

/** A value of a script; its functions take any values. */
export type Value =
  | ((this: any, ...values: any[]) => unknown)
  | object
  | string
  | number
  | bigint
  | boolean
  | symbol
  | null
  | undefined;

/** A line that calls the other side, and one that answers. */
export type Call = ["c", name: string, values: any[]];
export type Answer = ["r", value: any, none?: undefined] | ["t", exception: Data, none?: undefined];
/** A line of Python that tells the active documents of the navigables. */
export type News = ["a", active: Record<number, [document: number, agent: number]>, none?: undefined];

/** The functions of Python that the process calls (`Answers` in answers.py). Those without a value return null. */
export interface Answers {
  need_realm(id: number): null;
  settled(reaction: number, fulfilled: boolean, data: Data): null;
  get(id: number, key: string): Data;
  set(id: number, key: string, data: Data): null;
  operation(id: number, key: string, data: Data[]): Data;
  static(realm: number, key: string, data: Data[]): Data;
  construct(realm: number, name: string, data: Data[]): number;
  call(id: number, operation: string, text: string): Handle;
  add_listener(id: number, type: string, data: Data, flags: Data[]): null;
  remove_listener(id: number, type: string, data: Data, capture: boolean): null;
  fetch(realm: number, url: string, method: string, body: string, callback: Data): null;
  module_is_ready(number: number, problem: string | null): null;
  define_custom_element(realm: number, name: string, is_form_associated: boolean): Data;
  submit_form(form: number, url: string, target: string, method: string, body: string, type: string): null;
  set_timer(realm: number, callback: Data, values: Data[], timeout: number, repeats: boolean): number;
  clear_timer(realm: number, id: number): null;
  microtask(realm: number, callback: Data): null;
  steps_of_a_microtask(steps: number): null;
  console(realm: number, level: string, text: string): null;
  at(url: string, line: number): null;
  report(text: string): null;
  note(text: string): null;
  missing(realm: number, name: string): null;
  rejection_handled(realm: number, promise: Data, reason: Data): null;
  now(): number;
  child_window(navigable: number, key: number | string): Data;
  named_on_window(realm: number, name: string): Data;
  window_member(realm: number, navigable: number, key: string): Data;
  navigate_window(realm: number, navigable: number, url: string): null;
  create_object_url(realm: number, text: string, type: string): string;
  revoke_object_url(url: string): null;
  post_to_window(realm: number, navigable: number, target_origin: string, clone: number, ports: Data): null;
  post_to_port(id: number, clone: number, ports: Data): null;
  post_to_channel(id: number, clone: number): void;
  move_ports(realm: number, ports: Data): Data;
}

/** Calls a function of Python with data; the result is data. */
export type CallPython = <Name extends keyof Answers>(
  name: Name,
  ...values: Parameters<Answers[Name]>
) => ReturnType<Answers[Name]>;

/** What the core of the engine has from the place where it runs. */
export interface EnginePlatform {
  version: string;
  /** Makes a realm, and returns its global object. */
  newGlobal(): any;
  /** Compiles a classic script that begins at a line and a column; it then runs in the realm of a global object. */
  compile(
    source: string,
    filename: string,
    line?: number,
    column?: number,
    importing?: ModuleHooks["importing"],
  ): (global: any) => any;
  /** Compiles modules; an engine may have none. */
  modules?: {
    compile(
      source: string,
      filename: string,
      line: number,
      column: number,
      global: any,
      hooks: ModuleHooks,
    ): NativeModule;
    compileJSON(text: string, filename: string, global: any): NativeModule;
  };
  performCheckpoint(): void;
  /** Calls a function of Python. */
  call(name: string, values: any[]): Answer;
  /** Has a function told of each promise that is rejected without a handler, and of each that gets one later. */
  onRejection(told: (isHandled: boolean, promise: Promise<unknown>, reason: unknown) => void): void;
  urlOf: Engine["urlOf"];
  parametersOf: Engine["parametersOf"];
  types: Engine["types"];
}

/** What a module or a script asks for when it runs. */
export interface ModuleHooks {
  meta(meta: Record<string, any>): void;
  /** Returns the namespace of a module. */
  importing(specifier: string, attributes: Record<string, string>): Promise<object>;
}

/** A module of the engine. */
export interface NativeModule {
  requests: { specifier: string; attributes: Record<string, string> }[];
  /** Takes the modules of the requests, in their order. */
  link(modules: NativeModule[]): void;
  instantiate(): void;
  evaluate(): Promise<unknown>;
  namespace: object;
}

/** A request of a module, and the place of it. */
export interface ModuleRequest {
  url: string;
  type: string;
  at: string;
}

/** https://html.spec.whatwg.org/#module-script */
export interface ModuleScript {
  url: string;
  module: NativeModule | null;
  error: { value: unknown } | null;
  requests: ModuleRequest[];
  isLinked: boolean;
}

/** An entry of a module map: what waits for it, null as soon as it is there, and what went wrong if there is no script. */
export interface ModuleEntry {
  script: ModuleScript | null;
  problem: string;
  waiting: ((entry: ModuleEntry) => void)[] | null;
}

/** An exception, or words about a module that cannot be had. */
export type ModuleFailure = { error: unknown } | { problem: string };

/** What the modules of a realm have from the engine. */
export interface ModuleHost {
  modules: NonNullable<EnginePlatform["modules"]>;
  urlOf: Engine["urlOf"];
  /** The name of a script with a URL in this realm. */
  nameOf(url: string): string;
  fetch(
    url: string,
    arrive: (answer: { status: number; headers: Record<string, string>; text: string } | null) => void,
  ): void;
  report(error: unknown): void;
  missing(name: string): void;
  /** Keeps the place of an error that no script has thrown. */
  place(error: object, at: string): void;
}

/** The identity of a platform object, and its event handlers as page/realm/interfaces.js keeps them. */
export interface ObjectBrand {
  id: number;
  interface: string;
  handlers: Record<string, { callback: any; listener: (event: Event) => void }>;
  navigable?: undefined;
}

/** The identity of a global object. */
export interface WindowBrand {
  id: number;
  interface: "Window";
  handlers: ObjectBrand["handlers"];
  navigable: number;
  agent: number;
}

/** The identity of a WindowProxy, as the documents of one agent see it. */
export interface ProxyBrand {
  id?: undefined;
  navigable: number;
  agent: number;
}

/** The functions of a realm that Python calls by name. Scripts of a stage add their own. */
export interface RealmFunctions {
  new_promise(): Data;
  settle(promise: Data, how: "resolve" | "reject", data: Data): void;
  react(promise: Data, reaction: number): void;
  queue_a_microtask(number: number): void;
  invoke(callback: Data, values: Data[]): Data;
  call_function(callback: Data, self: Data, values: Data[]): Data;
  call_listener(callback: Data, self: Data, event: Data): Data;
  /** Sets an event handler of an element to the function of its content attribute, or to none. */
  set_handler(element: Data, name: string, body: string | null): void;
  /** Performs a reaction of a custom element. */
  perform_a_reaction(element: Data, callback: string, values: (string | null)[]): void;
  /** Goes on with the submission of a form after its event; the button may be null. */
  submit(form: Data, submitter: Data): void;
  new_object(): Data;
  stringify(data: Data): string | null;
  parse(text: string): Data;
  deserialize(handle: number, ports: Data): [value: Data, ports: Data];
  /** Told when a document takes over the Window of the initial about:blank document. */
  has_another_document(): void;
}

/** A realm, with the functions that scripts of the platform add to it. */
export interface Realm extends RealmFunctions {
  id: number;
  /** The number of the agent whose documents can reach each other. */
  agent: number;
  /** The global object. */
  global: any;
  engine: Engine;
  /** The modules; undefined if the engine has none. */
  modules?: {
    importing(base: string): ModuleHooks["importing"];
    registerAnImportMap(text: string, base: string): void;
    /** Loads the module script of an element, and tells of it with words about what went wrong. */
    load(
      number: number,
      url: string,
      source: string | null,
      line: number,
      column: number,
      onReady: (problem: string | null) => void,
    ): void;
    run(number: number): void;
  };
  wrap(name: string): object;
  /** The element for the constructor of a class of HTMLElement, or undefined if it is not that of a custom element. */
  constructHTMLElement(target: unknown): object | undefined;
  error(kind: string, name: string, message: string): unknown;
  array(items: Value[]): Value[];
  object(members: [name: string, value: Value][]): object;
  /** A member of a window that every origin sees. */
  crossOriginMember(navigable: number, key: string): any;
  /** The parameter of the API's interfaces. */
  api: API;
}

/** The tables of one run. */
export interface Run {
  active: News[1];
  /** The place of a script of which Python was told last; null if it is not told. */
  at: string | null;
  attributes: Engine["attributes"];
  brands: Map<object, ObjectBrand | WindowBrand | ProxyBrand>;
  /** The lines that got promises of operations. */
  callers: WeakMap<object, string>;
  /** The cells of realms, by agent. */
  cells: Map<number, object>;
  clones: Map<number, CloneRecord>;
  /** The errors that Python has made, by key. */
  errors: Map<number, unknown>;
  exceptions: Engine["exceptions"];
  /** The numbers of realms by their intrinsic prototypes of functions, and of promises. */
  functions: Map<object, number>;
  promises: Map<object, number>;
  handles: Map<unknown, Handle>;
  values: Map<Handle, any>;
  /** The last number that was given. */
  last: number;
  /** The realm of each agent that ran last. */
  lastRealm: Record<number, Realm>;
  objects: Map<number, any>;
  /** The promises that are rejected and not handled: those of which Python knows, and those of which it does not, with reasons. */
  outstanding: Set<object>;
  /** The places of errors that no script has thrown. */
  places: WeakMap<object, string>;
  rejected: Map<Promise<unknown>, unknown>;
  reasons: WeakMap<object, unknown>;
  /** The WindowProxies, by agent and navigable. */
  proxies: Map<number, Map<number, any>>;
  realms: Map<number, Realm>;
  /** The numbers of realms by the names of scripts. */
  scripts: Map<string, number>;
}

/** The facts about a document that do not change. */
export interface Facts {
  isSecureContext: boolean;
  /** The time of the start, in milliseconds since the epoch. */
  start: number;
  /** Whether its scripts may report a result, and write notes. */
  reports: boolean;
  notes: boolean;
  /** Whether its scripts may have a user act. */
  drives: boolean;
}

/** What the process gives the scripts of the platform in one realm. */
export interface Engine {
  realm: Realm;
  /** An object that the realms of one agent share. */
  cell: object;
  /** The number of the navigable of the document. */
  navigable: number;
  facts: Facts;
  description: Description;
  /** Tells whether a value is an object of a script, which may have any members. */
  isObject(value: unknown): value is any;
  hold(value: unknown): Handle;
  held(handle: Handle): any;
  /** The attributes of events that scripts have made, by event. */
  attributes: WeakMap<object, Record<string, any>>;
  /** The parts of all DOMExceptions of the process. */
  exceptions: WeakMap<object, { name: string; message: string }>;
  /** Null stands for a window that cannot be reached, undefined for an object that is no platform object. */
  brandOf(value: object): ObjectBrand | WindowBrand | null | undefined;
  identify(object: object, id: number, name: string): void;
  keepClone(record: CloneRecord): number;
  cloneOf(handle: number): CloneRecord;
  /** The WindowProxy of a navigable, as this realm sees it. */
  proxyOf(navigable: number): any;
  /** Tells the intrinsic prototypes of functions, and that of promises. */
  register(functions: object[], promise: object): void;
  python: CallPython;
  /** The number of the realm whose script calls the platform. */
  incumbent(): number;
  encode(value: unknown): Data;
  decode(data: Data): any;
  urlOf(url: string, base?: string): URL;
  parametersOf(init: string | string[][]): URLSearchParams;
  types: typeof import("node:util").types;
}

/** What the interfaces of the API take in the place of the modules of page/realm; see hub.js. */
export interface API {
  hub: Pick<
    import("../page/protocol.d.ts").Hub,
    "attributes" | "hold" | "take" | "brandOf" | "realmOfWindow" | "documentId" | "navigatorId" | "get" | "call"
  >;
  service: Realm;
  interfaces: Record<string, any>;
  isObject: Engine["isObject"];
}

/** The interfaces of the platform, as interfaces.py describes them. */
export interface Description {
  interfaces: Interface[];
  dictionaries: Record<string, Member[]>;
  /** The names of interfaces by further names for them. */
  aliases: Record<string, string>;
  /** The names of members that are not there, by interface. */
  unimplemented: Record<string, string[]>;
}

export interface Interface {
  name: string;
  inherits: string | null;
  /** The parameters of the constructor. */
  constructor_: Parameter[] | null;
  /** The defaults of the attributes of events that have no getter in Python. */
  isEventData: Record<string, Data> | null;
  constants: Record<string, number>;
  attributes: Attribute[];
  operations: Operation[];
  stringifies: boolean;
}

/** A type of the IDL: its name, or a kind of types with an inner type or a name. */
export type Type =
  | string
  | ["nullable" | "sequence" | "Promise", inner: Type]
  | ["dictionary" | "interface", name: string]
  | ["node or string", null];

export interface Parameter {
  name: string;
  type: Type;
  optional: boolean;
  variadic: boolean;
}

export interface Attribute {
  name: string;
  type: Type;
  readonly: boolean;
  /** Whether the value is the same each time. */
  constant: boolean;
  replaceable: boolean;
  /** The attribute of the value that is set instead. */
  forwards: string | null;
}

export interface Operation {
  name: string;
  parameters: Parameter[];
  isVoid: boolean;
  promises: boolean;
  isStatic: boolean;
}

/** A member of a dictionary. */
export interface Member {
  name: string;
  type: Type;
  required: boolean;
  default?: Data;
}

/** A value that is cloned (https://html.spec.whatwg.org/#structuredserializeinternal). */
export type CloneRecord =
  | { kind: "primitive"; value: unknown }
  | { kind: "port"; index: number }
  | { kind: "wrapped"; value: unknown }
  | { kind: "date"; value: number }
  | { kind: "DOMException"; name: string; message: string }
  | { kind: "regexp"; source: string; flags: string }
  /** `most` is the largest length of a buffer that can grow. */
  | { kind: "buffer"; bytes: number[]; most: number | undefined }
  | { kind: "view"; view: string; buffer: CloneRecord; offset: number; length: number }
  | { kind: "map"; entries: [key: CloneRecord, value: CloneRecord][] }
  | { kind: "set"; items: CloneRecord[] }
  | { kind: "error"; name: string; message: string | undefined; cause?: CloneRecord }
  | { kind: "array"; length: number; members: [key: string, value: CloneRecord][] }
  | { kind: "object"; members: [key: string, value: CloneRecord][] };

/** The objects that move with a clone, and the records of those that the value has. */
export interface Transfer {
  ports: object[];
  buffers: ArrayBuffer[];
  records: Map<ArrayBuffer, object>;
}
