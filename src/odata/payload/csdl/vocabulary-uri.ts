/** The namespaces of the vocabularies used in `$metadata`, by alias. */
export const VOCABULARIES: Readonly<Record<string, string>> = {
  Core: 'Org.OData.Core.V1',
  Capabilities: 'Org.OData.Capabilities.V1',
  Validation: 'Org.OData.Validation.V1',
  Aggregation: 'Org.OData.Aggregation.V1',
  Common: 'com.sap.vocabularies.Common.v1',
  UI: 'com.sap.vocabularies.UI.v1',
};

export const PUBLISHED_VOCABULARIES = 'https://oasis-tcs.github.io/odata-vocabularies/vocabularies';

export type CsdlForm = 'xml' | 'json';

/** SAP publishes its vocabularies beside those of OASIS, each under its own short name. */
const PUBLISHED_BY_SAP = 'https://sap.github.io/odata-vocabularies/vocabularies';
const OF_SAP = /^com\.sap\.vocabularies\.(\w+)\.v1$/;

/** The URL of the vocabulary's document below a folder; the copies are named by their namespaces, like those of OASIS. */
export function vocabularyUri(folder: string, namespace: string, form: CsdlForm): string {
  const [, ofSap] = folder === PUBLISHED_VOCABULARIES ? (OF_SAP.exec(namespace) ?? []) : [];
  return ofSap === undefined ? `${folder}/${namespace}.${form}` : `${PUBLISHED_BY_SAP}/${ofSap}.${form}`;
}

/** The `@type` of a record in an annotation, by the alias that the document includes; the JSON form has the URL before it. */
export function recordType(alias: 'Common' | 'Core' | 'UI', name: string): string {
  return `#${alias}.${name}`;
}
