import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The sizes of the lists, each at a path with its number. */
const SIZES = [10_000, 50_000, 100_000, 200_000] as const;

/**
 * A project whose lists are long: orders, with many tags or none, and the people who have placed them. The shortest may
 * come from another server than the others, which need not wait for what is asked of those.
 */
export function ordersProject(
  endpoint: string,
  shortest = endpoint,
): { readonly meshConfig: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'duogate-bench-'));
  const sources = SIZES.map((rows) => {
    writeFileSync(join(folder, `orders-${rows}.json`), JSON.stringify(documentOf(rows)));
    const server = rows === SIZES[0] ? shortest : endpoint;
    const openapi = { source: `./orders-${rows}.json`, endpoint: `${server}/${rows}` };
    return { name: `Orders${rows}`, handler: { openapi } };
  });
  const meshConfig = join(folder, '.meshrc.yaml');
  writeFileSync(meshConfig, JSON.stringify({ sources }));
  return { meshConfig, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

function documentOf(rows: number): object {
  const integer = { type: 'integer', format: 'int32' };
  const text = { type: 'string' };
  const order = { id: integer, personId: integer, title: text, body: text };
  const person = `Person${rows}`;
  const list = (name: string) => ({
    [`${name}${rows}`]: {
      type: 'object',
      required: ['id'],
      properties: {
        person: { id: integer, name: text },
        order,
        tagged: { ...order, tags: { type: 'array', items: integer } },
      }[name],
      'x-odata': {
        entitySet: `${name.charAt(0).toUpperCase()}${name.slice(1)}${rows}`,
        grants: { User: ['View'] },
      },
    },
  });
  return {
    openapi: '3.1.0',
    info: { title: `Orders ${rows}`, version: '1' },
    'x-odata': { namespace: `Orders${rows}` },
    paths: {
      ...pathsOf('people', person, rows),
      ...pathsOf('orders', `order${rows}`, rows, `getpeople${rows}`),
      ...pathsOf('tagged', `tagged${rows}`, rows),
    },
    components: { schemas: { ...rename(list('person'), person), ...list('order'), ...list('tagged') } },
  };
}

function rename(schemas: Readonly<Record<string, object>>, name: string): object {
  return Object.fromEntries(Object.values(schemas).map((schema) => [name, schema]));
}

function pathsOf(path: string, schema: string, rows: number, related?: string): object {
  const reference = { $ref: `#/components/schemas/${schema}` };
  const answer = (of: object, links?: object) => ({
    200: { description: 'It.', content: { 'application/json': { schema: of } }, ...(links && { links }) },
  });
  const links = related && {
    person: { operationId: related, parameters: { id: '$response.body#/personId' } },
  };
  const parameter = { name: 'id', in: 'path', required: true, schema: { type: 'integer', format: 'int32' } };
  return {
    [`/${path}`]: {
      get: { operationId: `list${path}${rows}`, responses: answer({ type: 'array', items: reference }) },
    },
    [`/${path}/{id}`]: {
      get: {
        operationId: `get${path}${rows}`,
        parameters: [parameter],
        responses: answer(reference, links || undefined),
      },
    },
  };
}
