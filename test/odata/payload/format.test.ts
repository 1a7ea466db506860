import { describe, expect, it } from 'vitest';
import { readReferenceBody } from '../../../src/odata/payload/body/request-body.ts';
import {
  jsonContentType,
  negotiateJson,
  negotiateMetadata,
  prefersPlainText,
} from '../../../src/odata/payload/negotiation/format.ts';

const readReference = (contentType: string | undefined) =>
  readReferenceBody({ headers: { 'content-type': contentType }, body: Buffer.from('{"@id":"Post(1)"}') });

const json = (accept: string | undefined, format?: string, version: '4.0' | '4.01' = '4.0') =>
  jsonContentType(negotiateJson(format, accept), version);

const MINIMAL = 'application/json;odata.metadata=minimal';
const FULL = 'application/json;odata.metadata=full';

describe('the format of data (Part 1, 8.2.1; JSON Format, 3)', () => {
  it.each([
    [undefined, MINIMAL],
    ['', MINIMAL],
    ['*/*', MINIMAL],
    ['application/*', MINIMAL],
    ['text/html, */*;q=0.1', MINIMAL],
    ['application/json', MINIMAL],
    ['Application/JSON;OData.Metadata=FULL', FULL],
    ['application/json;metadata=none', 'application/json;odata.metadata=none'],
    ['application/json;odata.metadata=full;q=0.5, application/json;q=0.4', FULL],
    ['application/json;q=0.4, application/json;odata.metadata=full;q=0.5', FULL],
    ['*/*, application/json;odata.metadata=full', FULL],
    ['application/json;odata.metadata=huge, application/json;q=0.1', MINIMAL],
    ['application/json;odata.streaming=true', `${MINIMAL};odata.streaming=true`],
    ['application/json;IEEE754Compatible=true', `${MINIMAL};IEEE754Compatible=true`],
    ['application/json;ExponentialDecimals=true', `${MINIMAL};ExponentialDecimals=true`],
    ['application/json;IEEE754Compatible=false;odata.streaming=false', MINIMAL],
    ['application/json;charset=utf-8', `${MINIMAL};charset=utf-8`],
    ['application/json;charset="UTF-8"', `${MINIMAL};charset=utf-8`],
    ['application/json;odata=verbose', MINIMAL],
  ])('Accept: %s', (accept, contentType) => {
    expect(json(accept)).toBe(contentType);
  });

  it.each([
    'text/plain',
    'application/xml',
    'application/json;q=0',
    'application/json;q=0, */*',
    'application/json;odata.metadata=huge',
    'application/json;charset=utf-16',
    'application/json;IEEE754Compatible=maybe',
    'application/json;unknown=1',
    ',',
  ])('is not to be had as %s', (accept) => {
    expect(() => json(accept)).toThrow('Accept: this resource is available as application/json.');
  });

  it.each([
    ['json', MINIMAL],
    ['JSON', MINIMAL],
    ['application/json', MINIMAL],
    ['application/json;odata.metadata=full', FULL],
  ])('$format=%s goes before Accept (11.2.11)', (format, contentType) => {
    expect(json('application/xml', format)).toBe(contentType);
  });

  it.each(['xml', 'atom', 'text/plain', 'json;odata.metadata=full', ''])(
    '$format=%s is refused',
    (format) => {
      expect(() => json('*/*', format)).toThrow('$format: this resource is available as application/json.');
    },
  );

  it('is named without prefix in 4.01', () => {
    expect(json('application/json;odata.streaming=true', undefined, '4.01')).toBe(
      'application/json;metadata=minimal;streaming=true',
    );
  });
});

describe('other formats', () => {
  it.each([
    [undefined, 'xml'],
    ['*/*', 'xml'],
    ['application/json', 'json'],
    ['application/json, application/xml', 'xml'],
    ['application/json, application/xml;q=0.9', 'json'],
    ['application/json, text/plain, */*', 'xml'],
    ['application/xml;q=0, */*;q=0.1, application/json;q=0.1', 'json'],
  ])('metadata for Accept: %s is %s (11.1.2)', (accept, kind) => {
    expect(negotiateMetadata(undefined, accept)).toBe(kind);
  });

  it.each([
    [undefined, false],
    ['text/plain', true],
    ['text/plain, application/json;q=0.5', true],
    ['application/json, text/plain', false],
    ['text/plain;q=0', false],
    ['text/plain;q=0.5, */*', false],
  ])('an error for Accept: %s is told in plain text: %s', (accept, plain) => {
    expect(prefersPlainText(accept)).toBe(plain);
  });
});

describe('the format of a body (Part 1, 8.1.1)', () => {
  it.each([
    'application/json',
    'APPLICATION/JSON; charset=UTF-8',
    'application/json;odata=verbose',
    'application/json;odata.metadata=minimal;IEEE754Compatible=true;charset="utf-8"',
  ])('may be %s', (contentType) => {
    expect(() => readReference(contentType)).not.toThrow();
  });

  it.each([undefined, '', 'text/json', 'application/jsonp', 'application/json;charset=latin1'])(
    'must not be %s',
    (contentType) => {
      expect(() => readReference(contentType)).toThrow('Content-Type: expected application/json in UTF-8.');
    },
  );
});
