import aggregation from '@sap-ux/odata-vocabularies/dist/resources/Org.OData.Aggregation.V1.js';
import authorization from '@sap-ux/odata-vocabularies/dist/resources/Org.OData.Authorization.V1.js';
import capabilities from '@sap-ux/odata-vocabularies/dist/resources/Org.OData.Capabilities.V1.js';
import core from '@sap-ux/odata-vocabularies/dist/resources/Org.OData.Core.V1.js';
import validation from '@sap-ux/odata-vocabularies/dist/resources/Org.OData.Validation.V1.js';
import type { JsonObject } from './csdl-members.ts';

/**
 * The vocabularies that `$metadata` references, directly or indirectly, by namespace: OASIS documents in CSDL
 * JSON.
 */
export const VOCABULARY_DOCUMENTS: ReadonlyMap<string, JsonObject> = new Map<string, JsonObject>([
  ['Org.OData.Aggregation.V1', aggregation],
  ['Org.OData.Authorization.V1', authorization],
  ['Org.OData.Capabilities.V1', capabilities],
  ['Org.OData.Core.V1', core],
  ['Org.OData.Validation.V1', validation],
]);
