import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { modelFromOpenApi } from '../../../src/derive/model-from-openapi.ts';
import type { Model } from '../../../src/model/model.ts';
import { writeCsdlXml } from '../../../src/odata/payload/csdl/csdl-xml.ts';
import { jsonOfXml } from '../../support/csdl.ts';

const file = new URL('../../../openapi/posts.yaml', import.meta.url);

const UI = 'https://sap.github.io/odata-vocabularies/vocabularies/UI.json#UI.';
const CORE = 'https://oasis-tcs.github.io/odata-vocabularies/vocabularies/Org.OData.Core.V1.json#Core.';
const field = (path: string) => ({ '@type': `${UI}DataField`, Value: { $Path: path } });
const example = (value: string | number) => ({ '@type': `${CORE}PrimitiveExampleValue`, Value: value });

describe('writeCsdlXml', () => {
  let posts: Model;

  beforeAll(async () => {
    const document: unknown = parse(await readFile(file, 'utf8'));
    posts = modelFromOpenApi([{ name: 'Posts', document }]).model;
  });

  it('describes the posts service', () => {
    expect(jsonOfXml(writeCsdlXml(posts, '4.01'))).toEqual({
      $Version: '4.01',
      $Reference: {
        'https://oasis-tcs.github.io/odata-vocabularies/vocabularies/Org.OData.Core.V1.json': {
          $Include: [{ $Namespace: 'Org.OData.Core.V1', $Alias: 'Core' }],
        },
        'https://oasis-tcs.github.io/odata-vocabularies/vocabularies/Org.OData.Capabilities.V1.json': {
          $Include: [{ $Namespace: 'Org.OData.Capabilities.V1', $Alias: 'Capabilities' }],
        },
        'https://oasis-tcs.github.io/odata-vocabularies/vocabularies/Org.OData.Aggregation.V1.json': {
          $Include: [{ $Namespace: 'Org.OData.Aggregation.V1', $Alias: 'Aggregation' }],
        },
        'https://sap.github.io/odata-vocabularies/vocabularies/Common.json': {
          $Include: [{ $Namespace: 'com.sap.vocabularies.Common.v1', $Alias: 'Common' }],
        },
        'https://sap.github.io/odata-vocabularies/vocabularies/UI.json': {
          $Include: [{ $Namespace: 'com.sap.vocabularies.UI.v1', $Alias: 'UI' }],
        },
      },
      $EntityContainer: 'Posts.Container',
      Posts: {
        Post: {
          $Kind: 'EntityType',
          $Key: ['Id'],
          UserId: {
            $Type: 'Edm.Int32',
            $Nullable: true,
            '@Core.Description': 'The user who wrote the post.',
            '@Core.Example': example(1),
            '@Common.Label': 'User Id',
          },
          Id: {
            '@Core.Computed': true,
            '@Core.Description': "The post's number, given by the service.",
            '@Core.Example': example(1),
            '@Common.Label': 'Id',
            '@Common.Text': { $Path: 'Title' },
            '@Common.Text@UI.TextArrangement': 'TextSeparate',
          },
          Title: {
            $Nullable: true,
            '@Core.Description': 'The headline.',
            '@Core.Example': example('On quiet mornings'),
            '@Common.Label': 'Title',
          },
          Body: {
            $Nullable: true,
            '@Core.Description': 'The text.',
            '@Core.Example': example('The kettle is louder than the street.'),
            '@Common.Label': 'Body',
          },
          '@Core.Description': 'A short text, written by one user.',
          '@Common.SemanticKey': ['Id'],
          '@UI.HeaderInfo': { TypeName: 'Post', TypeNamePlural: 'Posts', Title: field('Title') },
          '@UI.LineItem': ['Title', 'Id', 'UserId', 'Body'].map(field),
          '@UI.SelectionFields': ['Title'],
          '@UI.FieldGroup#General': {
            Label: 'General',
            Data: ['Title', 'Id', 'UserId', 'Body'].map(field),
          },
          '@UI.Facets': [
            { '@type': `${UI}ReferenceFacet`, Label: 'General', Target: '@UI.FieldGroup#General' },
          ],
        },
        Container: {
          $Kind: 'EntityContainer',
          '@Core.ODataVersions': '4.0 4.01',
          '@Core.ConventionalIDs': true,
          '@Core.DereferenceableIDs': true,
          '@Capabilities.SupportedFormats': [
            'application/json',
            'text/csv',
            'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
            'application/jsonl',
            'application/x-ndjson',
          ],
          '@Capabilities.BatchSupported': true,
          '@Capabilities.AsynchronousRequestsSupported': true,
          '@Capabilities.BatchContinueOnErrorSupported': true,
          '@Capabilities.BatchSupport': {
            Supported: true,
            ContinueOnErrorSupported: true,
            ReferencesInRequestBodiesSupported: true,
            ReferencesAcrossChangeSetsSupported: true,
            EtagReferencesSupported: true,
            RequestDependencyConditionsSupported: true,
            SupportedFormats: ['multipart/mixed', 'application/json'],
          },
          '@Capabilities.BatchSupport@Core.LongDescription':
            expect.stringContaining('There are no transactions'),
          '@Capabilities.KeyAsSegmentSupported': true,
          '@Capabilities.DefaultCapabilities': {
            IndexableByKey: true,
            TopSupported: true,
            SkipSupported: true,
            CountRestrictions: { Countable: true },
            InsertRestrictions: { Insertable: true },
            ReadRestrictions: { Readable: true },
          },
          '@Capabilities.DeepInsertSupport': { Supported: false, ContentIDSupported: false },
          '@Capabilities.DeepUpdateSupport': { Supported: false, ContentIDSupported: false },
          '@Aggregation.ApplySupportedDefaults': {
            Transformations: expect.arrayContaining(['aggregate', 'groupby', 'topcount']),
            Rollup: 'MultipleHierarchies',
            From: true,
          },
          Post: {
            $Collection: true,
            $Type: 'Posts.Post',
            '@Capabilities.UpdateRestrictions': { Updatable: false },
            '@Capabilities.DeleteRestrictions': { Deletable: false },
          },
        },
      },
    });
  });

  it.each(['4.0', '4.01'] as const)('says that it is CSDL %s', (version) => {
    expect(writeCsdlXml(posts, version)).toContain(
      `<edmx:Edmx xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx" Version="${version}">`,
    );
  });

  it('has no Edm.Untyped in 4.0, where its values are texts', async () => {
    const document: unknown = parse(await readFile(new URL('./csdl-shop.yaml', import.meta.url), 'utf8'));
    const { model } = modelFromOpenApi([{ name: 'Shop', document }]);
    const [old, present] = [writeCsdlXml(model, '4.0'), writeCsdlXml(model, '4.01')];
    expect(present).toContain('<EntityType Name="Voucher">');
    expect(present).toContain('<Property Name="Anything" Type="Edm.Untyped"/>');
    expect(old).toContain('<EntityType Name="Voucher">');
    expect(old).toContain('<Property Name="Anything" Type="Edm.String"/>');
    expect(old).not.toContain('Edm.Untyped');
  });

  it('names the underlying types of type definitions in 4.0, as clients of that version know no others', async () => {
    const library = await readFile(
      new URL('../../../examples/library/openapi/library.yaml', import.meta.url),
      'utf8',
    );
    const { model } = modelFromOpenApi([{ name: 'Library', document: parse(library) }]);
    const [old, present] = [writeCsdlXml(model, '4.0'), writeCsdlXml(model, '4.01')];
    expect(present).toContain('<TypeDefinition Name="ISBN" UnderlyingType="Edm.String" MaxLength="13"/>');
    expect(present).toContain('<Property Name="ISBN" Type="Library.ISBN" Nullable="false"/>');
    expect(old).toContain('<Property Name="ISBN" Type="Edm.String" Nullable="false" MaxLength="13"/>');
    expect(old).not.toMatch(/TypeDefinition|Library\.ISBN/);
  });

  it('says of a result that it is of the set that the function or action is bound to', async () => {
    const library = await readFile(
      new URL('../../../examples/library/openapi/library.yaml', import.meta.url),
      'utf8',
    );
    const { model } = modelFromOpenApi([{ name: 'Library', document: parse(library) }]);
    const lines = writeCsdlXml(model, '4.01').match(/<(?:Action|Function) .*(?<!\/)>/g);
    expect(lines).toStrictEqual([
      '<Function Name="LendingStatistics">',
      '<Action Name="SendReminders">',
      '<Function Name="DueBy" IsBound="true" EntitySetPath="bindingParameter">',
      '<Function Name="GetAvailability" IsBound="true">',
      '<Action Name="Return" IsBound="true" EntitySetPath="bindingParameter">',
    ]);
  });
});
