// Tasks: each is a real task, first in, first out, sent through one channel. Zero stands for the steps in parallel.
/** @import { DocumentRecord, LocalRealm } from "./types.d.ts" */
import { isFullyActive, recordOf } from "./documents.js";
import { enter, python, queueElsewhere } from "./python.js";

const channel = new MessageChannel();
/** @type {Map<number, DocumentRecord>} */
const documentsOfTasks = new Map();

channel.port1.onmessage = ({ data: task }) => {
  if (task === 0) {
    enter(null, () => python.advance());
    return;
  }
  const record = /** @type {DocumentRecord} */ (documentsOfTasks.get(task));
  if (isFullyActive(record)) {
    documentsOfTasks.delete(task);
    enter(record.service, () => python.run(task));
  } else if (record.cached) {
    record.waiting.push(task);
  } else {
    dropTask(task);
  }
};

/** Lets steps in parallel run soon. */
export const schedule = () => channel.port2.postMessage(0);

/** @type {(record: DocumentRecord, task: number) => void} */
export function queueTask(record, task) {
  documentsOfTasks.set(task, record);
  if (record.service.port) queueElsewhere(record.service, task);
  else channel.port2.postMessage(task);
}

/** Runs a task whose turn has come in a document elsewhere. */
export function runTask(/** @type {number} */ task) {
  documentsOfTasks.delete(task);
  python.run(task);
}

/** Forgets a task whose document is gone. */
export function dropTask(/** @type {number} */ task) {
  documentsOfTasks.delete(task);
  python.drop(task);
}

/** @type {(service: LocalRealm, persisted: boolean) => void} */
export function hide(service, persisted) {
  const record = recordOf(service);
  enter(null, () => python.unload(record.id));
  record.cached = persisted;
  service.gone = !persisted;
}

/** @type {(service: LocalRealm, persisted: boolean) => void} */
export function show(service, persisted) {
  if (!persisted) return;
  const record = recordOf(service);
  record.cached = false;
  for (const task of record.waiting.splice(0)) channel.port2.postMessage(task);
}
