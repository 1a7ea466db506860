import aggregation from '@sap-ux/odata-vocabularies/dist/resources/Org.OData.Aggregation.V1.js';
import authorization from '@sap-ux/odata-vocabularies/dist/resources/Org.OData.Authorization.V1.js';
import capabilities from '@sap-ux/odata-vocabularies/dist/resources/Org.OData.Capabilities.V1.js';
import core from '@sap-ux/odata-vocabularies/dist/resources/Org.OData.Core.V1.js';
import validation from '@sap-ux/odata-vocabularies/dist/resources/Org.OData.Validation.V1.js';
import type { JsonObject } from '../csdl/csdl-json-annotation.ts';
import { vocabularyUri } from '../csdl/vocabulary-address.ts';
import { objectAt, objectsAt, textAt } from './csdl-object.ts';
import { termsOf } from './vocabulary-terms.ts';
import { writeVocabularyXml } from './vocabulary-xml.ts';

export type VocabularyForm = 'xml' | 'json';

/** A copy of a vocabulary for those who cannot reach the OASIS: it references others of our copies, below that URL. */
export function writeVocabulary(namespace: string, form: VocabularyForm, folder: string): string | undefined {
  const published = VOCABULARY_DOCUMENTS.get(namespace);
  if (published === undefined) return undefined;
  const document = { ...published, $Reference: ownReferences(published, form, folder) };
  return form === 'json'
    ? JSON.stringify(document)
    : writeVocabularyXml(document, termsOf(VOCABULARY_DOCUMENTS.values()));
}

function ownReferences(document: JsonObject, form: VocabularyForm, folder: string): JsonObject {
  const references = objectAt(document, '$Reference') ?? {};
  return Object.fromEntries(
    Object.keys(references).map((uri) => {
      const reference = objectAt(references, uri) ?? {};
      const [include] = objectsAt(reference, '$Include');
      const namespace = textAt(include ?? {}, '$Namespace') ?? '';
      return [VOCABULARY_DOCUMENTS.has(namespace) ? vocabularyUri(folder, namespace, form) : uri, reference];
    }),
  );
}

/**
 * The vocabularies that `$metadata` references, and those that they reference in turn, by their namespaces: the
 * documents of the OASIS, as CSDL JSON.
 */
const VOCABULARY_DOCUMENTS: ReadonlyMap<string, JsonObject> = new Map<string, JsonObject>([
  ['Org.OData.Aggregation.V1', aggregation],
  ['Org.OData.Authorization.V1', authorization],
  ['Org.OData.Capabilities.V1', capabilities],
  ['Org.OData.Core.V1', core],
  ['Org.OData.Validation.V1', validation],
]);
