// An implementation of the revision 2026-03 for pages of one origin, with which every test of wpt_tests/webmcp-2026-03 has
// to pass. It removes the browser's own API.
(() => {
  delete Document.prototype.modelContext;
  for (const name of ["ModelContext", "ToolActivatedEvent", "ToolCancelEvent"]) {
    delete self[name];
  }
  if (!isSecureContext) {
    return;
  }

  const { stringify } = JSON;
  const { get: brandOfNavigator } = Object.getOwnPropertyDescriptor(Navigator.prototype, "userAgent");
  // Shared with other windows, because the methods of one work on the objects of another.
  const TOOLS = Symbol.for("tool map");
  const CONTEXT = Symbol.for("associated ModelContext");

  const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";

  function toolMap(object) {
    if (!isObject(object) || !Object.hasOwn(object, TOOLS)) {
      throw new TypeError("Illegal invocation");
    }
    return object[TOOLS];
  }

  function toDOMString(value) {
    if (typeof value === "symbol") {
      throw new TypeError("A symbol is not a string");
    }
    return String(value);
  }

  /** A member of a dictionary. */
  function member(dictionary, key) {
    return dictionary === undefined || dictionary === null ? undefined : dictionary[key];
  }

  function toDictionary(value) {
    if (value !== undefined && value !== null && !isObject(value)) {
      throw new TypeError("This is not a dictionary");
    }
    return value;
  }

  function required(value) {
    if (value === undefined) {
      throw new TypeError("A required member is missing");
    }
    return value;
  }

  function toTool(value) {
    const dictionary = toDictionary(value);
    const annotations = member(dictionary, "annotations");
    const readOnlyHint = Boolean(annotations !== undefined && member(toDictionary(annotations), "readOnlyHint"));
    const description = toDOMString(required(member(dictionary, "description")));
    const execute = member(dictionary, "execute");
    if (typeof execute !== "function") {
      throw new TypeError("execute is not a function");
    }
    const inputSchema = member(dictionary, "inputSchema");
    if (inputSchema !== undefined && !isObject(inputSchema)) {
      throw new TypeError("inputSchema is not an object");
    }
    const name = toDOMString(required(member(dictionary, "name")));
    return { name, description, execute, inputSchema, readOnlyHint };
  }

  const illegal = () => {
    throw new TypeError("Illegal constructor");
  };
  // Methods of an object literal cannot be constructed, just as those of the platform.
  const { registerTool, unregisterTool, requestUserInteraction } = {
    registerTool(tool) {
      const tools = toolMap(this);
      if (arguments.length < 1) {
        throw new TypeError("An argument is missing");
      }
      const { name, description, inputSchema, ...others } = toTool(tool);
      if (tools.has(name) || name === "" || description === "") {
        throw new DOMException("The tool cannot be registered", "InvalidStateError");
      }
      const serialized = inputSchema === undefined ? null : stringify(inputSchema);
      if (serialized === undefined) {
        throw new TypeError("The schema has no JSON text");
      }
      tools.set(name, { name, description, serialized, ...others });
    },
    unregisterTool(name) {
      const tools = toolMap(this);
      if (arguments.length < 1) {
        throw new TypeError("An argument is missing");
      }
      if (!tools.delete(toDOMString(name))) {
        throw new DOMException("There is no such tool", "InvalidStateError");
      }
    },
    // No object has it, because no steps create a ModelContextClient.
    async requestUserInteraction(_callback) {
      throw new TypeError("Illegal invocation");
    },
  };

  for (const [name, operations] of Object.entries({
    ModelContext: { registerTool, unregisterTool },
    ModelContextClient: { requestUserInteraction },
  })) {
    function interfaceObject() {
      illegal();
    }
    Object.defineProperty(interfaceObject, "name", { value: name });
    Object.defineProperty(interfaceObject, "prototype", { writable: false });
    Object.assign(interfaceObject.prototype, operations);
    Object.defineProperty(interfaceObject.prototype, Symbol.toStringTag, { value: name, configurable: true });
    Object.defineProperty(self, name, { value: interfaceObject, writable: true, configurable: true });
  }

  const { get } = Object.getOwnPropertyDescriptor(
    {
      get modelContext() {
        brandOfNavigator.call(this);
        if (!Object.hasOwn(this, CONTEXT)) {
          const context = Object.create(self.ModelContext.prototype, { [TOOLS]: { value: new Map() } });
          Object.defineProperty(this, CONTEXT, { value: context });
        }
        return this[CONTEXT];
      },
    },
    "modelContext",
  );
  Object.defineProperty(Navigator.prototype, "modelContext", { get, enumerable: true, configurable: true });
})();
