import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { visibleModels } from '../../src/auth/permissions/visible-model.ts';
import { modelFromOpenApi } from '../../src/derive/model-from-openapi.ts';
import { writeCsdlJson } from '../../src/odata/payload/csdl/csdl-json.ts';
import { writeCsdlXml } from '../../src/odata/payload/csdl/csdl-xml.ts';

const SHOP = `
openapi: 3.1.0
info: { title: Shop, version: "1" }
paths:
  /orders:
    get: { operationId: orders, deprecated: true, externalDocs: { url: "https://docs.example.com/orders" }, responses: { "200": { description: OK, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Order" } } } } } } }
    post: { operationId: addOrder, requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/Order" } } } }, responses: { "201": { description: OK, content: { application/json: { schema: { $ref: "#/components/schemas/Order" } } } } } }
  /orders/{id}:
    get: { operationId: order, parameters: [{ name: id, in: path, required: true, schema: { type: integer } }], responses: { "200": { description: OK, content: { application/json: { schema: { $ref: "#/components/schemas/Order" } } } } } }
  /customers:
    get: { operationId: customers, responses: { "200": { description: OK, content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Customer" } } } } } } }
  /customers/{id}:
    get: { operationId: customer, parameters: [{ name: id, in: path, required: true, schema: { type: integer } }], responses: { "200": { description: OK, content: { application/json: { schema: { $ref: "#/components/schemas/Customer" } } } } } }
components:
  schemas:
    Order:
      type: object
      title: Sales order
      required: [id]
      properties:
        id: { type: integer }
        created_at: { type: string, format: date-time }
        note: { type: string, title: Remark, examples: [Urgent, Later], externalDocs: { url: "https://docs.example.com/note" } }
        number: { type: string, example: SO-1 }
        customer_id: { type: integer }
        paid: { type: boolean, deprecated: true }
        secret: { type: string, format: password, example: hunter2 }
        script: { type: string, externalDocs: { url: "javascript:alert(1)" } }
        address: { $ref: "#/components/schemas/Address" }
      x-odata: { grants: { Clerk: [View], Manager: [View] }UI }
    Customer:
      type: object
      required: [id]
      properties: { id: { type: integer }, name: { type: string }, city: { type: string } }
      x-odata: { grants: { Manager: [View] } }
    Address: { type: object, title: Place, properties: { city: { type: string } } }
`;

function modelOf(ui = '') {
  const { model, report } = modelFromOpenApi([{ name: 'Shop', document: parse(SHOP.replace('UI', ui)) }]);
  return {
    model,
    errors: report.filter(({ severity }) => severity === 'error').map(({ message }) => message),
  };
}

const typesOf = (model: Parameters<typeof writeCsdlJson>[0]) => JSON.parse(writeCsdlJson(model)).Shop;
const paths = (fields: readonly { readonly Value: { readonly $Path: string } }[]) =>
  fields.map(({ Value }) => Value.$Path);

describe('annotations for screens', () => {
  it('are made of what the model knows', () => {
    const { model } = modelOf();
    const { Order, Container } = typesOf(model);
    expect(Order['@Common.Label']).toBe('Sales order');
    expect(Order['@UI.HeaderInfo']).toMatchObject({
      TypeName: 'Sales order',
      TypeNamePlural: 'Sales orders',
    });
    expect(paths(Order['@UI.LineItem'])).toStrictEqual([
      'Note',
      'Id',
      'Number',
      'CustomerId',
      'Paid',
      'Secret',
      'Script',
      'CreatedAt',
    ]);
    expect(Order['@UI.SelectionFields']).toStrictEqual(['Paid', 'CustomerId', 'CreatedAt', 'Note']);
    expect(Order['@Common.SemanticKey']).toStrictEqual(['Id']);
    expect(Order.CustomerId).toMatchObject({
      '@Common.Label': 'Customer Id',
      '@Common.ValueList': {
        CollectionPath: 'Customer',
        Parameters: [
          { LocalDataProperty: 'CustomerId', ValueListProperty: 'Id' },
          { ValueListProperty: 'Name' },
        ],
      },
    });
    expect(Order.Note).toMatchObject({
      '@Common.Label': 'Remark',
      '@Core.Example': { Value: 'Urgent' },
      '@Core.Example#Example2': { Value: 'Later' },
      '@Core.Links': [{ rel: 'help', href: 'https://docs.example.com/note' }],
    });
    expect(Order.Number).toMatchObject({ '@Core.Example': { Value: 'SO-1' } });
    expect(Order.Paid['@Core.Revisions']).toMatchObject([{ Kind: 'Deprecated' }]);
    expect(Object.keys(Order.Secret)).not.toContain('@Core.Example');
    expect(Object.keys(Order.Script)).not.toContain('@Core.Links');
    // The title of a component is the label of the type, not of the property.
    expect(Order.Address['@Common.Label']).toBe('Address');
    expect(Container.Order).toMatchObject({
      '@Core.Links': [{ rel: 'help', href: 'https://docs.example.com/orders' }],
      '@Core.Revisions': [{ Kind: 'Deprecated', Description: 'Deprecated' }],
      '@Common.Label': 'Sales order',
    });
    expect(writeCsdlXml(model, '4.01')).toContain('<PropertyValue Property="Value" Path="Note"/>');
  });

  it('are those that the document declares', () => {
    const { model, errors } = modelOf(
      `, ui: { label: Purchase, plural: Purchases made, title: number, description: address/city, columns: [number, Customer/name, address/city], filters: [paid], groups: { Basics: [number, note], Delivery: [address/city] }, texts: { customer_id: Customer/name } }`,
    );
    expect(errors).toStrictEqual([]);
    const { Order } = typesOf(model);
    expect(Order['@UI.HeaderInfo']).toMatchObject({
      TypeName: 'Purchase',
      TypeNamePlural: 'Purchases made',
      Title: { Value: { $Path: 'Number' } },
      Description: { Value: { $Path: 'Address/City' } },
    });
    expect(paths(Order['@UI.LineItem'])).toStrictEqual(['Number', 'Customer/Name', 'Address/City']);
    expect(Order['@UI.SelectionFields']).toStrictEqual(['Paid']);
    expect(Order['@UI.FieldGroup#General']).toMatchObject({ Label: 'Basics' });
    expect(paths(Order['@UI.FieldGroup#Group2'].Data)).toStrictEqual(['Address/City']);
    expect(Order['@UI.Facets'].map(({ Label }: { Label: string }) => Label)).toStrictEqual([
      'Basics',
      'Delivery',
    ]);
    expect(Order.CustomerId['@Common.Text']).toStrictEqual({ $Path: 'Customer/Name' });
  });

  it('name nothing that a role may not see', () => {
    const { model } = modelOf(
      ', ui: { columns: [number, Customer/name], texts: { customer_id: Customer/name } }',
    );
    const seenBy = (role: string) =>
      writeCsdlJson(visibleModels(model)({ kind: 'user', id: '1', roles: [role] } as never));
    expect(seenBy('Manager')).toContain('Customer/Name');
    expect(seenBy('Manager')).toContain('"CollectionPath":"Customer"');
    const clerk = seenBy('Clerk');
    expect(clerk).not.toContain('Customer/Name');
    expect(clerk).not.toContain('CollectionPath');
    expect(paths(JSON.parse(clerk).Shop.Order['@UI.LineItem'])).toStrictEqual(['Number']);
  });

  it.each([
    ['columns: [nope]', '"nope" leads to no single value of Order'],
    ['columns: [address]', '"address" leads to no single value of Order'],
    ['columns: [__proto__, constructor]', '"__proto__" leads to no single value of Order'],
    ['groups: { __proto__: [number] }', undefined],
    ['title: Customer', '"Customer" leads to no single value of Order'],
    [
      'colour: red',
      'ui is a map of label, hidden, plural, title, description, columns, filters, groups, texts, not {"colour":"red"}',
    ],
    ['a path of many names', undefined],
  ])('report %s', (given, message) => {
    const settings = given.startsWith('a path') ? `columns: ["${'a/'.repeat(50_000)}a"]` : given;
    const { model, errors } = modelOf(`, ui: { ${settings} }`);
    if (message !== undefined) expect(errors).toContain(message);
    expect(() => writeCsdlXml(model, '4.0')).not.toThrow();
  });
});
