import { describe, expect, it } from 'vitest';
import { postsApi, useGateway } from '../support/running-gateway.ts';
import { CLIENTS, type ClientCase } from './clients.cases.ts';

const gateway = useGateway();

/** The expected response, with the gateway's URL. */
function expectedOf({ status, fields, body }: ClientCase) {
  return JSON.parse(
    JSON.stringify({ status, fields: definedOf(fields), body }).replaceAll('~/', `${gateway.url}/odata/`),
  );
}

const definedOf = (fields: ClientCase['fields']) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value ?? null]));

function parsed(text: string, body: unknown): unknown {
  if (body === undefined) return undefined;
  return typeof body === 'string' ? text : JSON.parse(text);
}

describe('what clients send', () => {
  it.each(CLIENTS)('$client: $method $target', async (asked) => {
    gateway.upstream.behave(postsApi);
    const { method = 'GET', target, headers = {}, sent, fields, body } = asked;
    const answer = await gateway.fetch(`/odata${target}`, {
      method,
      headers,
      ...(sent !== undefined && { body: sent }),
    });
    const shown = Object.keys(fields).map((name) => [name, answer.headers.get(name)]);
    const found = {
      status: answer.status,
      fields: Object.fromEntries(shown),
      ...(body !== undefined && { body: parsed(answer.text, body) }),
    };
    expect(found).toStrictEqual(expectedOf(asked));
  });

  it('is answered at every URL in the version that was asked for (rule 48)', async () => {
    gateway.upstream.behave(postsApi);
    for (const target of [
      '',
      '/',
      '/$metadata',
      '/Post',
      "/Post('1')",
      "/Post('77')",
      '/Nope',
      '/Post?$x=1',
      '/$batch',
    ]) {
      for (const [asked, expected] of [
        ['4.0', '4.0'],
        ['4.01', '4.01'],
      ] as const) {
        for (const method of ['GET', 'HEAD', 'OPTIONS', 'DELETE', 'PATCH']) {
          const { headers } = await gateway.fetch(`/odata${target}`, {
            method,
            headers: { 'odata-maxversion': asked },
          });
          expect([method, target, headers.get('odata-version')]).toStrictEqual([method, target, expected]);
        }
      }
    }
  });
});
