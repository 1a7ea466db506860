import {
  constructFromEvents,
  EVENT_ALIAS,
  EVENT_DOCUMENT,
  EVENT_MAPPING,
  EVENT_POP,
  EVENT_SCALAR,
  EVENT_SEQUENCE,
  type Event,
  parseEvents,
  SCALAR_STYLE_PLAIN,
} from 'js-yaml';
import { DEEPEST_DOCUMENT } from './document-limits.ts';

/** The value of a YAML text; undefined where it has anything but plain data, or is wrong. */
export type PlainYaml = { readonly value: unknown } | undefined;

/**
 * Reads a YAML text that has nothing but what JSON has, too: one document without anchors, aliases, tags, directives and
 * names that are no texts. That takes a tenth of the time and half of the memory of a parser that keeps track of places,
 * which has the word on everything else.
 */
export function parsePlainYaml(text: string): PlainYaml {
  try {
    const events = parseEvents(text, { maxDepth: DEEPEST_DOCUMENT });
    if (!isPlain(text, events)) return undefined;
    const documents = constructFromEvents(events, { source: text, maxAliases: 0 });
    return documents.length === 1 ? { value: documents[0] } : undefined;
  } catch {
    return undefined;
  }
}

/** What a collection that is open at a place of the text expects next. */
type Expected = 'name' | 'value' | 'item';

function isPlain(text: string, events: readonly Event[]): boolean {
  const open: Expected[] = [];
  for (const event of events) {
    const expected = open.at(-1);
    switch (event.type) {
      case EVENT_DOCUMENT:
        if (event.directives.length > 0) return false;
        open.push('item');
        continue;
      case EVENT_POP:
        open.pop();
        continue;
      case EVENT_ALIAS:
        return false;
      case EVENT_SCALAR:
        if (isMarked(event) || (expected === 'name' && !isPlainName(text, event))) return false;
        break;
      case EVENT_MAPPING:
      case EVENT_SEQUENCE:
        if (isMarked(event) || expected === 'name') return false;
    }
    if (expected === 'name') open[open.length - 1] = 'value';
    if (expected === 'value') open[open.length - 1] = 'name';
    if (event.type === EVENT_MAPPING) open.push('name');
    if (event.type === EVENT_SEQUENCE) open.push('item');
  }
  return true;
}

/** Whether a node has an anchor or a tag. */
function isMarked({
  anchorStart,
  tagStart,
}: {
  readonly anchorStart: number;
  readonly tagStart: number;
}): boolean {
  return anchorStart >= 0 || tagStart >= 0;
}

type Scalar = Extract<Event, { type: typeof EVENT_SCALAR }>;

/** Parsers differ in what they make of names that are null or numbers; whole numbers, such as status codes, are plain. */
function isPlainName(text: string, { style, valueStart, valueEnd }: Scalar): boolean {
  if (style !== SCALAR_STYLE_PLAIN) return true;
  const written = text.slice(valueStart, valueEnd);
  return (
    /^[1-9]\d{0,8}$/.test(written) ||
    (/^[A-Za-z_/$]/.test(written) && !/^(?:null|true|false)$/i.test(written))
  );
}
