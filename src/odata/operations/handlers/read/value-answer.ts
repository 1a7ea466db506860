import type { RequestBudget } from '../../../../contract/request-budget.ts';
import type { Value } from '../../../../contract/row.ts';
import { compileValueQuery } from '../../../../engine/pipeline/compile-value-query.ts';
import { refuseAllBut } from '../../../../engine/query/options.ts';
import type { ValueResource } from '../../../../engine/resource/resource.ts';
import type { QueryOptions } from '../../../../engine/tree/options-tree.ts';
import { beginRun } from '../../../../engine/values/current-run.ts';
import { qualifiedTypeName } from '../../../payload/csdl/csdl-type.ts';
import { writeProperty } from '../../../payload/json/value-json.ts';
import type { JsonText } from '../../../payload/json/write-json.ts';
import { contextUrl } from '../../../payload/negotiation/context-url.ts';
import type { DataStyle } from '../../protocol/data-style.ts';
import type { Service } from '../../service/service.ts';
import { valueProjection } from '../../shape/context-projection.ts';
import type { CutPage } from '../../tokens/paging.ts';
import { valueContext } from './value-context.ts';

/** A value that is no entity, with its query options: how it is written. */
export interface ValueAnswer {
  /** The same value has the same answer at any time. */
  readonly repeatable: boolean;
  readonly write: (
    value: Value,
    style: Pick<DataStyle, 'format' | 'version'>,
    budget: RequestBudget,
    cut?: Cut,
  ) => Promise<JsonText>;
}

/** Which of the items of a collection are shown. */
type Cut = (items: readonly Value[]) => CutPage<Value>;

/** The options are those of a collection, or of a single structured value; a primitive one has none. */
export function valueAnswer(
  { model, root, limits }: Service,
  value: ValueResource,
  options: QueryOptions,
): ValueAnswer {
  const { use, dynamic = false } = value;
  const isPlain = !use.collection && use.type.kind !== 'complex';
  if (isPlain) refuseAllBut(options, ['format', 'schemaVersion'], 'a single primitive value');
  const { skipToken: _, ...ofAll } = options;
  const query = compileValueQuery(model, use, use.collection ? ofAll : options, limits.query);
  const named = valueContext(value, qualifiedTypeName(use.type));
  const fragment = { ...named, projection: valueProjection(options) };
  return {
    repeatable: query.repeatable,
    async write(data, { format, version }, budget, cut = wholly) {
      const { value: found, count } = await budget.run(query.run(beginRun(budget), data));
      const { rows, nextTarget } = cut(Array.isArray(found) ? found : []);
      const nextLink = nextTarget && root + nextTarget;
      const shape = { model, use, dynamic, contextUrl: contextUrl(root, fragment, version), format, version };
      const shown = use.collection ? rows : found;
      return budget.run(writeProperty(shape, shown, { count, nextLink }, budget));
    },
  };
}

export function wholly(items: readonly Value[]): CutPage<Value> {
  return { rows: items, nextTarget: undefined };
}
