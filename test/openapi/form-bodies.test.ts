import { describe, expect, it } from 'vitest';
import { type ServedDocument, serveDocument } from './served-document.ts';

const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data';

/** The requests that the upstream got except reads, with media type and body; a multipart body is shown by its parts. */
function sentTo({ requests }: ServedDocument): readonly string[] {
  return requests
    .filter(({ method }) => method !== 'GET')
    .map(({ method, target, headers, body }) => {
      const [mediaType = '', boundary] = (headers['content-type'] ?? 'none').split('; boundary=');
      return `${method} ${target} ${mediaType} ${boundary === undefined ? body : partsOf(body.toString(), boundary)}`;
    });
}

/** `name`: value, `name filename media-type`: value. */
function partsOf(body: string, boundary: string): string {
  const pieces = body.split(`--${boundary}`);
  expect(pieces[0]).toBe('');
  expect(pieces.at(-1)).toBe('--\r\n');
  const parts = pieces.slice(1, -1).map((piece) => {
    const [, disposition = '', filename = '', type = '', value = ''] =
      /^\r\nContent-Disposition: form-data; name="([^"]*)"(?:; filename="([^"]*)")?(?:\r\nContent-Type: ([^\r]+))?\r\n\r\n(.*)\r\n$/s.exec(
        piece,
      ) ?? [];
    return `${[disposition, filename, type].filter((text) => text !== '').join(' ')}: ${value}`;
  });
  return parts.join(' | ');
}

const answer = (schema: string) => `{ '200': { content: { application/json: { schema: ${schema} } } } }`;
const ACCOUNT = "{ $ref: '#/components/schemas/Account' }";
const ID = '{ name: id, in: path, required: true, schema: { type: string } }';
const DEEP = '{ style: deepObject, explode: true }';

const PROPERTIES = [
  'name: { type: string }, percent: { type: number, format: decimal }, open: { type: boolean, nullable: true }',
  'since: { type: string, format: date }, tags: { type: array, items: { type: string } }',
  'metadata: { type: object, properties: { order-id: { type: integer, format: int64 }, note: { type: string, nullable: true } } }',
  'items: { type: array, items: { type: object, properties: { price: { type: integer }, sizes: { type: array, items: { type: integer } } } } }',
].join();

/** Accounts whose creates and changes take forms. `more` stands beside the schema. */
function accounts(media: string, more = '', change = 'patch'): string {
  const body = `{ content: { ${media}: { schema: { $ref: '#/components/schemas/AccountBody' }${more} } } }`;
  return `
openapi: 3.0.3
info: { title: Accounts, version: '1' }
paths:
  /accounts:
    get: { operationId: accounts, responses: ${answer(`{ type: array, items: ${ACCOUNT} }`)} }
    post: { operationId: createAccount, requestBody: ${body}, responses: ${answer(ACCOUNT)} }
  /accounts/{id}:
    get: { operationId: account, parameters: [${ID}], responses: ${answer(ACCOUNT)} }
    ${change}: { operationId: changeAccount, parameters: [${ID}], requestBody: ${body}, responses: ${answer(ACCOUNT)} }
  /accounts/{id}/close:
    post:
      operationId: closeAccount
      parameters: [${ID}]
      requestBody: { content: { ${media}: { schema: { type: object, properties: { reason: { type: string }, tags: { type: array, items: { type: string } }, order: { type: object, properties: { lines: { type: array, items: { type: object, properties: { price: { type: integer } } } } } } } }, encoding: { order: ${DEEP} } } } }
      responses: { '204': { description: done } }
components:
  schemas:
    AccountBody: { type: object, properties: { ${PROPERTIES} } }
    Account: { type: object, required: [id], properties: { id: { type: string }, ${PROPERTIES} } }`;
}

const MADE = { id: 'a1', name: 'x' };
const ANSWERS = {
  'POST /accounts': MADE,
  'GET /accounts/a1': MADE,
  'PATCH /accounts/a1': MADE,
  'PUT /accounts/a1': MADE,
  'POST /accounts/a1': MADE,
  'POST /accounts/a1/close': {},
};

const GIVEN = {
  Name: 'a & ü+=\n"c"',
  Percent: 7.5,
  Open: false,
  Since: '2024-02-29',
  Tags: ['one, two', 'three'],
  Metadata: { OrderId: 7 },
  Items: [{ Price: 1, Sizes: [3, 4] }, { Price: 2 }],
};

/** The encoding of two members, and how each is then written. */
const STYLES: readonly (readonly [encoding: string, tags: string, metadata: string])[] = [
  ['', 'tags=one%2C+two&tags=three', 'metadata=%7B%22order-id%22%3A7%7D'],
  [
    'tags: { style: form, explode: true }, metadata: { style: form, explode: true }',
    'tags=one%2C+two&tags=three',
    'order-id=7',
  ],
  [
    'tags: { style: form, explode: false }, metadata: { explode: false }',
    'tags=one%2C+two,three',
    'metadata=order-id,7',
  ],
  [
    'tags: { style: spaceDelimited }, metadata: { style: deepObject }',
    'tags=one%2C+two%20three',
    'metadata%5Border-id%5D=7',
  ],
  [
    'tags: { style: pipeDelimited, explode: false }, metadata: { style: deepObject, explode: true }',
    'tags=one%2C+two%7Cthree',
    'metadata%5Border-id%5D=7',
  ],
  [
    'tags: { style: deepObject, explode: true }, metadata: { contentType: application/json }',
    'tags%5B0%5D=one%2C+two&tags%5B1%5D=three',
    'metadata=%7B%22order-id%22%3A7%7D',
  ],
  [
    'tags: { allowReserved: true }, metadata: { contentType: application/vnd.x+json }',
    'tags=one,+two&tags=three',
    'metadata=%7B%22order-id%22%3A7%7D',
  ],
];

describe('a form (OpenAPI 3.1.1, 4.8.14 and 4.8.15)', () => {
  it('has the values of a create as texts, and objects as JSON', async () => {
    const served = await serveDocument(accounts(FORM), ANSWERS);
    expect((await served.ask('Account', 'POST', GIVEN))[0]).toBe(201);
    expect(sentTo(served)).toEqual([
      `POST /accounts ${FORM} name=a+%26+%C3%BC%2B%3D%0A%22c%22&percent=7.5&open=false&since=2024-02-29` +
        '&tags=one%2C+two&tags=three&metadata=%7B%22order-id%22%3A7%7D' +
        '&items=%7B%22price%22%3A1%2C%22sizes%22%3A%5B3%2C4%5D%7D&items=%7B%22price%22%3A2%7D',
    ]);
  });

  it.each(STYLES)(
    'has lists and objects in the style of its encoding: %s',
    async (encoding, tags, metadata) => {
      const served = await serveDocument(accounts(FORM, `, encoding: { ${encoding} }`), ANSWERS);
      const { Tags, Metadata } = GIVEN;
      await served.ask('Account', 'POST', { Tags, Metadata });
      expect(sentTo(served)).toEqual([`POST /accounts ${FORM} ${tags}&${metadata}`]);
    },
  );

  it('has brackets within brackets', async () => {
    const served = await serveDocument(accounts(FORM, `, encoding: { items: ${DEEP} }`), ANSWERS);
    await served.ask('Account', 'POST', { Items: GIVEN.Items });
    const sent = 'items[0][price]=1&items[0][sizes][0]=3&items[0][sizes][1]=4&items[1][price]=2';
    expect(sentTo(served)).toEqual([
      `POST /accounts ${FORM} ${sent.replaceAll('[', '%5B').replaceAll(']', '%5D')}`,
    ]);
  });

  it.each([
    ['patch', 'metadata%5Border-id%5D=7&name=n+m'],
    ['post', 'metadata%5Border-id%5D=7&name=n+m'],
    ['put', 'id=a1&name=n+m&metadata%5Border-id%5D=7'],
  ])('is what a change by %s takes, from both interfaces', async (change, form) => {
    const served = await serveDocument(accounts(FORM, `, encoding: { metadata: ${DEEP} }`, change), ANSWERS);
    await served.ask("Account('a1')", 'PATCH', { Name: 'n m', Metadata: { OrderId: 7 } });
    const text =
      'mutation { updateAccount(id: "a1", input: { name: "n m", metadata: { orderId: 7 } }) { id } }';
    expect(await served.query(text)).toEqual({ data: { updateAccount: { id: 'a1' } } });
    const sent = `${change.toUpperCase()} /accounts/a1 ${FORM} ${form}`;
    expect(sentTo(served)).toEqual([sent, sent]);
  });

  it('clears what a change says is null or empty, and does not have it in a create', async () => {
    const served = await serveDocument(accounts(FORM, `, encoding: { metadata: ${DEEP} }`), ANSWERS);
    const values = { Name: '', Open: null, Tags: [], Metadata: { OrderId: 1, Note: null } };
    await served.ask("Account('a1')", 'PATCH', values);
    await served.ask('Account', 'POST', values);
    expect(sentTo(served)).toEqual([
      `PATCH /accounts/a1 ${FORM} metadata%5Border-id%5D=1&metadata%5Bnote%5D=&name=&open=&tags=`,
      `POST /accounts ${FORM} name=&metadata%5Border-id%5D=1`,
    ]);
  });

  it('is what an action takes, from both interfaces', async () => {
    const served = await serveDocument(accounts(FORM), ANSWERS);
    const given = { Reason: 'a b', Tags: ['x', 'y'], Order: { Lines: [{ Price: 5 }] } };
    expect((await served.ask("Account('a1')/Test.Close", 'POST', given))[0]).toBe(204);
    await served.query('mutation { closeAccount(id: "a1", reason: "a b", tags: ["x"]) }');
    expect(sentTo(served)).toEqual([
      `POST /accounts/a1/close ${FORM} reason=a+b&tags=x&tags=y&order%5Blines%5D%5B0%5D%5Bprice%5D=5`,
      `POST /accounts/a1/close ${FORM} reason=a+b&tags=x`,
    ]);
  });
});

describe('a multipart form (RFC 7578)', () => {
  it('has a part for each value of a create and of a change', async () => {
    const served = await serveDocument(accounts(MULTIPART), ANSWERS);
    expect((await served.ask('Account', 'POST', GIVEN))[0]).toBe(201);
    await served.ask("Account('a1')", 'PATCH', { Name: 'n', Open: null });
    const json = 'application/json: ';
    expect(sentTo(served)).toEqual([
      `POST /accounts ${MULTIPART} name: ${GIVEN.Name} | percent: 7.5 | open: false | since: 2024-02-29 | tags: one, two | tags: three` +
        ` | metadata ${json}{"order-id":7} | items ${json}{"price":1,"sizes":[3,4]} | items ${json}{"price":2}`,
      `PATCH /accounts/a1 ${MULTIPART} name: n | open: `,
    ]);
  });

  it('has media types and styles as its encoding says', async () => {
    const encoding = `name: { contentType: text/markdown }, metadata: ${DEEP}, tags: { style: form, explode: false }`;
    const served = await serveDocument(accounts(MULTIPART, `, encoding: { ${encoding} }`), ANSWERS);
    await served.ask('Account', 'POST', { Name: '# x', Tags: ['a', 'b'], Metadata: { OrderId: 1 } });
    expect(sentTo(served)).toEqual([
      `POST /accounts ${MULTIPART} name text/markdown: # x | tags: a,b | metadata[order-id]: 1`,
    ]);
  });
});

/** Shops with a list of items below; each POST takes content as given. */
function shops(content: string, patch = content): string {
  const body = (each: string) => (each === '' ? '' : `requestBody: { content: { ${each} } }, `);
  const shop = "{ $ref: '#/components/schemas/Shop' }";
  const item = "{ $ref: '#/components/schemas/Item' }";
  return `
openapi: 3.1.0
info: { title: Shops, version: '1' }
paths:
  /shops:
    get: { operationId: shops, responses: ${answer(`{ type: array, items: ${shop} }`)} }
    post: { operationId: createShop, ${body(content)}responses: ${answer(shop)} }
  /shops/{id}:
    get: { operationId: shop, parameters: [${ID}], responses: ${answer(shop)} }
    patch: { operationId: changeShop, parameters: [${ID}], ${body(patch)}responses: ${answer(shop)} }
  /shops/{id}/items:
    get: { operationId: items, parameters: [${ID}], responses: ${answer(`{ type: array, items: ${item} }`)} }
    post: { operationId: createItem, parameters: [${ID}], ${body(content)}responses: ${answer(item)} }
components:
  schemas:
    Shop: { type: object, required: [id], properties: { id: { type: string }, name: { type: string } } }
    Item: { type: object, required: [id], properties: { id: { type: string }, name: { type: string } } }`;
}

const SHOP = { id: 's1', name: 'x' };
const SHOP_ANSWERS = {
  'POST /shops': SHOP,
  'GET /shops/s1': SHOP,
  'PATCH /shops/s1': SHOP,
  'GET /shops/s1/items': [],
  'POST /shops/s1/items': { id: 'i1', name: 'y' },
};
const NAMED = '{ schema: { type: object, properties: { name: { type: string } } } }';

describe('the media type of a body', () => {
  it.each<readonly [content: string, sent: string]>([
    ['', 'application/json {"name":"n"}'],
    ['application/json: {}', 'application/json {"name":"n"}'],
    [`text/json: ${NAMED}`, 'text/json {"name":"n"}'],
    [`application/vnd.x.v2+json: ${NAMED}`, 'application/vnd.x.v2+json {"name":"n"}'],
    [`'*/*': ${NAMED}`, 'application/json {"name":"n"}'],
    [`'application/*+json': ${NAMED}`, 'application/json {"name":"n"}'],
    [`application/vnd.x+json: ${NAMED}, application/json: ${NAMED}`, 'application/json {"name":"n"}'],
    [`application/json-patch+json: ${NAMED}, text/json: ${NAMED}`, 'text/json {"name":"n"}'],
    [
      `${MULTIPART}: ${NAMED}, ${FORM}: ${NAMED}, application/json: ${NAMED}`,
      'application/json {"name":"n"}',
    ],
    [`application/xml: ${NAMED}, ${MULTIPART}: ${NAMED}, ${FORM}: ${NAMED}`, `${FORM} name=n`],
    [`application/json: {}, ${FORM}: ${NAMED}`, `${FORM} name=n`],
    [`application/xml: ${NAMED}, ${MULTIPART}: ${NAMED}`, `${MULTIPART} name: n`],
  ])('of %s', async (content, sent) => {
    const served = await serveDocument(shops(content), SHOP_ANSWERS);
    await served.ask('Shop', 'POST', { Name: 'n' });
    await served.ask("Shop('s1')", 'PATCH', { Name: 'n' });
    expect(sentTo(served)).toEqual([`POST /shops ${sent}`, `PATCH /shops/s1 ${sent}`]);
  });

  it('of a PATCH is that of a merge, if there is one (RFC 7396)', async () => {
    const media = ['application/json', 'application/json-patch+json', 'application/merge-patch+json'];
    const content = media.map((each) => `${each}: ${NAMED}`).join();
    const served = await serveDocument(shops(content), SHOP_ANSWERS);
    await served.ask("Shop('s1')", 'PATCH', { Name: 'n' });
    expect(sentTo(served)).toEqual(['PATCH /shops/s1 application/merge-patch+json {"name":"n"}']);
  });

  it.each([
    ['', 'application/json {"name":"n"}', 'application/json {"name":"y"}'],
    [`${FORM}: ${NAMED}`, `${FORM} name=n`, `${FORM} name=y`],
    [`${MULTIPART}: ${NAMED}`, `${MULTIPART} name: n`, `${MULTIPART} name: y`],
  ])('of the creates of a deep insert (Part 1, 11.4.2.2): %s', async (content, outer, inner) => {
    const served = await serveDocument(shops(content), SHOP_ANSWERS);
    await served.ask('Shop', 'POST', { Name: 'n', Items: [{ Name: 'y' }] });
    expect(sentTo(served)).toEqual([`POST /shops ${outer}`, `POST /shops/s1/items ${inner}`]);
  });
});

describe('files in a multipart form', () => {
  const upload = `
openapi: 3.1.0
info: { title: Files, version: '1' }
paths:
  /upload:
    post:
      operationId: upload
      requestBody:
        content:
          ${MULTIPART}:
            schema: { type: object, required: [file], properties: {
              file: { type: string, format: binary }, more: { type: array, items: { contentMediaType: image/png, type: string } },
              purpose: { type: string } } }
            encoding: { more: { contentType: "image/*, image/png" } }
      responses: { '204': { description: done } }`;

  it('are base64url in OData and GraphQL, and bytes with a file name on the wire', async () => {
    const served = await serveDocument(upload, { 'POST /upload': {} });
    const file = Buffer.from('\u0001\u00fe').toString('base64url');
    await served.ask('Upload', 'POST', { File: file, More: ['LS0', 'Kys'], Purpose: 'p' });
    await served.query('mutation ($file: Base64!) { upload(file: $file) }', { file });
    const bytes = 'file file application/octet-stream: \u0001\u00fe';
    expect(await served.csdl('<Parameter Name="File"')).toEqual([
      '<Parameter Name="File" Type="Edm.Binary" Nullable="false"/>',
    ]);
    expect(sentTo(served)).toEqual([
      `POST /upload ${MULTIPART} ${bytes} | more more image/png: -- | more more image/png: ++ | purpose: p`,
      `POST /upload ${MULTIPART} ${bytes}`,
    ]);
  });

  it('make an action of a POST that requires one, and are left out of creates that do not', async () => {
    const image = "{ $ref: '#/components/schemas/Image' }";
    const images = (required: string) => `
openapi: 3.1.0
info: { title: Images, version: '1' }
paths:
  /images:
    get: { operationId: images, responses: ${answer(`{ type: array, items: ${image} }`)} }
    post:
      operationId: addImage
      requestBody: { content: { ${MULTIPART}: { schema: { type: object, required: [${required}], properties: {
        title: { type: string }, picture: { type: string, format: binary } } } } } }
      responses: ${answer(image)}
  /images/{id}:
    get: { operationId: image, parameters: [${ID}], responses: ${answer(image)} }
components:
  schemas:
    Image: { type: object, required: [id], properties: { id: { type: string }, title: { type: string }, picture: { type: string, format: uri } } }`;
    const made = { 'POST /images': { id: '1' }, 'GET /images/1': { id: '1' } };
    const free = await serveDocument(images('title'), made);
    expect((await free.ask('Image', 'POST', { Title: 't' }))[0]).toBe(201);
    expect(sentTo(free)).toEqual([`POST /images ${MULTIPART} title: t`]);
    const demanding = await serveDocument(images('picture'), made);
    expect((await demanding.ask('Image', 'POST', { Title: 't' }))[0]).toBe(405);
    await demanding.ask('AddImage', 'POST', { Title: 't', Picture: 'LS0' });
    expect(sentTo(demanding)).toEqual([
      `POST /images ${MULTIPART} picture picture application/octet-stream: -- | title: t`,
    ]);
  });
});

describe('a form of Swagger 2.0', () => {
  it('has commas between the items of a list unless its format says otherwise', async () => {
    const list = (name: string, more = '') =>
      `{ name: ${name}, in: formData, type: array, items: { type: string }${more} }`;
    const served = await serveDocument(
      `
swagger: '2.0'
info: { title: Forms, version: '1' }
paths:
  /send:
    post:
      operationId: send
      consumes: [${FORM}]
      parameters:
        - ${list('a')}
        - ${list('b', ', collectionFormat: csv')}
        - ${list('c', ', collectionFormat: multi')}
        - ${list('d', ', collectionFormat: pipes')}
      responses: { 204: { description: done } }`,
      { 'POST /send': {} },
    );
    const items = ['1', '2'];
    await served.ask('Send', 'POST', { A: items, B: items, C: items, D: items });
    expect(sentTo(served)).toEqual([`POST /send ${FORM} a=1,2&b=1,2&c=1&c=2&d=1%7C2`]);
  });
});
