import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { useLibrary } from '../openapi/library-gateway.ts';

const { answer } = useLibrary();

type Json = string | number | boolean | null | readonly Json[] | JsonObject;
interface JsonObject {
  readonly [name: string]: Json;
}

const NEXT_LINK = /(?:^|@)(?:odata\.)?nextLink$/;
const OF_WHOLE = /^@(?:odata\.)?(?:context|count)$/;

async function ask(target: string, headers: Readonly<Record<string, string>> = {}) {
  const [status, text] = await answer(`GET ${target}`, { headers });
  return { status, body: JSON.parse(text) as JsonObject };
}

/** The answer with all that its next links lead to, and with what they have led to in turn. */
async function whole(target: string, headers: Readonly<Record<string, string>>): Promise<JsonObject> {
  const { body } = await ask(target, headers);
  expect(body).not.toHaveProperty('error');
  return (await completed(body, headers)) as JsonObject;
}

async function completed(value: Json, headers: Readonly<Record<string, string>>): Promise<Json> {
  if (Array.isArray(value)) return Promise.all(value.map((item) => completed(item, headers)));
  if (typeof value !== 'object' || value === null) return value;
  const members: Record<string, Json> = {};
  for (const [name, member] of Object.entries(value)) {
    if (!NEXT_LINK.test(name) && !OF_WHOLE.test(name)) members[name] = await completed(member, headers);
  }
  for (const [name, link] of Object.entries(value).filter(([each]) => NEXT_LINK.test(each))) {
    const property = name.replace(NEXT_LINK, '') || 'value';
    const rest = await whole(String(link).replace(/^~\//, ''), headers);
    members[property] = [...(members[property] as readonly Json[]), ...(rest['value'] as readonly Json[])];
  }
  return members;
}

/** Requests whose collections are longer than the pages. */
const DIVIDED: readonly string[] = [
  'Author?$expand=Books',
  'Author?$expand=Books($expand=Copies)',
  'Author?$filter=Id le 3&$expand=Books($skip=1;$top=3;$orderby=Price desc;$select=Price;$count=true)',
  "Author(1)?$expand=Books($filter=contains(Title,'e') and Price gt @p;$select=Title)&@p=9",
  "Author(1)?$expand=Books(@p=15;$filter=Price gt @p and Title ne 'a;b&c+d ''%2525';$select=Title)&@p=9",
  'Author(1)?$expand=Books($search=the OR a;$select=Title)',
  'Author(1)?$expand=Books($compute=Price mul 2 as Twice;$select=Twice;$orderby=Twice)',
  'Author(1)?$expand=Books($apply=groupby((Genre),aggregate($count as N)))',
  'Author(1)?$expand=Books/$ref',
  'Author(1)?$expand=Books/$ref($orderby=Price;$skip=1)',
  'Author(1)?$expand=Books/Library.PrintedBook($select=ISBN)',
  'Author(1)?$expand=*',
  'Author(1)?$expand=*($levels=3)',
  'Author(1)?$expand=*($levels=max)',
  "Book('9783400000009')?$select=ISBN&$expand=Author($expand=Books($select=ISBN))",
  "Book('9783400000009')/Author?$expand=Books($select=ISBN)",
  'Author(1)/Books?$expand=Copies',
  'Author/$filter(@f)?@f=Id lt 3&$expand=Books($select=ISBN)',
  'Author(1)?expand=Books(select=ISBN;top=4)&format=json',
];

/** Requests whose collections stay whole, whatever the preference says. */
const WHOLE: readonly string[] = [
  // At the URL of the rest, $it would be each of the books.
  'Author(1)?$select=Id&$expand=Books($filter=Price gt $it/Id;$select=ISBN)',
  'Author(1)?$select=Id&$expand=Books($select=ISBN;$filter=Price gt @p)&@p=$it/Id',
  'Author(1)?$select=Id&$expand=Books/$count',
  'Author(1)?$select=Id&$expand=Books($select=ISBN;$top=2)',
];

const STYLES: readonly Readonly<Record<string, string>>[] = [
  {},
  { accept: 'application/json;odata.metadata=none' },
  { 'odata-maxversion': '4.01' },
];

function encoded(target: string): string {
  return encodeURI(target).replaceAll('&c+d', '%26c%2Bd');
}

const prefer = 'maxpagesize=2';

describe('Part 1, 8.2.8.5: maxpagesize limits collections within an answer, too', () => {
  it.each(DIVIDED.map((target, index) => [target, STYLES[index % STYLES.length] ?? {}] as const))(
    'divides %s, %o',
    async (target, style) => {
      const { body } = await ask(encoded(target), { ...style, prefer });
      expect(JSON.stringify(body)).toContain('nextLink');
      const unpaged = await whole(encoded(target), style);
      expect(await whole(encoded(target), { ...style, prefer })).toEqual(unpaged);
    },
  );

  it.each([
    'Author(1)/Books/$ref?$skip=1&$orderby=Price',
    'House/PhoneNumbers',
    'House/OpeningHours?$orderby=Opens desc&$select=Day&$count=true',
    'LendingStatistics(From=2026-01-01)?$filter=Loans gt 10',
  ])('divides references and values: %s', async (target) => {
    const { status, body } = await ask(encoded(target), { prefer: 'maxpagesize=1' });
    expect(status).toBe('200 preference-applied: maxpagesize=1');
    expect(body).toMatchObject({ value: [expect.anything()], '@odata.nextLink': expect.any(String) });
    const all = await whole(encoded(target), {});
    expect(await whole(encoded(target), { prefer: 'maxpagesize=1' })).toEqual(all);
  });

  it.each(WHOLE)('leaves %s whole', async (target) => {
    const { body: unpaged } = await ask(encoded(target));
    const { body, status } = await ask(encoded(target), { prefer });
    expect([status, body]).toEqual([`200 preference-applied: ${prefer}`, unpaged]);
  });

  it.each([
    ['4.0', {}, '@odata.', { '@odata.context': '~/$metadata#Author(Id)/$entity' }],
    ['4.01', { 'odata-maxversion': '4.01' }, '@', { '@context': '~/$metadata#Author(Id,Books())/$entity' }],
    ['no metadata', { accept: 'application/json;odata.metadata=none' }, '@odata.', {}],
  ])('names the rest and counts all of it: %s', async (_, style, at, context) => {
    const target = 'Author(1)?$select=Id&$expand=Books/$ref($count=true)';
    const { body } = await ask(target, { ...style, prefer });
    expect(body).toEqual({
      ...context,
      Id: 1,
      [`Books${at}count`]: 5,
      Books: [{ [`${at}id`]: "Book('9783400000009')" }, { [`${at}id`]: "Book('9783416549325')" }],
      [`Books${at}nextLink`]: expect.stringMatching(
        /^~\/Author\(1\)\/Books\/\$ref\?\$count=true&\$skiptoken=[\w-]+$/,
      ),
    });
  });

  it('goes on within the pages of an answer as the first page has begun', async () => {
    const first = await ask('Author?$select=Id&$expand=Books($select=ISBN)', { prefer });
    const second = await ask(String(first.body['@odata.nextLink']).slice(2));
    const [third] = second.body['value'] as readonly JsonObject[];
    expect(third).toMatchObject({ Id: 3, Books: [{}, {}], 'Books@odata.nextLink': expect.any(String) });
  });
});

const project = mkdtempSync(join(tmpdir(), 'paged-library-'));
afterAll(() => rmSync(project, { recursive: true }));

mkdirSync(join(project, 'openapi'));
for (const name of ['openapi/library.yaml', '.meshrc.yaml']) {
  const text = readFileSync(join(import.meta.dirname, '../../examples/library', name), 'utf8');
  writeFileSync(join(project, name), text.replace(/( +)(?=etag: version\n +streams:)/, '$1pageSize: 3\n$1'));
}

describe('Part 1, 11.2.6.7: the page size of the set that related entities are in', () => {
  const paged = useLibrary(join(project, '.meshrc.yaml'));

  it.each([
    [undefined, [3, 2]],
    ['maxpagesize=2', [2, 2, 1]],
    ['maxpagesize=9', [3, 2]],
  ])('divides what is expanded, %s', async (wanted, sizes) => {
    const headers = wanted === undefined ? {} : { prefer: wanted };
    const [, first] = await paged.answer('GET Author(1)?$expand=Books', { headers });
    const { Books, 'Books@odata.nextLink': link } = JSON.parse(first);
    const found = [Books.length];
    for (let next: string | undefined = link; next !== undefined; ) {
      const [, text] = await paged.answer(`GET ${next.slice(2)}`);
      const page = JSON.parse(text);
      found.push(page.value.length);
      next = page['@odata.nextLink'];
    }
    expect(found).toEqual(sizes);
  });
});
