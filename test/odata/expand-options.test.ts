import { describe, expect, it } from 'vitest';
import { useLibrary } from '../openapi/library-gateway.ts';

const { odata } = useLibrary();

/** The value of an answer without control information. */
async function ask(target: string): Promise<unknown> {
  const [status, text] = await odata(`GET ${encodeURI(target)}`);
  const answer = JSON.parse(text, (_, value: unknown) => withoutControl(value));
  return status === 200 ? (answer.value ?? answer) : [status, answer.error.message];
}

function withoutControl(value: unknown): unknown {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? Object.fromEntries(Object.entries(value).filter(([name]) => !name.includes('@'))) : value;
}

const numbers = (...all: readonly number[]) => all.map((CopyNumber) => ({ CopyNumber }));

/** The target → what is shown of it. */
type Case = readonly [target: string, answer: unknown];

const OUTER: readonly Case[] = [
  [
    'Author?$filter=Id le 2&$select=Id&$expand=Books($filter=Price gt $it/Id mul 15;$count=true;$select=Price;$orderby=Price)',
    [
      { Id: 1, Books: [{ Price: 19.7 }, { Price: 27.3 }, { Price: 30.5 }] },
      { Id: 2, Books: [{ Price: 31 }, { Price: 34.2 }] },
    ],
  ],
  [
    'Author?$filter=Id le 2&$select=Id&$expand=Books($top=1;$select=Price;$expand=Copies($filter=CopyNumber eq $it/Id;$select=CopyNumber))',
    [
      { Id: 1, Books: [{ Price: 8.9, Copies: numbers(1) }] },
      { Id: 2, Books: [{ Price: 12.6, Copies: numbers(2) }] },
    ],
  ],
  [
    "Book('9783400000009')?$select=ISBN&$expand=Author($compute=concat($it/Title,'!') as T;$select=T)",
    { ISBN: '9783400000009', Author: { T: 'The Crooked Ferry!' } },
  ],
  [
    "Book('9783400000009')?$select=ISBN&$expand=Copies($filter=$it/Author/Id eq CopyNumber;$select=CopyNumber)",
    { ISBN: '9783400000009', Copies: numbers(1) },
  ],
  [
    "Book('9783400000009')?$select=ISBN&$expand=Author($select=Languages($filter=$it/Price lt 5))",
    { ISBN: '9783400000009', Author: { Languages: [] } },
  ],
  [
    'Author?$filter=Id le 2&$select=Id&$expand=Books($apply=filter(Price gt $it/Id mul 15)/aggregate($count as N))',
    [
      { Id: 1, Books: [{ N: 3 }] },
      { Id: 2, Books: [{ N: 2 }] },
    ],
  ],
  [
    'Author?$select=Id&$expand=Books($filter=$it/Price gt 1)',
    [400, "$filter: expected a property of Library.Author, found 'Price' at position 18"],
  ],
];

describe('Part 2, 5.1.1.14.4: $it within $expand is the instance of the resource path', () => {
  it.each(OUTER)('%s', async (target, answer) => {
    expect(await ask(target)).toEqual(answer);
  });
});
