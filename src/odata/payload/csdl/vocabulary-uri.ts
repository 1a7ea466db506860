/** The vocabularies that `$metadata` has annotations of: their namespaces, by the aliases that it gives them. */
export const VOCABULARIES: Readonly<Record<string, string>> = {
  Core: 'Org.OData.Core.V1',
  Capabilities: 'Org.OData.Capabilities.V1',
  Validation: 'Org.OData.Validation.V1',
  Aggregation: 'Org.OData.Aggregation.V1',
};

/** Where the OASIS publishes its vocabularies. */
export const PUBLISHED_VOCABULARIES = 'https://oasis-tcs.github.io/odata-vocabularies/vocabularies';

/** The two forms of CSDL documents. */
export type CsdlForm = 'xml' | 'json';

/** The vocabulary's document below that URL; the OASIS and we name them alike. */
export function vocabularyUri(folder: string, namespace: string, form: CsdlForm): string {
  return `${folder}/${namespace}.${form}`;
}
