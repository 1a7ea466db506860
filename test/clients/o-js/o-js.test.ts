import { type OdataConfig, o } from 'o.js';
import { expect, it } from 'vitest';
import { useDemo } from '../support/demo.ts';

const demo = useDemo('library');

/** A chain of requests takes its settings along, so each begins anew. */
function library(settings: Partial<OdataConfig> = {}) {
  const headers = { authorization: demo.authorization, 'content-type': 'application/json' };
  return o(`${demo.url}/odata/`, { headers, ...settings });
}

/** The response to a request of a batch. */
interface BatchAnswer {
  readonly status: number;
  readonly body: unknown;
}

it('queries', async () => {
  const books = await library().get('Book').query({
    $filter: "Price lt 15 and contains(Title,'Ferry')",
    $orderby: 'Price desc',
    $top: 2,
    $count: true,
    $select: 'ISBN,Price',
  });
  expect(books).toMatchObject([
    { ISBN: '9783411032884', Price: 12.5 },
    { ISBN: '9783449647968', Price: 12.1 },
  ]);
});

it('expands', async () => {
  const book = await library()
    .get("Book('9783400000009')")
    .query({ $select: 'Title', $expand: 'Author($select=LastName)' });
  expect(book).toMatchObject({ Title: 'The Crooked Ferry', Author: { LastName: 'Varnholt' } });
});

it('creates, changes and deletes', async () => {
  const created = await library()
    .post('Author', { LastName: 'Nyberg', Languages: ['sv'] })
    .query();
  expect(created).toMatchObject({ Id: 13, FirstName: null, LastName: 'Nyberg' });
  await library().patch('Author(13)', { FirstName: 'Karin' }).query();
  expect(await library().get('Author(13)').query()).toMatchObject({ FirstName: 'Karin', LastName: 'Nyberg' });
  await library().delete('Author(13)').query();
  await expect(library().get('Author(13)').query()).rejects.toMatchObject({ status: 404 });
});

it('hands on the answer that says why something was refused', async () => {
  const refused: Response = await library()
    .post('Author', { LastName: 'x'.repeat(51), Languages: ['sv'] })
    .query()
    .catch((response: Response) => response);
  expect([refused.status, await refused.json()]).toStrictEqual([
    400,
    {
      error: {
        code: 'BadRequest',
        message: 'LastName: expected at most 50 characters, found 51.',
        target: 'LastName',
      },
    },
  ]);
});

it('sends a batch; the credential goes with its own header', async () => {
  const headers = new Headers({ authorization: demo.authorization });
  const requests = library({
    batch: { endpoint: '$batch', headers, useChangset: false, useRelativeURLs: true },
  })
    .get('Author(1)')
    .get('Book?$top=1&$select=ISBN')
    .post('Author', { LastName: 'Nyberg', Languages: ['sv'] });
  const answers: readonly BatchAnswer[] = await requests.batch();
  expect(answers.map(({ status, body }) => [status, body])).toMatchObject([
    [200, { Id: 1, LastName: 'Varnholt' }],
    [200, [{ ISBN: '9783400000009' }]],
    [201, { LastName: 'Nyberg' }],
  ]);
});
