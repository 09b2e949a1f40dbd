/** A fault of the program or of the harness, which ends the run: it is no value that a script throws. */
export class Broken {
  /** @param {string} message */
  constructor(message) {
    this.message = message;
  }
}
