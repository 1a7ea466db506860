import type { SearchExpression } from '../../engine/tree/expression-tree.ts';

/** `search`: all of the words, and of the phrases in double quotes. Undefined where there are none. */
export function searchExpression(search: unknown): SearchExpression | undefined {
  if (typeof search !== 'string') return undefined;
  const terms = [...search.matchAll(/"([^"]*)"|([^\s"]+)/g)].flatMap(
    ([, phrase, word]): SearchExpression[] => {
      const text = (phrase ?? word ?? '').trim();
      return text === '' ? [] : [{ kind: 'term', text, position: 0 }];
    },
  );
  const [first, ...rest] = terms;
  return rest.reduce<SearchExpression | undefined>(
    (left, right) => left && { kind: 'searchAnd', left, right, position: 0 },
    first,
  );
}
