import { writeCsdlJson } from '../../../payload/csdl/csdl-json.ts';
import { writeCsdlXml } from '../../../payload/csdl/csdl-xml.ts';
import { negotiateMetadata } from '../../../payload/negotiation/format.ts';
import type { RequestHandler, Service } from '../../service/service.ts';
import { answerDocument } from './model-document.ts';

/** Reads the metadata document (Part 1, 11.1.2). */
export function readMetadata(service: Service, formatOption: string | undefined): RequestHandler {
  return async (request, version) => {
    const { headers } = request;
    if (negotiateMetadata(formatOption, headers['accept']) === 'xml') {
      return answerDocument(service, request, version, 'application/xml', (model) =>
        writeCsdlXml(model, version, service.vocabularies),
      );
    }
    return answerDocument(service, request, version, 'application/json', (model) =>
      writeCsdlJson(model, version, service.vocabularies),
    );
  };
}
