import type { Row, Value } from '../../contract/row.ts';
import type { Work } from '../../contract/work.ts';
import type { Model } from '../../model/model.ts';
import { compileAccept } from '../query/accept.ts';
import type { NestedRows } from '../query/extension.ts';
import { compileItems, compileSingle, type NestedSelect } from '../query/nested-select.ts';
import { refuseMisplaced, refuseUnsupported } from '../query/options.ts';
import { countAccepted } from '../query/pipeline.ts';
import { createScope, notImplemented, type QueryLimits, type Scope, type ValueUse } from '../scope/scope.ts';
import type { QueryOptions } from '../tree/options-tree.ts';
import { itemType } from '../typing/expression-type.ts';
import { typeOfUse } from '../typing/model-type.ts';
import type { QueryRun } from '../values/current-run.ts';

/** The query options of a value that is no entity: a property, or what a function returns. */
interface CompiledValueQuery {
  /** The same value has the same answer at any time; false where the query asks for `now()`. */
  readonly repeatable: boolean;
  /** What is shown of the value, and how many items it has where `$count` asks for it. */
  readonly run: (run: QueryRun, value: Value) => Work<NestedRows>;
}

/** What `/$count` behind a collection of values counts. */
interface CompiledValueCount {
  readonly repeatable: boolean;
  readonly run: (run: QueryRun, items: readonly Value[]) => Work<number>;
}

/**
 * Compiles the query options of a collection of values, or of a single structured one (Part 1, 11.2.5 and
 * 11.2.6). Paths start at the item, which `$it` and `$this` are, too. Errors are those of `compileQuery`.
 */
export function compileValueQuery(
  model: Model,
  use: ValueUse,
  options: QueryOptions,
  limits?: QueryLimits,
): CompiledValueQuery {
  refuseUnsupported(options, ['expand'], 'a value');
  refuseUnsupported(options, ['apply'], 'values without properties');
  refuseMisplaced(options, ['index', 'id', 'skipToken', 'deltaToken'], 'a value');
  const scope = valueScope(model, use, options, limits);
  const cut = use.collection ? compileItems(options, scope) : compileSingle(options, 'a single value', scope);
  refuseRelated(scope);
  return compiled(scope, cut);
}

/** Compiles `/$count` of a collection of values: `$filter` and `$search` decide what is counted. */
export function compileValueCount(
  model: Model,
  use: ValueUse,
  options: QueryOptions,
  limits?: QueryLimits,
): CompiledValueCount {
  refuseUnsupported(options, ['apply'], 'values without properties');
  refuseMisplaced(options, ['index', 'id', 'skipToken', 'deltaToken'], '/$count');
  const scope = valueScope(model, use, options, limits);
  const accept = compileAccept(options, { ...scope, target: '$filter' });
  refuseRelated(scope);
  const { current } = scope;
  return {
    repeatable: !current.isAskedForTime,
    run: (run, items) =>
      current.during(run, () => countAccepted(items as readonly Row[], { accept, pace: current })),
  };
}

function valueScope(model: Model, use: ValueUse, options: QueryOptions, limits?: QueryLimits): Scope {
  return createScope(model, itemType(typeOfUse(use)), options, limits);
}

function compiled({ current }: Scope, cut: NestedSelect): CompiledValueQuery {
  return {
    repeatable: !current.isAskedForTime,
    run: (run, value) => current.during(run, () => cut(value)),
  };
}

/** Entities that a value is related to come with no value, and none are read beside it. */
function refuseRelated(scope: Scope): void {
  const [root] = scope.roots;
  if (root !== undefined) throw notImplemented(scope, root.variable.position, "a path from '$root'");
  const [name] = scope.related.keys();
  if (name !== undefined) throw notImplemented(scope, 0, `the use of '${name}'`);
}
