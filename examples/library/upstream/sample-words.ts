import type { Pick } from '../../../src/demo/picker.ts';

export const FIRST_NAMES = [
  'Ilse',
  'Tomas',
  'Marit',
  'Anselm',
  'Yara',
  'Joris',
  'Henrike',
  'Pavel',
  'Noor',
  'Edda',
  'Lucan',
  'Mirela',
  'Bastian',
  'Ottilie',
  'Ravi',
  'Sunniva',
];
export const AUTHOR_NAMES = [
  'Varnholt',
  'Okonedo',
  'Brisk',
  'Leuwerink',
  'Tasso',
  'Dragomirov',
  'Halvard',
  'Quist',
  'Anonymous',
  'Merrowby',
  'Szabolcsi',
  'Ferreday',
];
export const MEMBER_NAMES = [
  'Achterberg',
  'Bolling',
  'Czerny',
  'Dunmore',
  'Ekdahl',
  'Fontaine',
  'Grell',
  'Hooft',
  'Ivanek',
  'Jessop',
  'Kallio',
  'Lund',
  'Moravec',
  'Nyberg',
  'Ostrow',
  'Pell',
  'Quandt',
  'Rosling',
  'Stavros',
  'Thorne',
  'Uhlig',
  'Vesely',
  'Wickert',
  'Zandvoort',
];
export const LANGUAGES = ['de', 'en', 'nl', 'da', 'pl', 'fr'];
export const PUBLISHERS = ['Deichverlag', 'North Pier Press', 'Lantern & Sons', 'Blauwe Brug', 'Kompass'];
export const KEYWORDS = [
  'harbour',
  'winter',
  'family',
  'letters',
  'islands',
  'trains',
  'clocks',
  'bread',
  'maps',
  'weather',
];
export const SUBTITLES = [
  'A journey in nine letters',
  'From the first bridge to the last',
  'Notes of a slow traveller',
  'What the archives keep',
];
export const SHELVES = ['A', 'B', 'C', 'D', 'E'];
export const STREETS = [
  'Birch Lane',
  'Ropewalk',
  'Mill Street',
  'Sailmaker Row',
  'Station Road',
  'Orchard Way',
];
export const OPINIONS = [
  'Read in one evening, and again the next.',
  'The middle is long, the end is worth it.',
  'I gave it to my brother, who never gave it back.',
  'Good on the ferry, less so at home.',
  'More weather than plot, and I did not mind.',
];

const ADJECTIVES = ['Quiet', 'Borrowed', 'Salt', 'Crooked', 'Late', 'Paper', 'Northern', 'Patient'];
const NOUNS = [
  'Harbour',
  'Lighthouse',
  'Clockmaker',
  'Orchard',
  'Ferry',
  'Staircase',
  'Winter',
  'Cartographer',
];
const PLACES = ['Fennhaven', 'the Low Islands', 'Platform Nine', 'the Glass Hill', 'Upper Fenn'];

/** The patterns of titles, used in turn. */
export const TITLES: readonly ((pick: Pick) => string)[] = [
  (pick) => `The ${pick(ADJECTIVES)} ${pick(NOUNS)}`,
  (pick) => `A ${pick(NOUNS)} in ${pick(PLACES)}`,
  (pick) => `${pick(NOUNS)} and ${pick(NOUNS)}`,
  (pick) => `The ${pick(NOUNS)} of ${pick(PLACES)}`,
  (pick) => `${pick(ADJECTIVES)} Days`,
  (pick) => `Twelve Letters from ${pick(PLACES)}`,
  (pick) => `My ${pick(ADJECTIVES)} ${pick(NOUNS)}`,
];
