import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { EntitySource } from '../../src/contract/entity-source.ts';
import type { Row } from '../../src/contract/row.ts';
import { modelFromOpenApi } from '../../src/derive/model-from-openapi.ts';
import { createODataEndpoint } from '../../src/odata/endpoint.ts';
import { writeCsdlJson } from '../../src/odata/payload/csdl/csdl-json.ts';

const file = new URL('./payload/csdl-shop.yaml', import.meta.url);
const { model } = modelFromOpenApi([{ name: 'Shop', document: parse(readFileSync(file, 'utf8')) }]);
const container = JSON.parse(writeCsdlJson(model)).Shop.ShopService;

const row = ({ properties }: { properties: readonly string[] }): Row =>
  Object.fromEntries(properties.map((name) => [name, null]));

/** A source with nothing in it that takes whatever it is given. */
const source: EntitySource = {
  readCollection: async () => ({ data: [], version: undefined }),
  readChanges: async () => ({ changed: [], removed: [], next: '' }),
  readEntity: async (read) => ({ data: row(read), version: undefined }),
  insert: async (insert) => row(insert),
  update: async (update) => row(update),
  delete: async () => {},
  call: async () => ({ data: null, version: undefined }),
  readStream: async () => ({ kind: 'absent', etag: undefined }),
  writeStream: async () => ({ etag: undefined }),
  deleteStream: async () => {},
};
const endpoint = createODataEndpoint({ model, source, root: 'http://shop/odata', answerMemoryBytes: 0 });

async function statusOf(method: string, target: string, asked = endpoint): Promise<number> {
  const { status } = await asked({
    id: 'test',
    principal: { kind: 'unrestricted' },
    signal: new AbortController().signal,
    method,
    target,
    headers: { 'content-type': 'application/json' },
    body: method === 'GET' || method === 'DELETE' ? undefined : Buffer.from('{}'),
  });
  return status;
}

/** The restrictions of a navigation property by term. */
type Restrictions = Readonly<Record<string, Readonly<Record<string, boolean>>>>;

const NOT_OFFERED = [405, 501];
const keys: Readonly<Record<string, string>> = { Products: '1', Category: '1', Order: "'a'", Voucher: "'a'" };
const claim = (set: string, term: string) => container[set][`@Capabilities.${term}`] ?? {};

/** Exactly the operations that `$metadata` excludes are rejected. */
describe.each([...model.entitySets.keys()])('the capabilities of %s', (set) => {
  const entity = `/${set}(${keys[set]})`;
  const { Updatable, UpdateMethod = 'PATCH,PUT' } = claim(set, 'UpdateRestrictions');
  const updates: readonly string[] = UpdateMethod.split(',');

  it.each([
    ['GET', `/${set}`, claim(set, 'ReadRestrictions').Readable],
    ['GET', entity, claim(set, 'ReadRestrictions').ReadByKeyRestrictions?.Readable],
    ['POST', `/${set}`, claim(set, 'InsertRestrictions').Insertable],
    ...updates.map((method) => [method, entity, Updatable]),
    ['DELETE', entity, claim(set, 'DeleteRestrictions').Deletable],
  ])('%s %s is possible: %s', async (method, target, said = true) => {
    expect(NOT_OFFERED.includes(await statusOf(method, target))).toBe(!said);
  });

  const entityType = model.entitySets.get(set)?.entityType;
  const unfiltered: readonly string[] = claim(set, 'FilterRestrictions').NonFilterableProperties ?? [];
  const unsorted: readonly string[] = claim(set, 'SortRestrictions').NonSortableProperties ?? [];
  const single = [...(entityType?.structuralProperties.values() ?? [])].filter(
    ({ type, collection }) => type.kind === 'primitive' && !collection,
  );

  it.each(isListed(set) ? single.map(({ name }) => name) : [])('$filter and $orderby by %s', async (name) => {
    const isFiltered = (await statusOf('GET', `/${set}?$filter=${name} eq null`)) === 200;
    expect([name, isFiltered]).toStrictEqual([name, !unfiltered.includes(name)]);
    const isSorted = (await statusOf('GET', `/${set}?$orderby=${name}`)) === 200;
    expect([name, isSorted]).toStrictEqual([name, !unsorted.includes(name)]);
  });

  it.each(isListed(set) ? [...(entityType?.navigationProperties.keys() ?? [])] : [])(
    '$expand=%s',
    async (name) => {
      const { Expandable = true } = claim(set, 'ExpandRestrictions');
      expect((await statusOf('GET', `/${set}?$expand=${name}`)) === 200).toBe(Expandable);
    },
  );
});

function isListed(set: string): boolean {
  return model.entitySets.get(set)?.list !== undefined;
}

describe('what $metadata says of changes of related entities with an entity (Part 1, 11.4.2.2 and 11.4.3.1)', () => {
  const library = new URL('../../examples/library/openapi/library.yaml', import.meta.url);
  const { model: lent } = modelFromOpenApi([
    { name: 'Library', document: parse(readFileSync(library, 'utf8')) },
  ]);
  const { Container: sets } = JSON.parse(writeCsdlJson(lent)).Library;

  it.each([
    ['inserts and updates', sets.Book, true, true],
    ['inserts alone, of what cannot be changed', sets.Loan, true, false],
    ['neither, of what can only be read', container.Order, false, false],
  ])('%s', (_, set, inserts, updates) => {
    const terms = ['@Capabilities.DeepInsertSupport', '@Capabilities.DeepUpdateSupport'];
    // A set without an annotation is as the container says.
    const declared = terms.map((term) => set[term] ?? sets[term]);
    expect(declared).toStrictEqual([
      { Supported: inserts, ContentIDSupported: false },
      { Supported: updates, ContentIDSupported: false },
    ]);
  });

  const libraryEndpoint = createODataEndpoint({
    model: lent,
    source,
    root: 'http://library/odata',
    answerMemoryBytes: 0,
  });
  const places: Readonly<Record<string, string>> = {
    Author: 'Author(1)',
    Book: "Book('1')",
    Copy: "Copy(ISBN='1',CopyNumber=1)",
    Loan: 'Loan(1)',
    Member: 'Member(2a5e5c70-9c59-5fee-8e0a-ce9d4321cab9)',
    ReadingList: "ReadingList('a')",
    Review: 'Review(1)',
  };
  const restricted = [...lent.entitySets.keys()].flatMap((set) =>
    (sets[set]['@Capabilities.NavigationRestrictions']?.RestrictedProperties ?? []).map(
      (property: Restrictions) => [set, String(property['NavigationProperty']), property] as const,
    ),
  );

  it.each(restricted)('of %s/%s, what can be done and nothing else', async (set, name, said) => {
    const { collection, entityType, target } =
      lent.entitySets.get(set)?.entityType.navigationProperties.get(name) ?? {};
    const type = entityType?.name ?? '';
    const behind = `/${places[set]}/${name}`;
    const one = collection ? behind + (places[type]?.slice(type.length) ?? '') : behind;
    // What is not said of the navigation property is as the target set says, or else supported (NavigationRestrictions).
    const of = (term: string, member: string): boolean =>
      said[term]?.[member] ?? sets[target?.name ?? '']?.[`@Capabilities.${term}`]?.[member] ?? true;
    const offered = async (method: string, target: string) =>
      !NOT_OFFERED.includes(await statusOf(method, target, libraryEndpoint));
    expect([
      await offered('POST', behind),
      await offered('PATCH', one),
      await offered('DELETE', one),
    ]).toStrictEqual([
      // A POST to a single-valued navigation property is no insert.
      collection === true && of('InsertRestrictions', 'Insertable'),
      of('UpdateRestrictions', 'Updatable'),
      of('DeleteRestrictions', 'Deletable'),
    ]);
  });

  it('nothing of a set without related entities', () => {
    expect(Object.keys(container.Voucher).filter((name) => name.includes('.Deep'))).toStrictEqual([]);
  });
});
