import analytics from '@sap-ux/odata-vocabularies/dist/resources/com.sap.vocabularies.Analytics.v1.js';
import common from '@sap-ux/odata-vocabularies/dist/resources/com.sap.vocabularies.Common.v1.js';
import communication from '@sap-ux/odata-vocabularies/dist/resources/com.sap.vocabularies.Communication.v1.js';
import hierarchy from '@sap-ux/odata-vocabularies/dist/resources/com.sap.vocabularies.Hierarchy.v1.js';
import html5 from '@sap-ux/odata-vocabularies/dist/resources/com.sap.vocabularies.HTML5.v1.js';
import ui from '@sap-ux/odata-vocabularies/dist/resources/com.sap.vocabularies.UI.v1.js';
import aggregation from '@sap-ux/odata-vocabularies/dist/resources/Org.OData.Aggregation.V1.js';
import authorization from '@sap-ux/odata-vocabularies/dist/resources/Org.OData.Authorization.V1.js';
import capabilities from '@sap-ux/odata-vocabularies/dist/resources/Org.OData.Capabilities.V1.js';
import core from '@sap-ux/odata-vocabularies/dist/resources/Org.OData.Core.V1.js';
import validation from '@sap-ux/odata-vocabularies/dist/resources/Org.OData.Validation.V1.js';
import type { JsonObject } from './csdl-members.ts';

/**
 * The vocabularies that `$metadata` references, directly or indirectly, by namespace: documents of OASIS and of SAP in CSDL
 * JSON.
 */
export const VOCABULARY_DOCUMENTS: ReadonlyMap<string, JsonObject> = new Map<string, JsonObject>([
  ['Org.OData.Aggregation.V1', aggregation],
  ['Org.OData.Authorization.V1', authorization],
  ['Org.OData.Capabilities.V1', capabilities],
  ['Org.OData.Core.V1', core],
  ['Org.OData.Validation.V1', validation],
  ['com.sap.vocabularies.Analytics.v1', analytics],
  ['com.sap.vocabularies.Common.v1', common],
  ['com.sap.vocabularies.Communication.v1', communication],
  ['com.sap.vocabularies.HTML5.v1', html5],
  ['com.sap.vocabularies.Hierarchy.v1', hierarchy],
  ['com.sap.vocabularies.UI.v1', ui],
]);
