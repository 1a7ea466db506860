import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { permissionsOf } from '../../src/auth/permissions/grants.ts';
import { guardSource } from '../../src/auth/permissions/guarded-source.ts';
import { visibleModels } from '../../src/auth/permissions/visible-model.ts';
import type { EntitySource } from '../../src/contract/entity-source.ts';
import { modelFromOpenApi } from '../../src/derive/model-from-openapi.ts';
import { createODataEndpoint } from '../../src/odata/endpoint.ts';

const DOCUMENT = parse(
  readFileSync(join(import.meta.dirname, '../../examples/library/openapi/library.yaml'), 'utf8'),
);
const { model } = modelFromOpenApi([{ name: 'Library', document: DOCUMENT }]);

/** The permissions are asked before it, and whatever they let pass fails. */
const UNUSED_SOURCE = new Proxy({} as EntitySource, {
  get: (_, name) => async () => {
    throw new Error(`The source was asked to ${String(name)}.`);
  },
});

const endpoint = createODataEndpoint({
  model,
  visibleTo: visibleModels(model),
  source: guardSource(UNUSED_SOURCE, permissionsOf(model), model),
  root: 'http://x/odata',
  answerMemoryBytes: 0,
});

async function ask(call: string, roles: readonly string[]) {
  const [method = '', target = ''] = call.split(/ (.*)/);
  const { status, body } = await endpoint({
    id: 'test',
    principal: { kind: 'user', id: 'u', roles },
    signal: new AbortController().signal,
    method,
    target: target.replaceAll(' ', '%20'),
    headers: { 'content-type': 'application/json' },
    body: method === 'GET' ? undefined : Buffer.from('{}'),
  });
  return [status, JSON.parse(String(body)).error.message];
}

const HIDDEN = 'Your role may not view everything that this request reads.';

/** Users see neither loans nor members (examples/library/openapi/library.yaml), and no navigation property that leads to them. */
const PROBES = [
  ['GET', '/Loan', '/Loan/Nope'],
  ['GET', '/Loan(1)/Due', '/Loan(1)/Nope'],
  ['GET', '/Loan(1)', "/Loan('x')"],
  ['GET', '/Loan?$filter=Due eq null', '/Loan?$filter=Nope eq null'],
  ['DELETE', '/Loan(1)/Due', '/Loan(1)/Nope'],
  ['POST', '/Loan(1)/Library.Return', '/Loan(1)/Library.Nope'],
] as const;

describe('names of what a user does not see', () => {
  it.each(PROBES)('cannot be told from others: %s %s, %s', async (method, right, wrong) => {
    const found = await Promise.all([right, wrong].map((target) => ask(`${method} ${target}`, ['User'])));
    expect(found.map(([status]) => status)).toStrictEqual([403, 403]);
    expect(String(found[1]?.[1])).toMatch(/^Your role /);
  });

  it.each([
    '/Author?$filter=$root/Loan(1)/Due ne null',
    '/Author?$filter=$root/Loan(1)/Nope ne null',
    '/Author?$filter=$root/Loan/$count gt 1',
    '/Author?$filter=$root/Loan/any(l:l/Nope eq 1)',
    '/Book?$expand=Author,Copies($expand=Loans)',
  ])('are those of unknown ones within what a user sees: %s', async (target) => {
    const [status, message] = await ask(`GET ${target}`, ['User']);
    const unknown = await ask(`GET ${target.replaceAll('Loan', 'Lean')}`, ['User']);
    expect([status, message.replaceAll('Loan', 'Lean')]).toStrictEqual([400, unknown[1]]);
  });

  it.each([
    ['DELETE /Loan(1)/Nope', HIDDEN],
    ['GET /Loan?$filter=Nope eq null', 'Your role needs the permission View on Loan.'],
  ])('are answered with what can be said: %s', async (call, message) => {
    expect(await ask(call, ['User'])).toStrictEqual([403, message]);
  });

  it.each([
    ['GET /Loan/Nope', [404, 'There is no resource "Nope" here.']],
    ['GET /Author(1)/Nope', [404, 'There is no resource "Nope" here.']],
  ])('leave those who see it the reason: %s', async (call, answer) => {
    expect(await ask(call, ['Librarian'])).toStrictEqual(answer);
  });
});

// OData 4.01 Part 2, 4: names are case-sensitive.
describe('a resource that is not there', () => {
  it.each([
    ['/author', 'Author'],
    ['/Authors', 'Author'],
    ['/Boook(1)/Title', 'Book'],
    ['/Bok?$top=1', 'Book'],
    ['/house', 'House'],
  ])('%s may be meant for another', async (target, near) => {
    const [, found] = /^\/(\w+)/.exec(target) ?? [];
    const message = `There is no resource "${found}" here: is "${near}" meant?`;
    expect(await ask(`GET ${target}`, ['User'])).toStrictEqual([404, message]);
  });

  it.each(['/Loans', '/Nope', '/Author(1)/Nope'])(
    '%s is near to nothing that may be seen',
    async (target) => {
      const found = /\w+$/.exec(target);
      expect(await ask(`GET ${target}`, ['User'])).toStrictEqual([
        404,
        `There is no resource "${found}" here.`,
      ]);
    },
  );

  it('is near to a property of what leads there', async () => {
    expect(await ask('GET /Author(1)/Boooks', ['User'])).toStrictEqual([
      404,
      'There is no resource "Boooks" here: is "Books" meant?',
    ]);
  });

  it('is near to what others see', async () => {
    expect(await ask('GET /Loans', ['Librarian'])).toStrictEqual([
      404,
      'There is no resource "Loans" here: is "Loan" meant?',
    ]);
  });
});
