import { describe, expect, it } from 'vitest';
import { type ListReport, modelFromOpenApi } from '../../src/derive/model-from-openapi.ts';

const TEXT = { type: 'string' };
const MAYBE = { type: 'string', nullable: true };
const NUMBER = { type: 'integer' };

type Properties = Readonly<Record<string, object>>;

interface Entities {
  /** The name of their schema. */
  readonly schema: string;
  readonly properties: Properties;
  readonly required?: readonly string[];
  /** The path of their list. */
  readonly list: string;
  /** The path that one of them is read at. */
  readonly read?: string;
}

function get(path: string, schema: object) {
  const names = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name);
  const parameters = names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
  const content = { 'application/json': { schema } };
  return { [path]: { get: { parameters, responses: { 200: { description: 'OK', content } } } } };
}

/** The key of the entities, with the path parameters that it fills, and the rule that found it. */
function keyOf({ schema, properties, required = [], list, read }: Entities): string {
  const $ref = { $ref: `#/components/schemas/${schema}` };
  const { model, lists } = modelFromOpenApi([
    {
      name: 'Test',
      document: {
        openapi: '3.0.3',
        info: { title: 'Test', version: '1' },
        paths: {
          ...get(list, { type: 'array', items: $ref }),
          ...(read === undefined ? {} : get(read, $ref)),
        },
        components: { schemas: { [schema]: { type: 'object', required, properties } } },
      },
    },
  ]);
  const [set] = model.entitySets.values();
  const [table]: readonly ListReport[] = lists;
  const key = set?.entityType.key.join() ?? 'none';
  const filled = set?.read?.parameters.map(({ name, property }) => `{${name}}=${property}`) ?? [];
  return [key, ...filled, table?.keyRule].filter((part) => part !== undefined).join(' ');
}

describe('the key of entities that are only listed', () => {
  const names = { nombre: MAYBE, name: TEXT, title: TEXT, email: TEXT };
  it.each<[string, string, string, string]>([
    ['id', 'Thing', '/things', 'Id'],
    ['uuid', 'Thing', '/things', 'Uuid'],
    ['guid', 'Thing', '/things', 'Guid'],
    ['thingId', 'Thing', '/things', 'ThingId'],
    ['thing_uuid', 'Thing', '/things', 'ThingUuid'],
    ['menuid', 'Menu', '/menus', 'Menuid'],
    ['menuid', 'MenuDto', '/menu/list', 'Menuid'],
    ['idMarca', 'MarcaAuto', '/marcas', 'IdMarca'],
    ['id_cliente', 'ClienteResponse', '/clientes', 'IdCliente'],
    ['codCliente', 'ClienteDto', '/clientes', 'CodCliente'],
    ['idVendedor', 'VendedorDto', '/vendedores', 'IdVendedor'],
    ['idTipoDocumento', 'TipoDocumento', '/tipos-de-documento', 'IdTipoDocumento'],
    ['codigoAnimal', 'AnimalView', '/animais', 'CodigoAnimal'],
    ['idProdotto', 'Prod', '/prodotti', 'IdProdotto'],
    ['codiceFattura', 'Riga', '/fatture', 'CodiceFattura'],
    ['numCommande', 'Achat', '/commandes', 'NumCommande'],
    ['idAnimal', 'Bete', '/animaux', 'IdAnimal'],
    ['KundenNr', 'KundeDto', '/kunden', 'KundenNr'],
    ['rechnungsId', 'Rechnung', '/rechnungen', 'RechnungsId'],
  ])('is %s of a %s at %s', (identifier, schema, list, key) => {
    const entities = { schema, list, properties: { ...names, [identifier]: MAYBE }, required: ['name'] };
    expect(keyOf(entities)).toBe(`${key} identifier`);
  });

  it.each<[string, Entities, string]>([
    [
      'is within an identifier that is an object',
      {
        schema: 'Alarm',
        list: '/alarms',
        required: ['name'],
        properties: {
          name: TEXT,
          id: { type: 'object', properties: { kind: TEXT, id: { type: 'string', format: 'uuid' } } },
        },
      },
      'IdId identifier-object',
    ],
    [
      'is no name beside an identifier of any type',
      { schema: 'Alarm', list: '/alarms', required: ['name'], properties: { name: TEXT, id: {} } },
      'RowId row',
    ],
    [
      'may be a code beside an identifier of any type',
      { schema: 'Alarm', list: '/alarms', required: ['code'], properties: { code: TEXT, id: {} } },
      'Code called',
    ],
    [
      'is a name where nothing identifies them',
      { schema: 'Alarm', list: '/alarms', required: ['name'], properties: { name: TEXT, level: NUMBER } },
      'Name called',
    ],
    [
      'is not what says of which kind an identifier is',
      { schema: 'Pass', list: '/passes', required: ['name'], properties: { name: TEXT, id_type: TEXT } },
      'Name called',
    ],
  ])('%s', (_, entities, expected) => {
    expect(keyOf(entities)).toBe(expected);
  });

  it('is none of an owner whom a path names by one of two things', () => {
    const properties = { projectId: NUMBER, feature: TEXT };
    const entities = { schema: 'Feature', list: '/projects/{projectIdOrKey}/features', properties };
    expect(keyOf(entities)).toBe('ProjectIdOrKey,Feature own-name');
  });
});

describe('the key of entities that a path reads', () => {
  const properties = { name: MAYBE, slug: MAYBE, code: TEXT, id: NUMBER };
  it.each<[string, Entities, string]>([
    [
      'fills the parameter of its name',
      { schema: 'Thing', list: '/things', read: '/things/{code}', properties },
      'Code {code}=Code parameter',
    ],
    [
      'is the identifier where the parameter takes that or a name',
      { schema: 'Thing', list: '/things', read: '/things/{id_or_name}', properties },
      'Id {id_or_name}=Id identifier',
    ],
    [
      'is the identifier where the parameter takes that or what may be null',
      { schema: 'Thing', list: '/things', read: '/things/{id_or_slug}', properties },
      'Id {id_or_slug}=Id identifier',
    ],
    [
      'is what the parameter takes beside an identifier, where each entity has it',
      { schema: 'Thing', list: '/things', read: '/things/{thingIdOrCode}', properties },
      'Code {thingIdOrCode}=Code named-in-parameter',
    ],
    [
      'is the identifier in the words of another language',
      {
        schema: 'MarcaAuto',
        list: '/marcas',
        read: '/marcas/{id}',
        properties: { descripcionMarca: MAYBE, idMarca: { ...NUMBER, nullable: true } },
      },
      'IdMarca {id}=IdMarca identifier',
    ],
    [
      'is within an identifier that is an object, at the path in the singular',
      {
        schema: 'Alarm',
        list: '/alarms',
        read: '/alarm/{alarmId}',
        properties: { name: TEXT, id: { type: 'object', properties: { kind: TEXT, id: TEXT } } },
      },
      'IdId {alarmId}=IdId identifier-object',
    ],
  ])('%s', (_, entities, expected) => {
    expect(keyOf(entities)).toBe(expected);
  });
});
