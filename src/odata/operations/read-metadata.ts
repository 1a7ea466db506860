import { writeCsdlXml } from '../payload/csdl-xml.ts';
import { demandAcceptable } from '../payload/format.ts';
import type { ODataVersion } from '../payload/version.ts';
import { success } from './response.ts';
import type { Operation, Service } from './service.ts';

/** Reads the metadata document (Part 1, 11.1.2), written once for each version. */
export function readMetadata(service: Service, formatOption: string | undefined): Operation {
  const documents = new Map<ODataVersion, string>();
  return async (request, version) => {
    demandAcceptable('xml', formatOption, request.headers['accept']);
    const document = documents.get(version) ?? writeCsdlXml(service.model, version);
    documents.set(version, document);
    return success(version, 'application/xml', document);
  };
}
