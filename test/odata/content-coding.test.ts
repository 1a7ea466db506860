import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { useShop } from './changes-client.ts';

const { gateway } = useShop();

const JSON_TYPE = 'application/json';

async function send(call: string, contentType: string, coding: string, body: string | Uint8Array) {
  const [method = '', path = ''] = call.split(' ');
  const headers = { 'content-type': contentType, 'content-encoding': coding };
  const before = gateway.upstream.requests.length;
  const init = { method, headers, body: typeof body === 'string' ? body : new Uint8Array(body) };
  const { status, headers: told, text } = await gateway.fetch(`/odata/${path}`, init);
  return [status, told.get('accept-encoding'), text, gateway.upstream.requests.length - before];
}

describe('a body with a content coding (Part 1, 8.1.2; RFC 9110, 15.5.16)', () => {
  const CODED =
    '{"error":{"code":"UnsupportedMediaType","message":"Content-Encoding: expected none.","target":"Content-Encoding"}}';

  it.each([
    ['POST Order', JSON_TYPE, '{"Note":"x"}'],
    ['PATCH Order(1)', JSON_TYPE, '{"Note":"x"}'],
    ["PUT Setting('font')", JSON_TYPE, '{"Value":"serif"}'],
    ['PUT Order(1)/Note', JSON_TYPE, '{"value":"x"}'],
    ['PUT Order(1)/Note/$value', 'text/plain', 'x'],
    ['PUT Order(1)/Customer/$ref', JSON_TYPE, '{"@odata.id":"Customer(1)"}'],
    ['PATCH Order/$each', JSON_TYPE, '{"Note":"x"}'],
    ['POST Order/$query', 'text/plain', '$top=1'],
    ['POST $batch', JSON_TYPE, '{"requests":[]}'],
    ['POST $batch', 'multipart/mixed;boundary=b', '--b--'],
  ])('is refused, and the client told to send it without one: %s of %s', async (call, type, body) => {
    for (const [coding, sent] of [['gzip', gzipSync(body)] as const, ['x-own', body] as const]) {
      expect(await send(call, type, coding, sent)).toStrictEqual([415, 'identity', CODED, 0]);
    }
  });

  it('is taken where the coding is none', async () => {
    const [status] = await send('POST Order', JSON_TYPE, 'identity', '{"Note":"x"}');
    expect(status).toBe(201);
  });
});
