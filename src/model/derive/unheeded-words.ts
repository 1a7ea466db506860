import { members } from '../../openapi/document/document-node.ts';
import { type DocumentSource, quote } from '../../openapi/document/document-source.ts';
import type { PlacedSettings } from './vocabulary/placed-settings.ts';

const OF_ENTITIES = 'the schema of entities that are listed, or read by key or on their own';
const OF_SETS = 'the schema of entities that are in an entity set';
const OF_ENUMERATIONS = 'the schema of texts or integers that enumerates them';

/** What a word of `x-odata` is about, where it stands on a schema or on what has one. */
const ABOUT: ReadonlyMap<string, string> = new Map([
  ['name', 'the schema of a property, or of a parameter of a function or an action'],
  ['type', 'the schema of values that are in the service'],
  ['precision', 'the schema of decimal numbers, points in time, times of day and durations'],
  ['scale', 'the schema of decimal numbers'],
  ['searchable', 'the schema of a property that is a text'],
  ['immutable', 'the schema of a property of what is read'],
  ['mediaType', 'the schema of a property that is a text or binary'],
  ['enum', OF_ENUMERATIONS],
  ['flags', OF_ENUMERATIONS],
  ['members', OF_ENUMERATIONS],
  ['entitySet', OF_SETS],
  ['singleton', 'the schema of an object that is read without a key'],
  ['key', OF_ENTITIES],
  ['alternateKeys', OF_ENTITIES],
  ['etag', OF_ENTITIES],
  ['grants', 'the schema of entities that are in an entity set, alone or contained'],
  ['hasStream', OF_ENTITIES],
  ['stream', OF_ENTITIES],
  ['streams', OF_ENTITIES],
  ['changes', OF_SETS],
  ['pageSize', OF_SETS],
]);

/** Tells of each word on a schema, or on what has one, that nothing of the model says. Words that are wrong have been reported. */
export function reportUnheededWords(
  { findings, heeded, report }: DocumentSource,
  placed: readonly PlacedSettings[],
): void {
  const reported = new Set(findings().map(({ pointer }) => pointer));
  for (const { place, settings } of placed) {
    if (place !== 'record' && place !== 'value') continue;
    const known = heeded.get(settings.value);
    for (const [word, { pointer }] of members(settings)) {
      const about = ABOUT.get(word);
      if (about === undefined || reported.has(pointer) || known?.has(word) === true) continue;
      const message = `${quote(word)} has no effect here: it is about ${about}`;
      report('warning', pointer, message, 'word-without-effect');
    }
  }
}
