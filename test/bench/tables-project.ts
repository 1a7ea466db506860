import { sourceOf } from '../support/temporary-project.ts';

/** A list, and its rows by key, of the server `tables`. */
export interface Table {
  /** Of the entity set. */
  readonly name: string;
  readonly columns: number;
  readonly rows: number;
}

/** The path of the list on the server; the rows are below it. */
export function tablePath({ name, columns, rows }: Table): string {
  return `/${columns}/${rows}/${name.toLowerCase()}`;
}

/** The files of a project of these tables. */
export function tablesProject(tables: readonly Table[], server: string): Readonly<Record<string, string>> {
  return {
    'tables.json': JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Tables', version: '1' },
      'x-odata': { namespace: 'Tables' },
      paths: Object.fromEntries(tables.flatMap(pathsOf)),
      components: { schemas: Object.fromEntries(tables.map((table) => [table.name, schemaOf(table)])) },
    }),
    '.meshrc.yaml': `sources:\n${sourceOf('Tables', './tables.json', server)}`,
  };
}

function schemaOf({ name, columns }: Table): object {
  const values = Array.from({ length: columns - 1 }, (_, index) => [
    `column${index + 1}`,
    index % 2 === 0 ? { type: 'string' } : INTEGER,
  ]);
  return {
    type: 'object',
    required: ['id'],
    properties: { id: INTEGER, ...Object.fromEntries(values) },
    'x-odata': { entitySet: name, grants: { User: ['View'] } },
  };
}

const INTEGER = { type: 'integer', format: 'int32' };

function pathsOf(table: Table): readonly (readonly [string, object])[] {
  const path = tablePath(table);
  const reference = { $ref: `#/components/schemas/${table.name}` };
  const answer = (schema: object) => ({
    200: { description: 'It.', content: { 'application/json': { schema } } },
  });
  const parameter = { name: 'id', in: 'path', required: true, schema: INTEGER };
  const list = {
    operationId: `list${table.name}`,
    responses: answer({ type: 'array', items: reference }),
  };
  const one = { operationId: `get${table.name}`, parameters: [parameter], responses: answer(reference) };
  return [
    [path, { get: list }],
    [`${path}/{id}`, { get: one }],
  ];
}
