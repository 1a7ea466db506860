import { beforeAll, describe, expect, it } from 'vitest';
import { useDemo } from '../support/demo.ts';
import { compile, generate } from './generate.ts';

const libraryDemo = useDemo('library');
const postsDemo = useDemo('posts');

beforeAll(async () => {
  await generate(libraryDemo, 'library', 'Lending');
  await generate(postsDemo, 'posts', 'Posts');
});

it('odata2ts generates what strict TypeScript takes', async () => {
  expect(await compile()).toBe('');
});

describe('an app with odata2ts on the library', () => {
  const app = async () => {
    const made = await import('./library-app.ts');
    return { ...made, library: made.openLibrary(libraryDemo.url, libraryDemo.authorization) };
  };

  it('queries', async () => {
    const { library, cheapestBooks, dearAuthors } = await app();
    expect(await cheapestBooks(library, 'Ferry')).toStrictEqual({
      count: 3,
      books: [
        { isbn: '9783400000009', price: 8.9, author: 'Varnholt' },
        { isbn: '9783449647968', price: 12.1, author: 'Varnholt' },
      ],
    });
    expect(await dearAuthors(library, 34.4)).toStrictEqual(['Brisk', 'Tasso', 'Quist', 'Merrowby']);
  });

  it('creates and deletes', async () => {
    const { library, addAndRemoveAuthor } = await app();
    expect(await addAndRemoveAuthor(library)).toStrictEqual({
      id: 13,
      born: null,
      lastName: 'Nyberg',
      status: 204,
    });
  });

  it('changes', async () => {
    const { library, moveCopy } = await app();
    expect(await moveCopy(library, '9783400000009', 1, 'B-7')).toStrictEqual({ status: 204, shelf: 'B-7' });
  });

  it('calls functions', async () => {
    const { library, callFunctions } = await app();
    expect(await callFunctions(library)).toStrictEqual({
      available: 1,
      due: [97, 98],
      statistics: [
        { genre: 'novel', loans: 1, fines: 0 },
        { genre: 'science_fiction', loans: 1, fines: 0 },
        { genre: 'travel', loans: 1, fines: 0.6 },
      ],
    });
  });

  it('calls actions', async () => {
    const { library, callActions } = await app();
    expect(await callActions(library, 98)).toStrictEqual({ returned: 98, sent: 16 });
  });

  it('tells what was refused', async () => {
    const { library } = await app();
    const refused = library.author().create({ lastName: 'x'.repeat(51), languages: ['sv'] });
    await expect(refused).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('LastName: expected at most 50 characters, found 51.'),
    });
  });
});

describe('an app with odata2ts on posts', () => {
  const app = async () => {
    const made = await import('./posts-app.ts');
    return { ...made, posts: made.openPosts(postsDemo.url, postsDemo.authorization) };
  };

  it('queries, reads one, and creates', async () => {
    const { posts, headlines, readPost, addPost } = await app();
    expect(await headlines(posts, 3)).toStrictEqual([
      { id: '25', title: 'What the patient clock taught me' },
      { id: '30', title: 'What the crooked harbour taught me' },
    ]);
    expect(await readPost(posts, '1')).toMatchObject({ userId: 1, id: '1' });
    expect(await addPost(posts, 'Hello')).toMatchObject({ userId: 1, id: '101', title: 'Hello', body: null });
  });
});
