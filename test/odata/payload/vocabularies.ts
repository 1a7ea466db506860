/**
 * The terms of OASIS vocabularies that the service uses: the model elements they apply to, and the types of
 * their values. `[]` is a collection; a tag is a boolean.
 */
export const TERMS: Readonly<Record<string, { readonly on: readonly string[]; readonly type: string }>> = {
  'Core.AcceptableMediaTypes': { on: ['EntityType', 'Property'], type: '[]String' },
  'Core.AlternateKeys': { on: ['EntityType', 'EntitySet', 'NavigationProperty'], type: '[]AlternateKey' },
  'Core.Computed': { on: ['Property'], type: 'Boolean' },
  'Core.ConventionalIDs': { on: ['EntityContainer'], type: 'Boolean' },
  'Core.DereferenceableIDs': { on: ['EntityContainer'], type: 'Boolean' },
  'Core.Description': { on: ['*'], type: 'String' },
  'Core.Immutable': { on: ['Property'], type: 'Boolean' },
  'Core.LongDescription': { on: ['*'], type: 'String' },
  'Core.MediaType': { on: ['EntityType', 'Property', 'Parameter', 'ReturnType'], type: 'String' },
  'Core.ODataVersions': { on: ['EntityContainer'], type: 'String' },
  'Core.OptimisticConcurrency': { on: ['EntitySet'], type: '[]String' },
  'Core.OptionalParameter': { on: ['Parameter'], type: 'OptionalParameterType' },
  'Core.Ordered': { on: ['Property', 'NavigationProperty', 'EntitySet', 'ReturnType'], type: 'Boolean' },
  'Core.Permissions': {
    on: ['Property', 'EntityType', 'EntitySet', 'NavigationProperty'],
    type: 'Permission',
  },
  'Core.Revisions': { on: ['*'], type: '[]RevisionType' },
  'Core.SchemaVersion': { on: ['Schema'], type: 'String' },
  'Validation.AllowedValues': { on: ['Property', 'Parameter', 'TypeDefinition'], type: '[]AllowedValue' },
  'Validation.Exclusive': { on: ['Annotation'], type: 'Boolean' },
  'Validation.Maximum': { on: ['Property', 'Parameter'], type: 'Number' },
  'Validation.Minimum': { on: ['Property', 'Parameter'], type: 'Number' },
  'Validation.MultipleOf': { on: ['Property', 'Parameter'], type: 'Number' },
  'Validation.Pattern': { on: ['Property', 'Parameter'], type: 'String' },
  'Capabilities.AsynchronousRequestsSupported': { on: ['EntityContainer'], type: 'Boolean' },
  'Capabilities.BatchContinueOnErrorSupported': { on: ['EntityContainer'], type: 'Boolean' },
  'Capabilities.BatchSupport': { on: ['EntityContainer'], type: 'BatchSupportType' },
  'Capabilities.BatchSupported': { on: ['EntityContainer'], type: 'Boolean' },
  'Capabilities.ChangeTracking': { on: ['EntitySet', 'Singleton'], type: 'ChangeTrackingType' },
  'Capabilities.DeepInsertSupport': {
    on: ['EntityContainer', 'EntitySet'],
    type: 'DeepInsertSupportType',
  },
  'Capabilities.DeepUpdateSupport': {
    on: ['EntityContainer', 'EntitySet'],
    type: 'DeepUpdateSupportType',
  },
  'Capabilities.DeleteRestrictions': { on: ['EntitySet', 'Singleton'], type: 'DeleteRestrictionsType' },
  'Capabilities.ExpandRestrictions': {
    on: ['EntitySet', 'Singleton'],
    type: 'ExpandRestrictionsType',
  },
  'Capabilities.FilterRestrictions': { on: ['EntitySet'], type: 'FilterRestrictionsType' },
  'Capabilities.InsertRestrictions': { on: ['EntitySet'], type: 'InsertRestrictionsType' },
  'Capabilities.KeyAsSegmentSupported': { on: ['EntityContainer'], type: 'Boolean' },
  'Capabilities.NavigationRestrictions': {
    on: ['EntitySet', 'Singleton'],
    type: 'NavigationRestrictionsType',
  },
  'Capabilities.ReadRestrictions': { on: ['EntitySet', 'Singleton'], type: 'ReadRestrictionsType' },
  'Capabilities.SortRestrictions': { on: ['EntitySet'], type: 'SortRestrictionsType' },
  'Capabilities.SupportedFormats': { on: ['EntityContainer'], type: '[]String' },
  'Capabilities.UpdateRestrictions': { on: ['EntitySet', 'Singleton'], type: 'UpdateRestrictionsType' },
  'Aggregation.ApplySupportedDefaults': { on: ['EntityContainer'], type: 'ApplySupportedBase' },
};

/** The properties of the types of records. */
export const RECORDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  AllowedValue: { Value: 'Primitive' },
  AlternateKey: { Key: '[]PropertyRef' },
  ApplySupportedBase: {
    Transformations: '[]String',
    CustomAggregationMethods: '[]String',
    Rollup: 'RollupType',
    From: 'Boolean',
  },
  BatchSupportType: {
    Supported: 'Boolean',
    ContinueOnErrorSupported: 'Boolean',
    ReferencesInRequestBodiesSupported: 'Boolean',
    ReferencesAcrossChangeSetsSupported: 'Boolean',
    EtagReferencesSupported: 'Boolean',
    RequestDependencyConditionsSupported: 'Boolean',
    SupportedFormats: '[]String',
  },
  ChangeTrackingType: {
    Supported: 'Boolean',
    FilterableProperties: '[]String',
    ExpandableProperties: '[]String',
  },
  DeepInsertSupportType: { Supported: 'Boolean', ContentIDSupported: 'Boolean' },
  DeepUpdateSupportType: { Supported: 'Boolean', ContentIDSupported: 'Boolean' },
  DeleteRestrictionsType: { Deletable: 'Boolean', NonDeletableNavigationProperties: '[]String' },
  ExpandRestrictionsType: { Expandable: 'Boolean', StreamsExpandable: 'Boolean' },
  FilterRestrictionsType: {
    Filterable: 'Boolean',
    RequiresFilter: 'Boolean',
    RequiredProperties: '[]String',
    NonFilterableProperties: '[]String',
  },
  InsertRestrictionsType: {
    Insertable: 'Boolean',
    NonInsertableProperties: '[]String',
    RequiredProperties: '[]String',
    NonInsertableNavigationProperties: '[]String',
  },
  NavigationRestrictionsType: { RestrictedProperties: '[]NavigationPropertyRestriction' },
  NavigationPropertyRestriction: {
    NavigationProperty: 'String',
    InsertRestrictions: 'InsertRestrictionsType',
    UpdateRestrictions: 'UpdateRestrictionsType',
    DeleteRestrictions: 'DeleteRestrictionsType',
  },
  OptionalParameterType: { DefaultValue: 'String' },
  PropertyRef: { Name: 'String', Alias: 'String' },
  ReadByKeyRestrictionsType: { Readable: 'Boolean' },
  ReadRestrictionsType: { Readable: 'Boolean', ReadByKeyRestrictions: 'ReadByKeyRestrictionsType' },
  RevisionType: { Version: 'String', Kind: 'RevisionKind', Description: 'String' },
  SortRestrictionsType: { Sortable: 'Boolean', NonSortableProperties: '[]String' },
  UpdateRestrictionsType: {
    Updatable: 'Boolean',
    Upsertable: 'Boolean',
    UpdateMethod: 'HttpMethod',
    NonUpdatableProperties: '[]String',
    NonUpdatableNavigationProperties: '[]String',
  },
};

/** The members of enumeration types. */
export const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  HttpMethod: ['GET', 'PATCH', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD'],
  Permission: ['None', 'Read', 'Write', 'ReadWrite', 'Invoke'],
  RevisionKind: ['Added', 'Modified', 'Deprecated'],
  RollupType: ['None', 'SingleHierarchy', 'MultipleHierarchies'],
};
