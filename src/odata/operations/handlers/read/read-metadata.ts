import { createHash } from 'node:crypto';
import type { BudgetedRequest, GatewayResponse } from '../../../../contract/exchange.ts';
import { madeOnce } from '../../../../model/maps.ts';
import type { Model } from '../../../../model/model.ts';
import { writeCsdlJson } from '../../../payload/csdl/csdl-json.ts';
import { writeCsdlXml } from '../../../payload/csdl/csdl-xml.ts';
import { writeServiceDocument } from '../../../payload/json/service-document.ts';
import {
  jsonContentType,
  negotiateJson,
  negotiateMetadata,
  type ODataVersion,
} from '../../../payload/negotiation/format.ts';
import { dataHeaders, underConditions } from '../../protocol/response.ts';
import type { RequestHandler, Service } from '../../service/service.ts';

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

/** Reads the service document (Part 1, 11.1.1). */
export function readServiceDocument(service: Service, formatOption: string | undefined): RequestHandler {
  return async (request, version) => {
    const format = negotiateJson(formatOption, request.headers['accept']);
    return answerDocument(service, request, version, jsonContentType(format, version), (model) =>
      writeServiceDocument(model, service.root, format, version),
    );
  };
}

/** A document that depends on the model only. */
interface ModelDocument {
  readonly body: Uint8Array;
  /** A strong entity tag (RFC 9110, 8.8.3). */
  readonly etag: string;
}

type Documents = Map<string, ModelDocument>;

const DOCUMENTS = new WeakMap<Service, WeakMap<Model, Documents>>();

/**
 * Responds with a document of the model part that the client may see, or with 304. Each document is written
 * once per service.
 */
function answerDocument(
  service: Service,
  request: BudgetedRequest,
  version: ODataVersion,
  contentType: string,
  write: (model: Model) => string,
): GatewayResponse {
  const model = service.visibleTo(request.principal);
  const models = madeOnce(DOCUMENTS, service, () => new WeakMap<Model, Documents>());
  const documents = madeOnce(models, model, () => new Map<string, ModelDocument>());
  const key = `${version} ${contentType}`;
  const { etag, body } = madeOnce(documents, key, () => documentOf(key, write(model)));
  const fields: Readonly<Record<string, string>> = { ...dataHeaders(version, contentType), etag };
  return underConditions(request, { status: 200, headers: fields, body });
}

function documentOf(key: string, text: string): ModelDocument {
  const body = Buffer.from(text);
  const hash = createHash('sha256').update(key).update('\n').update(body).digest('base64url');
  return { body, etag: `"${hash.slice(0, 27)}"` };
}
