import type { Row } from '../../../contract/entity-source.ts';
import { GatewayError } from '../../../contract/gateway-error.ts';
import type { EntitySet, EntityType } from '../../../model/edm.ts';
import type { NavigationProperty } from '../../../model/structured-type.ts';
import { compileQuery } from '../../query/compile/compile-query.ts';
import { refuseMisplaced, refuseUnsupported } from '../../query/options.ts';
import type { QueryResult } from '../../query/pipeline.ts';
import type { QueryOptions, SelectItem } from '../../url/tree.ts';
import { equalParts } from '../load/equal-parts.ts';
import { compileExpand } from '../load/expand.ts';
import type { Expander } from '../load/expander.ts';
import type { Loading } from '../load/load.ts';
import { loadCombinations } from '../load/load-combinations.ts';
import { prepareRoots } from '../load/load-roots.ts';
import { withCombinations } from '../resource/bind-crossjoin.ts';
import { demandViews, relatedResources } from '../resource/related-resources.ts';
import type { CrossjoinResource, EntityResource, ListedSet } from '../resource/resource.ts';
import type { Service } from '../service.ts';

/** The query options of a cross join, compiled. */
interface PreparedCrossjoin {
  readonly expander: Expander | undefined;
  /** Whether an entity of the set is shown, or a link to it. */
  readonly isShown: (set: EntitySet) => boolean;
  readonly run: (loading: Loading) => Promise<QueryResult>;
  /** Adds what is expanded to the combinations that are shown. */
  readonly expand: (loading: Loading, rows: readonly Row[]) => Promise<readonly Row[]>;
}

/** What each of these would add is nothing that a combination has. */
const UNSUPPORTED = ['search', 'compute', 'apply', 'deltaToken'] as const;

export function prepareCrossjoin(
  { model, limits }: Pick<Service, 'model' | 'limits'>,
  crossjoin: CrossjoinResource,
  options: QueryOptions,
): PreparedCrossjoin {
  refuseUnsupported(options, UNSUPPORTED);
  refuseMisplaced(options, ['index', 'id'], '$crossjoin');
  const { expand, select, skipToken: _, ...others } = options;
  const { sets } = crossjoin;
  const isShown = shownSets(sets, select);
  const read = withCombinations(model, crossjoin, linkTo);
  const query = compileQuery(read.model, read.type, others, limits.query);
  const { type, ...held } = withCombinations(model, crossjoin, standsIn);
  const expander = compileExpand({ model: held.model, limits, aliases: options.aliases }, type, expand);
  const loadRoots = prepareRoots(model, query.roots);
  const related = [
    ...relatedResources(query),
    ...(expander?.resources ?? []),
    ...sets.map(({ name }) => name),
  ];
  const equal = equalParts(sets, options.filter);
  const combined = sets.map((set) => ({
    set,
    reads: query.related.get(set.name),
    whole: expander?.content.has(set.name) === true,
  }));
  return {
    expander,
    isShown: (set) => isShown(set) || expander?.content.has(set.name) === true,
    async run(loading) {
      demandViews(loading, { related });
      const roots = await loadRoots(loading);
      return query.run(await loadCombinations(loading, combined, equal), roots);
    },
    async expand(loading, rows) {
      if (expander === undefined) return rows;
      const service = { ...loading.service, model: held.model };
      return expander.expand(
        { ...loading, service },
        rows.map((row) => combination(type, row)),
      );
    },
  };
}

/** The entities of the sets stand in the rows of combinations. */
function standsIn({ name }: EntitySet): NavigationProperty['origin'] {
  return { kind: 'embedded', upstreamName: name };
}

/** What is read of them is noted, and loaded set by set. */
function linkTo({ name, list }: ListedSet): NavigationProperty['origin'] {
  return { kind: 'link', name, operation: list };
}

/** Without `$select` all are shown; of the entities nothing can be selected but in `$expand`. */
function shownSets(
  sets: readonly EntitySet[],
  select: readonly SelectItem[] | undefined,
): (set: EntitySet) => boolean {
  if (select === undefined) return () => true;
  const names = new Set(sets.map(({ name }) => name));
  const wrong = select.find(({ path, options }) => !isSet(path, names) || options !== undefined);
  if (wrong !== undefined) throw wrongSelect(wrong);
  const selected = new Set(select.flatMap(({ path }) => path));
  return ({ name }) => selected.has('*') || selected.has(name);
}

function isSet([name = '', ...more]: readonly string[], names: ReadonlySet<string>): boolean {
  return more.length === 0 && (name === '*' || names.has(name));
}

function wrongSelect({ path }: SelectItem): GatewayError {
  const found = path.join('/').slice(0, 100);
  const message = `$select: expected the entity sets of the $crossjoin, found "${found}"; $expand shows properties of their entities.`;
  return new GatewayError('BadRequest', message, { target: '$select' });
}

/** The entities in it are related to nothing but by being there. */
function combination(entityType: EntityType, known: Row): EntityResource {
  return {
    kind: 'entity',
    path: '',
    url: '',
    home: undefined,
    resource: '',
    entityType,
    entitySet: undefined,
    cast: undefined,
    parent: undefined,
    known,
    origin: { kind: 'embedded', property: '' },
    update: undefined,
    delete: undefined,
  };
}
