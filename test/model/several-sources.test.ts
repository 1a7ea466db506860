import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { modelFromOpenApi } from '../../src/derive/model-from-openapi.ts';
import { pascalCase } from '../../src/model/names.ts';
import { writeCsdlJson } from '../../src/odata/payload/csdl/csdl-json.ts';
import { writeCsdlXml } from '../../src/odata/payload/csdl/csdl-xml.ts';
import { jsonOfXml } from '../support/csdl.ts';
import { answer, reference, setPaths } from './document.ts';

/** A document with a set of orders, an address and a state in each, a singleton and a function. */
function document(settings: object = {}, title = 'Test') {
  const schemas = `
Order: { type: object, properties: { id: { type: string }, address: ${reference('Address')}, state: ${reference('State')}, code: ${reference('Code')} } }
Address: { type: object, properties: { street: { type: string } } }
State: { type: string, enum: [new, sent] }
Code: { type: string, maxLength: 3 }
Me: { type: object, properties: { name: { type: string } } }`;
  const paths = `
${setPaths('/orders', 'Order')}
/me: { get: { operationId: me, responses: ${answer(reference('Me'))} } }
/search: { get: { operationId: search, x-odata: { function: Search }, responses: ${answer(reference('Order'))} } }`;
  return {
    openapi: '3.1.0',
    info: { title, version: '1' },
    'x-odata': settings,
    paths: parse(paths),
    components: { schemas: parse(schemas) },
  };
}

function derive(sources: readonly (readonly [string, object])[]) {
  const { model, report } = modelFromOpenApi(
    sources.map(([name, settings]) => ({ name, document: document(settings) })),
  );
  const findings = report
    .filter(
      ({ message }) => !message.startsWith('Nobody may') && !message.startsWith('The operation is named'),
    )
    .map(({ severity, source, pointer, message }) => `${severity} ${source}#${pointer} ${message}`);
  return { model, findings, csdl: JSON.parse(writeCsdlJson(model)) };
}

describe('a model of several sources', () => {
  const { model, findings, csdl } = derive([
    ['sales', {}],
    ['stock', { namespace: 'Stock.V1' }],
    ['returns', {}],
  ]);

  it('has a schema for each source and one container, which names all of them', () => {
    expect(Object.keys(csdl).filter((name) => !name.startsWith('$'))).toStrictEqual([
      'Sales',
      'Stock.V1',
      'Returns',
    ]);
    expect(csdl.$EntityContainer).toBe('Sales.Container');
    const types = Object.entries(csdl.Sales.Container as object).flatMap(([name, member]) =>
      /^[$@]/.test(name) ? [] : [[name, member.$Type ?? member.$Function]],
    );
    expect(types).toStrictEqual([
      ['Order', 'Sales.Order'],
      ['StockOrder', 'Stock.V1.StockOrder'],
      ['ReturnsOrder', 'Returns.ReturnsOrder'],
      ['Me', 'Sales.Me'],
      ['StockMe', 'Stock.V1.StockMe'],
      ['ReturnsMe', 'Returns.ReturnsMe'],
      ['Search', 'Sales.Search'],
      ['StockSearch', 'Stock.V1.StockSearch'],
      ['ReturnsSearch', 'Returns.ReturnsSearch'],
    ]);
  });

  it('refers to each type by its namespace', () => {
    const typesOf = (type: object) =>
      Object.values(type).flatMap((member) => (typeof member?.$Type === 'string' ? [member.$Type] : []));
    expect(typesOf(csdl['Stock.V1'].StockOrder)).toStrictEqual([
      'Stock.V1.StockAddress',
      'Stock.V1.StockState',
      'Stock.V1.StockCode',
    ]);
    expect(csdl['Stock.V1'].StockSearch[0].$ReturnType.$Type).toBe('Stock.V1.StockOrder');
  });

  it('says the same in XML', () => {
    expect(jsonOfXml(writeCsdlXml(model, '4.01'))).toStrictEqual(csdl);
  });

  it('reports every clash at the source that comes later', () => {
    const renamed = findings.map((finding) =>
      finding.replace(/^info (\w+)#\S+ It is named (\w+): .*$/, '$1 $2'),
    );
    expect(renamed.toSorted()).toStrictEqual(
      ['returns', 'stock'].flatMap((source) =>
        ['Address', 'Code', 'Me', 'Me', 'Order', 'Order', 'Search', 'State'].map(
          (name) => `${source} ${pascalCase(source)}${name}`,
        ),
      ),
    );
  });

  it('is the same each time, and another one in another order', () => {
    const names = (sources: readonly string[]) =>
      [...derive(sources.map((name) => [name, {}] as const)).model.entityTypes.values()].map(
        ({ namespace, name }) => `${namespace}.${name}`,
      );
    expect(names(['a', 'b'])).toStrictEqual(names(['a', 'b']));
    expect(names(['b', 'a'])).toStrictEqual(['B.Order', 'B.Me', 'A.AOrder', 'A.AMe']);
  });
});

describe('a namespace', () => {
  it.each([
    [
      [
        ['sales', {}],
        ['Sales', {}],
      ],
      ['Sales', 'Sales_2'],
      ['warning Sales# It is named Sales_2: the name Sales is taken'],
    ],
    [
      [
        ['a', { namespace: 'X' }],
        ['b', { namespace: 'X' }],
      ],
      ['X', 'X_2'],
      ['warning b#/x-odata/namespace It is named X_2: the name X is taken'],
    ],
    [[['core', {}]], ['Core_2'], ['warning core# It is named Core_2: the name Core is taken']],
    [
      [['a', { namespace: 'Validation' }]],
      ['A'],
      ['error a#/x-odata/namespace "Validation" cannot be the name of a namespace'],
    ],
    [
      [['a', { namespace: 'Edm' }]],
      ['A'],
      ['error a#/x-odata/namespace "Edm" cannot be the name of a namespace'],
    ],
    [[['../..', {}]], ['Default'], []],
    [
      [
        ['a', { container: 'Core' }],
        ['b', { container: 'Other', schemaVersion: '2' }],
      ],
      ['A', 'B'],
      [
        "info b#/x-odata/container It is left out: the first source's document says the container of the whole service",
        "info b#/x-odata/schemaVersion It is left out: the first source's document says the schemaVersion of the whole service",
      ],
    ],
  ] as const)('of %j is %j', (sources, namespaces, expected) => {
    const { csdl, findings } = derive(sources);
    expect(Object.keys(csdl).filter((name) => !name.startsWith('$'))).toStrictEqual(namespaces);
    expect(findings.filter((finding) => !/\/(?:paths|components)/.test(finding))).toStrictEqual(expected);
  });
});
