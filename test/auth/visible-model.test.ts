import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { visibleModels } from '../../src/auth/permissions/visible-model.ts';
import type { EntitySource } from '../../src/contract/entity-source.ts';
import { modelFromOpenApi } from '../../src/derive/model-from-openapi.ts';
import { createODataEndpoint } from '../../src/odata/endpoint.ts';

const DOCUMENT = parse(
  readFileSync(join(import.meta.dirname, '../../examples/library/openapi/library.yaml'), 'utf8'),
);
const { model } = modelFromOpenApi([{ name: 'Library', document: DOCUMENT }]);

/** Documents about the model have no data in them. */
const UNUSED_SOURCE = new Proxy({} as EntitySource, {
  get: (_, name) => {
    throw new Error(`The source was asked to ${String(name)}.`);
  },
});

const endpoint = createODataEndpoint({
  model,
  visibleTo: visibleModels(model),
  source: UNUSED_SOURCE,
  root: 'http://x/odata',
  answerMemoryBytes: 0,
});

async function read(target: string, roles: readonly string[]) {
  const { status, headers, body } = await endpoint({
    id: 'test',
    principal: { kind: 'user', id: 'u', roles },
    signal: new AbortController().signal,
    method: 'GET',
    target,
    headers: { 'odata-maxversion': '4.01' },
    body: undefined,
  });
  return { status, etag: headers['etag'], json: JSON.parse(String(body)) };
}

const ROLES: Readonly<Record<string, readonly string[]>> = {
  nobody: [],
  'another role': ['constructor', 'Guest'],
  User: ['User'],
  Librarian: ['Librarian'],
  both: ['Librarian', 'User'],
};

const FOR_ALL = ['Author', 'Book', 'Copy', 'House', 'ReadingList'];
const FOR_LIBRARIANS = ['Loan', 'Member'];

describe('the service document', () => {
  it.each([
    ['nobody', []],
    ['another role', []],
    ['User', FOR_ALL],
    ['Librarian', [...FOR_ALL, ...FOR_LIBRARIANS]],
    ['both', [...FOR_ALL, ...FOR_LIBRARIANS]],
  ])('shows %s the resources that may be read', async (name, expected) => {
    const { json } = await read('/', ROLES[name] ?? []);
    const names = json.value
      .filter(({ kind }: { kind?: string }) => kind !== 'FunctionImport')
      .map((each: { name: string }) => each.name);
    expect(names.sort()).toStrictEqual([...expected].sort());
  });
});

interface Csdl {
  readonly members: readonly string[];
  readonly text: string;
}

async function metadata(roles: readonly string[]): Promise<Csdl> {
  const { json } = await read('/$metadata?$format=json', roles);
  const container = json[json.$EntityContainer?.split('.')[0]]?.Container ?? {};
  return { members: Object.keys(container).filter((name) => !/[$@]/.test(name)), text: JSON.stringify(json) };
}

describe('$metadata', () => {
  it.each([
    ['nobody', []],
    ['User', FOR_ALL],
    ['Librarian', [...model.entitySets.keys(), ...model.singletons.keys(), ...model.imports.keys()]],
  ])('shows %s the members of the container that are of use', async (name, expected) => {
    const { members } = await metadata(ROLES[name] ?? []);
    expect([...members].sort()).toStrictEqual([...expected].sort());
  });

  it('shows users no type, property or operation of what they may not see', async () => {
    const hidden = /"(Members?|Loans?|NewLoan|LendingStatistics|SendReminders)"/;
    expect((await metadata(['User'])).text).not.toMatch(hidden);
    expect((await metadata(['Librarian'])).text).toMatch(hidden);
  });

  it('says that nothing can be created by whoever may only look', async () => {
    const insertable = async (role: string) => (await metadata([role])).text.match(/"Insertable":\w+/g);
    expect(new Set(await insertable('User'))).toStrictEqual(new Set(['"Insertable":false']));
    expect(await insertable('Librarian')).toContain('"Insertable":true');
  });

  it('has an ETag of its own for each set of roles that makes a difference', async () => {
    const etag = async (roles: readonly string[]) => (await read('/$metadata?$format=json', roles)).etag;
    expect(await etag(['Guest', 'User'])).toBe(await etag(['User']));
    expect(await etag(['User'])).not.toBe(await etag(['Librarian']));
  });
});
