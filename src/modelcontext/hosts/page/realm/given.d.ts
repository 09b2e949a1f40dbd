// The parameter that products/page.py gives the script of a realm.

declare global {
  /** The parameter of the function whose body is the modules of this folder. */
  const given: {
    /** The names of the interfaces that a revision defines. */
    names: string[];
    /** The attributes that lead to them, by interface. */
    accessors: [interfaceName: string, attribute: string][];
    /** The members of the dictionaries, in the order of their data. */
    members: Record<string, string[]>;
    /** Whether documents that cannot reach the window with Python send messages there. */
    relays: boolean;
    /** Whether forms can be tools. */
    forms: boolean;
  };
}

export {};
