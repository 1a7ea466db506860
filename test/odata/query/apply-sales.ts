import type { Row } from '../../../src/contract/row.ts';
import type { QueryOptions } from '../../../src/engine/tree/query-tree.ts';
import type {
  DescribedComplexType,
  DescribedEntityType,
  DescribedNavigationProperty,
  DescribedStructuralProperty,
} from '../../../src/model/description.ts';
import { type EntityType, embeddedNavigation } from '../../../src/model/edm.ts';
import { linkModel } from '../../../src/model/model.ts';
import { DEFAULT_URL_LIMITS } from '../../../src/odata/url/lexer.ts';
import { parseRequestTarget } from '../../../src/odata/url/request-target.ts';
import { describedModel, describedType, primitiveProperty } from '../../support/model.ts';
import { compileCount, compileQuery } from './at-once.ts';

/**
 * Sales of products to customers, in the manner of the model that Data Aggregation 4.0, 2.1, takes its
 * examples from. Related entities stand in the rows, as they do when a query asks for them.
 */

const NAMESPACE = 'Shop';

function entity(
  name: string,
  properties: readonly DescribedStructuralProperty[],
  navigation: readonly DescribedNavigationProperty[],
): DescribedEntityType {
  return {
    ...describedType(NAMESPACE, name, [primitiveProperty('Id', 'Edm.String'), ...properties]),
    navigationProperties: new Map(navigation.map((each) => [each.name, each])),
  };
}

function complex(name: string, properties: readonly DescribedStructuralProperty[]): DescribedComplexType {
  const { key: _, ...type } = describedType(NAMESPACE, name, properties);
  return type;
}

function complexProperty(name: string, type: string, collection: boolean): DescribedStructuralProperty {
  return { ...primitiveProperty(name, 'Edm.String'), type: { kind: 'complex', name: type }, collection };
}

const SALE_TYPE = entity(
  'Sale',
  [
    primitiveProperty('Amount', 'Edm.Decimal'),
    primitiveProperty('Pieces', 'Edm.Int32'),
    primitiveProperty('Weight', 'Edm.Double'),
    primitiveProperty('At', 'Edm.DateTimeOffset'),
    complexProperty('ShipTo', 'Place', false),
  ],
  [embeddedNavigation('Customer', 'Customer', false), embeddedNavigation('Product', 'Product', false)],
);

const CUSTOMER_TYPE = entity(
  'Customer',
  [primitiveProperty('Name', 'Edm.String'), primitiveProperty('Country', 'Edm.String')],
  [],
);

const PRODUCT_TYPE = entity(
  'Product',
  [
    primitiveProperty('Name', 'Edm.String'),
    primitiveProperty('TaxRate', 'Edm.Decimal'),
    complexProperty('Notes', 'Note', true),
    { ...primitiveProperty('Tags', 'Edm.String'), collection: true },
  ],
  [embeddedNavigation('Group', 'Group', false), embeddedNavigation('Sales', 'Sale', true)],
);

const GROUP_TYPE = entity('Group', [primitiveProperty('Name', 'Edm.String')], []);

const MODEL = linkModel({
  ...describedModel(NAMESPACE),
  entityTypes: new Map([SALE_TYPE, CUSTOMER_TYPE, PRODUCT_TYPE, GROUP_TYPE].map((type) => [type.name, type])),
  complexTypes: new Map(
    [
      complex('Place', [primitiveProperty('City', 'Edm.String'), primitiveProperty('Zip', 'Edm.Int32')]),
      complex('Note', [primitiveProperty('Text', 'Edm.String'), primitiveProperty('Stars', 'Edm.Int32')]),
    ].map((type) => [type.name, type]),
  ),
});

const [ANN, BEN, COY] = [
  { Id: 'C1', Name: 'Ann', Country: 'US' },
  { Id: 'C2', Name: 'Ben', Country: 'US' },
  { Id: 'C3', Name: 'Coy', Country: 'NL' },
];
const [FOOD, DESK] = [
  { Id: 'G1', Name: 'Food' },
  { Id: 'G2', Name: 'Desk' },
];
const [TEA, RICE, PAPER, PEN] = [
  { Id: 'P1', Name: 'Tea', TaxRate: 0.06, Group: FOOD },
  { Id: 'P2', Name: 'Rice', TaxRate: 0.06, Group: FOOD },
  { Id: 'P3', Name: 'Paper', TaxRate: 0.14, Group: DESK },
  { Id: 'P4', Name: 'Pen', TaxRate: 0.14, Group: DESK },
];
const [BONN, OSLO] = [
  { City: 'Bonn', Zip: 53111 },
  { City: 'Oslo', Zip: null },
];

function sale(
  number: number,
  Customer: Row,
  Product: Row,
  [Amount, Pieces, Weight]: readonly [number | string | null, number | null, number],
  At: string,
  ShipTo: Row | null,
): Row {
  return { Id: `S${number}`, Amount, Pieces, Weight, At, ShipTo, Customer, Product };
}

/** The first two are of the same moment. The amounts sum to 24.03, the pieces to 10. */
const SALES: readonly Row[] = [
  sale(1, ANN, PAPER, [1.01, 1, 0.5], '2022-01-03T10:00:00Z', BONN),
  sale(2, ANN, TEA, [2, 2, 0.25], '2022-01-03T11:00:00+01:00', BONN),
  sale(3, ANN, RICE, [4.01, null, 1], '2022-02-07T00:00:00Z', OSLO),
  sale(4, BEN, RICE, [8, 3, 2], '2022-02-08T00:00:00Z', null),
  sale(5, BEN, PAPER, ['4.00', 1, 0.5], '2022-03-09T00:00:00Z', OSLO),
  sale(6, COY, TEA, [2, 2, 0.25], '2022-03-10T00:00:00Z', BONN),
  sale(7, COY, PAPER, [null, null, 0.5], '2022-03-10T00:00:00Z', BONN),
  sale(8, COY, PAPER, [3.01, 1, 0.5], '2022-03-11T00:00:00Z', null),
];

function product(type: Row, Notes: readonly Row[], Tags: readonly string[]): Row {
  const Sales = SALES.filter(({ Product }) => Product === type).map(({ Product: _, ...rest }) => rest);
  return { ...type, Notes, Tags, Sales };
}

/** There are no sales of pens. */
const PRODUCTS: readonly Row[] = [
  product(TEA, [{ Text: 'green', Stars: 5 }], ['hot', 'leaf']),
  product(
    RICE,
    [
      { Text: 'long', Stars: 3 },
      { Text: 'white', Stars: 4 },
    ],
    ['white', 'hot'],
  ),
  product(PAPER, [], ['white']),
  product(PEN, [], []),
];

export type Query = Readonly<Record<string, string>>;

function typeNamed(name: string): EntityType {
  const type = MODEL.entityTypes.get(name);
  if (type === undefined) throw new Error(`There is no ${name}`);
  return type;
}

function optionsOf(query: Query): QueryOptions {
  const text = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return parseRequestTarget(`/Sale?${text.join('&')}`, DEFAULT_URL_LIMITS).options;
}

export function compiledSales(query: Query, type: EntityType = typeNamed('Sale')) {
  return compileQuery(MODEL, type, optionsOf(query));
}

export function sales(query: Query, rows: readonly Row[] = SALES): readonly Row[] {
  return compiledSales(query).run(rows).rows;
}

export function products(query: Query): readonly Row[] {
  return compiledSales(query, typeNamed('Product')).run(PRODUCTS).rows;
}

export function countSales(query: Query): number {
  return compileCount(MODEL, typeNamed('Sale'), optionsOf(query)).run(SALES);
}
