import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { serveDocument } from './served-document.ts';

function textOf(name: string): string {
  return readFileSync(join(import.meta.dirname, 'generated', `${name}.yaml`), 'utf8');
}

const ANN = { id: 'u1', email: 'ann@example.com', fullName: 'Ann', roleId: 1 };
const BOB = { id: 'u2', email: 'bob@example.com', fullName: 'Bob', roleId: 2 };
const SHOWN_ANN = { Id: 'u1', Email: 'ann@example.com', FullName: 'Ann', RoleId: 1 };
const SHOWN_BOB = { Id: 'u2', Email: 'bob@example.com', FullName: 'Bob', RoleId: 2 };

/** The answers of an API whose lists and entities are nested by those functions. */
function usersApi(nestList: (rows: readonly object[]) => unknown, nestOne: (row: object) => unknown) {
  const list = nestList([ANN, BOB]);
  return {
    'GET /users?limit=10': list,
    'GET /users?page=2&limit=10': nestList([]),
    'GET /users/u1': nestOne(ANN),
    'POST /users': (sent: object) => ({ ...sent, id: 'u3' }),
    'PATCH /users/u1': (sent: object) => ({ ...ANN, ...sent }),
    'DELETE /users/u1': '',
  };
}

describe('an API whose document does not say what it answers with', () => {
  it.each<[string, (rows: readonly object[]) => unknown, (row: object) => unknown]>([
    ['a list and an object', (rows) => rows, (row) => row],
    ['data', (data) => ({ data, total: data.length }), (data) => ({ data })],
    [
      'an envelope',
      (items) => ({ success: true, data: { items, total: items.length } }),
      (data) => ({ success: true, message: null, data }),
    ],
    ['a list by the name of its path', (users) => ({ users, total: users.length }), (row) => row],
  ])('is served by what is sent to its paths, and answers with %s', async (_, nestList, nestOne) => {
    const { ask, requests } = await serveDocument(textOf('nest-plain'), usersApi(nestList, nestOne));
    expect(await ask('User')).toEqual([200, { value: [SHOWN_ANN, SHOWN_BOB] }]);
    expect(await ask("User('u1')")).toEqual([200, SHOWN_ANN]);
    expect(await ask('User?$filter=RoleId eq 2&$select=Id,Email')).toEqual([
      200,
      { value: [{ Id: 'u2', Email: 'bob@example.com' }] },
    ]);
    const created = await ask('User', 'POST', { Email: 'c@example.com' });
    expect(created[0]).toBe(201);
    expect((await ask("User('u1')", 'PATCH', { FullName: 'Anna' }))[0]).toBe(204);
    expect((await ask("User('u1')", 'DELETE'))[0]).toBe(204);
    const changes = requests.filter(({ method }) => method !== 'GET');
    expect(changes.map(({ method, target, body }) => `${method} ${target} ${body}`.trimEnd())).toEqual([
      'POST /users {"email":"c@example.com"}',
      'PATCH /users/u1 {"fullName":"Anna"}',
      'DELETE /users/u1',
    ]);
  });

  it('is not taken for the whole where its answer says that there is more', async () => {
    const { ask } = await serveDocument(textOf('fastapi-untyped'), {
      'GET /tasks': { items: [{ id: 't1', title: 'T' }], total: 3 },
    });
    const [status] = await ask('Task');
    expect(status).not.toBe(200);
  });

  it('is served by its examples', async () => {
    const { ask, csdl } = await serveDocument(textOf('rswag'), {
      'GET /blogs': [{ id: 3, title: 'T', rating: 1, published_on: null, author: null, more: 1 }],
      'GET /catalog/products': [{ id: 1, name: 'Pen', price_cents: 150 }],
    });
    expect(await ask('Blog')).toEqual([
      200,
      { value: [{ Id: 3, Title: 'T', Rating: 1, PublishedOn: null, Author: null }] },
    ]);
    expect(await ask('CatalogProduct')).toEqual([200, { value: [{ Id: 1, Name: 'Pen', PriceCents: 150 }] }]);
    expect(await csdl('<Property Name="PublishedOn"')).toEqual([
      '<Property Name="PublishedOn" Type="Edm.Date"/>',
    ]);
  });

  it('is served by its other reads: an envelope of anything, and items of anything', async () => {
    const { ask } = await serveDocument(textOf('swashbuckle-shop'), {
      'GET /api/Orders': { data: [{ id: 1, productId: 2 }] },
      'GET /api/Orders/1': { id: 1, productId: 2 },
    });
    expect(await ask('Order')).toEqual([200, { value: [{ Id: 1, ProductId: 2 }] }]);
    expect(await ask('Order(1)')).toEqual([200, { Id: 1, ProductId: 2 }]);
  });
});
