import { describe, expect, it } from 'vitest';
import {
  type ContextFragment,
  type ContextProjection,
  contextUrl,
} from '../../../src/odata/payload/negotiation/context-url.ts';

const select = (...names: readonly string[]): ContextProjection => ({ select: names, expand: [] });
const expand = (...paths: readonly string[]): ContextProjection => ({
  select: undefined,
  expand: paths.map((path) => ({ path })),
});
const nested: ContextProjection = {
  select: ['Name'],
  expand: [
    {
      path: 'Items',
      projection: { select: ['Amount'], expand: [{ path: 'Product', projection: select('Id') }] },
    },
    { path: 'Address/Country', projection: select('Code') },
  ],
};

describe('context URLs (Part 1, 10)', () => {
  it.each<[string, ContextFragment, string, string?]>([
    ['10.2', { kind: 'entities', path: 'Order' }, '#Order'],
    ['10.2 contained', { kind: 'entities', path: "Order('4711')/Items" }, "#Order('4711')/Items"],
    ['10.3', { kind: 'entity', path: 'Order' }, '#Order/$entity'],
    ['10.3 contained', { kind: 'entity', path: "Order('4711')/Items" }, "#Order('4711')/Items/$entity"],
    ['10.4', { kind: 'singleton', path: 'Me' }, '#Me'],
    ['10.5', { kind: 'entities', path: 'Order', cast: 'Shop.Gift' }, '#Order/Shop.Gift'],
    ['10.6', { kind: 'entity', path: 'Order', cast: 'Shop.Gift' }, '#Order/Shop.Gift/$entity'],
    ['10.7', { kind: 'entities', path: 'Order', projection: select('Id', 'Total') }, '#Order(Id,Total)'],
    ['10.7 all', { kind: 'entities', path: 'Order', projection: select('*') }, '#Order(*)'],
    ['10.8', { kind: 'entity', path: 'Order', projection: select('Id') }, '#Order(Id)/$entity'],
    ['10.8 singleton', { kind: 'singleton', path: 'Me', projection: select('Id') }, '#Me(Id)'],
    ['10.9', { kind: 'entities', path: 'Order', projection: expand('Items') }, '#Order', '#Order(Items())'],
    [
      '10.9 nested',
      { kind: 'entities', path: 'Order', projection: nested },
      '#Order(Name,Items(Amount,Product(Id)),Address/Country(Code))',
    ],
    [
      '10.9 $levels',
      {
        kind: 'entities',
        path: 'Employee',
        projection: {
          select: undefined,
          expand: [{ path: 'Reports', recursive: true, projection: select('Name') }],
        },
      },
      '#Employee(Reports+(Name))',
    ],
    [
      '10.10',
      { kind: 'entity', path: 'Order', projection: expand('Items') },
      '#Order/$entity',
      '#Order(Items())/$entity',
    ],
    ['10.11', { kind: 'references' }, '#Collection($ref)'],
    ['10.12', { kind: 'reference' }, '#$ref'],
    ['10.13', { kind: 'property', path: "Order('4711')/Total" }, "#Order('4711')/Total"],
    [
      '10.13 of a derived type',
      { kind: 'property', path: "Order('a%2Fb%20%C3%A9')/Shop.Gift/Card", projection: select('Text') },
      "#Order('a/b é')/Shop.Gift/Card(Text)",
    ],
    ['10.14', { kind: 'value', type: 'Edm.String', collection: true }, '#Collection(Edm.String)'],
    ['10.14 complex', { kind: 'value', type: 'Shop.Card', collection: true }, '#Collection(Shop.Card)'],
    ['10.15', { kind: 'value', type: 'Edm.Int32', collection: false }, '#Edm.Int32'],
    [
      '10.16',
      { kind: 'value', type: 'Shop.Order', collection: true, projection: select('Id') },
      '#Collection(Shop.Order)(Id)',
    ],
    ['10.17', { kind: 'delta', path: 'Order', projection: select('Id') }, '#Order(Id)/$delta'],
  ])('%s', (_, fragment, of40, of401 = of40) => {
    expect(contextUrl('http://x/odata', fragment, '4.0')).toBe(`http://x/odata/$metadata${of40}`);
    expect(contextUrl('http://x/odata', fragment, '4.01')).toBe(`http://x/odata/$metadata${of401}`);
  });
});
