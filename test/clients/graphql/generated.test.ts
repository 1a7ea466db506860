import { beforeAll, describe, expect, it } from 'vitest';
import { useDemo } from '../support/demo.ts';
import { compile, generate } from './generate.ts';

const demo = useDemo('library');

beforeAll(() => generate());

it('graphql-codegen, gql.tada and Relay generate what strict TypeScript takes', async () => {
  expect(await compile()).toBe('');
});

describe('graphql-codegen', () => {
  it('makes an app that queries and changes', async () => {
    const { openLibrary } = await import('./codegen-app.ts');
    const library = openLibrary(demo.url, demo.authorization);
    expect(await library.cheapNovels(15)).toStrictEqual(['9783400000009 Varnholt']);
    expect(await library.addAuthor('Nyberg')).toStrictEqual(['sv']);
  });
});

describe('gql.tada', () => {
  it('types what urql is answered', async () => {
    const { bookText } = await import('./tada-app.ts');
    expect(await bookText(demo.url, demo.authorization, '9783400000009')).toBe(
      'The Crooked Ferry, Varnholt: 8.90',
    );
  });
});

describe('Relay', () => {
  it('reads a connection page by page', async () => {
    const { openLibrary } = await import('./relay-app.ts');
    const library = openLibrary(demo.url, demo.authorization);
    expect(await library.nextPage()).toStrictEqual({
      total: 60,
      books: ['A Cartographer in the Low Islands (Szabolcsi)', 'A Clockmaker in the Low Islands (Leuwerink)'],
    });
    expect(await library.nextPage()).toStrictEqual({
      total: 60,
      books: [
        'A Cartographer in the Low Islands (Szabolcsi)',
        'A Clockmaker in the Low Islands (Leuwerink)',
        'A Ferry in Fennhaven (Varnholt)',
        'A Ferry in Platform Nine (Anonymous)',
      ],
    });
  });

  it('reads the connection of an entity page by page with usePaginationFragment', async () => {
    const { openAuthor } = await import('./relay-pages-app.ts');
    const author = await openAuthor(demo.url, demo.authorization, '1');
    const first = ['A Ferry in Fennhaven', 'My Paper Winter'];
    expect(author.shown()).toStrictEqual({ titles: first, hasNext: true });
    await author.nextPage();
    expect(author.shown()).toStrictEqual({
      titles: [...first, 'The Crooked Ferry', 'The Lighthouse of the Glass Hill'],
      hasNext: true,
    });
    expect(author.sent).toStrictEqual(['relayPagesAppAuthorQuery', 'relayPagesAppBooksPage']);
  });
});
