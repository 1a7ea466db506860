import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/contract/gateway-error.ts';
import { TYPE } from '../../../src/contract/row.ts';
import { sentValues } from '../../../src/engine/change/bound-input.ts';
import type { EntityInput } from '../../../src/engine/input/entity-input.ts';
import type { InputKind } from '../../../src/engine/input/reading.ts';
import type { EntityType } from '../../../src/model/edm.ts';
import { takenValue } from '../../../src/model/sent-type.ts';
import {
  readActionParameters,
  readEntityBody,
  readPropertyValue,
} from '../../../src/odata/payload/body/request-body.ts';
import { entityBody } from '../../../src/upstream/sending/request-body.ts';
import { WRONG_BODIES } from './request-body.cases.ts';
import { entityTypeNamed, SENT_ANIMAL, ZOO } from './zoo.ts';

const ANIMAL = entityTypeNamed('Animal');

function requestOf(body: string | undefined) {
  const headers = { 'content-type': 'application/json', 'odata-version': '4.01' };
  return { headers, body: body === undefined ? undefined : Buffer.from(body) };
}

function read(body: string, kind: InputKind = 'update', type = ANIMAL) {
  return readEntityBody(ZOO, type, requestOf(body), { kind, sent: SENT_ANIMAL });
}

function sent(body: string, kind: InputKind = 'update'): string {
  return written(ANIMAL, read(body, kind));
}

/** The forwarded JSON. */
function written(declared: EntityType, input: EntityInput): string {
  const { body } = entityBody(
    { id: 'create', parameters: [] },
    declared,
    sentValues(declared, input),
    'omitted',
  );
  return Buffer.from(body).toString();
}

function mistakesOf(action: () => unknown): readonly string[] {
  try {
    action();
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const details = [error, ...error.details];
    for (const { target, message } of details) {
      if (target !== undefined) expect(message.startsWith(`${target}: `)).toBe(true);
    }
    return details.map(({ message }) => message);
  }
  return [];
}

describe('values in a body (JSON Format, 7)', () => {
  it.each([
    ['{"Weight":12.50}', '{"weight":12.5}'],
    ['{"Weight":"12.5"}', '{"weight":12.5}'],
    ['{"Chip":9007199254740993}', '{"chip":9007199254740993}'],
    ['{"Chip":"-9223372036854775808"}', '{"chip":-9223372036854775808}'],
    ['{"Chip":7}', '{"chip":7}'],
    ['{"Chip":-11277990138835244}', '{"chip":-11277990138835244}'],
    ['{"Chip":1152921504606847000}', '{"chip":1152921504606847000}'],
    ['{"Chip":1e3}', '{"chip":1000}'],
    ['{"Height":1e300}', '{"height":1e+300}'],
    ['{"Height":"-INF"}', '{"height":"-INF"}'],
    [
      '{"Born":"2024-02-29","Fed":"07:30","Nap":"-PT1.5S"}',
      '{"born":"2024-02-29","fed":"07:30","nap":"-PT1.5S"}',
    ],
    ['{"Seen":"2024-02-29T23:59:59.123+01:00"}', '{"seen":"2024-02-29T23:59:59.123+01:00"}'],
    ['{"Token":"0C3A5F9A-0000-4000-8000-00000000000f"}', '{"token":"0C3A5F9A-0000-4000-8000-00000000000f"}'],
    ['{"Sound":"+/8="}', '{"sound":"+/8="}'],
    ['{"Mood":"very_angry","Skills":"Swim,Run"}', '{"mood":"very angry","skills":5}'],
    ['{"Mood":1,"Skills":6}', '{"mood":"very angry","skills":6}'],
    ['{"Mood":"0","Skills":"1,Run"}', '{"mood":"calm","skills":5}'],
    ['{"Tags":[],"Weight":null,"Home":null}', '{"tags":[],"weight":null,"home":null}'],
    ['{"Place":{"type":"Point","coordinates":[1.5,2]}}', '{"place":{"type":"Point","coordinates":[1.5,2]}}'],
    [
      '{"Notes":{"First":"x","more":[12345678901234567890,{"a":null}]}}',
      '{"notes":{"first":"x","more":[12345678901234567890,{"a":null}]}}',
    ],
    ['{"Home":{"Rent":12345678901234567890.123}}', '{"home":{"rent":12345678901234567890.123}}'],
  ])('%s', (body, upstream) => {
    expect(sent(body)).toBe(upstream);
  });

  it('are numbers or bigints, decimals texts where no double holds them', () => {
    const body = '{"Chip":9007199254740993,"Weight":"1.5","Home":{"Rent":12345678901234567890.123}}';
    expect(read(body).values).toStrictEqual({
      Chip: 9007199254740993n,
      Weight: 1.5,
      Home: { Rent: '12345678901234567890.123' },
    });
  });
});

describe('what is wrong with a body', () => {
  it.each(WRONG_BODIES)('$kind $body', ({ kind, body, mistakes }) => {
    expect(mistakesOf(() => read(body, kind))).toStrictEqual(mistakes);
  });

  it('is a BadRequest that names every mistake (Part 1, 9.4)', () => {
    const error = (() => {
      try {
        return read('{"Tame":1,"Tags":["ok",2]}');
      } catch (caught) {
        return caught;
      }
    })();
    const tame = {
      code: 'BadRequest',
      message: 'Tame: expected Edm.Boolean, found a number.',
      target: 'Tame',
    };
    const tag = {
      code: 'BadRequest',
      message: 'Tags/1: expected Edm.String, found a number.',
      target: 'Tags/1',
    };
    expect(error).toMatchObject({ ...tame, status: 400, details: [tag] });
  });

  it('is told a hundred times at most', () => {
    const tags = Array.from({ length: 1_000 }, () => '1').join(',');
    expect(mistakesOf(() => read(`{"Tags":[${tags}]}`))).toHaveLength(100);
  });
});

describe('what a body may say without effect (Part 1, 11.4.2 and 11.4.3)', () => {
  const body = '{"Id":5,"Kind":"dog","Name":"Rex","PhotoType":"x","Species":"wolf"}';
  it.each([
    ['insert', '{"kind":"dog","name":"Rex","species":"wolf"}'],
    ['update', '{"kind":"dog","name":"Rex"}'],
    ['replace', '{"kind":"dog","name":"Rex"}'],
  ] as const)('%s: computed properties, keys and what cannot be changed', (kind, upstream) => {
    const wild = body.replace('dog', 'cat');
    expect(sent(wild, kind)).toBe(upstream.replace('dog', 'cat'));
  });

  it('is control information and annotations (JSON Format, 4.5 and 20)', () => {
    const annotated =
      '{"@odata.context":"x","@odata.etag":"y","@My.Term":1,"Name@My.Term":2,"Photo@odata.mediaContentType":"z","#Zoo.Feed":{},"Name":"Rex"}';
    expect(sent(annotated)).toBe('{"name":"Rex"}');
  });
});

describe('types that a body names (JSON Format, 4.6.3)', () => {
  it.each([
    ['{"Name@odata.type":"#String","Name":"Rex"}', '{"name":"Rex"}'],
    ['{"Name@type":"String","Name":"Rex"}', '{"name":"Rex"}'],
    ['{"Name@type":"#Edm.String","Name":"Rex"}', '{"name":"Rex"}'],
    ['{"Chip@type":"Int32","Chip":1}', '{"chip":1}'],
    ['{"Weight@odata.type":"#Int64","Weight":1}', '{"weight":1}'],
    ['{"Mood@type":"#Zoo.Mood","Mood":"calm"}', '{"mood":"calm"}'],
    ['{"Tags@odata.type":"#Collection(String)","Tags":["a"]}', '{"tags":["a"]}'],
    [
      '{"Home@odata.type":"http://127.0.0.1/odata/$metadata#Zoo.Cage","Home":{"City":"B"}}',
      '{"home":{"city":"B"}}',
    ],
    ['{"Homes@odata.type":"#Collection(Zoo.Address)","Homes":[]}', '{"homes":[]}'],
    ['{"Notes":{"x@odata.type":"#Guid","x":"y"}}', '{"notes":{"x":"y"}}'],
    ['{"Name@type.of.mine":1,"Name@My.type":2}', '{}'],
  ])('%s', (body, upstream) => {
    expect(sent(body)).toBe(upstream);
  });
});

describe('derived types in a body (JSON Format, 4.5.3)', () => {
  it.each([
    '{"@odata.type":"#Zoo.Dog","Name":"Rex","Breed":"pug"}',
    '{"@type":"#Zoo.Dog","Name":"Rex","Breed":"pug"}',
    '{"@odata.type":"http://127.0.0.1/odata/$metadata#Zoo.Dog","Name":"Rex","Breed":"pug"}',
    '{"Kind":"dog","Name":"Rex","Breed":"pug"}',
  ])('%s', (body) => {
    const { entityType, values } = read(body, 'insert');
    expect(entityType.name).toBe('Dog');
    expect(values).toStrictEqual({ Kind: 'dog', Name: 'Rex', Breed: 'pug' });
  });

  it('are read within complex values', () => {
    const input = read('{"Homes":[{"@odata.type":"#Zoo.Cage","City":"B","Bars":"9007199254740993"}]}');
    expect(input.values).toStrictEqual({
      Homes: [{ City: 'B', Bars: 9007199254740993n, Kind: 'cage', [TYPE]: 'Cage' }],
    });
    expect(written(ANIMAL, input)).toBe('{"homes":[{"city":"B","bars":9007199254740993,"kind":"cage"}]}');
  });

  it('stay what they are in an update (Part 1, 11.4.3)', () => {
    const body = '{"@odata.type":"#Zoo.Dog","Breed":"pug"}';
    expect(read(body).values).toStrictEqual({ Breed: 'pug' });
    expect(sentValues(ANIMAL, read(body))).toStrictEqual({ Breed: 'pug', [TYPE]: 'Dog' });
  });
});

describe('related entities in a body (JSON Format, 8.5; Part 1, 11.4.2.2)', () => {
  it('are links', () => {
    const { bindings, nested, values } = read(
      '{"Name":"Rex","Keeper@odata.bind":"Keeper(\'Ann\')","Visits@bind":[]}',
    );
    expect(bindings.map(({ property, links }) => [property.name, links.map(({ url }) => url)])).toStrictEqual(
      [
        ['Keeper', ["Keeper('Ann')"]],
        ['Visits', []],
      ],
    );
    expect([nested, values]).toStrictEqual([[], { Name: 'Rex' }]);
  });

  it('are references, or entities to be created', () => {
    const { bindings, nested } = read(
      '{"Keeper":{"@id":"Keeper(\'Ann\')"},"Kind":"x","Name":"Rex","Visits":[{"Number":1,"Guest":"Bob"},{"@odata.id":"Visits(2)"}]}',
      'insert',
    );
    expect(bindings.map(({ property, links }) => [property.name, links.map(({ url }) => url)])).toStrictEqual(
      [
        ['Keeper', ["Keeper('Ann')"]],
        ['Visits', ['Visits(2)']],
      ],
    );
    expect(
      nested.map(({ property, entities }) => [property.name, entities.map(({ values }) => values)]),
    ).toStrictEqual([['Visits', [{ Number: 1, Guest: 'Bob' }]]]);
  });

  it('are to be created or changed with a change (Part 1, 11.4.3.1)', () => {
    const { bindings, nested, changes } = read(
      '{"Keeper":{"@id":"Keeper(\'Ann\')"},"Visits":[{"Number":1,"Guest":"Bob","@etag":"W/1"},{"@odata.id":"Visits(2)"}]}',
    );
    expect(bindings.map(({ property }) => property.name)).toStrictEqual(['Keeper']);
    expect(nested).toStrictEqual([]);
    expect(changes).toMatchObject([
      {
        path: 'Visits',
        whole: true,
        members: [
          { kind: 'entity', key: { Number: 1 }, etag: 'W/1', body: { values: { Guest: 'Bob' } } },
          { kind: 'link', link: { url: 'Visits(2)', target: 'Visits/1' } },
        ],
      },
    ]);
  });
});

describe('related entities that are in the JSON of their owner', () => {
  it('go upstream within it', () => {
    const body = '{"Guest":"Bob","Helper":{"Name":"Ann","Shift":2}}';
    const input = read(body, 'insert', entityTypeNamed('Visit'));
    expect(written(entityTypeNamed('Visit'), input)).toBe(
      '{"guest":"Bob","helper":{"name":"Ann","shift":2}}',
    );
    expect(input.nested.map(({ entities }) => entities.map(({ values }) => values))).toStrictEqual([
      [{ Name: 'Ann', Shift: 2 }],
    ]);
  });

  it('are checked', () => {
    const action = () => read('{"Helper":{"Name":"Ann","Shift":0}}', 'insert', entityTypeNamed('Visit'));
    expect(mistakesOf(action)).toStrictEqual(['Helper/Shift: expected at least 1, found 0.']);
  });
});

describe('the parameters of an action (Part 1, 11.5.5.1)', () => {
  const feed = ZOO.callables.find(({ name }) => name === 'Feed');
  const parameters = (body: string | undefined) =>
    readActionParameters(ZOO, feed ?? { parameters: [] }, requestOf(body));

  it('are read by their types', () => {
    expect(parameters('{"Grams":5,"Moods":["calm",1],"@My.Term":1}')).toStrictEqual({
      Grams: 5,
      Moods: ['calm', 'very_angry'],
    });
  });

  it.each([
    [undefined, ['Grams: expected a value, found none.']],
    ['{"Grams":501}', ['Grams: expected at most 500, found 501.']],
    [
      '{"Grams":"5","at":1}',
      [
        'at: expected the name of a parameter, found none of them.',
        'Grams: expected Edm.Int32, found a string.',
      ],
    ],
    [
      '{"Grams":5,"Grams@odata.type":"#String","Moods@type":"#Zoo.Mood"}',
      [
        'Grams@odata.type: expected Edm.Int32, found "#String".',
        'Moods@type: expected Collection(Zoo.Mood), found "#Zoo.Mood".',
      ],
    ],
  ])('%s', (body, mistakes) => {
    expect(mistakesOf(() => parameters(body))).toStrictEqual(mistakes);
  });
});

describe('the value of a property (Part 1, 11.4.9)', () => {
  const taken = (name: string) => {
    const property = ANIMAL.structuralProperties.get(name);
    if (property === undefined) throw new Error(`An animal has no ${name}`);
    return takenValue(ANIMAL, SENT_ANIMAL, [name], property);
  };
  const value = (name: string, body: string, kind: 'update' | 'replace' = 'replace') =>
    readPropertyValue(ZOO, taken(name), requestOf(body), kind);

  it.each([
    ['Name', '{"@odata.context":"x","value":"Rex"}', 'Rex'],
    ['Weight', '{"value":null}', null],
    ['Tags', '{"value":["a"]}', ['a']],
    ['Home', '{"Kind":"x","City":"Bonn"}', { Kind: 'x', City: 'Bonn' }],
    ['Home', '{"value":null}', null],
  ])('%s: %s', (name, body, expected) => {
    expect(value(name, body)).toStrictEqual(expected);
  });

  it('has all of a complex value only in a replacement', () => {
    expect(value('Home', '{"City":"Bonn"}', 'update')).toStrictEqual({ City: 'Bonn' });
    expect(mistakesOf(() => value('Home', '{"City":"Bonn"}'))).toStrictEqual([
      'Kind: expected a value, found none.',
    ]);
  });

  it.each([
    ['Name', '{}', 'value: expected a value, found none.'],
    ['Name', '{"value":null}', 'value: expected a value, found null.'],
    ['Name', '{"value":1}', 'value: expected Edm.String, found a number.'],
    ['Name', '{"@odata.type":"#Int32","value":"Rex"}', '@odata.type: expected Edm.String, found "#Int32".'],
    ['Tags', '{"@type":"String","value":[]}', '@type: expected Collection(Edm.String), found "String".'],
    [
      'Home',
      '{"@type":"#Zoo.Notes","value":null}',
      '@type: expected Zoo.Address or a type derived from it, found "#Zoo.Notes".',
    ],
    ['Tags', '{"value":["abcdef"]}', 'value/0: expected at most 5 characters, found 6.'],
  ])('%s: %s', (name, body, mistake) => {
    expect(mistakesOf(() => value(name, body))).toContain(mistake);
  });
});

describe('a name that comes twice', () => {
  it('is found behind hundreds of thousands of escapes', () => {
    const text = JSON.stringify('"'.repeat(400_000));
    const read = (body: string) =>
      readEntityBody(ZOO, ANIMAL, requestOf(body), { kind: 'update', sent: SENT_ANIMAL }).values;
    expect(mistakesOf(() => read(`{"Tame":true,"PhotoType":${text},"Tame":false}`))).toContain(
      'Tame: expected each name once, found "Tame" twice.',
    );
  });
});

describe('a body that is forwarded verbatim', () => {
  const forward = (body: string) =>
    readEntityBody(ZOO, ANIMAL, requestOf(body), { kind: 'insert', verbatim: true, sent: SENT_ANIMAL });

  it.each([
    '{"NAME":"x","photo_type":"y","PhotoType":"z","more":{"a":1}}',
    '{"born":"soon","nap":"long","weight":1,"Weight":"1.5","skills":3,"Mood":"very angry"}',
    '{"name":"longer than eight","tags":null,"home":{"CITY":"x"}}',
    '{"name":"a","name":"b"}',
  ])('may be %s', (body) => {
    expect(Buffer.from(forward(body).verbatim ?? '').toString()).toBe(body);
  });

  it.each([
    [
      '{"@odata.type":"#Zoo.Keeper","name@type":"Int32","home":{"City@odata.type":"#Int32"}}',
      [
        '@odata.type: expected Zoo.Animal or a type derived from it, found "#Zoo.Keeper".',
        'name@type: expected Edm.String, found "Int32".',
        'home/City@odata.type: expected Edm.String, found "#Int32".',
      ],
    ],
    ['{"NAME":1}', ['NAME: expected Edm.String, found a number.']],
    [
      '{"tame":"yes","chip":1.5}',
      ['tame: expected Edm.Boolean, found a string.', 'chip: expected Edm.Int64, found a number.'],
    ],
    [
      '{"home":{"city":1},"tags":"x","mood":true}',
      [
        'home/city: expected Edm.String, found a number.',
        'tags: expected an array, found a string.',
        'mood: expected a member of Mood, found a boolean.',
      ],
    ],
  ])('must not be %s', (body, mistakes) => {
    expect(mistakesOf(() => forward(body))).toStrictEqual(mistakes);
  });
});
