import { OData } from '@odata/client';
import { expect, it } from 'vitest';
import { useDemo } from '../support/demo.ts';

const demo = useDemo('library');

interface Author {
  readonly Id: number;
  readonly FirstName: string | null;
  readonly LastName: string;
  readonly Languages: readonly string[];
}
interface Book {
  readonly ISBN: string;
  readonly Title: string;
  readonly Price: number;
}

function library() {
  return OData.New4({
    serviceEndpoint: `${demo.url}/odata/`,
    commonHeaders: { authorization: demo.authorization },
  });
}

it('queries and counts', async () => {
  const client = library();
  const books = client.getEntitySet<Book>('Book');
  const cheap = client.newFilter().property('Price').lt(15);
  const options = client.newOptions().filter(cheap).orderby('Price', 'desc').top(2).select(['ISBN', 'Price']);
  expect(await books.query(options)).toMatchObject([
    { ISBN: '9783401379111', Price: 12.6 },
    { ISBN: '9783411032884', Price: 12.5 },
  ]);
  expect(await books.count(cheap)).toBe(10);
  expect(await books.find({ Title: 'The Crooked Ferry' })).toMatchObject([{ ISBN: '9783400000009' }]);
});

it('reads an entity by its key', async () => {
  const options = library().newOptions().select('Title').expand('Author($select=LastName)');
  const book = await library().getEntitySet<Book>('Book').retrieve('9783400000009', options);
  expect(book).toMatchObject({ Title: 'The Crooked Ferry', Author: { LastName: 'Varnholt' } });
});

it('creates, changes and deletes', async () => {
  const authors = library().getEntitySet<Author>('Author');
  const created = await authors.create({ LastName: 'Nyberg', Languages: ['sv'] });
  expect(created).toMatchObject({ Id: 13, FirstName: null, LastName: 'Nyberg' });
  await authors.update(13, { FirstName: 'Karin' });
  expect(await authors.retrieve(13)).toMatchObject({ FirstName: 'Karin', LastName: 'Nyberg' });
  await authors.delete(13);
  await expect(authors.retrieve(13)).rejects.toThrow('There is no Author(13).');
});

it('throws what the service says of a mistake', async () => {
  const authors = library().getEntitySet<Author>('Author');
  await expect(authors.create({ LastName: 'x'.repeat(51), Languages: ['sv'] })).rejects.toThrow(
    'LastName: expected at most 50 characters, found 51.',
  );
});

it.each(['multipart', 'JSON'])('sends a batch in the %s form', async (form) => {
  const client = library();
  const requests = [
    client.newBatchRequest({ collection: 'Author', method: 'GET', id: 1 }),
    client.newBatchRequest<Author>({
      collection: 'Author',
      method: 'POST',
      entity: { LastName: 'Nyberg', Languages: ['sv'] },
    }),
  ];
  const send = form === 'JSON' ? client.execBatchRequestsJson : client.execBatchRequests;
  const answers = await send.call(client, requests);
  const reported = await Promise.all(answers.map(async ({ status, json }) => [status, await json()]));
  expect(reported).toMatchObject([
    [200, { LastName: 'Varnholt' }],
    [201, { LastName: 'Nyberg' }],
  ]);
});
