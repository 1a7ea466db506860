import type { InsertedContent } from '../../../../contract/entity-source.ts';
import type { BudgetedRequest, WholeResponse } from '../../../../contract/exchange.ts';
import { GatewayError } from '../../../../contract/gateway-error.ts';
import { PARTIAL, type Row, TAG } from '../../../../contract/row.ts';
import { completeInput, contentOf } from '../../../../engine/change/bound-input.ts';
import { hasKey } from '../../../../engine/change/change-entity.ts';
import type { ChangeContext } from '../../../../engine/change/compensation.ts';
import {
  createdIn,
  givenByLink,
  hasOthers,
  insertDeep,
  insertEntity,
} from '../../../../engine/change/create-entity.ts';
import { type DeepInput, planInsertion } from '../../../../engine/change/planned-insertion.ts';
import type { EntityInput } from '../../../../engine/input/entity-input.ts';
import { entityTag } from '../../../../engine/load/entity-state.ts';
import { loadEntity } from '../../../../engine/load/load.ts';
import { type PreparedEntity, prepareEntity } from '../../../../engine/read/prepare-query.ts';
import type { LoadContext, LoadRequest } from '../../../../engine/resource/load-context.ts';
import { entityByKey } from '../../../../engine/resource/navigation-source.ts';
import type { CollectionResource, EntityResource } from '../../../../engine/resource/resource.ts';
import type { ExpandItem, QueryOptions } from '../../../../engine/tree/query-tree.ts';
import { type EntityType, etagProperty, type StreamOperations } from '../../../../model/edm.ts';
import type { InsertOperation } from '../../../../model/operation.ts';
import { readEntityBody } from '../../../payload/body/request-body.ts';
import { writeEntity } from '../../../payload/json/json.ts';
import { type ODataVersion, prefersPlainText } from '../../../payload/negotiation/format.ts';
import { isMediaInsert, mediaContent } from '../../../payload/negotiation/media-content.ts';
import {
  type DataStyle,
  dataStyle,
  etagHeaders,
  noContent,
  representation,
  type StyledRequest,
  taggedRow,
} from '../../protocol/response.ts';
import type { RequestHandler, Service } from '../../service/service.ts';
import { canonicalUrl, shapeOf } from '../../shape/entity-shape.ts';
import { changing } from './change-context.ts';

/**
 * Creates an entity (Part 1, 11.4.2) and its nested entities (11.4.2.2); responds with the entity in the
 * upstream's response.
 */
export function createEntity(
  service: Service,
  addressed: CollectionResource,
  operation: InsertOperation,
  options: QueryOptions,
): RequestHandler {
  const collection = createdIn(service.model, addressed);
  const { type: entityType } = collection;
  const answers = createdAnswers(service, collection, options);
  return async (request, version) => {
    const site = changing(service, request);
    const style = createdStyle(options.format, request, version);
    const given = await givenByLink(site, addressed);
    const sent = await insertedBody(site, entityType, operation, request, given);
    const place = { collection, operation };
    if (sent.kind === 'entity' && hasOthers(sent.entity)) {
      const insertion = await planInsertion(site, place, sent.entity);
      const expanded = createdAnswers(service, collection, expandedOptions(options, insertion), options);
      const row = await insertDeep(site, insertion, expanded.prepared.wanted);
      return expanded.answer(site, row, style);
    }
    const { wanted } = answers.prepared;
    const isEntity = sent.kind === 'entity';
    const content = isEntity ? contentOf(entityType, sent.entity) : sent.content;
    const row = await insertEntity(site, place, content, wanted, isEntity ? sent.entity.values : {});
    return answers.answer(site, row, style);
  };
}

/** The content to create: an entity, or a media entity from its stream. */
type InsertedBody =
  | { readonly kind: 'entity'; readonly entity: EntityInput }
  | { readonly kind: 'media'; readonly content: InsertedContent };

/**
 * Reads the entity, or the stream of a media entity (Part 1, 11.4.7.1). `given`: properties that the URL
 * determines.
 */
async function insertedBody(
  site: ChangeContext,
  entityType: EntityType,
  operation: InsertOperation,
  request: BudgetedRequest,
  given: Row,
): Promise<InsertedBody> {
  const { media, verbatim, sent } = operation;
  const contentType = request.headers['content-type'];
  if (isMediaInsert(operation, contentType)) {
    const content = mediaContent(request, media?.mediaTypes);
    return { kind: 'media', content: { kind: 'verbatim', ...content } };
  }
  if (entityType.stream !== undefined) assertJson(contentType, entityType.stream);
  const options = { kind: 'insert', verbatim, sent, given } as const;
  const read = readEntityBody(site.service.model, entityType, request, options);
  const entity = await completeInput(site, operation, read);
  return { kind: 'entity', entity };
}

/** Rejects streams if the API creates media entities from JSON only (Part 1, 11.4.8.1). */
function assertJson(contentType: string | undefined, { put }: StreamOperations): void {
  if (contentType === undefined || /json/i.test(contentType)) return;
  const afterwards = put === undefined ? '' : ' PUT to its /$value takes the stream afterwards.';
  const message = `Content-Type: expected application/json with the new entity, not its stream.${afterwards}`;
  throw new GatewayError('UnsupportedMediaType', message, { target: 'Content-Type' });
}

/** The response for new entities of a collection. */
export interface CreatedAnswers {
  readonly prepared: PreparedEntity;
  readonly answer: (loading: LoadContext, row: Row, style: DataStyle) => Promise<WholeResponse>;
}

/**
 * `place` is the collection or the URL of the new entity (Part 1, 11.4.2 and 11.4.4). `asked` are the
 * client's own options, without added ones.
 */
export function createdAnswers(
  service: Service,
  place: CollectionResource | EntityResource,
  options: QueryOptions,
  asked: QueryOptions = options,
): CreatedAnswers {
  const { type: entityType } = place;
  const prepared = prepareEntity(service, place, options);
  const shape = shapeOf(service, place, options, prepared, 'entity');
  const canonical = canonicalUrl(place);
  const etag = etagProperty(entityType);
  const created = place.kind === 'entity' ? place : entityByKey(place, {});
  return {
    prepared,
    async answer(loading, told, style) {
      const isMinimal = prefersMinimal(style, asked);
      const row = told[PARTIAL] && !isMinimal ? await readBack(loading, place, prepared.wanted, told) : told;
      const url = hasKey(entityType, row) && canonical ? `${service.root}/${canonical(row)}` : undefined;
      const tag = entityTag(row, etag);
      const headers = { ...etagHeaders(tag), ...(url !== undefined && { location: url }) };
      if (isMinimal) return minimalAnswer(style, headers);
      const { budget } = loading.context;
      const shown = taggedRow(await prepared.run(loading, row), tag, created);
      const body = await budget.run(writeEntity(shape(style), shown, budget));
      return { ...representation(style, body, headers), status: 201 };
    },
  };
}

/** Contains the entity's URL in place of the entity (Part 1, 8.3.4). */
function minimalAnswer({ version }: DataStyle, headers: Readonly<Record<string, string>>): WholeResponse {
  const { location } = headers;
  return noContent(version, {
    'preference-applied': 'return=minimal',
    ...headers,
    ...(location !== undefined && { 'odata-entityid': location }),
  });
}

/** Reads the created entity; a failed read does not change that it was created. */
async function readBack(
  loading: LoadContext,
  place: CollectionResource | EntityResource,
  wanted: LoadRequest,
  told: Row,
): Promise<Row> {
  const { key } = place.type;
  const known = Object.fromEntries(key.map((name) => [name, told[name] ?? null]));
  const entity = place.kind === 'entity' ? place : entityByKey(place, known);
  try {
    const found = await loadEntity(loading, entity, wanted);
    if (found === undefined) return told;
    return found.etag === undefined ? found.data : { ...found.data, [TAG]: found.etag };
  } catch (error) {
    if (error instanceof GatewayError) return told;
    throw error;
  }
}

/**
 * For a client that accepts only plain text, errors are text, but the created entity is JSON: a rejection for
 * its format would prevent the change.
 */
export function createdStyle(
  formatOption: string | undefined,
  { headers, principal }: StyledRequest,
  version: ODataVersion,
): DataStyle {
  const accept = prefersPlainText(headers['accept']) ? undefined : headers['accept'];
  return dataStyle(formatOption, { headers: { ...headers, accept }, principal }, version);
}

/** `$select` or `$expand` on an insert requests the representation (Part 1, 11.4.1.5). */
function prefersMinimal({ preferences }: DataStyle, { select, expand }: QueryOptions): boolean {
  return select === undefined && expand === undefined && preferences.return === 'minimal';
}

/** By default, the response is expanded to the depth of the created entities (Part 1, 11.4.2.2). */
export function expandedOptions(options: QueryOptions, created: DeepInput): QueryOptions {
  if (options.expand !== undefined || options.select !== undefined) return options;
  const expand = expansions(options, [created]);
  return expand.length === 0 ? options : { ...options, expand };
}

function expansions({ aliases }: QueryOptions, created: readonly DeepInput[]): readonly ExpandItem[] {
  const related = created
    .flatMap(({ before, after }) => [...before, ...after])
    .filter(({ isVisible }) => isVisible);
  return [...Map.groupBy(related, ({ property }) => property.name)].map(([name, each]) => {
    const expand = expansions(
      { aliases },
      each.flatMap((all) => all.insertions),
    );
    const nested = expand.length === 0 ? undefined : { expand, aliases };
    return { path: [name], form: 'entities', levels: undefined, options: nested, position: 0 };
  });
}
