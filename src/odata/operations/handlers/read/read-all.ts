import type { BudgetedRequest } from '../../../../contract/exchange.ts';
import type { Row } from '../../../../contract/row.ts';
import { mapped } from '../../../../core/work.ts';
import { mayView, requireCollection } from '../../../../engine/load/load.ts';
import { assertNoneMisplaced, assertSupported } from '../../../../engine/query/pipeline.ts';
import { type PreparedCollection, prepareCollection } from '../../../../engine/read/prepare-query.ts';
import type { CollectionResource } from '../../../../engine/resource/resource.ts';
import type { QueryOptions } from '../../../../engine/tree/query-tree.ts';
import { entityWriter, writeItems } from '../../../payload/json/json.ts';
import { JsonItems } from '../../../payload/json/json-text.ts';
import { contextUrl } from '../../../payload/negotiation/context-url.ts';
import { controlPrefix } from '../../../payload/negotiation/format.ts';
import type { AllResource } from '../../bind/resource.ts';
import { appliedHeaders, type DataStyle, dataStyle, success } from '../../protocol/response.ts';
import type { RequestHandler, Service } from '../../service/service.ts';
import { type ShapeOf, shapeOf } from '../../shape/entity-shape.ts';

/** The entities of one set in `$all`. */
interface Part {
  readonly collection: CollectionResource;
  readonly prepared: PreparedCollection;
  readonly shape: ShapeOf;
}

/**
 * Reads the entities of all sets that the caller may view, set by set (Part 2, 4.14). Each has its own
 * context URL (JSON Format, 4.5.1). Options about properties would have to hold for all types, so only
 * `$search`, `$top`, `$skip` and `$count` are supported.
 */
export function readAll(service: Service, all: AllResource, options: QueryOptions): RequestHandler {
  assertSupported(options, ['filter', 'orderBy', 'select', 'expand', 'compute', 'apply'], '$all');
  assertNoneMisplaced(options, ['index', 'id', 'skipToken', 'deltaToken'], '$all');
  const { search, aliases, top, skip = 0, count } = options;
  const about = { aliases, ...(search && { search }) };
  const parts = all.collections.map((collection): Part => {
    const prepared = prepareCollection(service, collection, about);
    return { collection, prepared, shape: shapeOf(service, collection, about, prepared, 'entity') };
  });
  const wanted = top === undefined || count === true ? Number.POSITIVE_INFINITY : skip + top;
  return async (request, version) => {
    const style = dataStyle(options.format, request, version);
    const entities = await readParts(service, visibleParts(service, parts, request), wanted, style, request);
    const shown = entities.slice(skip, top === undefined ? undefined : skip + top);
    const type = all.type === undefined ? 'Edm.EntityType' : `${all.type.namespace}.${all.type.name}`;
    const context = contextUrl(service.root, { kind: 'value', type, collection: true }, version);
    const items = new JsonItems(shown, (entity) => entity);
    const control = { count: count === true ? entities.length : undefined };
    const { budget } = request;
    const body = await budget.run(writeItems(style, context, items, control, budget));
    return success(version, style.contentType, body, appliedHeaders(style.preferences, ['omit-values']));
  };
}

/** Throws Forbidden if the caller may view none of the sets. */
function visibleParts(
  { source }: Service,
  parts: readonly Part[],
  request: BudgetedRequest,
): readonly Part[] {
  const visible = parts.filter(({ collection }) => mayView(source, collection.resource, request));
  const [first] = parts;
  if (visible.length === 0 && first !== undefined)
    source.permit?.(first.collection.resource, 'View', request);
  return visible;
}

/** Reads sets only until the page is full. */
async function readParts(
  service: Service,
  parts: readonly Part[],
  wanted: number,
  style: DataStyle,
  request: BudgetedRequest,
): Promise<readonly Row[]> {
  const { budget } = request;
  const loading = { service, context: request };
  const entities: Row[] = [];
  for (const { collection, prepared, shape } of parts) {
    if (entities.length >= wanted) break;
    const snapshot = await requireCollection(loading, collection, prepared.wanted);
    const { rows } = await prepared.run(loading, snapshot);
    const write = memberWriter(shape, style);
    for (const entity of await budget.run(mapped(rows, budget, write))) entities.push(entity);
  }
  return entities;
}

function memberWriter(shape: ShapeOf, style: DataStyle): (row: Row) => Row {
  const whole = shape(style);
  const write = entityWriter(whole);
  if (style.format.metadata === 'none') return write;
  const name = `${controlPrefix(style.version)}context`;
  return (row) => ({ [name]: whole.contextUrl, ...write(row) });
}
