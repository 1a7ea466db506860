import { Secret } from '../../contract/secret.ts';
import { readSecretText, refuseUnsetVariables } from './placeholders.ts';
import { type Reader, refuseOtherKeys, type Section, section } from './project-reader.ts';

/** Reads the settings of one section; what is wrong with them is noted, and none of their values is repeated. */
export class SettingReader {
  readonly place: string;
  readonly reader: Reader;
  readonly #section: Section;

  constructor(value: unknown, place: string, known: readonly string[], reader: Reader) {
    this.place = place;
    this.reader = reader;
    this.#section = section(value, place, reader.mistakes) ?? {};
    refuseOtherKeys(this.#section, new Set(known), place, reader.mistakes);
  }

  has(name: string): boolean {
    return this.#value(name) !== undefined;
  }

  refuse(name: string, reason: string): void {
    this.reader.mistakes.push(`"${this.place}.${name}" ${reason}`);
  }

  /** Empty where there is none, which is a mistake. */
  text(name: string): string {
    const text = this.optionalText(name);
    if (text === undefined && !this.has(name)) this.refuse(name, 'is missing');
    return text ?? '';
  }

  /** Undefined also where it is empty, which is a mistake. */
  optionalText(name: string): string | undefined {
    const value = this.#value(name);
    if (value === undefined) return undefined;
    const place = `${this.place}.${name}`;
    const before = this.reader.mistakes.length;
    refuseUnsetVariables(value, place, this.reader);
    const text = readSecretText(value, place, this.reader);
    if (text !== '') return text;
    if (this.reader.mistakes.length === before) this.refuse(name, 'must not be empty');
    return undefined;
  }

  secret(name: string): Secret {
    return new Secret(this.text(name));
  }

  optionalSecret(name: string): Secret | undefined {
    const text = this.optionalText(name);
    return text === undefined ? undefined : new Secret(text);
  }

  choice<Choice extends string>(name: string, choices: readonly Choice[], fallback: Choice): Choice {
    const value = this.#value(name);
    const found = choices.find((choice) => choice === value);
    if (value !== undefined && found === undefined) this.refuse(name, `must be one of ${choices.join(', ')}`);
    return found ?? fallback;
  }

  /** Texts without spaces in them. */
  optionalWords(name: string): readonly string[] | undefined {
    const value = this.#value(name);
    if (value === undefined) return undefined;
    const words = Array.isArray(value) ? value.filter((word) => /^\S+$/.test(String(word))) : [];
    if (!Array.isArray(value) || words.length < value.length) {
      this.refuse(name, 'must be a list of words');
    }
    return words.map(String);
  }

  /** What stands there, as a section of its own; undefined where nothing does. */
  section(name: string, known: readonly string[]): SettingReader | undefined {
    const value = this.#value(name);
    if (value === undefined) return undefined;
    return new SettingReader(value, `${this.place}.${name}`, known, this.reader);
  }

  #value(name: string): unknown {
    const value = Object.hasOwn(this.#section, name) ? this.#section[name] : undefined;
    return value === null ? undefined : value;
  }
}
