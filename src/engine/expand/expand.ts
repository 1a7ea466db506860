import type { StreamContent, StreamSnapshot } from '../../contract/entity-source.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import { type Row, TYPE, type Value } from '../../contract/row.ts';
import { mapConcurrently, mapped } from '../../core/work.ts';
import type { EntityType, NavigationProperty } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import { relatedResourceName } from '../../model/resource-grants.ts';
import { prepareRoots } from '../load/attach-related.ts';
import { isRowOf, requireArguments } from '../load/load.ts';
import type { Related } from '../load/load-related.ts';
import { propertiesBehind, wantedFor } from '../load/wanted.ts';
import { compileQuery } from '../pipeline/compile-query.ts';
import { assertNoneMisplaced, COLLECTION_OPTIONS } from '../query/pipeline.ts';
import type { LoadContext } from '../resource/load-context.ts';
import type { EntityResource } from '../resource/resource.ts';
import type { OuterInstance, QueryLimits } from '../scope/scope.ts';
import type { ExpandItem, QueryOptions } from '../tree/query-tree.ts';
import {
  type BoundExpand,
  type BoundStream,
  bindExpand,
  bindStreams,
  type CollectionInformation,
  type CompiledRelated,
  type Expanded,
  type Expander,
  type ExpandLoadContext,
  expandedName,
  type InstanceOf,
  type NestedExpander,
} from './bind-expand.ts';
import { expandResults, firstPages, outerInstance, outermost, runRelated } from './run-related.ts';

/** The scope of `$expand`. */
interface ExpandContext {
  readonly model: Model;
  readonly limits: QueryLimits;
  readonly aliases: QueryOptions['aliases'];
}

interface ExpandScope extends ExpandContext {
  readonly outer: OuterInstance;
}

/** Compiles `$expand`; undefined where it has no items. What cannot be expanded is a BadRequest or NotImplemented. */
export function compileExpand(
  context: ExpandContext,
  type: EntityType,
  items: readonly ExpandItem[] = [],
): Expander | undefined {
  const outer = outerInstance(type);
  const nested = compileItems({ ...context, outer }, type, items);
  return nested && outermost(type, nested, outer);
}

function compileItems(
  scope: ExpandScope,
  type: EntityType,
  items: readonly ExpandItem[],
): NestedExpander | undefined {
  if (items.length === 0) return undefined;
  const all = bindExpand(scope.model, type, items).map((bound) => compileNavigation(scope, bound));
  const isWithin = ({ item: { bound } }: Expanded) => bound.within.length > 0;
  const expanded = all.filter((each) => !isWithin(each));
  const withinValues = expandWithin(all.filter(isWithin));
  const streams = bindStreams(scope.model, type, items);
  const ofStreams = streams.flatMap((stream) => propertiesOfStream(type, stream));
  return {
    properties: [...new Set([...all.flatMap(({ properties }) => properties), ...ofStreams])],
    streams: streams.map(({ name }) => name),
    resources: all.flatMap(({ resources }) => resources),
    items: all.map(({ item }) => item),
    async expand(loading, entities, instanceOf) {
      const values = await withinValues?.(loading, entities, instanceOf);
      const columns = await Promise.all(expanded.map(({ expand }) => expand(loading, entities, instanceOf)));
      const contents = await readStreams(loading, entities, streams);
      const withAdded = ({ known }: EntityResource, index: number): Row => {
        const added = expanded.flatMap(({ item: { bound } }, column) => {
          const value = columns[column]?.[index];
          return value === undefined ? [] : [[expandedName(bound), value] as const];
        });
        return { ...(values?.(known) ?? known), ...Object.fromEntries(added), ...contents[index] };
      };
      const { budget } = loading.context;
      return budget.run(mapped(entities, budget, withAdded));
    },
  };
}

function compileNavigation(scope: ExpandScope, bound: BoundExpand): Expanded {
  const { item, owner, navigation } = bound;
  const compiled = compileRelated(scope, bound);
  const { options, wanted } = compiled;
  const isCounted = item.form === 'count' || options.count === true;
  const information = new WeakMap<object, CollectionInformation>();
  const informationOf = (related: Value | undefined) => information.get(related as object) ?? {};
  return {
    item: { ...compiled, informationOf: informationOf },
    properties:
      bound.within.length > 0
        ? [...owner.key, ...bound.within.slice(0, 1)]
        : propertiesBehind(owner, navigation),
    resources: [relatedResourceName(navigation) ?? [], wanted.related ?? []].flat(),
    async expand(loading, entities, instanceOf) {
      // Entities of other types than the one that has the property have nothing there.
      const { budget } = loading.context;
      const isOwner = await budget.run(
        mapped(entities, budget, (each) => isRowOf(each.entityType, each.known, owner)),
      );
      const owners = entities.filter((_, index) => isOwner[index]);
      const found = await runRelated(loading, owners, compiled, instanceOf);
      const results = await budget.run(firstPages(loading, owners, compiled, found));
      const rows = await expandResults(loading, owners, compiled, results, instanceOf);
      if (isCounted || results.some(({ nextLink }) => nextLink !== undefined)) {
        const note = (each: Related, index: number): void => {
          const { count, nextLink } = results[index] ?? {};
          information.set(each, { count: isCounted ? (count ?? each.length) : undefined, nextLink });
        };
        await budget.run(mapped(rows, budget, note));
      }
      // The owners are in the order of the entities.
      const next = rows.values();
      const shown = (_: EntityResource, index: number) =>
        relatedValue(navigation, isOwner[index] ? (next.next().value ?? []) : undefined);
      return budget.run(mapped(entities, budget, shown));
    },
  };
}

function compileRelated(scope: ExpandScope, bound: BoundExpand): CompiledRelated {
  const { model, limits, outer } = scope;
  const { item, navigation, type } = bound;
  const { expand, ...options } = item.options ?? {};
  // A nested alias hides that of the whole query.
  const aliases = new Map([...scope.aliases, ...(options.aliases ?? [])]);
  if (!navigation.collection) {
    assertNoneMisplaced(options, COLLECTION_OPTIONS, `the single-valued "${navigation.name}" in $expand`);
  }
  const query = compileQuery(model, type, { ...options, aliases }, limits, outer);
  const loadRoots = prepareRoots(model, query.roots);
  if (query.results?.transient === true && expand !== undefined) {
    assertNoneMisplaced({ expand }, ['expand'], `what $apply has made of "${navigation.name}"`);
  }
  const deeper = nextLevel(bound);
  const nested = compileItems({ ...scope, aliases }, type, [...(expand ?? []), ...deeper]);
  const wanted = wantedFor(type, query, nested);
  return { bound, type, options, query, nested, outer, deeper, aliases, wanted, loadRoots };
}

/** The value of a navigation property; undefined for an entity that has no such property. */
function relatedValue({ collection }: NavigationProperty, found: Related | undefined): Value | undefined {
  return collection || found === undefined ? found : (found[0] ?? null);
}

/** `$levels` expands the same again in what was expanded, as long as it has the same navigation property. */
function nextLevel({ item, isStar, type, navigation }: BoundExpand): readonly ExpandItem[] {
  const left = (item.levels ?? 1) - 1;
  if (left < 1) return [];
  if (isStar) return [{ ...item, levels: left }];
  const hasNextLevel = type.navigationProperties.has(navigation.name);
  return hasNextLevel ? [{ ...item, path: [navigation.name], levels: left }] : [];
}

/** The most streams within one answer: each is a call of the upstream's. */
const MOST_STREAMS = 100;

/** Maximum number of concurrent stream reads. */
const CONCURRENT_STREAMS = 4;

/** The properties that a stream of an entity is found by, and that tell its media type. */
function propertiesOfStream(type: EntityType, { get, contentType }: BoundStream): readonly string[] {
  const own = get.parameters.filter(({ up = 0 }) => up === 0).map(({ property }) => property);
  const stated = contentType === undefined ? [] : [contentType];
  return [...type.key, ...[...own, ...stated].filter((name) => type.structuralProperties.has(name))];
}

/** The streams of entities by name; null if the upstream has none. */
async function readStreams(
  loading: LoadContext,
  entities: readonly EntityResource[],
  streams: readonly BoundStream[],
): Promise<readonly Row[]> {
  const found = entities.map((): Record<string, Value> => ({}));
  const wanted = streams.flatMap((stream) =>
    entities.flatMap((entity, index) =>
      isRowOf(entity.entityType, entity.known, stream.owner) ? [{ stream, entity, index }] : [],
    ),
  );
  if (wanted.length > MOST_STREAMS) throw tooMany(wanted.length);
  await mapConcurrently(wanted, CONCURRENT_STREAMS, async ({ stream, entity, index }) => {
    const row = found[index];
    if (row !== undefined) row[stream.name] = await contentOf(loading, entity, stream);
  });
  return found;
}

/** The bytes as base64, beside their media type. */
async function contentOf(
  loading: LoadContext,
  entity: EntityResource,
  { get, contentType }: BoundStream,
): Promise<Row | null> {
  const args = await requireArguments(loading, get, entity);
  const snapshot = await openStream(loading, { resource: entity.resource, operation: get, arguments: args });
  if (snapshot?.kind !== 'content') return null;
  const base64 = await collected(loading, snapshot);
  const stated = contentType === undefined ? undefined : entity.known[contentType];
  const mediaType = snapshot.mediaType ?? (typeof stated === 'string' ? stated : null);
  return { mediaType, base64 };
}

/** Opens a stream of an entity; undefined where the upstream has none, though the entity is there. */
async function openStream(
  { service, context }: LoadContext,
  call: Pick<
    Parameters<LoadContext['service']['source']['readStream']>[0],
    'resource' | 'operation' | 'arguments'
  >,
): Promise<StreamSnapshot | undefined> {
  try {
    return await service.source.readStream(
      { ...call, kind: 'stream', body: undefined, conditions: {} },
      context,
    );
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'NotFound') return undefined;
    throw error;
  }
}

/** Each part is charged before it is kept; what is too much for an answer is not read to its end. */
async function collected({ context: { budget } }: LoadContext, { bytes }: StreamContent): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes as AsyncIterable<Uint8Array>) {
    budget.chargeAnswer(Math.ceil((chunk.length * 4) / 3));
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('base64url');
}

function tooMany(found: number): GatewayError {
  const message = `$expand: expected at most ${MOST_STREAMS} streams within one answer, found ${found}; ask for fewer entities.`;
  return new GatewayError('BadRequest', message, { target: '$expand' });
}

/** Loads what stands within the complex values of entities; what comes back makes of a row one that has it. */
type WithinLoader = (
  loading: ExpandLoadContext,
  entities: readonly EntityResource[],
  instanceOf: InstanceOf,
) => Promise<(row: Row) => Row>;

/** The names that lead on from a value to those that have something expanded. */
interface Steps extends ReadonlyMap<string, Steps> {}

/** Expanded content of complex values, by the original value. */
type Additions = ReadonlyMap<Value, Row>;

/**
 * Expands navigation properties of complex values (Part 2, 5.1.3); each value is the owner of its expansion.
 * Undefined without any.
 */
function expandWithin(expanded: readonly Expanded[]): WithinLoader | undefined {
  if (expanded.length === 0) return undefined;
  const steps = stepsOf(expanded.map(({ item }) => item.bound.within));
  return async (loading, entities, instanceOf) => {
    const additions = new Map<Value, Row>();
    const columns = await Promise.all(expanded.map((each) => expandOne(each, loading, entities, instanceOf)));
    for (const [index, column] of columns.entries()) {
      const bound = expanded[index]?.item.bound;
      if (bound === undefined) continue;
      for (const [holder, value] of column) {
        additions.set(holder, { ...additions.get(holder), [expandedName(bound)]: value });
      }
    }
    return (row) => withAdditions(row, steps, additions) as Row;
  };
}

function stepsOf(paths: readonly (readonly string[])[]): Steps {
  const firsts = new Set(paths.flatMap(([first]) => first ?? []));
  return new Map(
    [...firsts].map((first) => [
      first,
      stepsOf(paths.filter(([name]) => name === first).map(([, ...rest]) => rest)),
    ]),
  );
}

/** Expands one navigation property of complex values. */
async function expandOne(
  { item: { bound }, expand }: Expanded,
  loading: ExpandLoadContext,
  entities: readonly EntityResource[],
  instanceOf: InstanceOf,
): Promise<ReadonlyMap<Value, Value>> {
  const { budget } = loading.context;
  const owners = new Map<EntityResource, EntityResource>();
  const holders: Value[] = [];
  const note = (entity: EntityResource): void => {
    for (const holder of valuesAt(entity.known, bound.within)) {
      owners.set(asOwner(entity, bound, holder), entity);
      holders.push(holder);
    }
  };
  await budget.run(mapped(entities, budget, note));
  // The values have no place of their own that a link to another page could lead to.
  const whole = { ...loading, pages: undefined };
  const found = await expand(whole, [...owners.keys()], (owner) => instanceOf(owners.get(owner) ?? owner));
  return new Map(holders.flatMap((holder, index) => entryOf(holder, found[index])));
}

function entryOf(holder: Value, found: Value | undefined): readonly (readonly [Value, Value])[] {
  return found === undefined ? [] : [[holder, found]];
}

/** The complex values at the end of a path, in each item of the collections on it. */
function valuesAt(value: Value | undefined, [name, ...rest]: readonly string[]): readonly Row[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuesAt(item, [name, ...rest].filter(isName)));
  if (typeof value !== 'object' || value === null) return [];
  return name === undefined ? [value as Row] : valuesAt((value as Row)[name], rest);
}

function isName(name: string | undefined): name is string {
  return name !== undefined;
}

/** A complex value as what its navigation properties lead on from. */
function asOwner(entity: EntityResource, { within, navigation }: BoundExpand, holder: Row): EntityResource {
  const { [TYPE]: _, ...values } = holder;
  const type = entity.known[TYPE];
  return {
    ...entity,
    path: [entity.path, ...within].join('/'),
    url: [entity.url, ...within.map(encodeURIComponent)].join('/'),
    known: {
      [navigation.name]: navigation.collection ? [] : null,
      ...values,
      ...(type !== undefined && { [TYPE]: type }),
    },
  };
}

function withAdditions(value: Value, steps: Steps, additions: Additions): Value {
  if (Array.isArray(value)) return value.map((item) => withAdditions(item, steps, additions));
  if (typeof value !== 'object' || value === null) return value;
  const row = value as Row;
  const changed: Record<string, Value> = { ...row, ...additions.get(value) };
  for (const [name, further] of steps) {
    const inner = row[name];
    if (inner !== undefined) changed[name] = withAdditions(inner, further, additions);
  }
  return changed as Value;
}
