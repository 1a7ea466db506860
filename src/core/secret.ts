/** A text that only who asks for it is shown: no log, no JSON and no error message has it. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }
}
