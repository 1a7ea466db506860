import { describe, expect, it } from 'vitest';
import { useShop } from './changes-client.ts';

const { ask, gateway } = useShop();

describe('a POST that names its method in X-HTTP-Method', () => {
  it.each([
    ['PATCH', 'X-HTTP-Method', { City: 'Bonn' }, ['PATCH /customers/1 {"city":"Bonn"}']],
    ['MERGE', 'X-HTTP-Method', { City: 'Bonn' }, ['PATCH /customers/1 {"city":"Bonn"}']],
    ['merge', 'x-http-method', { City: 'Bonn' }, ['PATCH /customers/1 {"city":"Bonn"}']],
    ['PATCH', 'X-HTTP-Method-Override', { City: 'Bonn' }, ['PATCH /customers/1 {"city":"Bonn"}']],
    ['DELETE', 'X-HTTP-Method', undefined, ['DELETE /customers/1']],
  ])('is a %s by %s', async (method, field, body, sent) => {
    const tunnelled = await ask('POST Customer(1)', body, { [field]: method });
    expect([tunnelled.answer, tunnelled.sent]).toStrictEqual(['204', sent]);
  });

  it('replaces an entity by PUT, under its conditions', async () => {
    const outdated = { 'x-http-method': 'PUT', 'if-match': 'W/"r7"' };
    expect(await ask('POST Contract(1)', { Text: 'new' }, outdated)).toMatchObject({ answer: '412' });
    const current = { 'x-http-method': 'PUT', 'if-match': 'W/"r1"' };
    const { answer, sent } = await ask('POST Contract(1)', { Text: 'new' }, current);
    expect([answer, sent]).toStrictEqual(['204 etag: W/"r2"', ['PUT /contracts/1 if "r1" {"text":"new"}']]);
  });

  it('creates where it names POST', async () => {
    const { answer, sent } = await ask('POST Order', { Note: 'x' }, { 'x-http-method': 'POST' });
    expect([answer.slice(0, 3), sent]).toStrictEqual(['201', ['POST /orders {"note":"x"}']]);
  });

  it.each(['GET', 'OPTIONS', 'TRACE', '', 'PATCH, DELETE'])(
    'is refused where it names %j',
    async (method) => {
      const { answer, body, sent } = await ask('POST Customer(1)', {}, { 'x-http-method': method });
      const found = JSON.stringify(JSON.stringify(method)).slice(1, -1);
      const message = `X-HTTP-Method: expected PATCH, MERGE, PUT or DELETE, found ${found}.`;
      expect([answer, body, sent]).toStrictEqual([
        '400',
        `{"error":{"code":"BadRequest","message":"${message}","target":"X-HTTP-Method"}}`,
        [],
      ]);
    },
  );

  it('is what it is where another method has the field', async () => {
    const { status } = await gateway.fetch('/odata/Customer(1)', { headers: { 'x-http-method': 'DELETE' } });
    expect(status).toBe(200);
    const { sent } = await ask('PATCH Customer(1)', { City: 'Bonn' }, { 'x-http-method': 'DELETE' });
    expect(sent).toStrictEqual(['PATCH /customers/1 {"city":"Bonn"}']);
  });

  it('names the methods that there are where there is no such one', async () => {
    const { answer } = await ask('POST Tag(%27red%27)', undefined, { 'x-http-method': 'DELETE' });
    expect(answer).toBe('405 allow: GET, HEAD, OPTIONS');
  });
});
