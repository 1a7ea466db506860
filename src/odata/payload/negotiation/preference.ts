import { splitOutsideQuotes, unquote } from './format.ts';

/** The preferences that a client may state (Part 1, 8.2.8; `handling` and `wait`: RFC 7240), without `odata.`. */
export type PreferenceName =
  | 'continue-on-error'
  | 'handling'
  | 'include-annotations'
  | 'maxpagesize'
  | 'omit-values'
  | 'respond-async'
  | 'return'
  | 'track-changes'
  | 'wait';

/** What a Prefer header field asks for. What is not known, or has a value that it cannot have, is not there. */
export interface Preferences {
  readonly continueOnError: boolean | undefined;
  readonly handling: 'strict' | 'lenient' | undefined;
  readonly includeAnnotations: string | undefined;
  readonly maxPageSize: number | undefined;
  readonly omitValues: 'nulls' | 'defaults' | undefined;
  readonly respondAsync: boolean;
  readonly return: 'minimal' | 'representation' | undefined;
  readonly trackChanges: boolean;
  /** Seconds. */
  readonly wait: number | undefined;
  /** Each preference as the client wrote it; those whose values mean nothing are not there. */
  readonly written: ReadonlyMap<string, string>;
}

/** Reads a Prefer header field (RFC 7240). Preferences that are not known are ignored (Part 1, 8.2.8). */
export function parsePreferences(prefer: string | undefined): Preferences {
  const given = new Map<string, Preference>();
  for (const text of splitOutsideQuotes(prefer ?? '', ',')) {
    const preference = parsePreference(text);
    // The first of several counts (RFC 7240, 2).
    if (preference.name !== '' && !given.has(preference.name)) given.set(preference.name, preference);
  }
  const value = (name: PreferenceName) => given.get(name)?.value;
  const read = readValues(value);
  const meant = [...given].filter(
    ([name]) => !VALUED.some(([key, each]) => each === name && read[key] === undefined),
  );
  return {
    ...read,
    respondAsync: given.has('respond-async'),
    trackChanges: given.has('track-changes'),
    written: new Map(meant.map(([name, { written }]) => [name, written])),
  };
}

function readValues(value: (name: PreferenceName) => string | undefined) {
  return {
    continueOnError: truth(value('continue-on-error')),
    handling: oneOf(value('handling'), ['strict', 'lenient']),
    includeAnnotations: annotationsList(value('include-annotations')),
    maxPageSize: positive(value('maxpagesize')),
    omitValues: oneOf(value('omit-values'), ['nulls', 'defaults']),
    return: oneOf(value('return'), ['minimal', 'representation']),
    wait: whole(value('wait')),
  } as const;
}

/** What has a value, and the preference that says it. */
const VALUED: readonly (readonly [keyof ReturnType<typeof readValues>, PreferenceName])[] = [
  ['continueOnError', 'continue-on-error'],
  ['handling', 'handling'],
  ['includeAnnotations', 'include-annotations'],
  ['maxPageSize', 'maxpagesize'],
  ['omitValues', 'omit-values'],
  ['return', 'return'],
  ['wait', 'wait'],
];

/**
 * The Preference-Applied header field for preferences that were honoured, in the client's own words (Part 1,
 * 8.3.9; RFC 7240, 3); undefined where none was.
 */
export function preferenceApplied(
  { written }: Preferences,
  applied: readonly PreferenceName[],
): string | undefined {
  const words = applied.flatMap((name) => written.get(name) ?? []);
  return words.length === 0 ? undefined : words.join(', ');
}

interface Preference {
  readonly name: string;
  readonly value: string;
  /** Without the parameters. */
  readonly written: string;
}

function parsePreference(text: string): Preference {
  const [first = ''] = splitOutsideQuotes(text, ';');
  const [name, value] = parsePair(first);
  return { name: name.replace(/^odata\./, ''), value, written: first.trim() };
}

/** preference = token [ BWS "=" BWS word ] */
function parsePair(text: string): readonly [string, string] {
  const equals = text.indexOf('=');
  if (equals < 0) return [text.trim().toLowerCase(), ''];
  return [text.slice(0, equals).trim().toLowerCase(), unquote(text.slice(equals + 1).trim())];
}

/** 4.01 knows no value other than true and false; 4.0 had no value for true. */
function truth(value: string | undefined): boolean | undefined {
  const word = value?.toLowerCase();
  if (word === '' || word === 'true') return true;
  return word === 'false' ? false : undefined;
}

function oneOf<Word extends string>(value: string | undefined, words: readonly Word[]): Word | undefined {
  return words.find((word) => word === value?.toLowerCase());
}

const IDENTIFIER = String.raw`[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}]*`;
const ANNOTATION = new RegExp(
  String.raw`^-?(?:\*|(?:${IDENTIFIER}\.)+(?:${IDENTIFIER}|\*))(?:#${IDENTIFIER})?$`,
  'u',
);

/** annotationIdentifier = [ "-" ] ( "*" / namespace "." ( termName / "*" ) ) [ "#" odataIdentifier ] (Part 1, 8.2.8.4) */
function annotationsList(value: string | undefined): string | undefined {
  return value?.split(',').every((name) => ANNOTATION.test(name.trim())) ? value : undefined;
}

function whole(value: string | undefined): number | undefined {
  return value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) : undefined;
}

function positive(value: string | undefined): number | undefined {
  return whole(value) || undefined;
}

/** Whether the client would rather have the answer later (Part 1, 8.2.8.8). */
export function prefersLater(prefer: string): boolean {
  return /respond-async/i.test(prefer) && parsePreferences(prefer).respondAsync;
}
