import { GatewayError } from '../../contract/gateway-error.ts';
import type { Model } from '../../model/edm.ts';
import { writeCsdlJson } from '../payload/csdl-json.ts';
import { writeCsdlXml } from '../payload/csdl-xml.ts';
import { negotiateMetadata } from '../payload/format.ts';
import type { ODataVersion } from '../payload/version.ts';
import { success } from './response.ts';
import type { Operation, Service } from './service.ts';

/** Reads the metadata document (Part 1, 11.1.2); each form of it is written once. */
export function readMetadata(service: Service, formatOption: string | undefined): Operation {
  const documents = new Map<string, string>();
  return async ({ headers }, version) => {
    const kind = negotiateMetadata(formatOption, headers['accept']);
    if (kind === 'json') demandVersion401(headers['odata-maxversion']);
    const answered = kind === 'json' ? '4.01' : version;
    const key = `${kind} ${answered}`;
    const document = documents.get(key) ?? writeDocument(service.model, kind, answered);
    documents.set(key, document);
    return success(answered, `application/${kind}`, document);
  };
}

/** CSDL JSON came with 4.01. */
function demandVersion401(maxVersion: string | undefined): void {
  if (maxVersion === undefined || Number(maxVersion) >= 4.01) return;
  throw new GatewayError('NotAcceptable', 'CSDL JSON needs OData 4.01; for 4.0 there is application/xml.', {
    target: 'OData-MaxVersion',
  });
}

function writeDocument(model: Model, kind: 'xml' | 'json', version: ODataVersion): string {
  return kind === 'json' ? writeCsdlJson(model) : writeCsdlXml(model, version);
}
