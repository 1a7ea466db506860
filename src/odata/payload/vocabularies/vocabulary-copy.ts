import type { JsonObject } from '../csdl/csdl-json-annotation.ts';
import { vocabularyUri } from '../csdl/vocabulary-address.ts';
import { objectAt, objectsAt, textAt } from './csdl-object.ts';
import { VOCABULARY_DOCUMENTS } from './vocabulary-documents.ts';
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
