import type { Row } from '../../contract/entity-source.ts';
import type { GatewayResponse } from '../../contract/exchange.ts';
import type { EntitySet } from '../../model/edm.ts';
import type { InsertOperation } from '../../model/operation.ts';
import { entityUrl } from '../payload/entity-url.ts';
import { type JsonFormat, jsonContentType, negotiateJson, prefersPlainText } from '../payload/format.ts';
import { writeEntity } from '../payload/json.ts';
import { parsePreferences } from '../payload/preference.ts';
import { demandJsonContent, readEntityBody } from '../payload/request-body.ts';
import type { ODataVersion } from '../payload/version.ts';
import { compileEntityQuery } from '../query/compile-query.ts';
import type { QueryOptions } from '../url/tree.ts';
import { dataHeaders } from './response.ts';
import type { Operation, Service } from './service.ts';
import { shapeOf } from './shape.ts';

/**
 * Creates an entity of a set (Part 1, 11.4.2): checks the body, forwards its bytes, and answers with the
 * entity as the upstream's answer describes it.
 */
export function createEntity(
  service: Service,
  entitySet: EntitySet,
  operation: InsertOperation,
  options: QueryOptions,
): Operation {
  const query = compileEntityQuery(service.model, entitySet.entityType, options);
  const shape = shapeOf(service, entitySet, options, query, true);
  return async (request, version) => {
    const format = createdFormat(options.format, request.headers['accept']);
    demandJsonContent(request.headers['content-type']);
    const { verbatim } = operation;
    const { bytes: body } = readEntityBody(service.model, entitySet.entityType, request.body, {
      kind: 'insert',
      verbatim,
    });
    const row = await service.source.insert(
      {
        resource: entitySet.name,
        entityType: entitySet.entityType,
        operation,
        arguments: {},
        properties: query.properties,
        body,
      },
      request,
    );
    const url = locate(service.root, entitySet, row);
    if (prefersMinimal(request.headers['prefer'], options)) return minimal(version, url);
    return created(version, format, url, writeEntity({ ...shape, format, version }, query.run(row)));
  };
}

/**
 * A client that takes nothing but plain text wants the message of a failure so; what is created is JSON
 * all the same, because a refusal now would keep it from being created at all.
 */
function createdFormat(formatOption: string | undefined, accept: string | undefined): JsonFormat {
  return negotiateJson(formatOption, prefersPlainText(accept) ? undefined : accept);
}

/** `$select` on an insert asks for the representation (Part 1, 11.4.1.5). */
function prefersMinimal(prefer: string | undefined, options: QueryOptions): boolean {
  return options.select === undefined && parsePreferences(prefer).get('return') === 'minimal';
}

/** The URL of the created entity; undefined where the upstream did not say what its key is. */
function locate(serviceRoot: string, entitySet: EntitySet, row: Row): string | undefined {
  const known = entitySet.entityType.key.every((name) => row[name] !== null && row[name] !== undefined);
  return known ? `${serviceRoot}/${entityUrl(entitySet.name, entitySet.entityType, row)}` : undefined;
}

function created(
  version: ODataVersion,
  format: JsonFormat,
  url: string | undefined,
  body: string,
): GatewayResponse {
  const headers = dataHeaders(version, jsonContentType(format, version));
  return { status: 201, headers: { ...headers, ...(url !== undefined && { location: url }) }, body };
}

function minimal(version: ODataVersion, url: string | undefined): GatewayResponse {
  return {
    status: 204,
    headers: {
      'odata-version': version,
      'preference-applied': 'return=minimal',
      ...(url !== undefined && { location: url, 'odata-entityid': url }),
    },
    body: undefined,
  };
}
