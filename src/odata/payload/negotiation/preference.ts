import { splitOutsideQuotes, unquote } from './format.ts';

/** The supported preferences (Part 1, 8.2.8; `handling` and `wait`: RFC 7240), without `odata.`. */
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

/** The parsed Prefer header, without unknown preferences and invalid values. */
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
  /** The source text of each valid preference. */
  readonly written: ReadonlyMap<string, string>;
}

/** Parses a Prefer header (RFC 7240). Unknown preferences are ignored (Part 1, 8.2.8). */
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

/** The properties with their preferences. */
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
 * The Preference-Applied header for applied preferences, in the client's own words (Part 1, 8.3.9; RFC 7240,
 * 3); undefined if no preference was applied.
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
  /** Without parameters. */
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

/** 4.01 allows only true and false; in 4.0, the name alone means true. */
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
export function annotationsList(value: string | undefined): string | undefined {
  return value?.split(',').every((name) => ANNOTATION.test(name.trim())) ? value : undefined;
}

function whole(value: string | undefined): number | undefined {
  return value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) : undefined;
}

function positive(value: string | undefined): number | undefined {
  return whole(value) || undefined;
}

/** Whether the client prefers an asynchronous response (Part 1, 8.2.8.8). */
export function prefersLater(prefer: string): boolean {
  return /respond-async/i.test(prefer) && parsePreferences(prefer).respondAsync;
}
