import type { EntitySet } from '../../model/edm.ts';
import { type Annotation, type AnnotationValue, bool, record } from './csdl-annotation.ts';

/** What can be done with an entity set (vocabulary Org.OData.Capabilities.V1), as the document has it. */
export function capabilities(set: EntitySet): readonly Annotation[] {
  return [
    ...readRestrictions(set),
    restriction('InsertRestrictions', { Insertable: bool(set.insert !== undefined) }),
    restriction('UpdateRestrictions', updateRestrictions(set)),
    restriction('DeleteRestrictions', { Deletable: bool(set.delete !== undefined) }),
  ];
}

function restriction(term: string, properties: Readonly<Record<string, AnnotationValue>>): Annotation {
  return { vocabulary: 'Capabilities', term, value: record(properties) };
}

/** Nothing where a set can be read as a whole and by key: that is what the vocabulary takes for granted. */
function readRestrictions({ list, read }: EntitySet): readonly Annotation[] {
  if (list !== undefined && read !== undefined) return [];
  const byKey = record({ Readable: bool(read !== undefined) });
  return [
    restriction('ReadRestrictions', {
      Readable: bool(list !== undefined),
      ReadByKeyRestrictions: byKey,
    }),
  ];
}

function updateRestrictions({ update }: EntitySet): Readonly<Record<string, AnnotationValue>> {
  if (update === undefined) return { Updatable: bool(false) };
  const method = `Capabilities.HttpMethod/${update.method}`;
  return { Updatable: bool(true), UpdateMethod: { kind: 'enumeration', member: method } };
}
