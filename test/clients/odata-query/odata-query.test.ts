import buildQuery from 'odata-query';
import { expect, it } from 'vitest';
import { useDemo } from '../support/demo.ts';

const demo = useDemo('library');

/** odata-query writes the URL; `fetch` sends it, with an API key. */
async function read(resource: string): Promise<unknown> {
  const response = await fetch(`${demo.url}/odata/${resource}`, {
    headers: { 'x-api-key': demo.key },
  });
  return response.json();
}

interface Author {
  readonly LastName: string;
  readonly Books: readonly Book[];
}
interface Book {
  readonly ISBN: string;
  readonly Title: string;
  readonly Price: number;
  readonly Author: Author;
}

it('writes filters with lambdas, and options within $expand', async () => {
  const query = buildQuery<Book>({
    filter: { Price: { lt: 15 }, Title: { contains: 'Ferry' }, Copies: { any: { Condition: 'good' } } },
    select: ['ISBN', 'Price'],
    expand: {
      Author: { select: ['LastName'], expand: { Books: { select: ['Title'], top: 1, orderBy: 'Title' } } },
    },
    count: true,
  });
  expect(await read(`Book${query}`)).toMatchObject({
    '@odata.count': 1,
    value: [
      {
        ISBN: '9783400000009',
        Price: 8.9,
        Author: { LastName: 'Varnholt', Books: [{ Title: 'A Ferry in Fennhaven' }] },
      },
    ],
  });
});

it('writes $apply', async () => {
  const query = buildQuery({
    transform: [
      { filter: { Price: { lt: 12 } } },
      {
        groupBy: {
          properties: ['Genre'],
          transform: { aggregate: { Price: { with: 'max', as: 'Dearest' } } },
        },
      },
    ],
  });
  expect(await read(`Book${query}`)).toMatchObject({
    value: [
      { Genre: 'novel', Dearest: 8.9 },
      { Genre: 'science_fiction', Dearest: 11.9 },
      { Genre: 'crime', Dearest: 11.8 },
    ],
  });
});
