import { describe, expect, it } from 'vitest';
import type { NavigationProperty } from '../../src/model/edm.ts';
import { answer, type Derived, derive, pathParameter, reference, setPaths } from './document.ts';

const SCHEMAS = `
Order: { type: object, properties: { id: { type: string }, customerId: { type: string } } }
Item: { type: object, properties: { line: { type: integer }, text: { type: string } } }
Note: { type: object, properties: { no: { type: integer } } }
Customer: { type: object, properties: { id: { type: string } } }`;

function navigation(derived: Derived, type: string): readonly NavigationProperty[] {
  return [...(derived.model.entityTypes.get(type)?.navigationProperties.values() ?? [])];
}

const named = (name: string) => expect.objectContaining({ name });

function get(path: string, id: string, schema: string, more = ''): string {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => pathParameter(name));
  return `${path}:\n  parameters: [${names.join()}]\n  get: { operationId: ${id}, responses: ${answer(schema)} }\n${more}`;
}

const list = (schema: string) => `{ type: array, items: ${reference(schema)} }`;

describe('a path below an entity', () => {
  it('leads to entities of a set', () => {
    const paths =
      setPaths('/orders', 'Order') +
      setPaths('/customers', 'Customer') +
      get('/customers/{customerId}/orders', 'customerOrders', list('Order')) +
      get('/orders/{id}/customer', 'orderCustomer', reference('Customer'));
    const derived = derive(paths, SCHEMAS);
    expect(navigation(derived, 'Customer')).toEqual([
      expect.objectContaining({
        name: 'Orders',
        entityType: named('Order'),
        collection: true,
        containsTarget: false,
        target: named('Order'),
        origin: {
          kind: 'path',
          places: [
            expect.objectContaining({
              path: 'Customer/Orders',
              list: {
                id: 'customerOrders',
                source: 'Test',
                wrappedIn: undefined,
                parameters: [{ name: 'customerId', property: 'Id' }],
              },
            }),
          ],
        },
      }),
    ]);
    expect(navigation(derived, 'Order')).toEqual([
      expect.objectContaining({
        name: 'Customer',
        collection: false,
        nullable: true,
        target: named('Customer'),
      }),
    ]);
    expect(derived.model.callables).toEqual([]);
    expect(derived.csdl).toContain('<NavigationPropertyBinding Path="Orders" Target="Order"/>');
  });

  it('leads to entities that it contains, and these to others', () => {
    const paths =
      setPaths('/orders', 'Order') +
      get(
        '/orders/{order_id}/items',
        'items',
        list('Item'),
        `  post: { operationId: addItem, responses: ${answer(reference('Item'))} }\n`,
      ) +
      get(
        '/orders/{id}/items/{line}',
        'item',
        reference('Item'),
        '  delete: { operationId: removeItem, responses: {} }\n',
      ) +
      get('/orders/{id}/items/{line}/notes', 'notes', list('Note')) +
      get('/orders/{id}/items/{line}/notes/{no}', 'note', reference('Note'));
    const derived = derive(paths, SCHEMAS);
    const [items] = navigation(derived, 'Order');
    expect([items?.name, items?.containsTarget, items?.target]).toEqual(['Items', true, undefined]);
    expect(items?.origin).toMatchObject({
      places: [
        {
          path: 'Order/Items',
          list: { id: 'items', parameters: [{ name: 'order_id', property: 'Id' }] },
          read: {
            id: 'item',
            parameters: [
              { name: 'id', property: 'Id', up: 1 },
              { name: 'line', property: 'Line' },
            ],
          },
          insert: { id: 'addItem' },
          update: undefined,
          delete: { id: 'removeItem' },
        },
      ],
    });
    const [notes] = navigation(derived, 'Item');
    expect(notes?.origin).toMatchObject({
      places: [
        {
          path: 'Order/Items/Notes',
          read: {
            parameters: [
              { name: 'id', property: 'Id', up: 2 },
              { name: 'line', property: 'Line', up: 1 },
              { name: 'no', property: 'No' },
            ],
          },
        },
      ],
    });
    expect(derived.csdl).toContain(
      '<PropertyValue Property="NavigationProperty" NavigationPropertyPath="Items/Notes"/>',
    );
  });

  it('leads to entities by a parameter at the place of the key, whatever it is called', () => {
    const paths =
      setPaths('/orders', 'Order') +
      get('/orders/{reference}/items', 'items', list('Item')) +
      get('/orders/{reference}/items/{line}', 'item', reference('Item'));
    expect(navigation(derive(paths, SCHEMAS), 'Order')).toMatchObject([
      {
        name: 'Items',
        origin: { places: [{ list: { id: 'items', parameters: [{ name: 'reference', property: 'Id' }] } }] },
      },
    ]);
  });

  it('may have several literals, and no read of one entity', () => {
    const paths = setPaths('/orders', 'Order') + get('/orders/{id}/open/items', 'items', list('Part'));
    const schemas = `${SCHEMAS}\nPart: { type: object, properties: { id: { type: string } } }`;
    expect(navigation(derive(paths, schemas), 'Order')).toMatchObject([
      {
        name: 'OpenItems',
        entityType: named('Part'),
        containsTarget: true,
        origin: { places: [{ read: undefined }] },
      },
    ]);
  });
});

describe('a link', () => {
  const links = (written: string) =>
    `${setPaths('/orders', 'Order')}${setPaths('/customers', 'Customer')}`.replace(
      `responses: ${answer(reference('Order'))} }\n`,
      `responses: { '200': { description: ok, content: { application/json: { schema: ${reference('Order')} } }, links: { ${written} } } } }\n`,
    );

  it.each([['operationId: readCustomer'], ["operationRef: '#/paths/~1customers~1{id}/get'"]])(
    'by %s leads to the entity with that key',
    (target) => {
      const derived = derive(
        links(`buyer: { ${target}, parameters: { id: $response.body#/customerId } }`),
        SCHEMAS,
      );
      expect(navigation(derived, 'Order')).toEqual([
        {
          name: 'Buyer',
          description: undefined,
          entityType: named('Customer'),
          collection: false,
          nullable: true,
          containsTarget: false,
          target: named('Customer'),
          partner: expect.objectContaining({ name: 'Orders' }),
          constraints: [{ property: 'CustomerId', referencedProperty: 'Id' }],
          foundBy: 'a link of the response',
          origin: {
            kind: 'link',
            name: 'buyer',
            operation: {
              id: 'readCustomer',
              source: 'Test',
              parameters: [{ name: 'id', property: 'CustomerId' }],
            },
          },
          addReference: undefined,
          removeReference: undefined,
        },
      ]);
      expect(derived.csdl).toContain(
        '<ReferentialConstraint Property="CustomerId" ReferencedProperty="Id"/>',
      );
    },
  );

  const PARTNERS = links(
    'buyer: { operationId: readCustomer, parameters: { id: $response.body#/customerId } }',
  )
    .replace(
      'operationId: listOrder',
      'parameters: [{ name: customer_id, in: query }], operationId: listOrder',
    )
    .replace(
      `responses: ${answer(reference('Customer'))} }\n`,
      `responses: { '200': { description: ok, content: { application/json: { schema: ${reference('Customer')} } }, links: { orders: { operationId: listOrder, parameters: { customer_id: $request.path.id } } } } } }\n`,
    );

  it('to a list, and one back, are partners', () => {
    const { csdl } = derive(PARTNERS, SCHEMAS);
    expect(csdl).toContain(
      '<NavigationProperty Name="Orders" Type="Collection(Test.Order)" Partner="Buyer"/>',
    );
    expect(csdl).toContain('<NavigationProperty Name="Buyer" Type="Test.Customer" Partner="Orders">');
  });

  it('has its partner in derived types too', () => {
    const derived = `${SCHEMAS.replace(
      'Order: { type: object,',
      'Order: { type: object, discriminator: { propertyName: kind },',
    )}
GiftOrder: { allOf: [${reference('Order')}] }`;
    const { model } = derive(PARTNERS, derived);
    const partners = ['Order', 'GiftOrder'].map(
      (type) => model.entityTypes.get(type)?.navigationProperties.get('Buyer')?.partner?.name,
    );
    expect(partners).toEqual(['Orders', 'Orders']);
  });

  it.each([
    ['buyer: { operationId: nope }', 'info', ' The link leads to no entities of a set: it is left out'],
    [
      'buyer: { operationId: readCustomer, parameters: { id: $response.body#/nope } }',
      'warning',
      '/parameters/id The link is left out: "$response.body#/nope" is no property',
    ],
  ])('such as %s is reported', (written, severity, message) => {
    const { findings } = derive(links(written), SCHEMAS);
    expect(findings).toEqual([`${severity} /paths/~1orders~1{id}/get/responses/200/links/buyer${message}`]);
  });
});

describe('an entity in the JSON of another one', () => {
  it.each([
    [reference('Customer'), false],
    [`{ type: array, items: ${reference('Customer')} }`, true],
  ])('as %s is a navigation property', (schema, collection) => {
    const order = `Order: { type: object, properties: { id: { type: string }, customer: ${schema} } }\nCustomer: { type: object, properties: { id: { type: string } } }`;
    const derived = derive(setPaths('/orders', 'Order') + setPaths('/customers', 'Customer'), order);
    expect(navigation(derived, 'Order')).toEqual([
      expect.objectContaining({
        name: 'Customer',
        collection,
        target: named('Customer'),
        origin: { kind: 'embedded', upstreamName: 'customer' },
      }),
    ]);
  });
});

describe('links of a navigation property', () => {
  it('are edited by the operations that x-odata names', () => {
    const paths =
      setPaths('/orders', 'Order') +
      setPaths('/customers', 'Customer') +
      get('/customers/{id}/orders', 'customerOrders', list('Order')) +
      `/customers/{id}/orders/{orderId}:
  parameters: [${pathParameter('id')}, ${pathParameter('orderId')}]
  put: { operationId: link, x-odata: { addRef: Orders }, responses: {} }
  delete: { operationId: unlink, x-odata: { removeRef: Customer/Orders }, responses: {} }
  patch: { operationId: other, x-odata: { addRef: Nope }, responses: {} }`;
    const derived = derive(paths, SCHEMAS);
    const [orders] = navigation(derived, 'Customer');
    expect([orders?.addReference?.id, orders?.removeReference?.id]).toEqual(['link', 'unlink']);
    expect(derived.findings).toEqual([
      'error /paths/~1customers~1{id}~1orders~1{orderId}/patch/x-odata/addRef "Nope" is not a navigation property there',
    ]);
  });
});

describe('a navigation property whose name is taken', () => {
  it('has the other name in its resource paths too', () => {
    const paths = `${setPaths('/things', 'Thing')}
/things/{id}/name:
  get: { operationId: named, parameters: [${pathParameter('id')}], responses: ${answer(`{ type: array, items: ${reference('Other')} }`)} }
${setPaths('/others', 'Other')}`;
    const { model, csdl } = derive(
      paths,
      'Thing: { type: object, properties: { id: { type: string }, name: { type: string } } }\nOther: { type: object, properties: { id: { type: string } } }',
    );
    const property = model.entityTypes.get('Thing')?.navigationProperties.get('ThingName');
    expect(property?.origin).toMatchObject({ kind: 'path', places: [{ path: 'Thing/ThingName' }] });
    expect(csdl).toContain('<NavigationPropertyBinding Path="ThingName" Target="Other"/>');
  });

  it('has it in the paths of what is below it', () => {
    const paths =
      setPaths('/orders', 'Order') +
      get('/orders/{id}/customer-id', 'items', list('Item')) +
      get('/orders/{id}/customer-id/{line}', 'item', reference('Item')) +
      get('/orders/{id}/customer-id/{line}/text', 'notes', list('Note')) +
      get('/orders/{id}/customer-id/{line}/text/{no}', 'note', reference('Note')) +
      get('/orders/{id}/customer-id/{line}/text/{no}/weigh', 'weigh', '{ type: integer }');
    const derived = derive(paths, SCHEMAS);
    const pathsOf = (type: string) =>
      navigation(derived, type).flatMap(({ origin }) =>
        origin.kind === 'path' ? origin.places.map(({ path }) => path) : [],
      );
    expect([pathsOf('Order'), pathsOf('Item')]).toEqual([
      ['Order/OrderCustomerId'],
      ['Order/OrderCustomerId/CustomerIdText'],
    ]);
    expect(derived.model.callables[0]?.calls[0]?.resource).toBe('Order/OrderCustomerId/CustomerIdText');
  });
});

describe('a list below a path, and a link back', () => {
  const back = (key: string) =>
    `${setPaths('/orders', 'Order')}${setPaths('/customers', 'Customer')}`.replace(
      `responses: ${answer(reference('Order'))} }\n`,
      `responses: { '200': { description: ok, content: { application/json: { schema: ${reference('Order')} } }, links: { buyer: { operationId: readCustomer, parameters: { id: '$response.body#/${key}' } } } } } }\n`,
    );
  const ORDERS = get('/customers/{id}/orders', 'ofCustomer', list('Order'));
  const schemas = SCHEMAS.replace('customerId:', 'senderId: { type: string }, customerId:');

  it.each([
    ['are partners where the foreign key is named after the entity', back('customerId'), ORDERS, 'Buyer'],
    ['are the foreign key of that name where the link has another one', back('senderId'), ORDERS, 'Customer'],
    [
      'are not where there are several lists',
      back('customerId'),
      ORDERS + get('/customers/{id}/returns', 'returns', list('Order')),
      undefined,
    ],
  ])('%s', (_, paths, lists, partner) => {
    const derived = derive(paths + lists, schemas);
    const [orders] = navigation(derived, 'Customer');
    expect(orders?.partner?.name).toBe(partner);
    const backs = navigation(derived, 'Order').filter((each) => each.partner !== undefined);
    expect(backs.map(({ name }) => name)).toStrictEqual(partner === undefined ? [] : [partner]);
  });
});
