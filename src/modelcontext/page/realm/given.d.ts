// What products/page.py gives the script of a realm.

declare global {
  /** The parameter of the function that the modules of this folder are the body of. */
  const given: {
    /** The names of the interfaces that a revision defines. */
    names: string[];
    /** The attributes that lead to them, by interface. */
    accessors: [interfaceName: string, attribute: string][];
    /** Whether documents that cannot reach the window with Python send messages there. */
    relays: boolean;
  };
}

export {};
