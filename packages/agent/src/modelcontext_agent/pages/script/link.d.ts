// The parameter of the joined modules: what links the script to its surroundings.

declare global {
  const link: {
    /** Given to `live.js`: tells Python of a change. */
    changed(): void;
    /** Given by `live.js`. */
    answers: object;
    /** Given to `remote.js`: the address of the script, and the token, which only a page's main frame has. */
    src: string;
    token?: string;
  };
}

export {};
