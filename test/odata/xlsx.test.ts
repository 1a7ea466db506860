import { unzipSync } from 'fflate';
import { readXlsx } from 'hucre/xlsx';
import { beforeAll, describe, expect, it } from 'vitest';
import { permissionsOf } from '../../src/auth/permissions/grants.ts';
import { guardSource } from '../../src/auth/permissions/guarded-source.ts';
import { visibleModels } from '../../src/auth/permissions/visible-model.ts';
import type { EntitySource } from '../../src/contract/entity-source.ts';
import { type Principal, UNRESTRICTED } from '../../src/contract/principal.ts';
import type { Row } from '../../src/contract/row.ts';
import { createODataEndpoint } from '../../src/odata/endpoint.ts';
import { serveDocument } from '../openapi/served-document.ts';
import { atEndOfFile } from '../support/end-of-file.ts';
import { entityTypeOf, modelOf, primitiveProperty } from '../support/model.ts';

const MEDIA_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

const list = (operation: string, type: string) =>
  `get: { operationId: ${operation}, responses: { "200": { content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/${type}" } } } } } } }`;

const DOCUMENT = `
openapi: 3.1.0
info: { title: Things, version: "1" }
paths:
  /things: { ${list('listThings', 'Thing')} }
  /notes: { ${list('listNotes', 'Note')} }
  /longTextWithANameThatIsLongerThanASheet: { ${list('listLong', 'LongTextWithANameThatIsLongerThanASheet')} }
  /history: { ${list('listHistory', 'History')} }
  /broken:
    get: { operationId: listBroken, responses: { "200": { content: { application/json: { schema: { type: object, properties: { data: { type: array, items: { $ref: "#/components/schemas/Broken" } }, next: { type: string } } } } } } } }
components:
  schemas:
    Note: { type: object, required: [id], properties: { id: { type: integer }, text: { type: string }, any: {}, secret: { type: string, writeOnly: true } } }
    History: { type: object, required: [id], properties: { id: { type: integer } } }
    Broken: { type: object, required: [id], properties: { id: { type: integer } } }
    LongTextWithANameThatIsLongerThanASheet: { type: object, required: [id], properties: { id: { type: integer }, text: { type: string } } }
    Thing:
      type: object
      required: [id]
      properties:
        id: { type: integer, format: int64 }
        count: { type: integer, format: int32 }
        price: { type: string, format: decimal, x-odata: { type: Edm.Decimal } }
        ratio: { type: number, format: double }
        done: { type: boolean }
        day: { type: string, format: date }
        made: { type: string, format: date-time }
        at: { type: string, format: time }
        took: { type: string, format: duration }
        uuid: { type: string, format: uuid }
        bytes: { type: string, format: byte }
        state: { type: string, enum: [open, closed] }
        tags: { type: array, items: { type: string } }
        place: { type: object, properties: { city: { type: string } } }
        note: { $ref: "#/components/schemas/Note" }
`;

const FIRST = {
  id: 1,
  count: -2,
  price: '12.50',
  ratio: 0.1 + 0.2,
  done: true,
  day: '2026-01-02',
  made: '2026-01-02T03:04:05.250+02:00',
  at: '06:00:00',
  took: 'P1DT12H',
  uuid: '01234567-89ab-cdef-0123-456789abcdef',
  bytes: 'AQID',
  state: 'open',
  tags: ['x', 'y'],
  place: { city: 'Köln 👩‍🚀' },
  note: { id: 7, text: '=1+1' },
};

/** Values that Excel cannot represent. */
const SECOND = {
  id: '#9007199254740993',
  price: '1234567890.1234567',
  day: '1900-02-28',
  made: '1899-12-31T23:59:59Z',
  took: '-PT1H',
  done: false,
  tags: [],
};

const THIRD = { id: 3, day: '1900-03-01', made: '9999-12-31T23:59:59Z', count: 0, price: '0' };

const THINGS = JSON.stringify([FIRST, SECOND, THIRD]).replace(/"#(\d+)"/, '$1');

const TEXTS = [
  '=cmd|"/c calc"!A1',
  '+1',
  '-1',
  '@x',
  '\t=1',
  ' blanks ',
  '',
  'a\r\nb\u0007c\u0000\u0085',
  '_x0041_ <&> "quoted"',
  'Ünïcödé 漢字 𝒳',
  'lone \ud800.',
];

const ANY = [1.5, true, 'text', { a: [1] }, [2], null];

const ANSWERS = {
  'GET /things': Buffer.from(THINGS),
  'GET /notes': TEXTS.map((text, id) => ({ id, text, any: ANY[id], secret: 'hidden' })),
  'GET /longTextWithANameThatIsLongerThanASheet': [
    { id: 1, text: 'a'.repeat(32_767) },
    { id: 2, text: 'b'.repeat(32_768) },
  ],
  'GET /history': [],
  'GET /broken': { data: [{ id: 1 }], next: '/broken?cursor=b' },
  'GET /broken?cursor=b': { data: 'secret' },
};

const sheetOf = async (bytes: Uint8Array) => {
  const { sheets, ...book } = await readXlsx(bytes, { readStyles: true });
  const [sheet, ...others] = sheets;
  expect(others).toStrictEqual([]);
  if (sheet === undefined) throw new Error('The workbook has no sheet.');
  return { ...sheet, namedRanges: book.namedRanges };
};

const partOf = (bytes: Uint8Array, name: string) => new TextDecoder().decode(unzipSync(bytes)[name]);

describe('workbooks of Excel', () => {
  let url: string;
  beforeAll(async () => {
    ({
      gateway: { url },
    } = await serveDocument(DOCUMENT, ANSWERS, atEndOfFile));
  });

  const ask = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(`${url}/odata/${path.replaceAll(' ', '%20')}`, { headers });
    return {
      status: response.status,
      headers: response.headers,
      bytes: new Uint8Array(await response.arrayBuffer()),
    };
  };

  const rowsOf = async (path: string) => {
    const { status, headers, bytes } = await ask(path);
    expect([status, headers.get('content-type')]).toStrictEqual([200, MEDIA_TYPE]);
    return (await sheetOf(bytes)).rows;
  };

  it('have values of their types, as far as Excel has them', async () => {
    const { headers, bytes } = await ask('Thing?$format=xlsx&$expand=Note($select=Text)');
    expect(headers.get('content-type')).toBe(MEDIA_TYPE);
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="Thing.xlsx"; filename*=UTF-8''Thing.xlsx`,
    );
    const { name, rows, cells } = await sheetOf(bytes);
    expect(name).toBe('Thing');
    const [header, ...values] = rows;
    const none = null;
    expect(Object.fromEntries((header ?? []).map((column, at) => [column, values.map((row) => row[at])])))
      // Times and durations are days from the beginning of Excel's calendar.
      .toStrictEqual({
        Id: [1, '9007199254740993', 3],
        Count: [-2, none, 0],
        Price: [12.5, '1234567890.1234567', 0],
        Ratio: [0.1 + 0.2, none, none],
        Done: [true, false, none],
        Day: [new Date('2026-01-02'), '1900-02-28', new Date('1900-03-01')],
        Made: [
          new Date('2026-01-02T01:04:05.250Z'),
          '1899-12-31T23:59:59Z',
          new Date('9999-12-31T23:59:59Z'),
        ],
        At: [new Date('1899-12-31T06:00:00Z'), none, none],
        Took: [new Date('1900-01-01T12:00:00Z'), '-PT1H', none],
        Uuid: [FIRST.uuid, none, none],
        Bytes: ['AQID', none, none],
        State: ['open', none, none],
        Tags: ['["x","y"]', '[]', '[]'],
        'Place/City': ['Köln 👩‍🚀', none, none],
        'Note/Text': ['=1+1', none, none],
      });
    const places = ['1,5', '1,6', '3,6', '1,7', '1,8'];
    const formats = places.map((place) => cells?.get(place)?.style?.numFmt);
    expect(formats).toStrictEqual([
      'yyyy\\-mm\\-dd',
      'yyyy\\-mm\\-dd\\ hh:mm:ss.000',
      'yyyy\\-mm\\-dd\\ hh:mm:ss',
      'hh:mm:ss',
      '[h]:mm:ss',
    ]);
  });

  it('begin with the names of the columns, which stay in sight and can be filtered by', async () => {
    const { bytes } = await ask('Note?$format=xlsx&$select=Id,Text');
    const { rows, cells, freezePane, autoFilter, namedRanges } = await sheetOf(bytes);
    expect(rows[0]).toStrictEqual(['Id', 'Text']);
    expect(['0,0', '0,1'].map((place) => cells?.get(place)?.style?.font?.bold)).toStrictEqual([true, true]);
    expect(freezePane).toMatchObject({ rows: 1 });
    expect(autoFilter).toMatchObject({ range: `A1:B${TEXTS.length + 1}` });
    expect(namedRanges).toMatchObject([
      { name: '_xlnm._FilterDatabase', range: `'Note'!$A$1:$B$${TEXTS.length + 1}` },
    ]);
  });

  it('have texts as they are, and no formulas', async () => {
    const { bytes } = await ask('Note?$format=xlsx&$orderby=Id', { 'odata-maxversion': '4.01' });
    const any = [1.5, true, 'text', '{"a":[1]}', '[2]'];
    expect((await sheetOf(bytes)).rows).toStrictEqual([
      ['Id', 'Text', 'Any'],
      ...TEXTS.map((text, id) => [id, text.toWellFormed(), any[id] ?? null]),
    ]);
    const sheet = partOf(bytes, 'xl/worksheets/sheet1.xml');
    expect(sheet).not.toContain('<f');
    expect(sheet).toContain('a_x000D_\nb_x0007_c_x0000_');
    expect(sheet).toContain('_x005F_x0041_ &lt;&amp;&gt;');
    // Editing such a text in Excel does not create a formula.
    const [literal] = /<c r="B2"[^>]*>/.exec(sheet) ?? [];
    const [, style] = /s="(\d)"/.exec(literal ?? '') ?? [];
    const styles = partOf(bytes, 'xl/styles.xml')
      .match(/<cellXfs.*<\/cellXfs>/)?.[0]
      .match(/<xf [^>]*>/g);
    expect(styles?.[Number(style)]).toContain('quotePrefix="1"');
  });

  it.each<readonly [path: string, rows: readonly (readonly unknown[])[]]>([
    ['Note?$format=xlsx&$filter=Id lt 0&$select=Id', [['Id']]],
    ['Note?$format=xlsx&$orderby=Id desc&$top=2&$select=Id', [['Id'], [10], [9]]],
    ['Thing?$format=xlsx&$apply=aggregate($count as N)', [['N'], [3]]],
    ['Thing?$format=xlsx&$top=1&$compute=Id add 1 as Next&$select=Next', [['Next'], [2]]],
  ])('%s', async (path, rows) => {
    expect(await rowsOf(path)).toStrictEqual(rows);
  });

  it.each([
    [MEDIA_TYPE, MEDIA_TYPE],
    [`application/json;q=0.5, ${MEDIA_TYPE};q=0.9, text/csv;q=0.8`, MEDIA_TYPE],
    [`${MEDIA_TYPE};q=0.1, text/csv`, 'text/csv;charset=utf-8;header=present'],
    [`${MEDIA_TYPE};version=1, application/json;q=0.1`, 'application/json;odata.metadata=minimal'],
    [`${MEDIA_TYPE};q=0, */*`, 'application/json;odata.metadata=minimal'],
    ['application/*', 'application/json;odata.metadata=minimal'],
  ])('Accept: %s is answered with %s', async (accept, type) => {
    const { status, headers } = await ask('Note', { accept });
    expect([status, headers.get('content-type')]).toStrictEqual([200, type]);
  });

  it.each([
    `Note?$format=${MEDIA_TYPE};version=1`,
    'Note(2)?$format=xlsx',
    'Note/$ref?$format=xlsx',
    '$metadata?$format=xlsx',
    '?$format=xlsx',
    '$all?$format=xlsx',
    '$crossjoin(Note,Thing)?$format=xlsx',
  ])('%s cannot be had', async (path) => {
    expect((await ask(path)).status).toBe(406);
  });

  it('have a tag of their own, and the same bytes each time', async () => {
    const accept = MEDIA_TYPE;
    const [file, data] = [await ask('Note?$top=3', { accept }), await ask('Note?$top=3')];
    const tag = file.headers.get('etag') ?? '';
    expect(tag).not.toBe(data.headers.get('etag'));
    expect((await ask('Note?$top=3', { accept, 'if-none-match': tag })).status).toBe(304);
    expect((await ask('Note?$top=3', { 'if-none-match': tag })).status).toBe(200);
    expect((await ask('Note?$top=3&$format=xlsx')).bytes).toStrictEqual(file.bytes);
  });

  it('lead on to the next page (RFC 8288)', async () => {
    const { headers, bytes } = await ask('Note?$format=xlsx&$select=Id', { prefer: 'maxpagesize=2' });
    expect((await sheetOf(bytes)).rows).toStrictEqual([['Id'], [0], [1]]);
    expect(headers.get('link')).toMatch(/^<.*>; rel="next"$/);
  });

  it('go into batches as base64url (JSON Format, 19.5)', async () => {
    const response = await fetch(`${url}/odata/$batch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        requests: [{ id: '1', method: 'GET', url: 'Note?$format=xlsx&$select=Id&$top=1' }],
      }),
    });
    const { responses } = (await response.json()) as { responses: readonly { body: string }[] };
    const { rows } = await sheetOf(Buffer.from(responses[0]?.body ?? '', 'base64url'));
    expect(rows).toStrictEqual([['Id'], [0]]);
  });

  it('have sheets whose names Excel takes, and cells that it takes, or there is none', async () => {
    const set = 'LongTextWithANameThatIsLongerThanASheet';
    const { bytes } = await ask(`${set}?$format=xlsx&$top=1`);
    const { name, rows } = await sheetOf(bytes);
    expect(name).toBe(set.slice(0, 31));
    expect(rows).toStrictEqual([
      ['Id', 'Text'],
      [1, 'a'.repeat(32_767)],
    ]);
    expect((await sheetOf((await ask('History?$format=xlsx')).bytes)).name).toBe('History_');
    const longer = await ask(`${set}?$format=xlsx`);
    expect(longer.status).toBe(413);
    expect(errorOf(longer.bytes)).toStrictEqual({
      code: 'PayloadTooLarge',
      message:
        'Text: a cell of an Excel sheet holds 32767 characters, and the list has a longer value. ' +
        'Leave it out with $select, or ask for $format=csv.',
      target: 'Text',
    });
    expect(await rowsOf(`${set}?$format=xlsx&$select=Id`)).toStrictEqual([['Id'], [1], [2]]);
  });

  it('are not begun where the list breaks off', async () => {
    const { status, headers, bytes } = await ask('Broken?$format=xlsx');
    expect([status, headers.get('content-disposition')]).toStrictEqual([502, null]);
    expect(errorOf(bytes)).toMatchObject({ code: 'UpstreamBadResponse' });
  });
});

function errorOf(bytes: Uint8Array): unknown {
  return JSON.parse(new TextDecoder().decode(bytes)).error;
}

const NOTE = entityTypeOf('Notes', 'Note', [
  primitiveProperty('Id', 'Edm.Int32', 'id'),
  primitiveProperty('Text', 'Edm.String', 'text'),
]);

const MODEL = modelOf('Notes', [
  {
    name: 'Note',
    entityType: NOTE,
    list: { id: 'notes', parameters: [] },
    read: { id: 'note', parameters: [{ name: 'id', property: 'Id' }] },
    insert: undefined,
    grants: new Map([['admin', new Set(['View'])]]),
  },
]);

/** Asks for the rows as a workbook. */
function askRows(rows: readonly Row[], principal: Principal = UNRESTRICTED, signal?: AbortSignal) {
  const source = {
    readCollection: async () => ({ data: rows, version: undefined }),
  } as Partial<EntitySource> as EntitySource;
  const answer = createODataEndpoint({
    model: MODEL,
    visibleTo: visibleModels(MODEL),
    source: guardSource(source, permissionsOf(MODEL), MODEL),
    root: 'http://x/odata',
    answerMemoryBytes: 0,
  });
  return answer({
    id: 'test',
    method: 'GET',
    target: '/Note?$format=xlsx',
    headers: {},
    body: undefined,
    principal,
    signal: signal ?? new AbortController().signal,
  });
}

const notes = (count: number): Row[] =>
  Array.from({ length: count }, (_, at) => ({ Id: at, Text: `Note ${at}, ${(at * 7919) % 1000}` }));

describe('long lists as workbooks', () => {
  it('have all of their rows', async () => {
    const rows = notes(100_000);
    const { status, body } = await askRows(rows);
    expect(status).toBe(200);
    const sheet = await sheetOf(body as Uint8Array);
    expect(sheet.rows.slice(1)).toStrictEqual(rows.map(({ Id, Text }) => [Id, Text]));
  });

  it('are refused where Excel has no room for them', async () => {
    const { status, body } = await askRows(Array.from({ length: 1_048_576 }, () => ({ Id: 1, Text: 'a' })));
    expect([status, JSON.parse(String(body)).error.message]).toStrictEqual([
      413,
      'An Excel sheet has at most 1048576 rows, one of them the header, and the list comes to 1048577: ' +
        'narrow it with $filter or $top, or ask for $format=csv.',
    ]);
  });

  it('are given up when the client has gone away', async () => {
    const rows = notes(100_000);
    const gone = new AbortController();
    let wasWritten = false;
    const watched = (note: Row | undefined, get: () => string) =>
      Object.defineProperty({ ...note }, 'Text', { enumerable: true, get });
    rows[500] = watched(rows[500], () => {
      gone.abort();
      return '';
    });
    rows[99_999] = watched(rows[99_999], () => {
      wasWritten = true;
      return '';
    });
    await expect(askRows(rows, UNRESTRICTED, gone.signal)).rejects.toThrow('aborted');
    expect(wasWritten).toBe(false);
  });

  it('are for those who may see them', async () => {
    const { status, headers } = await askRows(notes(1), { kind: 'user', id: 'u', roles: ['guest'] });
    expect([status, headers['content-type']]).toStrictEqual([403, expect.stringContaining('json')]);
  });
});
