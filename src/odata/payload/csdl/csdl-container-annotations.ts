import type { Model } from '../../../model/model.ts';
import { LIST_MEDIA_TYPES } from '../negotiation/media-range.ts';
import { type Annotation, annotation, bool, enumeration, record, text } from './csdl-annotation.ts';
import { SERVICE_FEATURES } from './service-features.ts';

/** What goes for the whole service. */
export function containerAnnotations({ entitySets }: Model): readonly Annotation[] {
  const { asynchronous, batch, keyAsSegment, versions } = SERVICE_FEATURES;
  const areAllReadByKey = [...entitySets.values()].every(({ read }) => read !== undefined);
  return [
    annotation('Core', 'ODataVersions', text(versions)),
    annotation('Core', 'ConventionalIDs', bool(true)),
    annotation('Core', 'DereferenceableIDs', bool(areAllReadByKey)),
    annotation('Capabilities', 'SupportedFormats', {
      kind: 'collection',
      items: LIST_MEDIA_TYPES.map(text),
    }),
    annotation('Capabilities', 'AsynchronousRequestsSupported', bool(asynchronous)),
    annotation('Capabilities', 'BatchSupported', bool(batch)),
    annotation('Capabilities', 'BatchContinueOnErrorSupported', bool(batch)),
    batchSupport(batch),
    annotation('Capabilities', 'KeyAsSegmentSupported', bool(keyAsSegment)),
    applySupport(),
  ];
}

/** What `$apply` can do with every collection (vocabulary Org.OData.Aggregation.V1). */
function applySupport(): Annotation {
  const items = SERVICE_FEATURES.transformations.map(text);
  const properties = {
    Transformations: { kind: 'collection', items },
    Rollup: enumeration('Aggregation.RollupType', ['MultipleHierarchies']),
    From: bool(true),
  } as const;
  return annotation('Aggregation', 'ApplySupportedDefaults', record(properties));
}

/** The upstream has no transactions: what a change set promises instead is said in words. */
function batchSupport(supported: boolean): Annotation {
  const properties = {
    Supported: bool(supported),
    ContinueOnErrorSupported: bool(supported),
    ReferencesInRequestBodiesSupported: bool(supported),
    ReferencesAcrossChangeSetsSupported: bool(supported),
    EtagReferencesSupported: bool(supported),
    RequestDependencyConditionsSupported: bool(supported),
    SupportedFormats: {
      kind: 'collection',
      items: ['multipart/mixed', 'application/json'].map(text),
    },
  } as const;
  const promise = annotation('Core', 'LongDescription', text(CHANGE_SET_PROMISE));
  return annotation('Capabilities', 'BatchSupport', record(properties), [promise]);
}

const CHANGE_SET_PROMISE =
  'All members of a change set are checked before the first is carried out. There are no transactions: where ' +
  'one fails all the same, what others created, changed and deleted is put back where that is possible, and the ' +
  'error says what cannot be undone.';

export function schemaAnnotations({ schemaVersion }: Model): readonly Annotation[] {
  return schemaVersion === undefined ? [] : [annotation('Core', 'SchemaVersion', text(schemaVersion))];
}
