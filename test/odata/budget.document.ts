import type { Behaviour } from '../support/stand-in-upstream.ts';

/** Books and their authors, which lead to each other. */
export const SHELF_DOCUMENT = `
openapi: 3.1.0
info: { title: Shelf, version: '1' }
servers: [{ url: 'http://127.0.0.1:1' }]
paths:
  /books:
    get:
      operationId: books
      parameters: [{ name: author_id, in: query, schema: { type: integer } }]
      responses:
        '200':
          description: All books.
          content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Book' } } } }
  /books/{id}:
    get:
      operationId: book
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      responses:
        '200':
          description: One.
          content: { application/json: { schema: { $ref: '#/components/schemas/Book' } } }
          links: { author: { operationId: author, parameters: { id: '$response.body#/author_id' } } }
  /authors:
    get:
      operationId: authors
      responses:
        '200':
          description: All authors.
          content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Author' } } } }
  /authors/{id}:
    get:
      operationId: author
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      responses:
        '200':
          description: One.
          content: { application/json: { schema: { $ref: '#/components/schemas/Author' } } }
          links: { books: { operationId: books, parameters: { author_id: '$response.body#/id' } } }
components:
  schemas:
    Book:
      type: object
      required: [id, title, author_id, price]
      properties:
        id: { type: integer }
        title: { type: string }
        author_id: { type: integer }
        price: { type: integer }
    Author:
      type: object
      required: [id, name]
      properties:
        id: { type: integer }
        name: { type: string }
`;

const BOOKS = Array.from({ length: 1000 }, (_, id) => ({
  id,
  title: `Title ${id} `.repeat(12),
  author_id: id % 10,
  price: id,
}));
const AUTHORS = Array.from({ length: 10 }, (_, id) => ({ id, name: `Name ${id}` }));

/** A thousand books of ten authors. */
export const shelf: Behaviour = ({ target }, reply) => {
  const author = /^\/authors\/(\d+)$/.exec(target)?.[1];
  const by = /^\/books\?author_id=(\d+)$/.exec(target)?.[1];
  if (target === '/books') reply.json(BOOKS);
  else if (by !== undefined) reply.json(BOOKS.filter((book) => String(book.author_id) === by));
  else if (target === '/authors') reply.json(AUTHORS);
  else if (author !== undefined) reply.json(AUTHORS[Number(author)]);
  else reply.send(404, '{}');
};
