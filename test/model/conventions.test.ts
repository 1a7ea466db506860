import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type ListReport, modelFromOpenApi } from '../../src/derive/model-from-openapi.ts';

/** Lists of real APIs: paths with their responses, and the resulting sets. */
type Paths = Readonly<Record<string, string>>;

const SCHEMAS = `
Thing: { type: object, required: [id], properties: { id: { type: string }, name: { type: string }, size: { type: integer } } }
ThingDto: { type: object, properties: { id: { type: string }, name: { type: string } } }
ThingSummary: { type: object, properties: { id: { type: string }, name: { type: string } } }
PromotionCode: { type: object, required: [code, id], properties: { code: { type: string }, id: { type: string } } }
Tag: { type: object, properties: { gid: { type: string }, label: { type: string } } }
Pair: { type: object, properties: { name: { type: string }, value: { type: string } } }
Option: { type: object, required: [key], properties: { key: { type: string }, value: { type: string } } }
Fault: { type: object, properties: { code: { type: string } } }
Charge: { type: object, properties: { id: { type: string }, refunds: { type: string } } }
Pod: { type: object, properties: { metadata: { type: object, properties: { name: { type: string }, labels: { type: object } } }, kind: { type: string } } }
Membership: { type: object, required: [userId, teamId], properties: { userId: { type: string }, teamId: { type: string } } }
Branch: { type: object, properties: { name: { type: string }, commit: { type: object } } }
Person: { type: object, properties: { id: { type: integer }, login: { type: string }, name: { type: string } } }
Field: { type: object, properties: { field: { type: string }, type: { type: string }, flags: { type: object } } }
Key: { type: object, properties: { kid: { type: string }, kty: { type: string } } }
Range: { type: object, properties: { id: { type: string }, name: { type: string }, owner: { type: string }, things: { type: array, items: { $ref: "#/components/schemas/ThingSummary" } } } }
Record: { type: object, properties: { region_id: { type: string }, code: { type: string }, text: { type: string } } }
Sheet: { type: object, properties: { sheet_no: { type: string }, text: { type: string } } }
Wrapped: { type: object, properties: { thing: { $ref: "#/components/schemas/Thing" }, links: { type: array, items: { type: object } } } }
Lesson: { type: object, properties: { room: { $ref: "#/components/schemas/Thing" }, teacher: { $ref: "#/components/schemas/Thing" } } }
Shipment: { type: object, properties: { id: { type: string }, shipment_id: { type: string } } }
Widget: { type: object, required: [key, node_id], properties: { key: { type: string }, node_id: { type: string } } }
Label: { type: object, properties: { name: { type: string }, number_id: { type: number } } }
Domain: { type: object, properties: { id: { type: string }, name: { type: string } } }
Owner: { type: object, properties: { id: { type: string }, login: { type: string }, name: { type: string } } }
Part: { type: object, properties: { partId: { type: string }, name: { type: string } } }
Whole: { type: object, properties: { id: { type: string }, partId: { type: string }, name: { type: string } } }
Deed: { type: object, required: [slug], properties: { slug: { type: string }, topic_id: { type: string }, user_id: { type: string } } }
Asset: { type: object, properties: { id: { anyOf: [{ type: string, pattern: "^a" }, { type: string, format: uuid }] }, name: { type: string } } }
Mixed: { type: object, properties: { id: { anyOf: [{ type: string }, { type: integer }] }, text: { type: string } } }
Topic: { type: object, properties: { id: { type: integer }, slug: { type: string } } }
Note: { type: object, properties: { sid: { type: string }, text: { type: string } } }
`;

const ref = (name: string) => `{ $ref: "#/components/schemas/${name}" }`;
const list = (name: string) => `{ type: array, items: ${ref(name)} }`;
const inline = (properties: string) =>
  `{ type: array, items: { type: object, properties: { ${properties} } } }`;
const object = (properties: string) => `{ type: object, properties: { ${properties} } }`;

const required = (names: string, properties: string) =>
  `{ type: array, items: { type: object, required: [${names}], properties: { ${properties} } } }`;

/** `changes`: further methods by path; `description`: that of all path parameters. */
function derive(
  paths: Paths,
  demanded: Readonly<Record<string, string>> = {},
  changes: Readonly<Record<string, string>> = {},
  description = '',
) {
  const written = Object.entries(paths).map(([path, schema]) => {
    const names = Array.from(path.matchAll(/\{([\w-]+)\}/g), ([, name]) => name);
    const inPath = names.map(
      (name) =>
        `{ name: ${name}, in: path, required: true, description: ${JSON.stringify(description)}, schema: { type: string } }`,
    );
    const inQuery = (demanded[path] ?? '').split(' ').filter(Boolean);
    const query = inQuery.map(
      (name) => `{ name: ${name}, in: query, required: true, schema: { type: string } }`,
    );
    return `${JSON.stringify(path)}: { get: { parameters: [${[...inPath, ...query].join()}], responses: { "200": { description: OK, content: { application/json: { schema: ${schema} } } } } } }`;
  });
  const changed = Object.entries(changes).map(([path, method]) => {
    const names = Array.from(path.matchAll(/\{([\w-]+)\}/g), ([, name]) => name);
    const parameters = names.map((name) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    }));
    return [path, { [method]: { parameters, responses: { 204: { description: 'Done' } } } }];
  });
  const document = {
    openapi: '3.1.0',
    info: { title: 'Test', version: '1' },
    paths: { ...parse(written.join('\n')), ...Object.fromEntries(changed) },
    components: { schemas: parse(SCHEMAS) },
  };
  return modelFromOpenApi([{ name: 'Test', document }]);
}

/** The lists as `path → kind resource type(key)`. */
function tables(paths: Paths, demanded?: Readonly<Record<string, string>>): readonly string[] {
  const { model, lists } = derive(paths, demanded);
  return lists.map(({ path, became, resource, rule, keyRule }: ListReport) => {
    if (keyRule === 'row') return `${path} rows without a key`;
    const set = model.entitySets.get(resource ?? '');
    const type = set && `${set.entityType.name}(${set.entityType.key.join()})`;
    return [path, became, resource, type, rule].filter((part) => part !== undefined).join(' ');
  });
}

describe('entities that a query parameter identifies', () => {
  it.each<[string, Paths, string]>([
    ['at the path in the singular', { '/things': list('Thing'), '/thing': ref('Thing') }, 'id'],
    ['at the path of the list', { '/things/search': list('ThingDto'), '/things': ref('Thing') }, 'id'],
    ['below the path of the list', { '/things': list('Thing'), '/things/get': ref('Thing') }, 'thing_id'],
    ['elsewhere', { '/things': list('Thing'), '/v2/lookup': ref('Thing') }, 'id'],
  ])('are read by key %s', (_, paths, parameter) => {
    const [, read = ''] = Object.keys(paths);
    const { model } = derive(paths, { [read]: parameter });
    const [set, ...others] = model.entitySets.values();
    expect(others).toStrictEqual([]);
    expect(set?.read?.parameters).toStrictEqual([{ name: parameter, property: 'Id' }]);
    expect(model.imports.size).toBe(0);
  });

  it.each<[string, Paths, string]>([
    ['identifies something else', { '/things': list('Thing'), '/thing': ref('Thing') }, 'owner_id'],
    ['is a word that is searched for', { '/things': list('Thing'), '/thing': ref('Thing') }, 'name'],
    [
      'gives another part of one elsewhere',
      { '/things': list('ThingDto'), '/v2/lookup': ref('Thing') },
      'id',
    ],
  ])('are not read by one that %s', (_, paths, parameter) => {
    const [, read = ''] = Object.keys(paths);
    const { model } = derive(paths, { [read]: parameter });
    expect([...model.entitySets.values()].map((set) => set.read)).toStrictEqual([undefined]);
    expect(model.imports.size).toBe(1);
  });
});

describe('a list becomes a table', () => {
  it.each<[string, Paths, readonly string[]]>([
    [
      'with a slash at the end of its paths',
      { '/things/': list('Thing'), '/things/{id}/': ref('Thing') },
      ['/things/ set Thing Thing(Id)'],
    ],
    [
      'by a parameter that begins as the entity is called',
      { '/organizations': list('Thing'), '/organizations/{orgid}': ref('Thing') },
      ['/organizations set Organizations Thing(Id)'],
    ],
    [
      'but not read by what begins otherwise',
      { '/organizations': list('Thing'), '/organizations/{userid}': ref('Thing') },
      ['/organizations listOnlySet Organizations Thing(Id)'],
    ],
    [
      'by texts of several kinds',
      { '/assets': list('Asset'), '/assets/{id}': ref('Asset') },
      ['/assets set Asset Asset(Id)'],
    ],
    [
      'but not by texts or numbers',
      { '/mixed': list('Mixed'), '/mixed/{id}': ref('Mixed') },
      ['/mixed rows without a key'],
    ],
    [
      'whose entities are read as a list of one',
      { '/things': list('Thing'), '/things/{thing_id}': object(`data: ${list('Thing')}`) },
      ['/things set Thing Thing(Id)', '/things/{thing_id} set Thing Thing(Id)'],
    ],
    [
      'whose entities are read as a list of one, both written out',
      {
        '/things': inline('id: { type: string }, name: { type: string }'),
        '/things/{id}': inline('id: { type: string }, name: { type: string }'),
      },
      ['/things set Thing Thing(Id)', '/things/{id} set Thing Thing(Id)'],
    ],
    [
      'beside a list of something else at the path of one',
      {
        '/things': inline('id: { type: string }, name: { type: string }'),
        '/things/{id}': inline('id: { type: string }, text: { type: string }'),
      },
      ['/things listOnlySet Thing Thing(Id)', '/things/{id} filteredSet Things ThingByThingId(ThingId,Id)'],
    ],
    [
      'beside one that a parameter chooses which identifies something else',
      { '/things': list('Thing'), '/things/{owner_id}': list('Thing') },
      [
        '/things listOnlySet Thing Thing(Id)',
        '/things/{owner_id} filteredSet Things ThingByOwnerId(OwnerId,Id)',
      ],
    ],
    [
      'named like what else stands beside lists, where its path is',
      {
        '/messages': object(`messages: ${list('Note')}, notes: ${list('Note')}`),
        '/messages/{sid}': ref('Note'),
      },
      ['/messages set Messages Note(Sid)'],
    ],
    [
      'whose name ends as its path does',
      { '/queues/{id}/members': object(`queue_members: ${list('Thing')}, end: { type: integer }`) },
      ['/queues/{id}/members filteredSet QueuesMembers QueueMember(QueueId,Id)'],
    ],
    [
      'named result, whatever stands beside it',
      {
        '/things': object(`result: ${list('Thing')}, titles: { type: object }`),
        '/things/{id}': ref('Thing'),
      },
      ['/things set Thing Thing(Id)'],
    ],
    [
      'of nothing but which others belong together',
      { '/memberships': list('Membership') },
      ['/memberships listOnlySet Membership Membership(UserId,TeamId)'],
    ],
    [
      'with .json at the end of its paths',
      { '/Notes.json': object(`notes: ${list('Note')}`), '/Notes/{Sid}.json': ref('Note') },
      ['/Notes.json set Note Note(Sid)'],
    ],
    [
      'by the last word of the parameter',
      { '/tags': list('Tag'), '/tags/{tag_gid}': ref('Tag') },
      ['/tags set Tag Tag(Gid)'],
    ],
    [
      'by the tail of the parameter, whatever the schema is called',
      { '/things': list('ThingDto'), '/things/{thing_id}': ref('ThingDto') },
      ['/things set Things ThingDto(Id)'],
    ],
    [
      'by a parameter named after the collection',
      { '/charges': object(`data: ${list('Charge')}`), '/charges/{charge}': ref('Charge') },
      ['/charges set Charge Charge(Id)'],
    ],
    [
      'by what is behind all of the name of the entity, whatever else its last words are',
      { '/inbound-shipments': list('Shipment'), '/inbound-shipments/{inboundShipmentId}': ref('Shipment') },
      ['/inbound-shipments set Shipment Shipment(Id)'],
    ],
    [
      'by an identifier that is any number',
      { '/events': inline('id: { type: number }, name: { type: string }') },
      ['/events listOnlySet Event Event(Id)'],
    ],
    [
      'by a parameter that is called what the entity is, whatever its last words are',
      {
        '/promotion_codes': list('PromotionCode'),
        '/promotion_codes/{promotion_code}': ref('PromotionCode'),
      },
      ['/promotion_codes set PromotionCode PromotionCode(Id)'],
    ],
    [
      'by a login where a parameter says that it is a name',
      { '/persons': list('Person'), '/persons/{personname}': ref('Person') },
      ['/persons set Person Person(Login)'],
    ],
    [
      'by a name where nothing else tells entities apart',
      { '/branches': list('Branch'), '/branches/{branch}': ref('Branch') },
      ['/branches set Branch Branch(Name)'],
    ],
    [
      'by what is named as the entity is',
      { '/fields': list('Field'), '/fields/{id}': ref('Field') },
      ['/fields set Field Field(Field)'],
    ],
    [
      'by the identifier of a key (RFC 7517)',
      { '/keys': object(`keys: ${list('Key')}`) },
      ['/keys listOnlySet Key Key(Kid)'],
    ],
    ['by {pk}', { '/things': list('Thing'), '/things/{pk}': ref('Thing') }, ['/things set Thing Thing(Id)']],
    [
      'by what is within an object',
      { '/pods': list('Pod'), '/pods/{name}': ref('Pod') },
      ['/pods set Pod Pod(MetadataName)'],
    ],
    [
      'of objects around one entity each',
      { '/things': list('Wrapped'), '/things/{id}': ref('Wrapped') },
      ['/things set Things Wrapped(Id)'],
    ],
    [
      'of objects around one entity each, by a filter',
      { '/spaces/{space_id}/things': object(`items: ${list('Wrapped')}`) },
      ['/spaces/{space_id}/things filteredSet SpacesThings SpaceThing(SpaceId,Id)'],
    ],
    [
      'of objects around several entities each, by the one that is named as the list is',
      {
        '/things': object(
          `list: { type: array, items: ${object(`thing: ${ref('Thing')}, owner: ${ref('Owner')}`)} }`,
        ),
        '/things/{thing-id}': object(`thing: ${ref('Thing')}, owner: ${ref('Owner')}`),
        '/saved/things': inline(`thing: ${ref('Thing')}, owner: ${ref('Owner')}`),
        '/liked/things': inline(`added_at: { type: string }, thing: ${ref('Thing')}`),
      },
      [
        '/things set Things ThingEntry(ThingId)',
        '/saved/things listOnlySet SavedThing SavedThing(ThingId)',
        '/liked/things rows without a key',
      ],
    ],
    [
      'whose item is within two objects',
      {
        '/things': object(`data: ${object(`things: ${list('Thing')}, state: { type: integer }`)}`),
        '/things/{id}': object(`data: ${object(`thing: ${ref('Thing')}`)}`),
      },
      ['/things set Thing Thing(Id)'],
    ],
    [
      'by what reads its entities elsewhere',
      {
        '/records/all': list('Record'),
        '/spaces/{space_id}/records': list('Record'),
        '/records/{code}': ref('Record'),
      },
      [
        '/records/all listOnlySet RecordsAll Record(Code)',
        '/spaces/{space_id}/records filteredSet SpacesRecords SpaceRecord(SpaceId,Code)',
      ],
    ],
    [
      'by what reads its entities elsewhere, within an object of another name',
      {
        '/teams/{team_id}/widgets': object(`meta: ${object(`widgets: ${list('Widget')}`)}`),
        '/widgets/{key}': object(`status: { type: integer }, meta: ${ref('Widget')}`),
      },
      ['/teams/{team_id}/widgets filteredSet TeamsWidgets TeamWidget(TeamId,Key)'],
    ],
    [
      'by a name rather than by what identifies another one',
      { '/flows': inline('last_author_id: { type: string }, name: { type: string }') },
      ['/flows listOnlySet Flow Flow(Name)'],
    ],
    [
      'named after its whole path, where another version has the words',
      {
        '/v1/things': list('Note'),
        '/v1/things/{thing_id}': list('Note'),
        '/v2/things': list('Note'),
        '/v2/things/{thing_id}': list('Note'),
      },
      [
        '/v1/things listOnlySet Things Note(Sid)',
        '/v1/things/{thing_id} filteredSet ThingsByThingId ThingByThingId(ThingId,Sid)',
        '/v2/things listOnlySet V2Things Note(Sid)',
        '/v2/things/{thing_id} filteredSet V2ThingsByThingId V2ThingsGet(ThingId,Sid)',
      ],
    ],
    ['without an item', { '/things': list('Thing') }, ['/things listOnlySet Thing Thing(Id)']],
    [
      'whose item answers otherwise',
      { '/things': list('Thing'), '/things/{id}': ref('Fault') },
      ['/things listOnlySet Thing Thing(Id)'],
    ],
    [
      'whose item cannot be found by what it has',
      { '/things': list('Thing'), '/things/{slug}': ref('Thing') },
      ['/things listOnlySet Thing Thing(Id)'],
    ],
    [
      'by a code, which each has without being required',
      { '/languages': inline('code: { type: string }, label: { type: string }, tags: { type: object }') },
      ['/languages listOnlySet Language Language(Code)'],
    ],
    [
      'by what the document calls the primary key, or parts of it',
      {
        '/members': inline(
          'id: { type: string }, team: { type: string, description: "Note:\\nThis is a Primary Key.<pk/>" }, user: { type: string, description: Primary key }',
        ),
      },
      ['/members listOnlySet Member Member(Team,User)'],
    ],
    [
      'by what is named as the entities of the list are, where each has it',
      { '/emails': required('email', 'email: { type: string }, primary: { type: boolean }') },
      ['/emails listOnlySet Email Email(Email)'],
    ],
    [
      'by what is named as they are, where the document says of nothing that it is always there',
      { '/cookies': inline('cookie: { type: string }, tags: { type: object }') },
      ['/cookies listOnlySet Cookie Cookie(Cookie)'],
    ],
    [
      'by its own address, where each has it',
      { '/builds': required('url', 'url: { type: string }, state: { type: string }, by: { type: object }') },
      ['/builds listOnlySet Build Build(Url)'],
    ],
    [
      'of a statistic, by what its numbers are about',
      { '/views': inline('day: { type: string, format: date }, count: { type: integer }') },
      ['/views listOnlySet View View(Day)'],
    ],
    [
      'of nothing but what entities are called',
      { '/genres': inline('title: { type: string }') },
      ['/genres listOnlySet Genre Genre(Title)'],
    ],
    [
      'by what the parameter says of an object that they hold beside what is their own',
      {
        '/members': inline(`role: { type: string }, user: ${object('key: { type: string }')}`),
        '/members/{userKey}': object(`role: { type: string }, user: ${object('key: { type: string }')}`),
      },
      ['/members set Member Member(UserKey)'],
    ],
    [
      'named after the end of its path, whatever stands beside it',
      { '/bills': object(`bill_groups: ${list('Note')}, checksum: { type: string }`) },
      ['/bills listOnlySet Bills Note(Sid)'],
    ],
    [
      'of entities of several kinds, of one of which nothing is said',
      { '/teams': `{ type: array, items: { oneOf: [{ type: object }, ${ref('ThingDto')}] } }` },
      ['/teams listOnlySet Team Team(Id)'],
    ],
    ['by a required key', { '/options': list('Option') }, ['/options listOnlySet Option Option(Key)']],
    [
      'of the type of its item, which has more',
      { '/things': list('ThingSummary'), '/things/{id}': ref('Thing') },
      ['/things set Thing Thing(Id)'],
    ],
    [
      'of the schema that stands for itself',
      { '/access_requests': `{ type: array, items: ${object('id: { type: string }')} }` },
      ['/access_requests listOnlySet AccessRequest AccessRequest(Id)'],
    ],
    [
      'beside errors and what is included',
      { '/things': object(`errors: ${list('Fault')}, included: ${list('Tag')}, things: ${list('Thing')}`) },
      ['/things listOnlySet Thing Thing(Id)'],
    ],
    [
      'by the name of one of several arrays',
      { '/things': object(`users: ${list('Tag')}, results: ${list('Thing')}`) },
      ['/things listOnlySet Thing Thing(Id)'],
    ],
    [
      'named list, whatever stands beside it',
      { '/views/all': object(`access: ${object('mine: { type: boolean }')}, list: ${list('Thing')}`) },
      ['/views/all listOnlySet ViewsAll Thing(Id)'],
    ],
    [
      'named elements, beside what was counted of them',
      {
        '/things': object(
          `owner: { type: string }, elements: ${list('Thing')}, aggregations: ${list('Pair')}`,
        ),
      },
      ['/things listOnlySet Thing Thing(Id)'],
    ],
    [
      'one level deeper',
      { '/things': object(`data: ${object(`items: ${list('Thing')}, total: { type: integer }`)}`) },
      ['/things listOnlySet Thing Thing(Id)'],
    ],
    [
      'one level deeper, within any object, where its path is called what it is',
      { '/things': object(`thing_list: ${object(`things: ${list('Thing')}, tags: ${list('Tag')}`)}`) },
      ['/things listOnlySet Thing Thing(Id)'],
    ],
    [
      'of what a list elsewhere has of them, or by the key of its own path',
      {
        '/wholes': list('Whole'),
        '/wholes/{id}': ref('Whole'),
        '/scripts': list('Part'),
        '/scripts/parsed': list('Part'),
        '/scripts/parsed/{partId}': ref('Whole'),
      },
      [
        '/wholes set Whole Whole(Id)',
        '/scripts listOnlySet Scripts Part(PartId)',
        '/scripts/parsed set ScriptsParsed ScriptParsed(PartId)',
      ],
    ],
    [
      'called content, in a page of it',
      {
        '/things': object(
          `content: ${list('Thing')}, empty: { type: boolean }, totalPages: { type: integer }`,
        ),
      },
      ['/things listOnlySet Thing Thing(Id)'],
    ],
    [
      'within _embedded',
      { '/things': object(`_embedded: ${object(`things: ${list('Thing')}`)}, _links: { type: object }`) },
      ['/things listOnlySet Thing Thing(Id)'],
    ],
    [
      'below entities that are only listed',
      { '/things': list('Thing'), '/things/{thing}/notes': list('Note') },
      [
        '/things listOnlySet Thing Thing(Id)',
        '/things/{thing}/notes listOnlySet ThingsNotes ThingNote(Thing,Sid)',
      ],
    ],
    [
      'below an entity over several literals',
      { '/things': list('Thing'), '/things/{id}': ref('Thing'), '/things/{thing}/open/notes': list('Note') },
      [
        '/things set Thing Thing(Id)',
        '/things/{thing}/open/notes listOnlySet ThingsOpenNotes ThingOpenNote(Thing,Sid)',
      ],
    ],
    [
      'below what is no entity, by a filter',
      { '/spaces/{space_id}/notes': list('Note') },
      ['/spaces/{space_id}/notes filteredSet SpacesNotes SpaceNote(SpaceId,Sid)'],
    ],
    [
      'by a filter, whose item cannot be found by what it has',
      { '/spaces/{space_id}/notes': list('Note'), '/spaces/{space_id}/notes/{index}': ref('Note') },
      ['/spaces/{space_id}/notes filteredSet SpacesNotes SpaceNote(SpaceId,Sid)'],
    ],
    [
      'by a filter on a parameter that says only that it identifies',
      { '/spaces/{id}/notes': list('Note') },
      ['/spaces/{id}/notes filteredSet SpacesNotes SpaceNote(SpaceId,Sid)'],
    ],
    [
      'by a filter on a parameter behind another one',
      { '/{kind}/{id}/notes': list('Note') },
      ['/{kind}/{id}/notes filteredSet Notes NoteByKindKindId(Kind,KindId,Sid)'],
    ],
    [
      'by the only property that ends in Id',
      { '/people': inline('accountId: { type: string }, name: { type: string }') },
      ['/people listOnlySet Person Person(AccountId)'],
    ],
    [
      'of one schema or another, by what they share',
      { '/things': `{ type: array, items: { oneOf: [${ref('Thing')}, ${ref('ThingDto')}] } }` },
      ['/things listOnlySet Thing Thing(Id)'],
    ],
  ])('%s', (_, paths, expected) => {
    expect(tables(paths)).toEqual(expected);
  });

  it('by a filter on what its query must have, beside the path of one entity', () => {
    const paths = { '/things': list('Thing'), '/things/{id}': ref('Thing') };
    const { model } = derive(paths, { '/things': 'project' });
    expect(model.entitySets.get('Things')?.read?.parameters).toEqual([{ name: 'id', property: 'Id' }]);
  });

  it('by a filter on what its path ends with, beside the path of one entity', () => {
    const paths = { '/notes/{space_id}': list('Note'), '/notes/{space_id}/{sid}': ref('Note') };
    const { model } = derive(paths);
    expect(model.entitySets.get('Notes')?.read?.parameters).toEqual([
      { name: 'space_id', property: 'SpaceId' },
      { name: 'sid', property: 'Sid' },
    ]);
  });

  it('by a filter on what its query must have', () => {
    expect(tables({ '/things': list('Thing') }, { '/things': 'project' })).toEqual([
      '/things filteredSet Things ThingByProject(Project,Id)',
    ]);
  });

  it('where its query must have nothing but a page', () => {
    expect(tables({ '/things': list('Thing') }, { '/things': 'page pageSize' })).toEqual([
      '/things listOnlySet Thing Thing(Id)',
    ]);
  });

  it.each(['name', 'labelName'])(
    'by what changes one of its entities, where nothing reads one: {%s}',
    (name) => {
      const paths = { '/shops/{shop}/labels': list('Label') };
      const { model } = derive(paths, {}, { [`/shops/{shop}/labels/{${name}}`]: 'delete' });
      const set = model.entitySets.get('ShopsLabels');
      expect([set?.entityType.key, set?.delete !== undefined]).toEqual([['Shop', 'Name'], true]);
    },
  );

  it.each([
    ['The name of the domain', 'Domain', 'Name'],
    ['The name or the id of the domain', 'Domain', 'Id'],
    ['The name of the owner', 'Owner', 'Login'],
    ['The slug of the topic', 'Topic', 'Slug'],
    ['The slug or the id of the topic', 'Topic', 'Id'],
  ])('by what its parameter is said to be: %s', (description, schema, key) => {
    const path = `/${schema.toLowerCase()}s`;
    const read = `${path}/{${schema.toLowerCase()}}`;
    const { model } = derive({ [path]: list(schema), [read]: ref(schema) }, {}, {}, description);
    expect(model.entitySets.get(schema)?.read?.parameters.map(({ property }) => property)).toEqual([key]);
  });

  it.each<[string, Paths, readonly string[]]>([
    [
      'whose one identifier is that of the list',
      { '/shops/{shop_id}/sales': inline('shop_id: { type: string }, sum: { type: integer }') },
      ['/shops/{shop_id}/sales rows without a key'],
    ],
    [
      'whose item is found by an identifier that entities do not have',
      { '/branches': list('Branch'), '/branches/{id}': ref('Branch') },
      ['/branches rows without a key'],
    ],
    [
      'whose one identifier is that of another entity',
      { '/files': inline('ownerTeamId: { type: string }, size: { type: integer }') },
      ['/files rows without a key'],
    ],
    [
      'whose entities are read elsewhere by what all of a list have in common',
      { '/sheets/{sheet_no}/copies': list('Sheet'), '/sheets/{sheet_no}': ref('Sheet') },
      ['/sheets/{sheet_no}/copies rows without a key'],
    ],
    [
      'called something, which may be what one of several others is called',
      { '/deeds': list('Deed') },
      ['/deeds rows without a key'],
    ],
    [
      'whose rows are several values at several times',
      { '/rates': required('time, rate', 'rate: { type: string }, time: { type: integer }') },
      ['/rates rows without a key'],
    ],
    [
      'by what went wrong with each',
      { '/errors': required('error', 'error: { type: string }, at: { type: object }') },
      ['/errors rows without a key'],
    ],
    [
      'by one of few values, as what the entities are',
      { '/votes': required('vote', 'vote: { enum: [yes, no] }, by: { type: object }') },
      ['/votes rows without a key'],
    ],
    [
      'by one of few values, as what numbers are about',
      { '/limits': inline('kind: { enum: [web, mobile] }, seconds: { type: integer }') },
      ['/limits rows without a key'],
    ],
    [
      'by what is said of each number',
      { '/totals': inline('description: { type: string }, sum: { type: integer }') },
      ['/totals rows without a key'],
    ],
    [
      'where a number may be what tells rows apart',
      { '/wells': inline('owner: { type: string }, tag_number: { type: integer }') },
      ['/wells rows without a key'],
    ],
    [
      'by a property of one of several kinds, beside numbers',
      {
        '/events': `{ type: array, items: { oneOf: [${object('kind: { type: string }, at: { type: integer }')}, ${object('kind: { type: string }, at: { type: integer }, more: { type: object }')}] } }`,
      },
      ['/events rows without a key'],
    ],
    [
      'by what is within the one object that they are around, as they have nothing of their own',
      {
        '/members': inline(`errors: { type: array }, user: ${object('key: { type: string }')}`),
        '/members/{userKey}': object(`errors: { type: array }, user: ${object('key: { type: string }')}`),
      },
      ['/members rows without a key'],
    ],
    ['of objects that hold several', { '/lessons': list('Lesson') }, ['/lessons rows without a key']],
    [
      'called content within one thing, which is no page',
      { '/things/{id}': object(`title: { type: string }, content: ${list('Note')}`) },
      [],
    ],
    [
      'within one thing, whose name ends as its path does',
      {
        '/things/{id}': object(
          `name: { type: string }, related_things: ${list('Note')}, tags: ${list('Tag')}`,
        ),
      },
      [],
    ],
    ['without a key', { '/pairs': list('Pair') }, ['/pairs rows without a key']],
    [
      'of one array within what a path for one of it has, too',
      { '/ranges': ref('Range'), '/ranges/{id}': ref('Range') },
      [],
    ],
    [
      'of one of several arrays one level deeper, within one thing',
      { '/things/{id}': object(`thing: ${object(`things: ${list('Note')}, tags: ${list('Tag')}`)}`) },
      [],
    ],
    ['of one array within an entity', { '/me': object(`login: { type: string }, tags: ${list('Tag')}`) }, []],
    [
      'of one of several kinds, each in an object of its own',
      { '/found': `{ oneOf: [${object(`things: ${list('Thing')}`)}, ${object(`tags: ${list('Tag')}`)}] }` },
      ['/found function list-of-kinds'],
    ],
    [
      'of one of several kinds, of which one is no list',
      {
        '/found': `{ oneOf: [${object(`things: ${list('Thing')}`)}, ${object('login: { type: string }')}] }`,
      },
      [],
    ],
    [
      'of one of several arrays, none of which is named like a list or its path',
      { '/found': object(`owners: ${list('Thing')}, users: ${list('Tag')}`) },
      [],
    ],
    [
      'whose path has a parameter in a part of a segment',
      { '/things/{id}:related': list('Thing') },
      ['/things/{id}:related function list-path'],
    ],
    ['of texts', { '/words': '{ type: array, items: { type: string } }' }, []],
  ])('but not %s', (_, paths, expected) => {
    expect(tables(paths)).toEqual(expected);
  });

  it('and never where a query must say what is to be calculated', () => {
    const views = inline('day: { type: string }, count: { type: integer }');
    expect(tables({ '/views': views }, { '/views': 'from' })).toEqual(['/views rows without a key']);
  });

  it('but by what things are called, whatever the query demands', () => {
    expect(tables({ '/models': inline('label: { type: string }') }, { '/models': 'brand' })).toEqual([
      '/models filteredSet Models Model(Brand,Label)',
    ]);
  });

  it('nor by what the query demands, which all of a list have in common', () => {
    const rows = required('code, name', 'code: { type: string }, name: { type: string }');
    expect(tables({ '/codes': rows }, { '/codes': 'code' })).toEqual([
      '/codes filteredSet Codes Code(Code,Name)',
    ]);
  });

  it('nor where a query must give what no property has for a value', () => {
    const parameters = [{ name: 'where', in: 'query', required: true, schema: { type: 'object' } }];
    const schema = { type: 'array', items: { type: 'object', properties: { id: { type: 'string' } } } };
    const content = { 'application/json': { schema } };
    const get = { parameters, responses: { 200: { description: 'OK', content } } };
    const document = {
      openapi: '3.1.0',
      info: { title: 'Test', version: '1' },
      paths: { '/things': { get } },
    };
    const { lists } = modelFromOpenApi([{ name: 'Test', document }]);
    expect(lists.map(({ became, rule, message }) => [became, rule, message])).toEqual([
      ['function', 'list-needs-values', 'it demands the parameter where, whose values no property has'],
    ]);
  });

  it('nor by a parameter that nothing of a schema without a name fits, which is told', () => {
    const { report } = derive({
      '/parts': inline('label: { type: string }'),
      '/parts/{serial}': object('label: { type: string }'),
    });
    expect(report.map(({ message }) => message)).toContain(
      'No property of what it answers with is named like the path parameter "serial": x-odata.key on the schema can name it',
    );
  });

  it('nor a page of a list within an entity, which is told', () => {
    const page = (beside: string) => `{ type: object, properties: { data: ${list('Tag')}, ${beside} } }`;
    const properties = [
      'id: { type: string }',
      `more: ${page('has_more: { type: boolean }')}`,
      `next: ${page('next: { type: string, format: uri }')}`,
      `whole: ${page('title: { type: string }')}`,
      'url: { type: object, properties: { next: { type: string } } }',
    ];
    const { report } = derive({ '/people': inline(properties.join(', ')) });
    expect(report.filter(({ rule }) => rule === 'property-is-a-page').map(({ pointer }) => pointer)).toEqual(
      ['more', 'next'].map((name) => expect.stringMatching(new RegExp(`/properties/${name}$`))),
    );
  });

  it.each<[string, string, readonly string[]]>([
    ['Token', 'access_token: { type: string }, expires_in: { type: integer }', []],
    ['Session', 'token: { type: string }, tokenType: { type: string }', []],
    ['Device', 'token: { type: string }, name: { type: string }', ['Refresh']],
  ])('and no singleton of a credential that a call makes: %s', (name, properties, expected) => {
    const { model } = modelFromOpenApi([
      {
        name: 'Test',
        document: {
          openapi: '3.1.0',
          info: { title: 'Test', version: '1' },
          paths: parse(
            `/auth/refresh: { get: { responses: { "200": { description: OK, content: { application/json: { schema: ${ref(name)} } } } } } }`,
          ),
          components: { schemas: { [name]: parse(object(properties)) } },
        },
      },
    ]);
    expect([...model.singletons.keys()]).toEqual(expected);
    expect(model.imports.size).toBe(0);
  });

  it('and never a singleton', () => {
    const paging = 'data: { type: array, items: { type: object } }, has_more: { type: boolean }';
    const { model } = derive({ '/things': object(paging), '/pages': object(`pages: ${list('Pair')}`) });
    expect([...model.singletons.keys()]).toEqual([]);
  });
});

describe('the name of a set', () => {
  it.each<[string, Paths, readonly string[]]>([
    ['is the schema’s where the path has it in the plural', { '/things': list('Thing') }, ['Thing']],
    ['is the words of the path where it has not', { '/widgets': list('Thing') }, ['Widgets']],
    [
      'tells two lists of one schema apart',
      { '/things': list('Thing'), '/things/starred': list('Thing') },
      ['Thing', 'ThingsStarred'],
    ],
    [
      'leaves out what all paths begin with',
      { '/api/v2/things': list('Thing'), '/api/v2/tags': list('Tag') },
      ['Thing', 'Tag'],
    ],
    [
      'has the version where nothing else tells two apart',
      { '/v1/widgets': list('Thing'), '/v2/widgets': list('Thing'), '/v2/tags': list('Tag') },
      ['Widgets', 'V2Widgets', 'Tag'],
    ],
  ])('%s', (_, paths, expected) => {
    expect([...derive(paths).model.entitySets.keys()]).toEqual(expected);
  });
});

it('gives a list the name of its path, where what is below it is an object around one of its entities', () => {
  const paths = { '/staff/{id}': ref('Wrapped'), '/staff': list('Tag') };
  const { model } = derive(paths, {}, { '/staff/{id}/': 'delete' });
  expect([...model.entitySets.values()].map(({ name, list }) => [name, list !== undefined])).toEqual([
    ['Staff', true],
    ['Staff_2', false],
  ]);
});

describe('the name of a navigation property', () => {
  it('has that of its owner where a property has the path’s', () => {
    const { model } = derive({
      '/charges': list('Charge'),
      '/charges/{charge}': ref('Charge'),
      '/charges/{charge}/refunds': list('Note'),
    });
    expect([...(model.entityTypes.get('Charge')?.navigationProperties.keys() ?? [])]).toEqual([
      'ChargeRefunds',
    ]);
  });
});
