// The realms and documents that the window with Python knows.

import type { Introduction, Key, Letter, RealmService } from "../protocol.d.ts";

/** A realm of a document of the same origin, which brings its own functions. */
export interface LocalRealm extends RealmService {
  id: number;
  /** The last document seen in its window. */
  last?: Document;
  gone?: boolean;
  bare?: undefined;
  port?: undefined;
}

/** The realm of a window without a front end: of another origin, or not a secure context. */
export interface BareRealm {
  id: number;
  window: Window;
  bare: true;
  document(): null;
  documentId?: number;
  gone?: undefined;
  port?: undefined;
}

/** A realm that only messages reach. */
export interface RemoteRealm {
  id: number;
  window: Window;
  port: { postMessage(text: string): void; onshow(): void; onmessage: (event: { data: string }) => void };
  top: Window;
  origin(): string;
  features: string[];
  documentId?: number;
  gone: boolean;
  leaving?: boolean;
  bare?: undefined;
  /** The number of values that it was told to make. */
  lastKey: number;
  /** Python's numbers for its objects of the API, by its own numbers. */
  objects: Map<Key, number>;
  /** The promise of the running call. */
  calling: Key | null;
  /** The abort steps of calls, by their promises. */
  abortSteps: Map<Key, number>;
  /** The path at which it waits for the end of its tasks; null if it cannot. */
  turns: string | null;
  lastLetter: number;
  /** The letters that it may not have seen. */
  unseen: Letter[];
}

export type AnyRealm = LocalRealm | BareRealm | RemoteRealm;

/** A document, as Python knows it. */
export interface DocumentRecord {
  id: number;
  /** Null if it cannot be reached. */
  document: Document | null;
  service: AnyRealm;
  /** Whether it is in the back/forward cache. */
  cached: boolean;
  /** The tasks that wait until it comes back from the cache. */
  waiting: number[];
}

/** A document that opens a port to the window with Python. */
export type Connect = (view: Window, port: any, introduction: Introduction) => void;
