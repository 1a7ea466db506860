/** Where the OASIS publishes its vocabularies. */
export const PUBLISHED_VOCABULARIES = 'https://oasis-tcs.github.io/odata-vocabularies/vocabularies';

/** The vocabulary's document below that URL; the OASIS and we name them alike. */
export function vocabularyUri(folder: string, namespace: string, form: 'xml' | 'json'): string {
  return `${folder}/${namespace}.${form}`;
}
