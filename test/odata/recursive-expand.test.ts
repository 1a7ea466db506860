import { beforeAll, describe, expect, it } from 'vitest';
import { type ServedDocument, serveDocument } from '../openapi/served-document.ts';
import { atEndOfFile } from '../support/end-of-file.ts';

const DOCUMENT = `
openapi: 3.1.0
info: { title: Staff, version: '1' }
paths:
  /people: { get: { operationId: people, responses: { '200': { description: x, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Person' } } } } } } } }
  /people/{id}:
    get:
      operationId: person
      parameters: [&id { name: id, in: path, required: true, schema: { type: integer } }]
      responses: { '200': { description: x, content: { application/json: { schema: { $ref: '#/components/schemas/Person' } } }, links: { reports: { operationId: reports, parameters: { id: $response.body#/id } }, boss: { operationId: person, parameters: { id: $response.body#/bossId } } } } }
  /people/{id}/reports: { get: { operationId: reports, parameters: [*id], responses: { '200': { description: x, content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Person' } } } } } } } }
components:
  schemas:
    Person: { type: object, required: [id], properties: { id: { type: integer }, bossId: { type: [integer, 'null'] } } }
`;

/** The boss of each. */
const PEOPLE = [null, 1, 1, 2, 2, 4, 4].map((bossId, index) => ({ id: index + 1, bossId }));

const ANSWERS = {
  'GET /people': PEOPLE,
  ...Object.fromEntries(
    PEOPLE.flatMap((person) => [
      [`GET /people/${person.id}`, person],
      [`GET /people/${person.id}/reports`, PEOPLE.filter(({ bossId }) => bossId === person.id)],
    ]),
  ),
};

let served: ServedDocument;
beforeAll(async () => {
  served = await serveDocument(DOCUMENT, ANSWERS, atEndOfFile);
});

async function ask(target: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(new URL(target, `${served.gateway.url}/odata/`), { headers });
  return JSON.parse(await response.text());
}

describe('$levels', () => {
  it.each([
    ['4.0', 'Person(1)?$expand=Reports($levels=3)', '#Person(Reports+())/$entity'],
    ['4.0', 'Person(1)?$select=Id&$expand=Reports($levels=3;$select=Id)', '#Person(Id,Reports+(Id))/$entity'],
    ['4.01', 'Person(6)?$select=Id&$expand=Boss($levels=max;$select=Id)', '#Person(Id,Boss+(Id))/$entity'],
    [
      '4.01',
      'Person(1)?$expand=Reports($levels=2;$select=Id;$expand=Boss($select=Id))',
      '#Person(Reports+(Id,Boss(Id)))/$entity',
    ],
    ['4.01', 'Person(1)?$expand=Reports($levels=1)', '#Person(Reports())/$entity'],
  ])('is a plus sign in context URLs of %s (Part 1, 10.9): %s', async (version, target, context) => {
    const answer = await ask(target, { 'odata-maxversion': version });
    const url = answer['@context'] ?? answer['@odata.context'];
    expect(url.slice(url.indexOf('#'))).toBe(context);
  });

  it('goes on in the next links of what is expanded, one level less below each', async () => {
    const page = await ask(
      'Person(1)?$select=Id&$expand=Reports($levels=3;$select=Id;$expand=Boss($select=Id))',
      {
        prefer: 'maxpagesize=1',
      },
    );
    const [first] = page.Reports;
    expect(first).toMatchObject({
      Id: 2,
      Boss: { Id: 1 },
      Reports: [{ Id: 4, Boss: { Id: 2 }, Reports: [{ Id: 6 }] }],
    });
    const second = await ask(page['Reports@odata.nextLink']);
    expect(second.value).toMatchObject([{ Id: 3, Boss: { Id: 1 }, Reports: [] }]);
    const below = await ask(first['Reports@odata.nextLink']);
    expect(below.value).toMatchObject([{ Id: 5, Boss: { Id: 2 }, Reports: [] }]);
    const lowest = await ask(first.Reports[0]['Reports@odata.nextLink']);
    expect(lowest.value).toStrictEqual([{ Id: 7, Boss: { Id: 4 } }]);
  });
});
