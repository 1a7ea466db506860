import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { useGateway } from '../../support/running-gateway.ts';
import { outline, sendJson, sendMultipart } from './batch-client.ts';
import { NOTES_DOCUMENT, notesApi } from './notes.ts';

const project = mkdtempSync(join(tmpdir(), 'notes-'));
writeFileSync(join(project, 'notes.json'), JSON.stringify(NOTES_DOCUMENT));
writeFileSync(
  join(project, '.meshrc.yaml'),
  'sources:\n  - name: Notes\n    handler:\n      openapi:\n        source: ./notes.json\n        endpoint: "{env.UPSTREAM_URL}"\n',
);
afterAll(() => rmSync(project, { recursive: true }));

const gateway = useGateway({ MESH_CONFIG: join(project, '.meshrc.yaml'), MEMORY_MIB: '0' });

beforeEach(() => gateway.upstream.behave(notesApi()));

const ON = { prefer: 'continue-on-error' };
const member = (id: string, method: string, url: string, body?: object, headers = {}) => ({
  id,
  atomicityGroup: 'g',
  method,
  url,
  headers,
  ...(body !== undefined && { body }),
});
const note = (id: string, text: string) => member(id, 'POST', 'Note', { Text: text });

const NOT_SENT = '424 This request was not sent: another one in its group cannot be carried out.';
const DELETED = '424 What this request did has been undone: another one in its group failed.';
const RESTORED = DELETED;
const KEPT = '424 This request was carried out and cannot be undone, but another one in its group failed.';

describe('a change set', () => {
  it('is carried out in order', async () => {
    const answer = await sendJson(gateway, [
      note('a', 'x'),
      member('b', 'PATCH', 'Note(1)', { Text: 'y' }),
      member('c', 'DELETE', 'Note(1)'),
    ]);
    expect(
      answer.responses.map(({ id, status, atomicityGroup }) => [id, status, atomicityGroup]),
    ).toStrictEqual([
      ['a', 201, 'g'],
      ['b', 204, 'g'],
      ['c', 204, 'g'],
    ]);
    const changes = answer.asked.filter((call) => !call.startsWith('GET'));
    expect(changes).toStrictEqual([
      'POST /notes {"text":"x"}',
      'PATCH /notes/1 {"text":"y"}',
      'DELETE /notes/1',
    ]);
  });

  it.each([
    ['its URL', member('b', 'POST', 'Nope', {}), '404 There is no resource "Nope" here: is "Note" meant?'],
    [
      'its method',
      member('b', 'PUT', 'Label', {}),
      '405 PUT is not allowed here; allowed: GET, HEAD, POST, OPTIONS.',
    ],
    ['a value', note('b', 'much too long'), '400 Text: expected at most 10 characters, found 13.'],
    [
      'a property',
      member('b', 'POST', 'Note', { Nope: 1 }),
      '400 Nope: expected the name of a property of Notes.Note',
    ],
    ['a format', member('b', 'POST', 'Note', {}, { accept: 'image/png' }), '406'],
    ['a type', { ...note('b', 'x'), headers: { 'content-type': 'application/xml' }, body: '' }, '415'],
    ['a version', member('b', 'POST', 'Note', {}, { 'odata-version': '9.0' }), '400 OData-Version'],
    ['a query option', member('b', 'DELETE', 'Note(1)?$top=1'), '400'],
    ['what it refers to', member('b', 'PATCH', '$a/Nope', {}), '404 There is no resource "Nope" here.'],
    ['what is made of a reference', member('b', 'PATCH', '$a', { Text: 1 }), '400 Text: expected Edm.String'],
  ])('sends nothing where %s is wrong', async (_, wrong, expected) => {
    const answer = await sendJson(gateway, [note('a', 'x'), wrong, note('c', 'z')]);
    const [first, second = '', third] = outline(answer);
    expect([first, second.slice(0, expected.length + 2), third]).toStrictEqual([
      `a ${NOT_SENT}`,
      `b ${expected}`,
      `c ${NOT_SENT}`,
    ]);
    expect(answer.asked).toStrictEqual([]);
  });

  it.each([
    [
      'an entity that is not there',
      member('b', 'PATCH', 'Note(7)', { Text: 'y' }, { 'if-match': '*' }),
      '404',
      '/notes/7',
    ],
    [
      'one in another state',
      member('b', 'DELETE', 'Note(1)', undefined, { 'if-match': 'W/"5"' }),
      '412',
      '/notes/1',
    ],
  ])('changes nothing for %s', async (_, wrong, status, target) => {
    const answer = await sendJson(gateway, [note('a', 'x'), wrong]);
    expect(outline(answer).map((line) => line.slice(0, 5))).toStrictEqual(['a 424', `b ${status}`]);
    expect(answer.asked).toStrictEqual([`GET ${target}`]);
  });

  it('deletes what it has created where a later member fails, the last first', async () => {
    const answer = await sendJson(gateway, [
      note('a', 'x'),
      note('b', 'y'),
      note('c', 'fail'),
      note('d', 'z'),
    ]);
    expect(outline(answer)).toStrictEqual([
      `a ${DELETED}`,
      `b ${DELETED}`,
      'c 502 The upstream service is not available.',
      `d ${NOT_SENT}`,
    ]);
    expect(answer.asked).toStrictEqual([
      'POST /notes {"text":"x"}',
      'POST /notes {"text":"y"}',
      'POST /notes {"text":"fail"}',
      'DELETE /notes/11',
      'DELETE /notes/10',
    ]);
  });

  it.each<readonly [string, readonly object[], readonly string[]]>([
    [
      'last (Part 1, 11.7.4), so that nothing is lost if another member fails',
      [member('a', 'DELETE', 'Note(1)'), note('b', 'x'), note('c', 'fail')],
      ['POST /notes {"text":"x"}', 'POST /notes {"text":"fail"}', 'DELETE /notes/11'],
    ],
    [
      'last, in the order that they have',
      [member('a', 'DELETE', 'Note(1)'), member('b', 'DELETE', 'Note(10)'), note('c', 'x')],
      ['POST /notes {"text":"x"}', 'DELETE /notes/1', 'DELETE /notes/10'],
    ],
    [
      'before what depends on them',
      [
        member('a', 'DELETE', 'Note(1)'),
        member('b', 'DELETE', 'Note(10)'),
        { ...note('c', 'x'), dependsOn: ['a'] },
        note('d', 'y'),
      ],
      ['POST /notes {"text":"y"}', 'DELETE /notes/1', 'POST /notes {"text":"x"}', 'DELETE /notes/10'],
    ],
    [
      'before what is done to the same entity',
      [
        member('a', 'DELETE', 'Note(1)'),
        member('b', 'POST', 'Note', { Id: 1, Text: 'x' }),
        member('c', 'POST', 'Note', { Id: 3, Text: 'y' }),
      ],
      ['POST /notes {"text":"y"}', 'DELETE /notes/1', 'POST /notes {"text":"x"}'],
    ],
    [
      'after what they refer to',
      [note('a', 'x'), member('b', 'DELETE', '$a'), note('c', 'y')],
      ['POST /notes {"text":"x"}', 'POST /notes {"text":"y"}', 'DELETE /notes/11'],
    ],
  ])('deletes %s', async (_, members, sent) => {
    await sendJson(gateway, [note('p', 'present')]);
    const { asked, responses } = await sendJson(gateway, members);
    expect(asked.filter((call) => !call.startsWith('GET'))).toStrictEqual(sent);
    expect(responses.map(({ id }) => id)).toStrictEqual(members.map((each) => Reflect.get(each, 'id')));
  });

  it('says what it cannot undo', async () => {
    const answer = await sendJson(gateway, [
      note('a', 'keep'),
      member('b', 'PATCH', 'Note(1)', { Text: 'y' }),
      member('c', 'POST', 'Label', { Text: 'z' }),
      note('d', 'fail'),
    ]);
    expect(outline(answer)).toStrictEqual([
      `a ${KEPT}`,
      `b ${RESTORED}`,
      `c ${KEPT}`,
      'd 502 The upstream service is not available.',
    ]);
    const reported = (target: string, what: string) => ({
      code: 'FailedDependency',
      message: `"${target}": ${what}.`,
      target,
    });
    const kept = (target: string) => reported(target, 'it was carried out and cannot be undone');
    expect(answer.responses[3]?.body).toMatchObject({
      error: { details: [kept('a'), reported('b', 'what it did is undone'), kept('c')] },
    });
    expect(answer.asked.filter((call) => call.startsWith('DELETE'))).toStrictEqual(['DELETE /notes/10']);
  });

  it('fails what depends on it or on one of its members', async () => {
    const answer = await sendJson(
      gateway,
      [
        note('a', 'fail'),
        { id: 'b', method: 'GET', url: 'Label', dependsOn: ['g'] },
        { id: 'c', method: 'GET', url: 'Label', dependsOn: ['a'] },
        { id: 'd', method: 'GET', url: '$a' },
        { id: 'e', method: 'GET', url: 'Label/$count' },
      ],
      ON,
    );
    expect(outline(answer)).toStrictEqual([
      'a 502 The upstream service is not available.',
      'b 424 This request needs what "g" did not bring about.',
      'c 424 This request needs what "a" did not bring about.',
      'd 424 This request needs what "a" did not bring about.',
      'e 200 "0"',
    ]);
  });

  it('waits for what it depends on', async () => {
    const answer = await sendJson(
      gateway,
      [
        { id: 'r', method: 'GET', url: 'Note(7)' },
        { ...note('a', 'x'), dependsOn: ['r'] },
      ],
      ON,
    );
    expect(outline(answer)).toStrictEqual([
      'r 404 There is no Note(7).',
      'a 424 This request needs what "r" did not bring about.',
    ]);
  });

  it('has one answer in the multipart form where it fails', async () => {
    const http = 'Content-Type: application/http';
    const post = (id: string, text: string) =>
      `--c\n${http}\nContent-ID: ${id}\n\nPOST Note\nContent-Type: application/json\n\n{"Text":"${text}"}\n`;
    const wire = `--b\nContent-Type: multipart/mixed;boundary=c\n\n${post('1', 'keep')}${post('2', 'fail')}--c--\n--b--`;
    const { text } = await sendMultipart(gateway, wire);
    expect(text.match(/^HTTP.*|^Content-ID.*/gm)).toStrictEqual([
      'Content-ID: 2',
      'HTTP/1.1 502 Bad Gateway',
    ]);
    expect(text).toContain('\\"1\\": it was carried out and cannot be undone.');
  });
});

describe('references within a change set', () => {
  it('lead to what was created, in URLs of all kinds', async () => {
    const answer = await sendJson(gateway, [
      note('0.0', 'x'),
      member('0.1', 'PATCH', '$0.0', { Text: 'y' }),
      member('0.2', 'POST', '$0.0/Remarks', { Text: 'z' }),
      member('0.3', 'DELETE', '$0.1', undefined, { 'if-match': '*' }),
    ]);
    expect(answer.asked).toStrictEqual([
      'POST /notes {"text":"x"}',
      'GET /notes/10',
      'PATCH /notes/10 {"text":"y"}',
      'POST /notes/10/remarks {"text":"z"}',
      'GET /notes/10',
      'DELETE /notes/10',
    ]);
    expect(answer.responses.map(({ status }) => status)).toStrictEqual([201, 204, 201, 204]);
  });

  it('lead to what was created before it', async () => {
    const create = { id: 'n', method: 'POST', url: 'Note', body: {} };
    const answer = await sendJson(gateway, [create, member('p', 'PATCH', '$n', { Text: 'y' })]);
    expect(answer.asked).toStrictEqual(['POST /notes {}', 'PATCH /notes/10 {"text":"y"}']);
  });

  it.each([
    [1, [204, 204]],
    [5, [204, 412]],
  ])('stand for entity tags in If-Match (Part 1, 11.7.5)', async (revision, statuses) => {
    gateway.upstream.behave(({ method }, reply) =>
      method === 'DELETE'
        ? reply.send(204)
        : reply.json({ id: 1, revision: method === 'PATCH' ? revision : 1 }),
    );
    const answer = await sendJson(
      gateway,
      [
        { id: 'p', method: 'PATCH', url: 'Note(1)', body: { Text: 'y' } },
        { id: 'd', method: 'DELETE', url: 'Note(1)', headers: { 'If-Match': '$p' } },
      ].map((request) => (revision === 1 ? { ...request, atomicityGroup: 'g' } : request)),
      ON,
    );
    expect(answer.responses.map(({ status }) => status)).toStrictEqual(statuses);
  });
});
