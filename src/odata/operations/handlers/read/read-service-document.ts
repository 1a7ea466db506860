import { writeServiceDocument } from '../../../payload/json/service-document.ts';
import { jsonContentType, negotiateJson } from '../../../payload/negotiation/format.ts';
import type { RequestHandler, Service } from '../../service/service.ts';
import { answerDocument } from './model-document.ts';

/** Reads the service document (Part 1, 11.1.1). */
export function readServiceDocument(service: Service, formatOption: string | undefined): RequestHandler {
  return async (request, version) => {
    const format = negotiateJson(formatOption, request.headers['accept']);
    return answerDocument(service, request, version, jsonContentType(format, version), (model) =>
      writeServiceDocument(model, service.root, format, version),
    );
  };
}
