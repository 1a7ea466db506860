import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { BudgetedRequest, GatewayResponse } from '../../../../contract/exchange.ts';
import type { QueryOptions } from '../../../../engine/tree/query-tree.ts';
import { madeOnce } from '../../../../model/maps.ts';
import type { Model } from '../../../../model/model.ts';
import { requestedAnnotations } from '../../../payload/csdl/metadata-size.ts';
import { writeServedMetadata } from '../../../payload/csdl/served-metadata.ts';
import { writeServiceDocument } from '../../../payload/json/service-document.ts';
import {
  jsonContentType,
  negotiateJson,
  negotiateMetadata,
  type ODataVersion,
} from '../../../payload/negotiation/format.ts';
import { annotationsList, parsePreferences } from '../../../payload/negotiation/preference.ts';
import { appliedHeaders, dataHeaders, underConditions } from '../../protocol/response.ts';
import type { RequestHandler, Service } from '../../service/service.ts';

/**
 * Reads the metadata document (Part 1, 11.1.2). Clients that cannot send a preference ask for annotations by the custom
 * query option `include-annotations`.
 */
export function readMetadata(
  service: Service,
  { format: formatOption, custom }: QueryOptions,
): RequestHandler {
  return async (request, version) => {
    const { headers } = request;
    const form = negotiateMetadata(formatOption, headers['accept']);
    const preferences = parsePreferences(headers['prefer']);
    const [option] = custom?.get('include-annotations') ?? [];
    const wanted = preferences.includeAnnotations ?? annotationsList(option);
    const annotations = wanted === undefined ? [] : requestedAnnotations(wanted);
    const key = `${version} ${form} ${annotations}`;
    const answer = answerDocument(service, request, version, `application/${form}`, key, (model) =>
      writeServedMetadata(model, { form, version, annotations }, service.vocabularies),
    );
    const applied = appliedHeaders(preferences, []);
    return { ...answer, headers: { ...answer.headers, ...applied, vary: varied(answer.headers['vary']) } };
  };
}

function varied(vary: string | undefined): string {
  return vary === undefined ? 'Prefer' : `${vary}, Prefer`;
}

/** Reads the service document (Part 1, 11.1.1). */
export function readServiceDocument(service: Service, formatOption: string | undefined): RequestHandler {
  return async (request, version) => {
    const format = negotiateJson(formatOption, request.headers['accept']);
    const contentType = jsonContentType(format, version);
    return answerDocument(service, request, version, contentType, `${version} ${contentType}`, (model) =>
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

type Documents = LRUCache<string, ModelDocument>;

/** Maximum number of documents for one part of the model: forms, versions and sets of vocabularies. */
const MOST_DOCUMENTS = 24;

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
  key: string,
  write: (model: Model) => string,
): GatewayResponse {
  const model = service.visibleTo(request.principal);
  const models = madeOnce(DOCUMENTS, service, () => new WeakMap<Model, Documents>());
  const documents = madeOnce(
    models,
    model,
    () => new LRUCache<string, ModelDocument>({ max: MOST_DOCUMENTS }),
  );
  const { etag, body } = madeOnce(documents, key, () => documentOf(key, write(model)));
  const fields: Readonly<Record<string, string>> = { ...dataHeaders(version, contentType), etag };
  return underConditions(request, { status: 200, headers: fields, body });
}

function documentOf(key: string, text: string): ModelDocument {
  const body = Buffer.from(text);
  const hash = createHash('sha256').update(key).update('\n').update(body).digest('base64url');
  return { body, etag: `"${hash.slice(0, 27)}"` };
}
