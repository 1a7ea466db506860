import { describe, expect, it } from 'vitest';
import { useShop } from './changes-client.ts';

const { ask } = useShop();

const NEW = '{"@odata.context":"~/$metadata#Setting/$entity","Name":"font","Value":"serif"}';
const PUT = 'PUT /settings/font {"value":"serif","name":"font"}';

describe('a change of what is not there (Part 1, 11.4.4)', () => {
  it.each(['PUT', 'PATCH'])('creates it: %s', async (method) => {
    expect(await ask(`${method} Setting('font')`, { Value: 'serif' })).toStrictEqual({
      answer: "201 location: ~/Setting('font')",
      body: NEW,
      sent: [PUT],
    });
    expect((await ask(`${method} Setting('font')`, { Value: 'sans' })).answer).toBe('204');
  });

  it('has the key of the URL, and the form that the client prefers', async () => {
    const headers = { prefer: 'return=minimal', 'if-none-match': '*' };
    expect(await ask("PUT Setting('font')", { Name: 'other', Value: 'serif' }, headers)).toStrictEqual({
      answer:
        "204 location: ~/Setting('font') odata-entityid: ~/Setting('font') preference-applied: return=minimal",
      body: '',
      sent: ['PUT /settings/font {"name":"font","value":"serif"}'],
    });
    expect((await ask("PUT Setting('font')", { Value: 'serif' }, headers)).answer).toBe('412');
  });

  it('is prevented by If-Match (8.2.4)', async () => {
    for (const tag of ['*', '"r1"']) {
      expect(await ask("PUT Setting('font')", { Value: 'serif' }, { 'if-match': tag })).toStrictEqual({
        answer: '412',
        body: '{"error":{"code":"PreconditionFailed","message":"If-Match: there is no entity that could be in the state that the request is meant for."}}',
        sent: [],
      });
    }
  });

  it('is NotFound where the upstream creates nothing so', async () => {
    for (const method of ['PUT', 'PATCH']) {
      expect((await ask(`${method} Customer(9)`, { Name: 'x' })).answer).toBe('404');
    }
    expect((await ask('GET Customer')).body).not.toContain('"x"');
  });
});

describe('a change of what is there', () => {
  it('is no creation', async () => {
    expect(await ask("PUT Setting('colour')", { Value: 'red' })).toStrictEqual({
      answer: '204',
      body: '',
      sent: ['PUT /settings/colour {"name":"colour","value":"red"}'],
    });
  });
});
