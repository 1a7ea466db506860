import type { EntityInsert, Row } from '../../contract/entity-source.ts';
import type { GatewayRequest } from '../../contract/exchange.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { EntityType } from '../../model/edm.ts';
import type { InsertOperation } from '../../model/operation.ts';
import { prefersPlainText } from '../payload/format.ts';
import { writeEntity } from '../payload/json.ts';
import { isTaken, mediaContent } from '../payload/media-content.ts';
import { demandJsonContent, readEntityBody } from '../payload/request-body.ts';
import type { ODataVersion } from '../payload/version.ts';
import type { QueryOptions } from '../url/tree.ts';
import { boundBody } from './bound-body.ts';
import { appliedHeaders, type DataStyle, dataStyle, shownPreferences } from './data-style.ts';
import { refuseDeepInserts } from './deep-changes.ts';
import { demandOwner } from './demand-owner.ts';
import { canonicalUrl, shapeOf } from './entity-shape.ts';
import { entityTag, etagHeaders, etagProperty } from './entity-tag.ts';
import { type Loading, operationArguments } from './load.ts';
import { prepareEntity } from './prepare-query.ts';
import type { CollectionResource, EntityResource } from './resource.ts';
import { missingOwner } from './resource-error.ts';
import { dataHeaders, noContent } from './response.ts';
import type { Operation, Service } from './service.ts';

/**
 * Creates an entity (Part 1, 11.4.2): checks the body, forwards it, and answers with the entity as the
 * upstream's answer describes it.
 */
export function createEntity(
  service: Service,
  collection: CollectionResource,
  operation: InsertOperation,
  options: QueryOptions,
): Operation {
  const entityType = collection.cast ?? collection.entityType;
  const prepared = prepareEntity(service, collection, options);
  const shape = shapeOf(service, collection, options, prepared, 'entity');
  const canonical = canonicalUrl(collection);
  const etag = etagProperty(service.model, entityType);
  const owner = collection.origin.kind === 'operations' ? collection.origin.owner : undefined;
  const { resource } = collection;
  return async (request, version) => {
    const loading = { service, context: request };
    const style = createdStyle(options.format, request, version);
    const sent = await insertedBody(service, entityType, operation, request);
    const args = await operationArguments(loading, operation, owner);
    if (args === undefined) throw missingOwner(collection.url);
    const wanted = {
      resource,
      entityType,
      operation,
      arguments: args,
      ...prepared.wanted,
      ...sent,
    };
    const row = await insertBelow(loading, owner, () => service.source.insert(wanted, request));
    const url = hasKey(entityType.key, row) && canonical ? `${service.root}/${canonical(row)}` : undefined;
    if (prefersMinimal(style, options)) return noContent(version, minimalHeaders(url));
    return {
      status: 201,
      headers: {
        ...dataHeaders(version, style.contentType),
        ...appliedHeaders(style.preferences, shownPreferences(style.preferences)),
        ...etagHeaders(entityTag(row, etag)),
        ...(url !== undefined && { location: url }),
      },
      body: writeEntity(shape(style), await prepared.run(loading, row)),
    };
  };
}

/** An upstream that takes nothing below what is not there refuses for that reason. */
async function insertBelow(
  loading: Loading,
  owner: EntityResource | undefined,
  insert: () => Promise<Row>,
): Promise<Row> {
  try {
    return await insert();
  } catch (error) {
    const isRefused = error instanceof GatewayError && error.code === 'InsertFailed';
    if (isRefused && owner !== undefined) await demandOwner(loading, owner);
    throw error;
  }
}

/** What is forwarded: the entity, or the stream that a media entity is made of (Part 1, 11.4.7.1). */
async function insertedBody(
  service: Service,
  entityType: EntityType,
  { media, verbatim, nonInsertableProperties }: InsertOperation,
  request: GatewayRequest,
): Promise<Pick<EntityInsert, 'body' | 'mediaType'>> {
  const contentType = request.headers['content-type'];
  if (media?.only === true || (media && isTaken(contentType ?? '', media.mediaTypes))) {
    return mediaContent(request, media.mediaTypes);
  }
  demandJsonContent(contentType);
  const read = readEntityBody(service.model, entityType, request.body, { kind: 'insert', verbatim });
  refuseDeepInserts(read);
  const isSettable = ({ structuralProperties }: EntityType, name: string) =>
    structuralProperties.get(name)?.computed === false && nonInsertableProperties?.includes(name) !== true;
  return { body: (await boundBody({ service, request, isSettable }, entityType, read)).bytes };
}

/**
 * A client that takes nothing but plain text wants the message of a failure so; what is created is JSON
 * all the same, because a refusal now would keep it from being created at all.
 */
function createdStyle(
  formatOption: string | undefined,
  { headers }: Pick<GatewayRequest, 'headers'>,
  version: ODataVersion,
): DataStyle {
  const accept = prefersPlainText(headers['accept']) ? undefined : headers['accept'];
  return dataStyle(formatOption, { headers: { ...headers, accept } }, version);
}

/** `$select` or `$expand` on an insert asks for the representation (Part 1, 11.4.1.5). */
function prefersMinimal({ preferences }: DataStyle, { select, expand }: QueryOptions): boolean {
  return select === undefined && expand === undefined && preferences.return === 'minimal';
}

/** Without its key, the upstream did not say where the entity is. */
function hasKey(key: readonly string[], row: Row): boolean {
  return key.every((name) => row[name] !== null && row[name] !== undefined);
}

function minimalHeaders(url: string | undefined): Readonly<Record<string, string>> {
  return {
    'preference-applied': 'return=minimal',
    ...(url !== undefined && { location: url, 'odata-entityid': url }),
  };
}
