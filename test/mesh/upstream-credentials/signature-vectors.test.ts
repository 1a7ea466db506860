import { afterEach, describe, expect, it, vi } from 'vitest';
import { Secret } from '../../../src/core/secret.ts';
import { awsSigner } from '../../../src/upstream/credentials/aws-signature.ts';
import { digestUserOf, messageKeyOf } from '../../support/signature-verifiers.ts';

/** The example key of the AWS Signature Version 4 test suite. */
const AWS_KEY = {
  id: 'AKIDEXAMPLE',
  secret: new Secret('wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'),
  sessionToken: undefined,
};

function awsSignature(
  method: string,
  path: string,
  headers: readonly string[],
  body: string,
): string | undefined {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2015-08-30T12:36:00Z') });
  const sign = awsSigner({ region: 'us-east-1', service: 'service', payload: 'signed' }, AWS_KEY);
  const request = { method, origin: 'https://example.amazonaws.com', path, headers, body, isStreamed: false };
  return /Signature=(.*)/.exec(sign(request).headers['authorization'] ?? '')?.[1];
}

afterEach(() => {
  vi.useRealTimers();
});

const VANILLA = '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31';

describe('AWS Signature Version 4', () => {
  it.each([
    ['get-vanilla', 'GET', '/', [], '', VANILLA],
    [
      'get-vanilla-query-order-key-case',
      'GET',
      '/?Param2=value2&Param1=value1',
      [],
      '',
      'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
    ],
    ['post-vanilla', 'POST', '/', [], '', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
    [
      'get-slashes',
      'GET',
      '//example//',
      [],
      '',
      '9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84',
    ],
    ['get-relative-relative', 'GET', '/example1/example2/../..', [], '', VANILLA],
    [
      'post-x-www-form-urlencoded',
      'POST',
      '/',
      ['Content-Type', 'application/x-www-form-urlencoded'],
      'Param1=value1',
      'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
    ],
  ])('has the signature of the test suite: %s', (_, method, path, headers, body, signature) => {
    expect(awsSignature(method, path, headers, body)).toBe(signature);
  });
});

describe('the verifiers of these tests', () => {
  it('accept the example of RFC 9421, B.2.5, and no other secret', () => {
    const request = {
      method: 'POST',
      target: '/foo?param=Value&Pet=dog',
      headers: {
        host: 'example.com',
        date: 'Tue, 20 Apr 2021 02:07:55 GMT',
        'content-type': 'application/json',
        'signature-input':
          'sig1=("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret"',
        signature: 'sig1=:pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=:',
      },
      body: Buffer.alloc(0),
    };
    const key = 'uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ==';
    const secretOf = (): Buffer => Buffer.from(key, 'base64');
    expect(messageKeyOf(request, secretOf)).toBe('test-shared-secret');
    expect(messageKeyOf(request, () => 'other')).toBeUndefined();
  });

  it.each([
    ['MD5', '8ca523f5e9506fed4657c9700eebdbec'],
    ['SHA-256', '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1'],
  ])('accept the example of RFC 7616, 3.9.1, with %s', (algorithm, response) => {
    const authorization =
      'Digest username="Mufasa", realm="http-auth@example.org", uri="/dir/index.html", ' +
      `algorithm=${algorithm}, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", nc=00000001, ` +
      `cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", qop=auth, response="${response}"`;
    const request = { method: 'GET', headers: { authorization } };
    expect(digestUserOf(request, () => 'Circle of Life')?.user).toBe('Mufasa');
    expect(digestUserOf(request, () => 'Circle')).toBeUndefined();
  });
});
