// Calls of the stage.

/** Calls an operation of the stage for this document. @type {(operation: string, ...values: unknown[]) => any} */
export function stage(operation, ...values) {
  const { given } = config;
  /** @type {import("../../../../hosts/scripting/protocol.d.ts").Data[]} */
  const data = [];
  for (let index = 0; index < values.length; index++) data[index] = given.encode(values[index]);
  return given.decode(given.python("stage", given.realm.id, operation, data));
}
