import { describe, expect, it } from 'vitest';
import { jsonOfXml } from '../support/csdl.ts';
import { postsApi, useGateway } from '../support/running-gateway.ts';

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
    for (const version of ['4.0', '4.01']) {
      const requested = { 'odata-maxversion': version };
      const xml = await metadata('application/xml', '', requested);
      const json = await metadata('application/json', '', requested);
      expect(JSON.parse(json.text)).toStrictEqual(jsonOfXml(xml.text));
      expect(JSON.parse(json.text).$Version).toBe(version);
      expect([xml.headers.get('odata-version'), json.headers.get('odata-version')]).toStrictEqual([
        version,
        version,
      ]);
    }
  });

  it('speaks 4.0 to a client that does not ask for more', async () => {
    const { headers, text } = await metadata();
    expect(headers.get('odata-version')).toBe('4.0');
    expect(text).toContain('<edmx:Edmx xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx" Version="4.0">');
    const json = await metadata('application/json');
    expect(json.headers.get('odata-version')).toBe('4.0');
    expect(JSON.parse(json.text).$Version).toBe('4.0');
  });
});

describe.each([
  ['/odata', 'application/json'],
  ['/odata/$metadata', 'application/xml'],
  ['/odata/$metadata', 'application/json'],
])('%s as %s', (path, accept) => {
  const ask = (headers: Record<string, string> = {}) =>
    gateway.fetch(path, { headers: { accept, ...headers } });

  it('has a strong entity tag, the same for each request', async () => {
    const [first, second] = [await ask(), await ask()];
    expect(first.headers.get('etag')).toMatch(/^"[\w-]{27}"$/);
    expect(second.headers.get('etag')).toBe(first.headers.get('etag'));
    expect(second.text).toBe(first.text);
    expect(first.headers.get('cache-control')).toBe('private, no-cache');
    expect(first.headers.get('vary')?.toLowerCase()).toContain('accept');
  });

  it('is not sent again to a client that has it (RFC 9110, 13.1.2)', async () => {
    const etag = String((await ask()).headers.get('etag'));
    for (const condition of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const { status, text, headers } = await ask({ 'if-none-match': condition });
      expect([condition, status, text, headers.get('etag')]).toStrictEqual([condition, 304, '', etag]);
      expect(headers.get('odata-version')).not.toBeNull();
    }
    expect((await ask({ 'if-none-match': '"other"' })).status).toBe(200);
  });
});

it('has another entity tag in each form and version', async () => {
  const answers = await Promise.all([
    metadata('application/xml'),
    metadata('application/xml', '', { 'odata-maxversion': '4.01' }),
    metadata('application/json'),
    gateway.fetch('/odata'),
    gateway.fetch('/odata', { headers: { 'odata-maxversion': '4.01' } }),
    gateway.fetch('/odata?$format=application/json;odata.metadata=none'),
  ]);
  expect(new Set(answers.map(({ headers }) => headers.get('etag'))).size).toBe(answers.length);
});

describe('what the metadata document claims of the service', () => {
  const claim = async (term: string) => {
    const { text } = await metadata('application/json');
    return JSON.parse(text).Posts.Container[`@${term}`];
  };

  it.each([
    ['Capabilities.BatchSupported', '/odata/$batch', 'POST'],
    ['Capabilities.KeyAsSegmentSupported', '/odata/Post/1', 'GET'],
  ])('%s is what %s finds', async (term, path, method) => {
    gateway.upstream.behave(postsApi);
    const headers = { 'content-type': 'application/json' };
    const body = method === 'POST' ? '{"requests":[]}' : null;
    const { status } = await gateway.fetch(path, { method, headers, body });
    expect([term, await claim(term)]).toStrictEqual([term, status === 200]);
  });

  it('names the transformations of $apply (Aggregation.ApplySupportedDefaults)', async () => {
    gateway.upstream.behave(postsApi);
    const samples: Readonly<Record<string, string>> = {
      aggregate: '$count as N',
      compute: 'Id as N',
      concat: 'identity,identity',
      filter: 'true',
      groupby: '(UserId)',
      nest: 'groupby((UserId)) as N',
      orderby: 'Id',
      search: 'x',
      skip: '1',
      top: '1',
    };
    const { Transformations: names } = await claim('Aggregation.ApplySupportedDefaults');
    // A post is related to nothing that these could transform.
    const related = new Set(['addnested', 'ancestors', 'descendants', 'join', 'outerjoin', 'traverse']);
    for (const name of names.filter((each: string) => !related.has(each))) {
      const argument = samples[name] ?? '1,UserId';
      const $apply = name === 'identity' ? name : `${name}(${argument})`;
      const { status } = await gateway.fetch(`/odata/Post?$apply=${encodeURIComponent($apply)}`);
      expect([name, status]).toEqual([name, 200]);
    }
  });

  it('names the versions that it speaks (Core.ODataVersions)', async () => {
    for (const version of (await claim('Core.ODataVersions')).split(' ')) {
      const { headers } = await gateway.fetch('/odata', { headers: { 'odata-maxversion': version } });
      expect(headers.get('odata-version')).toBe(version);
    }
  });
});
