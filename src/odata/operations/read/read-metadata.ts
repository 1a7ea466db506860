import { GatewayError } from '../../../contract/gateway-error.ts';
import { writeCsdlJson } from '../../payload/csdl/csdl-json.ts';
import { writeCsdlXml } from '../../payload/csdl/csdl-xml.ts';
import { negotiateMetadata } from '../../payload/negotiation/format.ts';
import type { Operation, Service } from '../service.ts';
import { answerDocument } from './model-document.ts';

/** Reads the metadata document (Part 1, 11.1.2). */
export function readMetadata(service: Service, formatOption: string | undefined): Operation {
  return async (request, version) => {
    const { headers } = request;
    if (negotiateMetadata(formatOption, headers['accept']) === 'xml') {
      return answerDocument(service, request, version, 'application/xml', (model) =>
        writeCsdlXml(model, version),
      );
    }
    demandVersion401(headers['odata-maxversion']);
    return answerDocument(service, request, '4.01', 'application/json', (model) => writeCsdlJson(model));
  };
}

/** CSDL JSON came with 4.01. */
function demandVersion401(maxVersion: string | undefined): void {
  if (maxVersion === undefined || Number(maxVersion) >= 4.01) return;
  throw new GatewayError('NotAcceptable', 'CSDL JSON needs OData 4.01; for 4.0 there is application/xml.', {
    target: 'OData-MaxVersion',
  });
}
