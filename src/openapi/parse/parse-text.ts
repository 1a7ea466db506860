import { DocumentMistake } from './document-mistake.ts';
import { whyNotNested } from './document-nesting.ts';
import { findSecondName } from './json-names.ts';
import { parseYaml } from './parse-yaml.ts';
import { nameTwice } from './text-place.ts';

/** In JSON, a text of this length is parsed as nothing else: YAML takes a second for each megabyte. */
export const LARGE_TEXT = 1024 * 1024;

/**
 * Parses a text in JSON or YAML (1.2) that may be anybody's.
 *
 * Names are own members of the result, whatever they are called. Throws a {@link DocumentMistake}, with the
 * line and the column where they are known, for what is malformed, has a name twice in one object, or is
 * nested so deeply or has so many aliases that it would keep those busy who look at it.
 */
export function parseText(text: string): unknown {
  const value = parseAsEither(text);
  const reason = whyNotNested(value);
  if (reason !== undefined) throw new DocumentMistake(reason);
  return value;
}

export function beginsAsJson(text: string): boolean {
  return /^\s*[[{]/.test(text);
}

function parseAsEither(text: string): unknown {
  if (!beginsAsJson(text)) return parseYaml(text);
  const reading = tryJson(text);
  if (reading.kind === 'malformed') {
    // It may be YAML that begins with a bracket, and that parser knows the place of a mistake.
    if (text.length <= LARGE_TEXT) return parseYaml(text);
    throw new DocumentMistake(`It is no JSON: ${reading.message}.`);
  }
  const second = findSecondName(text);
  if (second !== undefined) throw nameTwice(second.name, second);
  return reading.value;
}

type JsonReading =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'malformed'; readonly message: string };

function tryJson(text: string): JsonReading {
  try {
    return { kind: 'value', value: JSON.parse(text) as unknown };
  } catch (error) {
    return { kind: 'malformed', message: error instanceof Error ? error.message : String(error) };
  }
}
