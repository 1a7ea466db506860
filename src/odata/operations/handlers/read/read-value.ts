import { GatewayError } from '../../../../contract/gateway-error.ts';
import type { RequestBudget } from '../../../../contract/request-budget.ts';
import type { Row, Value } from '../../../../contract/row.ts';
import type { Work } from '../../../../core/work.ts';
import { loadValue } from '../../../../engine/load/load-value.ts';
import {
  compileCount,
  compileQuery,
  compileValueCount,
  compileValueQuery,
  type Projection,
} from '../../../../engine/pipeline/compile-query.ts';
import { assertOnlyOptions } from '../../../../engine/query/pipeline.ts';
import type { EntityResource, ValueResource } from '../../../../engine/resource/resource.ts';
import type { QueryOptions } from '../../../../engine/tree/query-tree.ts';
import { asEntityType } from '../../../../engine/typing/expression-type.ts';
import type { ComplexType } from '../../../../model/edm.ts';
import { qualifiedTypeName } from '../../../payload/csdl/csdl-property.ts';
import { writeCollection } from '../../../payload/json/json.ts';
import type { JsonText } from '../../../payload/json/json-text.ts';
import { rawValue, writeProperty } from '../../../payload/json/property-value.ts';
import { type ContextFragment, contextUrl } from '../../../payload/negotiation/context-url.ts';
import { MEDIA_TYPES } from '../../../payload/negotiation/format.ts';
import {
  appliedHeaders,
  type DataStyle,
  dataStyle,
  etagHeaders,
  formTag,
  mediaTypeOf,
  noContent,
  success,
  textType,
  UNTRUSTED_CONTENT_HEADERS,
  underConditions,
  withTag,
} from '../../protocol/response.ts';
import type { RequestHandler, Service } from '../../service/service.ts';
import {
  canonicalUrl,
  contextProjection,
  resultExpansions,
  valueProjection,
} from '../../shape/entity-shape.ts';
import type { CutPage } from '../../tokens/paging.ts';

/** Reads a property or a function result that is not an entity (Part 1, 11.2.4 and 11.5.4); 204 for null. */
export function readValue(service: Service, value: ValueResource, options: QueryOptions): RequestHandler {
  const applied = options.apply === undefined ? undefined : itemsType(value);
  const answer =
    applied === undefined
      ? valueAnswer(service, value, options)
      : appliedValues(service, value, applied, options);
  const isCollection = value.use.collection;
  return async (request, version) => {
    const { target } = request;
    const style = dataStyle(options.format, request, version);
    const { preferences } = style;
    const page = service.paging.pageOf(target, isCollection ? preferences.maxPageSize : undefined);
    const { data, version: state, tag } = await loadValue({ service, context: request }, value);
    if (data === null) return underConditions(request, noContent(version, etagHeaders(tag)));
    const kept = answer.repeatable ? state : undefined;
    const found = await service.answers.answer(kept, `${target} ${style.key}`, async () => {
      const cut = (items: readonly Value[]) => service.paging.cut(items, page, target);
      const body = await answer.write(data, style, request.budget, cut);
      const headers = appliedHeaders(preferences, isCollection ? ['maxpagesize'] : []);
      return success(version, style.contentType, body, headers);
    });
    const tagged = withTag(found, formTag(tag, style));
    return answer.repeatable ? underConditions(request, tagged, tag) : tagged;
  };
}

/**
 * Reads a primitive value without JSON around it (Part 1, 11.2.4.1). Its media type may be executable in
 * browsers.
 */
export function readRawValue(service: Service, value: ValueResource, options: QueryOptions): RequestHandler {
  assertOnlyOptions(options, ['format', 'schemaVersion'], 'a raw value');
  const mediaType = mediaTypeOf(value.mediaType);
  const headers = mediaType === undefined ? {} : UNTRUSTED_CONTENT_HEADERS;
  return async (request, version) => {
    const { data, tag } = await loadValue({ service, context: request }, value);
    if (data === null) return underConditions(request, noContent(version, etagHeaders(tag)));
    const { contentType, body } = rawValue(value.use, data, mediaType);
    const type = textType(contentType, options.format, request);
    return underConditions(request, success(version, type, body, { ...headers, ...etagHeaders(tag) }));
  };
}

/** Reads the number of items in a collection of values, as plain text for any Accept (Part 1, 11.2.10). */
export function countValues(service: Service, value: ValueResource, options: QueryOptions): RequestHandler {
  const count = counting(service, value, options);
  return async (request, version) => {
    const { data } = await loadValue({ service, context: request }, value);
    const { budget } = request;
    const counted = await budget.run(count(budget, data ?? []));
    const type = textType(MEDIA_TYPES.text, options.format, request);
    return success(version, type, String(counted));
  };
}

function counting(
  service: Service,
  value: ValueResource,
  options: QueryOptions,
): (budget: RequestBudget, values: Value) => Work<number> {
  const applied = options.apply === undefined ? undefined : itemsType(value);
  if (applied !== undefined) {
    const applying = countApplied(service, applied, options);
    return (budget, values) => applying(budget, values as readonly Row[]);
  }
  const query = compileValueCount(service.model, value.use, options, service.limits.query);
  return (budget, values) => query.run(budget, values as readonly Value[]);
}

/** Applies `$apply` to a collection of complex values, which are instances without a key. */
function appliedValues(
  { model, root, limits }: Service,
  value: ValueResource,
  type: ComplexType,
  { skipToken: _, ...options }: QueryOptions,
): ValueAnswer {
  const entityType = asEntityType(type);
  const query = compileQuery(model, entityType, options, limits.query);
  assertNothingBeside(query);
  const { results, computed, selected: shown, counted, dynamic, repeatable } = query;
  const content = {
    model,
    entityType,
    canonical: undefined,
    computed,
    shown,
    counted,
    dynamic,
    exact: false,
    partial: results?.transient === true,
    ...(results && { expanded: resultExpansions(model, results) }),
  };
  const named = valueContext(value, qualifiedTypeName(value.use.type));
  const fragment = { ...named, projection: contextProjection(options, query, undefined) };
  return {
    repeatable,
    async write(data, { format, version }, budget, cut = wholly) {
      const { rows: found, count } = await budget.run(query.run(budget, data as readonly Row[]));
      const { rows, nextLink } = cut(found);
      const shape = { ...content, contextUrl: contextUrl(root, fragment, version), format, version };
      return budget.run(writeCollection(shape, rows as readonly Row[], { count, nextLink }, budget));
    },
  };
}

/** The number of instances after `$apply`. */
function countApplied(
  { model, limits }: Service,
  type: ComplexType,
  options: QueryOptions,
): (budget: RequestBudget, values: readonly Row[]) => Work<number> {
  const query = compileCount(model, asEntityType(type), options, limits.query);
  assertNothingBeside(query);
  return query.run;
}

/** The type of the values if `$apply` is possible: they must be a collection of complex values. */
function itemsType({ use: { type, collection } }: ValueResource): ComplexType | undefined {
  return collection && type.kind === 'complex' ? type : undefined;
}

/** Values have no related entities, so `$expand` is rejected. */
function assertNothingBeside({
  related,
  roots,
  calls,
}: Pick<Projection, 'related' | 'roots' | 'calls'>): void {
  if (related.size + roots.length + calls.length === 0) return;
  const message = '$apply: related data of the values is not implemented';
  throw new GatewayError('NotImplemented', message, { target: '$apply' });
}

/** The serialization of a value with its query options. */
interface ValueAnswer {
  /** True if the response depends on the value only. */
  readonly repeatable: boolean;
  readonly write: (
    value: Value,
    style: Pick<DataStyle, 'format' | 'version'>,
    budget: RequestBudget,
    cut?: Cut,
  ) => Promise<JsonText>;
}

/** Selects the page of a collection. */
type Cut = (items: readonly Value[]) => CutPage<Value>;

/** Accepts the options of a collection or of a structured value; primitive values have none. */
export function valueAnswer(
  { model, root, limits }: Service,
  value: ValueResource,
  options: QueryOptions,
): ValueAnswer {
  const { use, dynamic = false } = value;
  const isPlain = !use.collection && use.type.kind !== 'complex';
  if (isPlain) assertOnlyOptions(options, ['format', 'schemaVersion'], 'a single primitive value');
  const { skipToken: _, ...ofAll } = options;
  const query = compileValueQuery(model, use, use.collection ? ofAll : options, limits.query);
  const named = valueContext(value, qualifiedTypeName(use.type));
  const fragment = { ...named, projection: valueProjection(options) };
  return {
    repeatable: query.repeatable,
    async write(data, { format, version }, budget, cut = wholly) {
      const { value: found, count } = await budget.run(query.run(budget, data));
      const { rows, nextLink } = cut(Array.isArray(found) ? found : []);
      const shape = { model, use, dynamic, contextUrl: contextUrl(root, fragment, version), format, version };
      const shown = use.collection ? rows : found;
      return budget.run(writeProperty(shape, shown, { count, nextLink }, budget));
    },
  };
}

function wholly(items: readonly Value[]): CutPage<Value> {
  return { rows: items, nextLink: undefined };
}

type ValueContext = Extract<ContextFragment, { readonly kind: 'property' | 'value' }>;

/** The context of a property (Part 1, 10.13) or of an operation's result (10.14 to 10.16). */
function valueContext({ origin, use }: ValueResource, type: string): ValueContext {
  if (origin.kind === 'call') return { kind: 'value', type, collection: use.collection };
  return { kind: 'property', path: [entityPath(origin.entity), ...origin.path].join('/') };
}

/** The canonical URL of the entity, if the request's URL determines it. */
function entityPath(entity: EntityResource): string {
  const { entityType, type, isCast, known, url } = entity;
  const canonical = canonicalUrl(entity);
  if (canonical === undefined || entityType.key.some((name) => known[name] === undefined)) return url;
  return canonical(known) + (isCast ? `/${type.namespace}.${type.name}` : '');
}
