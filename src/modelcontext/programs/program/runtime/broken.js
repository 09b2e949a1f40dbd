/** A fault of the program or of the harness, which ends the run. Scripts never throw it. */
export class Broken {
  /** @param {string} message */
  constructor(message) {
    this.message = message;
  }
}
