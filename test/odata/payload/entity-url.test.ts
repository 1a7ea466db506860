import { describe, expect, it } from 'vitest';
import type { Row, Value } from '../../../src/contract/row.ts';
import { entityUrl, keyPredicate } from '../../../src/engine/resource/navigation-source.ts';
import type { EntityType, ValueType } from '../../../src/model/edm.ts';
import { entityTypeOf, primitiveProperty } from '../../support/model.ts';

function keyedBy(types: Readonly<Record<string, ValueType>>): EntityType {
  const properties = Object.entries(types).map(([name, type]) => ({
    ...primitiveProperty(name, 'Edm.String'),
    type,
  }));
  return { ...entityTypeOf('Shop', 'Order', properties), key: Object.keys(types) };
}

const primitive = (name: Extract<ValueType, { kind: 'primitive' }>['name']): ValueType => ({
  kind: 'primitive',
  name,
});

const COLOUR: ValueType = {
  kind: 'enumeration',
  namespace: 'Shop',
  name: 'Colour',
  description: undefined,
  flags: false,
  members: [],
};

describe('a key in a URL (Part 2, 4.3.1; ABNF, primitiveLiteral)', () => {
  it.each<[ValueType, Value, string]>([
    [primitive('Edm.String'), "O'Neil & Sons/100%", "('O''Neil%20%26%20Sons%2F100%25')"],
    [primitive('Edm.String'), '', "('')"],
    [primitive('Edm.String'), 'a\ud800b', "('a%EF%BF%BDb')"],
    [primitive('Edm.Int32'), -5, '(-5)'],
    [primitive('Edm.Int64'), 2n ** 60n, '(1152921504606846976)'],
    [primitive('Edm.Decimal'), '12345678901234567890.5', '(12345678901234567890.5)'],
    [primitive('Edm.Decimal'), 1e-7, '(0.0000001)'],
    [primitive('Edm.Double'), Number.POSITIVE_INFINITY, '(INF)'],
    [primitive('Edm.Boolean'), true, '(true)'],
    [primitive('Edm.Guid'), '0c3a5f9a-0000-4000-8000-00000000000f', '(0c3a5f9a-0000-4000-8000-00000000000f)'],
    [primitive('Edm.Date'), '2024-02-29', '(2024-02-29)'],
    [primitive('Edm.DateTimeOffset'), '2024-02-29T12:00:00+01:00', '(2024-02-29T12%3A00%3A00%2B01%3A00)'],
    [primitive('Edm.TimeOfDay'), '12:30:00', '(12%3A30%3A00)'],
    [primitive('Edm.Duration'), 'PT1H', "(duration'PT1H')"],
    [primitive('Edm.Binary'), '-_8=', "(binary'-_8%3D')"],
    [COLOUR, 'red', "(Shop.Colour'red')"],
  ])('%o: %s', (type, value, predicate) => {
    expect(keyPredicate(keyedBy({ Id: type }), { Id: value })).toBe(predicate);
  });

  it('names its properties where there are several, in the order of the model', () => {
    const type = keyedBy({ A: primitive('Edm.Int32'), B: primitive('Edm.String') });
    const row: Row = { B: 'x=1,y', A: 1 };
    expect(entityUrl('Order', type)(row)).toBe("Order(A=1,B='x%3D1%2Cy')");
  });
});
