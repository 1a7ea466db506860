/** Small documents, and all that `duogate model` says of them. */
export const SHOP = `openapi: 3.1.0
info: {title: Shop, version: 2.0.0}
x-odata: {strict: true}
paths:
  /orders:
    get:
      operationId: list-orders
      responses: {200: {description: OK, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Order'}}}}}}
    post:
      operationId: add-order
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Order'}}}}
      responses: {201: {description: OK, content: {application/json: {schema: {$ref: '#/components/schemas/Order'}}}}}
  /orders/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get:
      responses: {200: {description: OK, content: {application/json: {schema: {$ref: '#/components/schemas/Order'}}}}}
    delete:
      operationId: remove-order
      responses: {204: {description: Gone}}
  /orders/{id}/lines:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get:
      operationId: lines
      responses: {200: {description: OK, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Line'}}}}}}
  /orders/{id}/lines/{no}:
    parameters:
      - {name: id, in: path, required: true, schema: {type: string}}
      - {name: no, in: path, required: true, schema: {type: integer}}
    get:
      operationId: line
      responses: {200: {description: OK, content: {application/json: {schema: {$ref: '#/components/schemas/Line'}}}}}
  /orders/{id}/ship:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    post:
      operationId: ship
      requestBody: {content: {application/json: {schema: {type: object, required: [to], properties: {to: {type: string}, date: {type: string, format: date}}}}}}
      responses: {200: {description: OK, content: {application/json: {schema: {$ref: '#/components/schemas/Order'}}}}}
  /hours:
    get:
      operationId: hours
      responses: {200: {description: OK, content: {application/json: {schema: {type: array, items: {type: string}}}}}}
  /logo:
    get:
      operationId: logo
      responses: {200: {description: OK}}
components:
  schemas:
    Order: {type: object, required: [id], properties: {id: {type: string}, state: {type: string, enum: [open, on hold]}}}
    Line: {type: object, required: [no], properties: {no: {type: integer}, text: {type: string}}}
`;

export const SHOP_REPORT = `File         shop.yaml
Document     Shop 2.0.0 (OpenAPI 3.1.0)
Namespace    Shop
Container    Container
Types        2 entity, 0 complex, 1 enumeration, 0 defined
Served       1 entity set, 0 singletons, 1 navigation path, 1 function, 1 action
Credentials  none needed
Findings     0 errors, 1 left out or limited, 3 notes

Entity sets: 1

  Order(Id Edm.String)
    read list    list-orders   GET /orders
    read by key  orders_by_id  GET /orders/{id}
    insert       add-order     POST /orders
    update       –
    delete       remove-order  DELETE /orders/{id}

Navigation: 1

  Order/Lines  Collection(Line)
    read list    lines  GET /orders/{id}/lines
    read by key  line   GET /orders/{id}/lines/{no}

Functions: 1

  Hours
    returns  Collection(Edm.String)
    calls    hours  GET /hours

Actions: 1

  Ship
    bound to  Order
    takes     To Edm.String, Date? Edm.Date
    returns   Order
    calls     ship  POST /orders/{id}/ship

Left out or limited: 1

  The operation is left out: the document does not say what it answers with
    /paths/~1logo/get

Notes: 3

  The member "on hold" is named on_hold
    /components/schemas/Order/properties/state/enum/1

  Nobody may call Hours: x-odata.grants on the operation says who may
    /paths/~1hours/get

  Nobody may use Order: x-odata.grants says who may
    /components/schemas/Order
`;

/** Names that JavaScript's objects have, a reference in a circle, and an operation id with an escape in it. */
export const HOSTILE = `openapi: 3.1.0
info: {title: "\\e[31mRed", version: 1}
paths:
  /things:
    get:
      operationId: things
      responses: {200: {description: OK, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/constructor'}}}}}}
  /things/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get:
      operationId: thing
      responses: {200: {description: OK, content: {application/json: {schema: {$ref: '#/components/schemas/constructor'}}}}}
  /protos:
    get:
      operationId: protos
      responses: {200: {description: OK, content: {application/json: {schema: {$ref: '#/components/schemas/__proto__'}}}}}
components:
  schemas:
    constructor:
      type: object
      required: [id]
      properties: {id: {type: string}, __proto__: {type: string}, loop: {$ref: '#/components/schemas/Loop'}, self: {$ref: '#/components/schemas/constructor'}}
    __proto__: {type: object, properties: {toString: {type: string}}}
    Loop: {$ref: '#/components/schemas/Loop'}
`;

export const HOSTILE_REPORT = `File         hostile.yaml
Document     �[31mRed 1 (OpenAPI 3.1.0)
Namespace    Hostile
Container    Container
Types        2 entity, 0 complex, 0 enumeration, 0 defined
Served       1 entity set, 1 singleton, 0 navigation paths, 0 functions, 0 actions
Credentials  none needed
Findings     2 errors, 1 left out or limited, 2 notes

Entity sets: 1

  Things(Id Edm.String)  type Constructor
    read list    things  GET /things
    read by key  thing   GET /things/{id}
    insert       –
    update       –
    delete       –

Singletons: 1

  Protos  type Proto
    read    protos  GET /protos
    update  –

Errors in the document: 2

  The reference "#/components/schemas/Loop" is circular
    /components/schemas/Loop
    /components/schemas/constructor/properties/loop

Left out or limited: 1

  The property is left out: "__proto__" makes no name
    /components/schemas/constructor/properties/__proto__

Notes: 2

  Nobody may use Things: x-odata.grants says who may
    /components/schemas/constructor  and 1 other place
`;

export const SHOP_JSON = {
  sources: [
    {
      name: 'shop',
      file: 'shop.yaml',
      openapi: '3.1.0',
      title: 'Shop',
      version: '2.0.0',
      credentials: [],
      asking: 0,
      unmet: 0,
    },
  ],
  namespaces: ['Shop'],
  container: 'Container',
  entitySets: [
    {
      name: 'Order',
      entityType: 'Order',
      key: [
        {
          name: 'Id',
          type: 'Edm.String',
        },
      ],
      keyRule: 'parameter',
      operations: {
        list: {
          operationId: 'list-orders',
          method: 'GET',
          path: '/orders',
        },
        read: {
          operationId: 'orders_by_id',
          method: 'GET',
          path: '/orders/{id}',
        },
        insert: {
          operationId: 'add-order',
          method: 'POST',
          path: '/orders',
        },
        delete: {
          operationId: 'remove-order',
          method: 'DELETE',
          path: '/orders/{id}',
        },
      },
    },
  ],
  singletons: [],
  navigation: [
    {
      path: 'Order/Lines',
      type: 'Collection(Line)',
      collection: true,
      operations: {
        list: {
          operationId: 'lines',
          method: 'GET',
          path: '/orders/{id}/lines',
        },
        read: {
          operationId: 'line',
          method: 'GET',
          path: '/orders/{id}/lines/{no}',
        },
      },
    },
  ],
  functions: [
    {
      name: 'Hours',
      parameters: [],
      returns: 'Collection(Edm.String)',
      calls: [
        {
          operationId: 'hours',
          method: 'GET',
          path: '/hours',
        },
      ],
    },
  ],
  actions: [
    {
      name: 'Ship',
      boundTo: 'Order',
      parameters: [
        {
          name: 'To',
          type: 'Edm.String',
          optional: false,
        },
        {
          name: 'Date',
          type: 'Edm.Date',
          optional: true,
        },
      ],
      returns: 'Order',
      calls: [
        {
          operationId: 'ship',
          method: 'POST',
          path: '/orders/{id}/ship',
        },
      ],
    },
  ],
  types: {
    entity: 2,
    complex: 0,
    enumeration: 1,
    definition: 0,
  },
  findings: [
    {
      severity: 'info',
      pointer: '/components/schemas/Order/properties/state/enum/1',
      message: 'The member "on hold" is named on_hold',
    },
    {
      severity: 'info',
      pointer: '/paths/~1hours/get',
      message: 'Nobody may call Hours: x-odata.grants on the operation says who may',
      rule: 'nobody-may-call',
    },
    {
      severity: 'warning',
      pointer: '/paths/~1logo/get',
      message: 'The operation is left out: the document does not say what it answers with',
    },
    {
      severity: 'info',
      pointer: '/components/schemas/Order',
      message: 'Nobody may use Order: x-odata.grants says who may',
      rule: 'nobody-may-use',
    },
  ],
};

/** A link to one entity, and a path to one. */
export const SINGLE = `openapi: 3.1.0
info: {title: Loans, version: '1'}
paths:
  /members/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get: {operationId: member, responses: {200: {description: OK, content: {application/json: {schema: {$ref: '#/components/schemas/Member'}}}}}}
    delete: {operationId: leave, responses: {204: {description: Gone}}}
  /members/{id}/loan:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get: {operationId: memberLoan, responses: {200: {description: OK, content: {application/json: {schema: {$ref: '#/components/schemas/Loan'}}}}}}
  /loans/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get:
      operationId: loan
      responses:
        200:
          description: OK
          content: {application/json: {schema: {$ref: '#/components/schemas/Loan'}}}
          links: {reader: {operationId: member, parameters: {id: $response.body#/memberId}}}
    delete: {operationId: end, responses: {204: {description: Gone}}}
components:
  schemas:
    Member: {type: object, x-odata: {grants: {User: [View]}}, properties: {id: {type: string}}}
    Loan: {type: object, x-odata: {grants: {User: [View]}}, properties: {id: {type: string}, memberId: {type: string}}}
`;

export const SINGLE_REPORT = `File         single.yaml
Document     Loans 1 (OpenAPI 3.1.0)
Namespace    Single
Container    Container
Types        2 entity, 0 complex, 0 enumeration, 0 defined
Served       2 entity sets, 0 singletons, 2 navigation paths, 0 functions, 0 actions
Credentials  none needed
Findings     0 errors, 0 left out or limited, 0 notes

Entity sets: 2

  Member(Id Edm.String)
    read list    –
    read by key  member  GET /members/{id}
    insert       –
    update       –
    delete       leave   DELETE /members/{id}

  Loan(Id Edm.String)
    read list    –
    read by key  loan  GET /loans/{id}
    insert       –
    update       –
    delete       end   DELETE /loans/{id}

Navigation: 2

  Member/Loan  Loan
    read  memberLoan  GET /members/{id}/loan

  Loan/Reader  Member
    by MemberId = Id: a link of the response
    read  member  GET /members/{id}
`;
