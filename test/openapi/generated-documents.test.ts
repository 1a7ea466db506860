import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { modelFromOpenApi } from '../../src/derive/model-from-openapi.ts';
import type { EntitySet } from '../../src/model/edm.ts';
import type { Model } from '../../src/model/model.ts';
import { readDescription } from '../../src/openapi/openapi-description.ts';
import { serveDocument } from './served-document.ts';

/** A document in the exact style of one of the generators that in-house services use. */
function textOf(name: string): string {
  return readFileSync(join(import.meta.dirname, 'generated', `${name}.yaml`), 'utf8');
}

function derive(name: string) {
  return modelFromOpenApi([{ name: 'Test', document: readDescription({ document: textOf(name) }).document }]);
}

/** The sets with their keys, operations, and the properties that a filter must fix: `Item(Id) LRIUD`. */
function setsOf(model: Model): readonly string[] {
  return [...model.entitySets.values()].map(written).toSorted();
}

function written({ name, entityType, list, read, insert, update, delete: remove }: EntitySet): string {
  const offered = [list && 'L', read && 'R', insert && 'I', update && 'U', remove && 'D'];
  const fixed = list?.fixed?.map(({ property }) => ` by ${property}`) ?? [];
  return `${name}(${entityType.key.join()}) ${offered.filter(Boolean).join('')}${fixed.join('')}`;
}

describe('the tables of a document in the style of', () => {
  it.each<[string, readonly string[]]>([
    ['petstore', ['Pet(Id) RIUD', 'PetFindByStatus(Id) L', 'PetFindByTags(Id) L']],
    ['xero', ['Invoice(InvoiceID) LRIU', 'TaxRate(TaxRateID) LIU']],
    [
      'kubernetes',
      ['NamespacesPods(Namespace,MetadataName) LRD by Namespace', 'Pods(MetadataNamespace,MetadataName) L'],
    ],
    ['drf-bookshop', ['Book(Id) LRIUD', 'ReportsTurnover(RowId) L']],
    ['drf-views', ['Store(Id) LRI']],
    ['strapi', ['Articles(Id) LRIUD']],
    ['fastapi-shop', ['Items(Id) LRID', 'ReportsSalesByMonth(RowId) L']],
    [
      'fastapi-pages',
      [
        'Contacts(Uuid) LRU',
        'ContactsActivity(ContactUuid,RowId) L by ContactUuid',
        'DashboardPipeline(RowId) L',
      ],
    ],
    ['nest-typed', ['Cat(Id) LRIU', 'Owners(Id) L', 'StatsBreeds(RowId) L']],
    [
      'springdoc',
      ['Customers(Id) LR', 'Orders(Id) LRIU', 'OrdersStatus(Status,Id) L by Status', 'StatsOrders(RowId) L'],
    ],
    ['fastapi-untyped', ['Project(Id) LR', 'Task(Id) LRI']],
    ['nest-plain', ['User(Id) LRIUD']],
    ['rswag', ['Blog(Id) LR', 'CatalogProduct(Id) LR']],
    [
      'swashbuckle-shop',
      ['Category(CategoryId) LR', 'Logs(RowId) L', 'Order(Id) LR', 'Products(ProductId) LRI'],
    ],
    ['swashbuckle-weather', ['WeatherForecast(RowId) L']],
    ['scramble', ['Posts(Id) LRIUD', 'PostsComments(Post,Id) L by Post', 'Stats(RowId) L']],
    ['swag', ['Products(Id) LRI', 'StatsDaily(RowId) L', 'Users(Id) LR']],
    ['tsoa', ['Devices(Id) L', 'Metrics(RowId) L', 'User(Id) LRI']],
    ['express-jsdoc', ['Book(Id) LRI', 'Libro(CodLibro) L', 'Movimientos(RowId) L']],
  ])('%s', (name, expected) => {
    expect(setsOf(derive(name).model)).toEqual(expected);
  });

  it('names types after their schemas where nothing else has these', () => {
    const types = ['fastapi-pages', 'swashbuckle-weather', 'tsoa'].flatMap((name) => [
      ...derive(name).model.entityTypes.keys(),
    ]);
    expect(types).toEqual(
      expect.arrayContaining(['PipelineStage', 'ActivityEvent', 'WeatherForecast', 'Metric']),
    );
  });

  it.each([
    ['petstore', '/paths/~1user~1login/get'],
    ['fastapi-shop', '/paths/~1auth~1refresh/get'],
    ['nest-typed', '/paths/~1auth~1login/get'],
    ['swashbuckle-shop', '/paths/~1api~1Account~1refresh-token/get'],
  ])('%s leave out what is asked by a credential or answers with one', (name, pointer) => {
    const { report } = derive(name);
    expect(report.filter(({ rule }) => rule === 'about-credentials')).toEqual([
      {
        severity: 'info',
        source: 'Test',
        pointer,
        rule: 'about-credentials',
        message:
          'The operation is left out: it is asked by a credential, or answers with one; x-odata.function serves it all the same',
      },
    ]);
  });
});

describe('a set whose list and whose changes are at other paths', () => {
  const REX = { id: 7, name: 'Rex', photoUrls: [], status: 'sold' };

  it('is read, created, changed by a body that names the entity, and deleted', async () => {
    const { ask, requests } = await serveDocument(textOf('petstore'), {
      'GET /pet/7': REX,
      'POST /pet': (sent: object) => ({ ...sent, id: 8 }),
      'PUT /pet': (sent: object) => sent,
      'DELETE /pet/7': '',
      'GET /pet/findByStatus?status=available,pending,sold': [REX],
    });
    const created = await ask('Pet', 'POST', { Name: 'Ada', PhotoUrls: [] });
    const changed = await ask('Pet(7)', 'PATCH', { Name: 'Max' });
    const removed = await ask('Pet(7)', 'DELETE');
    expect([created, changed, removed]).toEqual([
      [201, { Id: 8, Name: 'Ada', PhotoUrls: [], Status: null }],
      [204],
      [204],
    ]);
    const sent = requests.map(({ method, target, body }) => `${method} ${target} ${body}`.trimEnd());
    expect(sent.filter((line) => !line.startsWith('GET'))).toEqual([
      'POST /pet {"name":"Ada","photoUrls":[]}',
      'PUT /pet {"id":7,"name":"Max","photoUrls":[],"status":"sold"}',
      'DELETE /pet/7',
    ]);
  });

  it('creates by the PUT that says so, and takes the only item of a list for the entity', async () => {
    const invoice = { InvoiceID: '00000000-0000-0000-0000-000000000007', Reference: 'R', SubTotal: 1 };
    const { ask, requests } = await serveDocument(textOf('xero'), {
      'PUT /Invoices': ({ Invoices: [sent] }: { Invoices: object[] }) => ({
        Invoices: [{ ...sent, InvoiceID: invoice.InvoiceID }],
      }),
      [`GET /Invoices/${invoice.InvoiceID}`]: { Invoices: [invoice] },
      [`POST /Invoices/${invoice.InvoiceID}`]: ({ Invoices: [sent] }: { Invoices: object[] }) => ({
        Invoices: [{ ...invoice, ...sent }],
      }),
      'GET /TaxRates': { TaxRates: [{ TaxRateID: invoice.InvoiceID, Name: 'N', Rate: 7 }] },
      'POST /TaxRates': (sent: object) => sent,
    });
    const created = await ask('Invoice', 'POST', { Reference: 'R', SubTotal: 1 });
    const changed = await ask(`Invoice(${invoice.InvoiceID})`, 'PATCH', { Reference: 'S' });
    const keyed = await ask(`TaxRate(${invoice.InvoiceID})`, 'PATCH', { Rate: 19 });
    expect([created, changed, keyed]).toEqual([[201, invoice], [204], [204]]);
    const sent = requests.map(({ method, target, body }) => `${method} ${target} ${body}`.trimEnd());
    expect(sent.filter((line) => !line.startsWith('GET'))).toEqual([
      'PUT /Invoices {"Invoices":[{"Reference":"R","SubTotal":1}]}',
      `POST /Invoices/${invoice.InvoiceID} {"Invoices":[{"Reference":"S"}]}`,
      `POST /TaxRates {"TaxRates":[{"Rate":19,"TaxRateID":"${invoice.InvoiceID}"}]}`,
    ]);
  });
});
