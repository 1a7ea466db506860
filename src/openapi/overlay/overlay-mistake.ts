import { isNode, LineCounter, parseDocument } from 'yaml';
import { pointerNames } from '../document/written-place.ts';
import { DocumentMistake } from '../parse/document-mistake.ts';
import { LARGE_TEXT } from '../parse/parse-text.ts';
import { placeIn, type TextPlace, writePlace } from '../parse/text-place.ts';
import type { OverlayFault } from './overlay-document.ts';

/** What is wrong with an overlay, with the line and the column where they are known, else 0. */
export type PlacedFault = OverlayFault & TextPlace;

/** An overlay that is none, or that does not fit its document. */
export class OverlayMistake extends DocumentMistake {
  readonly faults: readonly PlacedFault[];

  constructor(file: string, faults: readonly PlacedFault[], message = `${writeFaults(faults)}.`) {
    super(`The overlay ${file} cannot be applied: ${message}`);
    this.faults = faults;
  }
}

/** For an overlay that cannot be read, or is no YAML. */
export function unreadableOverlay(file: string, { message }: DocumentMistake): OverlayMistake {
  return new OverlayMistake(file, [{ pointer: '', message, ...placeIn(message) }], message);
}

const MOST_TOLD = 10;

function writeFaults(faults: readonly PlacedFault[]): string {
  const told = faults.slice(0, MOST_TOLD).map(({ message, pointer, line, column }) => {
    if (line === 0) return pointer === '' ? message : `at ${pointer}: ${message}`;
    return `${writePlace({ line, column })}${pointer === '' ? '' : ` (${pointer})`}: ${message}`;
  });
  const more = faults.length - told.length;
  return [...told, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

/** Adds to the faults of an overlay their places in its text, which is well-formed. */
export function placeFaults(text: string, faults: readonly OverlayFault[]): readonly PlacedFault[] {
  // To find a place takes parsing the text as YAML, whatever it is: a second for each megabyte.
  if (text.length > LARGE_TEXT) return faults.map((fault) => ({ ...fault, line: 0, column: 0 }));
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, uniqueKeys: false });
  return faults.map((fault) => {
    const names = pointerNames(fault.pointer);
    const nodes = [...names, ''].map((_, length) =>
      document.getIn(names.slice(0, names.length - length), true),
    );
    const found = nodes.find((node) => isNode(node) && node.range);
    const { line, col } = lineCounter.linePos((isNode(found) && found.range?.[0]) || 0);
    return { ...fault, line, column: col };
  });
}
