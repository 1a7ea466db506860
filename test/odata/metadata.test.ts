import { xml2json } from 'odata-csdl';
import { describe, expect, it } from 'vitest';
import { useGateway } from '../support/running-gateway.ts';

const gateway = useGateway();

const metadata = (accept?: string, query = '', headers: Record<string, string> = {}) =>
  gateway.fetch(`/odata/$metadata${query}`, {
    headers: { ...headers, ...(accept !== undefined && { accept }) },
  });

describe('the metadata document', () => {
  it.each([
    [undefined, '', 'application/xml'],
    ['*/*', '', 'application/xml'],
    ['application/xml', '', 'application/xml'],
    ['application/json, text/plain, */*', '', 'application/xml'],
    ['application/json;odata.metadata=minimal;q=1.0, application/xml;q=0.7', '', 'application/xml'],
    ['application/json', '', 'application/json'],
    ['application/json;q=0.9, application/xml;q=0.5', '', 'application/json'],
    ['application/xml', '?$format=json', 'application/json'],
    ['application/json', '?$format=xml', 'application/xml'],
  ])('is had for Accept: %s and %s as %s', async (accept, query, contentType) => {
    const { status, headers } = await metadata(accept, query);
    expect([status, headers.get('content-type')]).toStrictEqual([200, contentType]);
  });

  it.each([
    ['text/plain', ''],
    [undefined, '?$format=text/plain'],
  ])('is not to be had for Accept: %s and %s', async (accept, query) => {
    expect((await metadata(accept, query)).status).toBe(406);
  });

  it('says the same in both forms', async () => {
    const xml = await metadata('application/xml', '', { 'odata-maxversion': '4.01' });
    const json = await metadata('application/json');
    expect(JSON.parse(json.text)).toStrictEqual(xml2json(xml.text));
    expect([xml.headers.get('odata-version'), json.headers.get('odata-version')]).toStrictEqual([
      '4.01',
      '4.01',
    ]);
  });

  it('speaks 4.0 to a client that does not ask for more', async () => {
    const { headers, text } = await metadata();
    expect(headers.get('odata-version')).toBe('4.0');
    expect(text).toContain('<edmx:Edmx xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx" Version="4.0">');
    expect((await metadata('application/json', '', { 'odata-maxversion': '4.0' })).status).toBe(406);
  });
});
