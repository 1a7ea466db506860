import { documentElement } from './csdl-elements.ts';
import { type JsonObject, objectAt, objectsAt, textAt } from './csdl-members.ts';
import { VOCABULARY_DOCUMENTS } from './vocabulary-documents.ts';
import { termsOf } from './vocabulary-terms.ts';
import { type CsdlForm, vocabularyUri } from './vocabulary-uri.ts';
import { writeXml } from './xml-element.ts';

/** A copy of a vocabulary for clients without access to the OASIS site; it references the other copies. */
export function writeVocabulary(namespace: string, form: CsdlForm, folder: string): string | undefined {
  const published = VOCABULARY_DOCUMENTS.get(namespace);
  if (published === undefined) return undefined;
  const document = { ...published, $Reference: ownReferences(published, form, folder) };
  return form === 'json'
    ? JSON.stringify(document)
    : writeXml(documentElement(document, termsOf(VOCABULARY_DOCUMENTS.values())));
}

function ownReferences(document: JsonObject, form: CsdlForm, folder: string): JsonObject {
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
