/** Additional parts of a document of books and their reviews. */
interface ShelfParts {
  /** Members of the document. */
  readonly document?: string;
  /** Members of the list of reviews. */
  readonly list?: string;
  /** Members of the schemas, each with a comma behind it. */
  readonly book?: string;
  readonly review?: string;
  readonly paths?: string;
}

const INT32 = '{ type: integer, format: int32 }';

function answered(schema: string): string {
  return `{ "200": { description: OK, content: { application/json: { schema: ${schema} } } } }`;
}

function listed(schema: string): string {
  return answered(`{ type: array, items: { $ref: "#/components/schemas/${schema}" } }`);
}

/** Reviews stand below their books alone. */
export function shelfDocument({
  document = '',
  list = '',
  book = '',
  review = '',
  paths = '',
}: ShelfParts): string {
  return `
openapi: 3.1.0
info: { title: Shelf, version: 1.0.0 }
${document}
paths:
  /books:
    get: { operationId: books, responses: ${listed('Book')} }
  /books/{id}:
    parameters: [{ name: id, in: path, required: true, schema: ${INT32} }]
    get: { operationId: book, responses: ${answered('{ $ref: "#/components/schemas/Book" }')} }
  /books/{id}/reviews:
    parameters: [{ name: id, in: path, required: true, schema: ${INT32} }]
    get:
      operationId: reviews
      ${list}
      responses: ${listed('Review')}
    post:
      operationId: createReview
      requestBody: { content: { application/json: { schema: { type: object, properties: { stars: ${INT32} } } } } }
      responses: ${answered('{ $ref: "#/components/schemas/Review" }')}
  /books/{id}/reviews/{review_id}:
    parameters:
      - { name: id, in: path, required: true, schema: ${INT32} }
      - { name: review_id, in: path, required: true, schema: { type: string } }
    get: { operationId: review, responses: ${answered('{ $ref: "#/components/schemas/Review" }')} }
    delete: { operationId: deleteReview, responses: { "204": { description: Gone } } }
  ${paths}
components:
  schemas:
    Book: { ${book} type: object, properties: { id: ${INT32}, title: { type: string } } }
    Review: { ${review} type: object, properties: { id: { type: string }, stars: ${INT32}, book_id: ${INT32} } }
`;
}

export const SHELF = shelfDocument({});
