import { beforeEach, describe, expect, it } from 'vitest';
import { useLibrary } from '../openapi/library-gateway.ts';

const { answer } = useLibrary();

const TRACK = { headers: { prefer: 'odata.track-changes' } };
const V401 = { 'odata-maxversion': '4.01' };

/** Status and JSON body. */
async function read(target: string, headers: Readonly<Record<string, string>> = {}) {
  const [status, text] = await answer(`GET ${target}`, { headers });
  return { status, json: JSON.parse(text) };
}

/** The delta link's target of a read that asks for one. */
async function track(target: string): Promise<string> {
  const [, text] = await answer(`GET ${target}`, TRACK);
  return targetOf(JSON.parse(text)['@odata.deltaLink']);
}

const targetOf = (link: unknown): string => String(link).replace(/^~\//, '');

let added: { readonly Id: number };
beforeEach(async () => {
  const [, text] = await answer('POST Author', { body: '{"LastName":"Arndt","Languages":["de"]}' });
  added = JSON.parse(text);
});

const change = (id: number, lastName: string) =>
  answer(`PATCH Author(${id})`, { body: JSON.stringify({ LastName: lastName }) });

const LINK = expect.stringMatching(/^~\/Author\?(?:.*&)?\$deltatoken=[\w-]+\.[\w-]{22}$/);

describe('a delta link (Part 1, 11.3)', () => {
  it('is on the last page of a read with track-changes', async () => {
    const [status, text] = await answer('GET Author?$filter=Id le 3&$select=Id', {
      headers: { prefer: 'track-changes, maxpagesize=2' },
    });
    expect(status).toBe('200 preference-applied: maxpagesize=2, track-changes');
    const first = JSON.parse(text);
    expect(first).toStrictEqual({
      '@odata.context': '~/$metadata#Author(Id)',
      value: [{ Id: 1 }, { Id: 2 }],
      '@odata.nextLink': expect.any(String),
    });
    await change(1, 'Between');
    const last = await read(targetOf(first['@odata.nextLink']));
    expect(last.json).toStrictEqual({
      '@odata.context': '~/$metadata#Author(Id)',
      value: [{ Id: 3 }],
      '@odata.deltaLink': LINK,
    });
    const delta = await read(targetOf(last.json['@odata.deltaLink']));
    expect(delta.json.value).toStrictEqual([{ Id: 1 }]);
  });

  it('leads to what has changed, and to the next delta link', async () => {
    const link = await track('Author?$select=LastName');
    expect(await read(link)).toStrictEqual({
      status: '200',
      json: {
        '@odata.context': '~/$metadata#Author(LastName)/$delta',
        value: [],
        '@odata.deltaLink': LINK,
      },
    });
    await change(added.Id, 'Berg');
    const { json } = await read(link);
    const id = `Author(${added.Id})`;
    expect(json.value).toStrictEqual([{ '@odata.id': id, LastName: 'Berg' }]);
    expect((await read(targetOf(json['@odata.deltaLink']))).json.value).toStrictEqual([]);
    expect((await read(link)).json.value).toHaveLength(1);
  });

  it('tells what is gone: in 4.0 by its context, in 4.01 by @removed (JSON Format, 15.3)', async () => {
    const link = await track('Author?$select=Id');
    await answer(`DELETE Author(${added.Id})`);
    const id = `Author(${added.Id})`;
    expect((await read(link)).json).toStrictEqual({
      '@odata.context': '~/$metadata#Author(Id)/$delta',
      value: [{ '@odata.context': '~/$metadata#Author/$deletedEntity', id, reason: 'deleted' }],
      '@odata.deltaLink': LINK,
    });
    expect((await read(link, V401)).json).toStrictEqual({
      '@context': '~/$metadata#Author(Id)/$delta',
      value: [{ '@removed': { reason: 'deleted' }, '@id': id }],
      '@deltaLink': LINK,
    });
  });

  it('carries the query: what leaves its results is told as changed', async () => {
    const link = await track("Author?$filter=LastName eq 'Arndt'&$select=LastName&$count=true");
    await change(added.Id, 'Celan');
    const [, text] = await answer('POST Author', { body: '{"LastName":"Arndt","Languages":[]}' });
    const { Id: other } = JSON.parse(text);
    const { json } = await read(link, V401);
    expect(json).toStrictEqual({
      '@context': '~/$metadata#Author(LastName)/$delta',
      '@count': 2,
      value: [
        { '@removed': { reason: 'changed' }, '@id': `Author(${added.Id})` },
        { '@id': `Author(${other})`, LastName: 'Arndt' },
      ],
      '@deltaLink': expect.stringContaining(
        '$filter=LastName%20eq%20%27Arndt%27&$select=LastName&$count=true&',
      ),
    });
  });

  it.each([
    ['made up', (link: string) => link.replace(/deltatoken=.*/, 'deltatoken=MQ.abcdefghijklmnopqrstuv')],
    ['of another form', (link: string) => link.replace(/deltatoken=.*/, 'deltatoken=1')],
    ["another URL's", (link: string) => link.replace('Author?', 'Author?$filter=Id%20eq%201&')],
  ])('whose token is %s is refused', async (_, spoil) => {
    const { status, json } = await read(spoil(await track('Author')));
    expect([status, json.error.message]).toStrictEqual([
      '400',
      '$deltatoken: expected the one of a delta link of this service, as it was given',
    ]);
  });
});

describe('the pages of a delta link (Part 1, 11.2.6.7)', () => {
  const PAGED = { prefer: 'maxpagesize=2', ...V401 };
  const idsOf = (value: readonly Record<string, unknown>[]) => value.map((each) => each['@id']);

  /** Deletes the new author and changes three others: four changes. */
  async function fourChanges(): Promise<string> {
    const link = await track('Author?$select=LastName&$count=true');
    await answer(`DELETE Author(${added.Id})`);
    for (const id of [5, 3, 4]) await change(id, 'Lenz');
    return link;
  }

  it('are cut in the order of the ids, and the last one has the next delta link', async () => {
    const link = await fourChanges();
    const [status, text] = await answer(`GET ${link}`, { headers: PAGED });
    const first = JSON.parse(text);
    expect([status, first]).toStrictEqual([
      '200 content-type: application/json;metadata=minimal odata-version: 4.01 preference-applied: maxpagesize=2',
      {
        '@context': '~/$metadata#Author(LastName)/$delta',
        '@count': 4,
        value: [
          { '@removed': { reason: 'deleted' }, '@id': `Author(${added.Id})` },
          { '@id': 'Author(3)', LastName: 'Lenz' },
        ],
        '@nextLink': expect.stringMatching(
          /^~\/Author\?\$select=LastName&\$count=true&\$deltatoken=[^&]+&\$skiptoken=2\.[\w.-]+$/,
        ),
      },
    ]);
    const { json: last } = await read(targetOf(first['@nextLink']), V401);
    expect(last).toStrictEqual({
      '@context': '~/$metadata#Author(LastName)/$delta',
      '@count': 4,
      value: [
        { '@id': 'Author(5)', LastName: 'Lenz' },
        { '@id': 'Author(4)', LastName: 'Lenz' },
      ],
      '@deltaLink': LINK,
    });
    expect((await read(targetOf(last['@deltaLink']), V401)).json.value).toStrictEqual([]);
  });

  it('pass nothing over that changes while they are read', async () => {
    const link = await fourChanges();
    const { json: first } = await read(link, PAGED);
    await change(3, 'Kaschnitz');
    await change(1, 'Kaschnitz');
    const { json: last } = await read(targetOf(first['@nextLink']), V401);
    expect(idsOf(last.value)).toStrictEqual(['Author(5)', 'Author(4)']);
    const { json: later } = await read(targetOf(last['@deltaLink']), V401);
    expect(idsOf(later.value).toSorted()).toStrictEqual(['Author(1)', 'Author(3)']);
  });

  it.each([
    ['made up', (link: string) => link.replace(/skiptoken=.*/, 'skiptoken=2.MQ.MQ.abcdefghijklmnopqrstuv')],
    ['of a page of the collection', (link: string) => link.replace(/skiptoken=.*/, 'skiptoken=2-2')],
    ["another URL's", (link: string) => link.replace('LastName', 'FirstName')],
  ])('whose token is %s are refused', async (_, spoil) => {
    const { json } = await read(await fourChanges(), PAGED);
    expect((await read(spoil(targetOf(json['@nextLink'])))).status).toBe('400');
  });
});

describe('track-changes', () => {
  it.each([
    ['a set without a change feed', 'Loan'],
    ['one page that the client cuts itself', 'Author?$top=2'],
    ['results of $apply', 'Author?$apply=aggregate($count as N)'],
    ['related entities', "Book('9783400000009')/Copies"],
    ['expanded entities that no feed reports', 'Author?$expand=Books($select=Title;$top=1)'],
    ['a filter by such entities', 'Author?$filter=Books/any(b:b/Price gt 1000)'],
  ])('is left aside for %s', async (_, target) => {
    const [status, text] = await answer(`GET ${target}`, TRACK);
    expect([status, '@odata.deltaLink' in JSON.parse(text)]).toStrictEqual(['200', false]);
  });

  it('is announced in $metadata where there is a change feed', async () => {
    const [, csdl] = await answer('GET $metadata');
    const sets = csdl
      .split('<Annotations ')
      .filter((text) => text.includes('Capabilities.ChangeTracking'))
      .map((text) => /Target="[\w.]+\/(\w+)"/.exec(text)?.[1]);
    expect(sets).toStrictEqual(['Author']);
  });
});
