import aggregation from '@sap-ux/odata-vocabularies/dist/resources/Org.OData.Aggregation.V1.js';
import authorization from '@sap-ux/odata-vocabularies/dist/resources/Org.OData.Authorization.V1.js';
import capabilities from '@sap-ux/odata-vocabularies/dist/resources/Org.OData.Capabilities.V1.js';
import core from '@sap-ux/odata-vocabularies/dist/resources/Org.OData.Core.V1.js';
import validation from '@sap-ux/odata-vocabularies/dist/resources/Org.OData.Validation.V1.js';
import type { JsonObject } from './csdl-members.ts';
import { type Terms, termsOf } from './vocabulary-terms.ts';
import { VOCABULARIES } from './vocabulary-uri.ts';

/**
 * The vocabularies that `$metadata` references, and those that they reference in turn, by their namespaces: the
 * documents of the OASIS, as CSDL JSON.
 */
export const VOCABULARY_DOCUMENTS: ReadonlyMap<string, JsonObject> = new Map<string, JsonObject>([
  ['Org.OData.Aggregation.V1', aggregation],
  ['Org.OData.Authorization.V1', authorization],
  ['Org.OData.Capabilities.V1', capabilities],
  ['Org.OData.Core.V1', core],
  ['Org.OData.Validation.V1', validation],
]);

/**
 * The terms as `$metadata` names them, by its aliases. What bounds values is a decimal there, as clients know it, where
 * the vocabulary leaves it open.
 */
export function metadataTerms(): Terms {
  const terms = termsOf(VOCABULARY_DOCUMENTS.values());
  const aliases = new Map(Object.entries(VOCABULARIES).map(([alias, namespace]) => [namespace, alias]));
  return {
    ...terms,
    typeOfTerm: (name) => (BOUNDS.has(name) ? DECIMAL : terms.typeOfTerm(name)),
    writtenName(full) {
      const dot = full.lastIndexOf('.');
      return (aliases.get(full.slice(0, dot)) ?? full.slice(0, dot)) + full.slice(dot);
    },
  };
}

const BOUNDS: ReadonlySet<string> = new Set([
  'Org.OData.Validation.V1.Minimum',
  'Org.OData.Validation.V1.Maximum',
]);
const DECIMAL = { type: 'Edm.Decimal', collection: false } as const;
