import { describe, expect, it } from 'vitest';
import { arrayOf, type Row, type Rows } from '../../src/contract/row.ts';
import { listOf } from '../support/model.ts';
import { answer, type DocumentScene, openDocument } from './document-scene.ts';
import { callContext, failureOf } from './support.ts';

const PATHS = `
/things: { get: { operationId: things, responses: ${answer('{ $ref: "#/components/schemas/Things" }')} } }
/things/{id}:
  get:
    operationId: thing
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    responses: ${answer('{ $ref: "#/components/schemas/Thing" }')}`;

const SCHEMAS = `
Things: { type: object, properties: { items: { type: array, items: { $ref: "#/components/schemas/Thing" } } } }
Thing:
  type: object
  required: [id, name]
  properties: { id: { type: integer, format: int32 }, name: { type: string }, size: { type: integer, format: int64 } }`;

const NAME = 'n'.repeat(1_000);
const COUNT = 400;
const LAST = COUNT - 1;

interface Thing {
  readonly id: number;
  readonly name: string | null;
  readonly size?: number;
}

/** More than is kept at once. */
const THINGS: readonly Thing[] = Array.from({ length: COUNT }, (_, id) => ({ id, name: NAME }));

const ROWS: readonly Row[] = THINGS.map(({ id }) => ({ Id: id, Name: NAME, Size: null }));

async function openThings(
  things: readonly Thing[],
  change: (text: string) => string | Buffer = (text) => text,
): Promise<DocumentScene> {
  const text = change(JSON.stringify({ items: things }));
  return openDocument(PATHS, SCHEMAS, (_, reply) => reply.send(200, text));
}

async function readThings({ source, set }: DocumentScene): Promise<Rows> {
  return (await source.readCollection(listOf(set('Thing'), ['Id', 'Name', 'Size']), callContext())).data;
}

/** Goes through the rows. */
async function goThrough(rows: Rows): Promise<readonly Row[]> {
  return arrayOf(rows);
}

describe('a large list', () => {
  it('has its rows each time somebody goes through them', async () => {
    const rows = await readThings(await openThings(THINGS));
    expect(rows.length).toBe(COUNT);
    expect([...rows]).toStrictEqual(ROWS);
    expect([...rows]).toStrictEqual(ROWS);
  });

  it('is kept as an array when it has come again unchanged', async () => {
    const scene = await openThings(THINGS);
    const [first, second, third] = [
      await readThings(scene),
      await readThings(scene),
      await readThings(scene),
    ];
    expect([...first]).toStrictEqual(ROWS);
    expect(second).toStrictEqual(ROWS);
    expect(third).toBe(second);
  });

  it('is parted between its rows, not where a text or a list looks like two rows', async () => {
    const deceptive = ['},{"id":1,"name":"', '\\\\', '"', ']},', '→', '{'].map((text) => text.repeat(200));
    const things = Array.from({ length: 5_000 }, (_, id) => ({
      id,
      name: `${id} ${deceptive[id % deceptive.length]}`,
      ...(id % 7 === 0 && { more: [{ id: 1 }, { id: 2, more: [{ id: 3 }] }] }),
    }));
    const rows = things.map(({ id, name }) => ({ Id: id, Name: name, Size: null }));
    expect([...(await readThings(await openThings(things)))]).toStrictEqual(rows);
    const indented = (text: string) => JSON.stringify(JSON.parse(text), undefined, 2);
    expect([...(await readThings(await openThings(things, indented)))]).toStrictEqual(rows);
  });

  it('has integers that no number holds, behind rows that were made before', async () => {
    const things = THINGS.with(LAST, { id: LAST, name: NAME, size: 17 });
    const scene = await openThings(things, (text) => text.replace('"size":17', '"size":9007199254740993'));
    expect([...(await readThings(scene))]).toStrictEqual(
      ROWS.with(LAST, { Id: LAST, Name: NAME, Size: 9_007_199_254_740_993n }),
    );
  });

  it('fails at a row that is not as it should be, and the log says where', async () => {
    const scene = await openThings(THINGS.with(LAST, { id: LAST, name: null }));
    const rows = await readThings(scene);
    const failure = await failureOf(goThrough(rows));
    expect(failure.code).toBe('UpstreamBadResponse');
    expect(failure.message).not.toContain('name');
    expect(scene.log.map(({ fields }) => fields)).toMatchObject([
      { code: 'UpstreamBadResponse', cause: 'Error: .items[399].name: expected a value, found nothing' },
    ]);
  });

  it('fails where an integer of 32 bits has more digits than any number', async () => {
    const scene = await openThings(THINGS, (text) => text.replace('"id":7,', '"id":9007199254740993,'));
    const rows = await readThings(scene);
    expect((await failureOf(goThrough(rows))).code).toBe('UpstreamBadResponse');
  });

  it('fails at once where it is no list', async () => {
    const scene = await openThings(THINGS, (text) => text.replace('[', '{"list":[').replace(/\]/, ']}'));
    expect((await failureOf(readThings(scene))).code).toBe('UpstreamBadResponse');
  });

  it.each([
    ['with white space everywhere', (text: string) => ` ${text.replaceAll(/([[\]{},:])/g, ' \n$1\t')} `],
    ['behind a byte order mark', (text: string) => `\uFEFF${text}`],
    [
      'beside other members',
      (text: string) => `{"a":[{"b":"]}\\"\\\\"}],${text.slice(1, -1)},"__proto__":{}}`,
    ],
    ['that stands there twice, the last time whole', (text: string) => `{"items":[1],${text.slice(1)}`],
  ])('is read %s', async (_, change) => {
    expect([...(await readThings(await openThings(THINGS, change)))]).toStrictEqual(ROWS);
  });

  it.each([
    ['a comma at its end', (text: string) => text.replace(']}', ',]}')],
    ['two commas in a row', (text: string) => text.replace('},{"id":200', '},,{"id":200')],
    ['no comma between two items', (text: string) => text.replace('},{"id":200', '}{"id":200')],
    ['another bracket at its end', (text: string) => text.replace(']}', '}}')],
    ['no end', (text: string) => text.slice(0, -2)],
    ['something behind its end', (text: string) => `${text}]`],
    ['something before its beginning', (text: string) => `1${text}`],
    ['a name without quotes', (text: string) => text.replace('"items"', 'items')],
    ['a value before it', (text: string) => text.replace('[', '1[')],
    ['too many levels', (text: string) => text.replace('[', '['.repeat(2000))],
    [
      'bytes that are no UTF-8',
      (text: string) => Buffer.from(text.replace('"id":200,"name":"n', '"id":200,"name":"\u00ef'), 'latin1'),
    ],
  ])('is refused with %s', async (_, change) => {
    const failure = await failureOf(readThings(await openThings(THINGS, change)));
    expect(failure).toMatchObject({ code: 'UpstreamBadResponse' });
  });
});
