import { GatewayError } from '../../../../contract/gateway-error.ts';
import type { Row } from '../../../../contract/row.ts';
import type { Work } from '../../../../contract/work.ts';
import { compileCount, compileQuery, type Projection } from '../../../../engine/pipeline/compile-query.ts';
import type { ValueResource } from '../../../../engine/resource/resource.ts';
import type { QueryOptions } from '../../../../engine/tree/options-tree.ts';
import { asEntityType } from '../../../../engine/typing/model-type.ts';
import { beginRun, type QueryRun } from '../../../../engine/values/current-run.ts';
import type { ComplexType } from '../../../../model/edm.ts';
import { qualifiedTypeName } from '../../../payload/csdl/csdl-type.ts';
import { writeCollection } from '../../../payload/json/json.ts';
import { contextUrl } from '../../../payload/negotiation/context-url.ts';
import type { Service } from '../../service/service.ts';
import { contextProjection } from '../../shape/context-projection.ts';
import { resultExpansions } from '../../shape/result-expansions.ts';
import { type ValueAnswer, wholly } from './value-answer.ts';
import { valueContext } from './value-context.ts';

/** What `$apply` makes of a collection of complex values, which are instances without a key. */
export function appliedValues(
  { model, root, limits }: Service,
  value: ValueResource,
  type: ComplexType,
  { skipToken: _, ...options }: QueryOptions,
): ValueAnswer {
  const entityType = asEntityType(type);
  const query = compileQuery(model, entityType, options, limits.query);
  refuseBeside(query);
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
      const { rows: found, count } = await budget.run(query.run(beginRun(budget), data as readonly Row[]));
      const { rows, nextTarget } = cut(found);
      const nextLink = nextTarget && root + nextTarget;
      const shape = { ...content, contextUrl: contextUrl(root, fragment, version), format, version };
      return budget.run(writeCollection(shape, rows as readonly Row[], { count, nextLink }, budget));
    },
  };
}

/** How many instances `$apply` makes of them. */
export function countApplied(
  { model, limits }: Service,
  type: ComplexType,
  options: QueryOptions,
): (run: QueryRun, values: readonly Row[]) => Work<number> {
  const query = compileCount(model, asEntityType(type), options, limits.query);
  refuseBeside(query);
  return query.run;
}

/** The type of the values that `$apply` can be about; undefined where they are no collection of complex ones. */
export function itemsType({ use: { type, collection } }: ValueResource): ComplexType | undefined {
  return collection && type.kind === 'complex' ? type : undefined;
}

/** Entities that a value is related to come with no value, and none are read beside it. */
function refuseBeside({ related, roots, calls }: Pick<Projection, 'related' | 'roots' | 'calls'>): void {
  if (related.size + roots.length + calls.length === 0) return;
  const message = '$apply: what is read beside the values is not implemented';
  throw new GatewayError('NotImplemented', message, { target: '$apply' });
}
