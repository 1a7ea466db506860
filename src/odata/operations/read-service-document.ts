import { jsonContentType, negotiateJson } from '../payload/format.ts';
import { writeServiceDocument } from '../payload/service-document.ts';
import { success } from './response.ts';
import type { Operation, Service } from './service.ts';

/** Reads the service document (Part 1, 11.1.1). */
export function readServiceDocument(service: Service, formatOption: string | undefined): Operation {
  return async (request, version) => {
    const format = negotiateJson(formatOption, request.headers['accept']);
    const body = writeServiceDocument(service.model, service.root, format, version);
    return success(version, jsonContentType(format, version), body);
  };
}
