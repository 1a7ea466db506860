import { describe, expect, it } from 'vitest';
import { CHANGES_DOCUMENT } from './changes.document.ts';
import { useShop } from './changes-client.ts';

const TEXT = { type: 'string', maxLength: 20 };
const document = structuredClone(CHANGES_DOCUMENT);
const address = {
  type: 'object',
  required: ['street'],
  properties: {
    street: TEXT,
    city: { type: ['string', 'null'] },
    lines: { type: 'array', items: TEXT },
    place: {
      type: 'object',
      required: ['floor'],
      properties: { floor: { type: 'integer', format: 'int32' }, room: { type: ['string', 'null'] } },
    },
  },
};
for (const { properties } of [document.components.schemas.Customer, document.components.schemas.Contract]) {
  Object.assign(properties, { address });
}

/** Customers are changed by PATCH, contracts by PUT; none of them has an address. */
const { ask } = useShop(document);

const STATE = { 'if-match': '*' };
const ENTITIES = ['Customer(1)', 'Contract(1)'] as const;
const each = <Case extends readonly unknown[]>(cases: readonly Case[]) =>
  ENTITIES.flatMap((entity) => cases.map((one) => [entity, ...one] as const));

describe('a part of a complex value that is null (Part 1, 11.4.9)', () => {
  it.each(
    each([
      ['DELETE', 'Address/City', undefined],
      ['DELETE', 'Address/City/$value', undefined],
      ['PUT', 'Address/City', { value: null }],
      ['DELETE', 'Address/Lines', undefined],
      ['PUT', 'Address/Lines', { value: [] }],
      ['DELETE', 'Address/Place', undefined],
      ['DELETE', 'Address/Place/Room', undefined],
    ]),
  )('of %s is null already: %s %s (11.4.9.2)', async (entity, method, path, body) => {
    const { answer, sent } = await ask(`${method} ${entity}/${path}`, body, STATE);
    expect([answer, sent]).toStrictEqual(['204', []]);
    expect((await ask(`GET ${entity}/Address`)).answer).toMatch(/^204/);
  });

  it.each(
    each([
      ['PUT', 'Address/City', { value: 'Ulm' }, 'Address/Street'],
      ['PUT', 'Address/Place', { Floor: 1 }, 'Address/Street'],
      ['PATCH', 'Address/Place', { Room: 'a' }, 'Address/Street', 'Address/Place/Floor'],
      ['PATCH', 'Address', { City: 'Ulm' }, 'Address/Street'],
      ['PATCH', '', { Address: { City: 'Ulm' } }, 'Address/Street'],
    ]),
  )('of %s cannot be all that there is: %s %s', async (entity, method, path, body, ...missing) => {
    const { answer, body: text, sent } = await ask(`${method} ${entity}${path && '/'}${path}`, body, STATE);
    const { error } = JSON.parse(text);
    const reported = [error, ...(error.details ?? [])].map(({ message }: { message: string }) => message);
    expect([answer, sent, reported]).toStrictEqual([
      '400',
      [],
      missing.map((name) => `${String(name)}: expected a value, found none.`),
    ]);
  });

  it.each([
    ['PUT Customer(1)/Address/Street', { value: 'Main' }, 'PATCH /customers/1 {"address":{"street":"Main"}}'],
    ['PATCH Customer(1)/Address', { Street: 'Main' }, 'PATCH /customers/1 {"address":{"street":"Main"}}'],
    [
      'PATCH Contract(1)',
      { Address: { Street: 'Main', City: 'Ulm' } },
      'PUT /contracts/1 if * {"text":"all of it","address":{"street":"Main","city":"Ulm"}}',
    ],
  ])('is made with it where that is all it needs: %s', async (call, body, sent) => {
    expect((await ask(call, body, STATE)).sent).toStrictEqual([sent]);
  });

  it('is one of an entity that is there, and in the state that the request expects', async () => {
    expect((await ask('DELETE Customer(9)/Address/City')).answer).toBe('404');
    expect((await ask('DELETE Contract(1)/Address/City')).answer).toBe('428');
    expect((await ask('DELETE Contract(1)/Address/City', undefined, { 'if-match': '"r0"' })).answer).toBe(
      '412',
    );
  });

  it('is set where there is a value', async () => {
    await ask('PATCH Customer(1)', { Address: { Street: 'Main', City: 'Ulm', Lines: ['a'] } });
    expect((await ask('DELETE Customer(1)/Address/City')).sent).toStrictEqual([
      'PATCH /customers/1 {"address":{"street":"Main","city":null,"lines":["a"],"place":null}}',
    ]);
    expect((await ask('PUT Customer(1)/Address/Lines', { value: [] })).sent).toStrictEqual([
      'PATCH /customers/1 {"address":{"street":"Main","city":null,"lines":[],"place":null}}',
    ]);
  });
});
