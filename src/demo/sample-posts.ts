import type { Post } from '../../.mesh/index.js';
import { type Pick, picker } from './picker.ts';

/** A post as the API sends it: complete, and numbered. */
export type SamplePost = { readonly [Name in keyof Required<Post>]: NonNullable<Post[Name]> };

const USERS = 10;
const POSTS_PER_USER = 10;

/** The same hundred posts at every start: ten by each of ten users, numbered from 1. */
export function samplePosts(): readonly SamplePost[] {
  const pick = picker(1);
  return Array.from({ length: USERS * POSTS_PER_USER }, (_, index) => ({
    userId: Math.floor(index / POSTS_PER_USER) + 1,
    id: index + 1,
    title: writeTitle(pick, index),
    body: Array.from({ length: 2 + (index % 3) }, () => writeSentence(pick)).join('\n'),
  }));
}

const ADJECTIVES = [
  'quiet',
  'crooked',
  'wooden',
  'borrowed',
  'small',
  'salty',
  'patient',
  'loud',
  'blue',
  'slow',
];
const NOUNS = [
  'harbour',
  'kettle',
  'bicycle',
  'garden',
  'letter',
  'lantern',
  'staircase',
  'river',
  'clock',
  'map',
];
const PLACES = [
  'by the sea',
  'in March',
  'after rain',
  'on the roof',
  'at the market',
  'before breakfast',
  'up north',
];
const PEOPLE = [
  'My neighbour',
  'The baker',
  'A stranger',
  'Our postman',
  'The gardener',
  'Everyone here',
  'Nobody',
];
const VERBS = ['mended', 'painted', 'forgot', 'found', 'praised', 'measured', 'carried', 'drew'];
const ENDINGS = [
  'and said nothing',
  'twice',
  'without a plan',
  'for the fun of it',
  'as if it were new',
  'in one go',
];

const TITLES: readonly ((pick: Pick) => string)[] = [
  (pick) => `Notes on a ${pick(ADJECTIVES)} ${pick(NOUNS)}`,
  (pick) => `The ${pick(ADJECTIVES)} ${pick(NOUNS)} ${pick(PLACES)}`,
  (pick) => `How to keep a ${pick(NOUNS)} ${pick(PLACES)}`,
  (pick) => `A ${pick(NOUNS)} and a ${pick(ADJECTIVES)} afternoon`,
  (pick) => `What the ${pick(ADJECTIVES)} ${pick(NOUNS)} taught me`,
];

function writeTitle(pick: Pick, index: number): string {
  return TITLES[index % TITLES.length]?.(pick) ?? '';
}

function writeSentence(pick: Pick): string {
  return `${pick(PEOPLE)} ${pick(VERBS)} the ${pick(ADJECTIVES)} ${pick(NOUNS)} ${pick(PLACES)}, ${pick(ENDINGS)}.`;
}
