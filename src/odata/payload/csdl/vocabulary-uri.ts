/** The namespaces of the vocabularies used in `$metadata`, by alias. */
export const VOCABULARIES: Readonly<Record<string, string>> = {
  Core: 'Org.OData.Core.V1',
  Capabilities: 'Org.OData.Capabilities.V1',
  Validation: 'Org.OData.Validation.V1',
  Aggregation: 'Org.OData.Aggregation.V1',
};

export const PUBLISHED_VOCABULARIES = 'https://oasis-tcs.github.io/odata-vocabularies/vocabularies';

export type CsdlForm = 'xml' | 'json';

/** The URL of the vocabulary's document below a folder; the copies are named like those of OASIS. */
export function vocabularyUri(folder: string, namespace: string, form: CsdlForm): string {
  return `${folder}/${namespace}.${form}`;
}
