import { DocumentMistake } from './document-mistake.ts';

/** A place in a text; both count from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

export function writePlace({ line, column }: TextPlace): string {
  return `at line ${line}, column ${column}`;
}

/** The place that a message names; zeros where it names none. */
export function placeIn(message: string): TextPlace {
  const [, line = '0', column = '0'] = /at line (\d+), column (\d+)/.exec(message) ?? [];
  return { line: Number(line), column: Number(column) };
}

/** YAML 1.2, 3.2.1.3, and RFC 8259, section 4: a name stands in an object once. */
export function nameTwice(name: string, again: TextPlace): DocumentMistake {
  const written = JSON.stringify(name.length > 80 ? `${name.slice(0, 79)}…` : name);
  return new DocumentMistake(`${written} stands twice in one object, again ${writePlace(again)}.`);
}
