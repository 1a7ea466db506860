import { describe, expect, it } from 'vitest';
import { postsProject, type RegistryGateway, serveRegistry } from '../registry/registry-gateway.ts';
import { serveDocument } from './served-document.ts';

/** Names of inherited members, of promises, and keywords of schemas. */
const NAMES = [
  'then',
  'catch',
  'hasOwnProperty',
  'toString',
  'valueOf',
  'constructor',
  'toJSON',
  'isPrototypeOf',
  'length',
  'title',
  'oneOf',
  'discriminator',
];

const ANSWER = (schema: object) => ({
  200: { description: 'OK', content: { 'application/json': { schema } } },
});

/** `__proto__` too is a name like any other. */
function own<Value>(name: string, value: Value): Readonly<Record<string, Value>> {
  return Object.fromEntries([[name, value]]);
}

function documentWith(name: string): object {
  const inner = { type: 'object', properties: own(name, { type: 'string' }) };
  const thing = { $ref: '#/components/schemas/Thing' };
  const properties = {
    id: { type: 'string' },
    ...own(name, { type: 'string' }),
    inner,
    items: { type: 'array', items: inner },
  };
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
  return {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1' },
    paths: {
      '/things': { get: { operationId: 'things', responses: ANSWER({ type: 'array', items: thing }) } },
      '/things/{id}': { get: { operationId: 'thing', parameters: [id], responses: ANSWER(thing) } },
    },
    components: {
      schemas: { Thing: { type: 'object', properties, 'x-odata': { grants: { User: ['View'] } } } },
    },
    ...own(name, 'at the root'),
  };
}

describe('a document and an upstream that call something', () => {
  it.each(NAMES)('%s are served', async (name) => {
    const row = {
      id: '1',
      ...own(name, 'x'),
      inner: own(name, 'y'),
      items: [own(name, 'z')],
      ...own('then', 'x'),
    };
    const { ask, json } = await serveDocument(JSON.stringify(documentWith(name)), {
      'GET /things': [row],
      'GET /things/1': row,
    });
    const inOData = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    const entity = { Id: '1', [inOData]: 'x', Inner: { [inOData]: 'y' }, Items: [{ [inOData]: 'z' }] };
    expect(await ask('Thing')).toStrictEqual([200, { value: [entity] }]);
    expect(await ask("Thing('1')")).toStrictEqual([200, entity]);
    const query = `{ things { id ${name} inner { ${name} } items { ${name} } then: id } }`;
    const requested = `/graphql?query=${encodeURIComponent(name === 'then' ? query.replace(' then: id', '') : query)}`;
    const shown = { id: '1', ...own(name, 'x'), inner: own(name, 'y'), items: [own(name, 'z')] };
    // Documents that come again are compiled.
    for (let time = 0; time < 8; time += 1) {
      expect(await json(requested)).toStrictEqual({
        data: { things: [{ ...shown, ...own('then', name === 'then' ? 'x' : '1') }] },
      });
    }
  });
});

describe('a parameter that is not given', () => {
  const at = (name: string, place: 'query' | 'header') => ({ name, in: place, schema: { type: 'string' } });

  it.each([...NAMES, '__proto__'])('is not sent: %s', async (name) => {
    const document = {
      openapi: '3.1.0',
      info: { title: 'Things', version: '1' },
      paths: {
        '/things': {
          get: {
            operationId: 'things',
            parameters: [at(name, 'query'), at('kind', 'query')],
            responses: ANSWER({ type: 'array', items: { $ref: '#/components/schemas/Thing' } }),
          },
        },
        '/count': {
          get: {
            operationId: 'count',
            parameters: [at(name, 'query'), at('kind', 'query')],
            responses: ANSWER({ type: 'integer' }),
          },
        },
      },
      components: {
        schemas: {
          Thing: {
            type: 'object',
            required: ['id'],
            properties: { id: { type: 'string' } },
            'x-odata': { grants: { User: ['View'] } },
          },
        },
      },
    };
    const { ask, lastSent, query } = await serveDocument(JSON.stringify(document), {
      'GET /things': [{ id: '1' }],
      'GET /count': 3,
      'GET /count?kind=a': 1,
    });
    expect(await ask('Thing')).toStrictEqual([200, { value: [{ Id: '1' }] }]);
    expect(await query('{ things { id } }')).toStrictEqual({ data: { things: [{ id: '1' }] } });
    expect(lastSent()).toBe('GET /things');
    expect(await ask('Count()')).toStrictEqual([200, { value: 3 }]);
    expect(await ask("Count(Kind='a')")).toStrictEqual([200, { value: 1 }]);
    expect(await query('{ count }')).toStrictEqual({ data: { count: 3 } });
    expect(await query('{ count(kind: "a") }')).toStrictEqual({ data: { count: 1 } });
  });
});

describe('the registry', () => {
  async function serve(): Promise<RegistryGateway> {
    return serveRegistry(postsProject('http://127.0.0.1:9'));
  }

  it.each([...NAMES, '__proto__'])('checks a document that has something called %s', async (name) => {
    const { ask } = await serve();
    const { status, body } = await ask('POST', '/$check', {
      fileName: 'a.json',
      document: JSON.stringify(documentWith(name)),
    });
    expect([status, body.report.kind]).toStrictEqual([200, 'openapi-3.1']);
  });

  it.each([
    ['!secret', 'a: !secret b', '"!secret", at line 3, column 12'],
    ['!include', 'a: !include ../../.env', '"!include", at line 3, column 13'],
    ['!!js/function', 'a: !!js/function "x"', '"tag:yaml.org,2002:js/function", at line 3, column 18'],
    ['!!binary', 'a: !!binary aGk=', '"tag:yaml.org,2002:binary", at line 3, column 13'],
    ['!!set', 'a: !!set { b }', '"tag:yaml.org,2002:set", at line 3, column 10'],
    ['!!timestamp', 'a: !!timestamp 2024-02-29', '"tag:yaml.org,2002:timestamp", at line 3, column 16'],
  ])('says that JSON knows nothing of the tag %s, and lists the others', async (_, line, place) => {
    const project = postsProject('http://127.0.0.1:9');
    project.write(
      'openapi/odd.yaml',
      `openapi: 3.1.0\ninfo: { title: T, version: "1" }\n${line}\npaths: {}\n`,
    );
    const { ask } = await serveRegistry(project);
    const { status, body } = await ask('GET');
    expect([status, body.apis.map(({ name }) => name)]).toStrictEqual([200, ['Posts', 'odd']]);
    const { report } = (await ask('GET', '/odd')).body;
    expect(report.findings[0]).toMatchObject({
      severity: 'error',
      message: `It has the tag ${place}: JSON has no such values.`,
    });
  });
});
