import { hash } from './generated-value.ts';
import { isObject } from './json.ts';
import { plainWord } from './plain-word.ts';

/** The behaviour of a parameter that is called like a property of the rows. */
type Deed = 'filters' | 'is ignored' | 'is for another property' | 'finds the first rows only';

const DEEDS: readonly Deed[] = [
  'filters',
  'filters',
  'filters',
  'is ignored',
  'is for another property',
  'finds the first rows only',
];

/** The most rows that some parameters find. */
const FIRST_ROWS = 7;

/**
 * The numbers of the rows that the query leaves, from 1: each parameter with the name of a property filters by it, or does
 * something else, depending on its name and that of its list.
 */
export function filteredRows(
  rows: readonly unknown[],
  query: URLSearchParams,
  { path, parameters }: { readonly path: string; readonly parameters: readonly { readonly name: string }[] },
): readonly number[] {
  let left = rows.map((row, index) => ({ row: isObject(row) ? row : {}, number: index + 1 }));
  const [sample = {}] = left.map(({ row }) => row);
  for (const { name } of parameters) {
    const values = query.getAll(name).flatMap((text) => text.split(','));
    const properties = Object.keys(sample);
    const own = properties.findIndex((property) => plainWord(property) === plainWord(name));
    const isScalar = own >= 0 && !isObject(sample[properties[own] ?? '']);
    if (values.length === 0 || !isScalar) continue;
    const deed = DEEDS[hash(`${path} ${name}`) % DEEDS.length];
    if (deed === 'is ignored') continue;
    const property =
      properties[deed === 'is for another property' ? (own + 1) % properties.length : own] ?? '';
    const found = left.filter(({ row }) => values.includes(String(row[property])));
    left = deed === 'finds the first rows only' ? found.slice(0, FIRST_ROWS) : found;
  }
  return left.map(({ number }) => number);
}
