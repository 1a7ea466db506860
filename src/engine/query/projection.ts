import type { Row } from '../../contract/row.ts';
import type { EntityType } from '../../model/edm.ts';
import { withDerivedTypes } from '../../model/edm.ts';
import { readableProperties } from '../../model/readable-property.ts';
import type { ResultContent } from '../results/result-content.ts';
import type { FunctionCall, RelatedReads, RootSource } from '../scope/reads.ts';
import type { ComputedProperty, Scope, ValueUse } from '../scope/scope.ts';
import type { QueryOptions } from '../tree/options-tree.ts';
import { type ModelType, useOfType } from '../typing/model-type.ts';
import { compileExtension, type Part } from './extension.ts';
import { compileParts, compileUndeclared, type InstanceAround, instanceAround } from './nested-select.ts';
import { bindSelect, type Selection } from './select.ts';

/** What a query reads and shows. */
export interface Projection {
  /** The properties to fetch: those shown, those that options read, and the key, in the model's order. */
  readonly properties: readonly string[];
  /** Undeclared properties of an open type are to be fetched, too: they are shown, or an option reads one. */
  readonly dynamic: boolean;
  /** What options read of related entities: rows must have those under the navigation properties' names. */
  readonly related: ReadonlyMap<string, RelatedReads>;
  /** What options read from `$root` on: `run` must be given what was found, in this order. */
  readonly roots: readonly RootSource[];
  /** What functions options call for the rows, which must have the results under the calls' names. */
  readonly calls: readonly FunctionCall[];
  /** The names that the answer shows: properties in the model's order, then computed, then named undeclared ones. */
  readonly selected: readonly string[];
  /** What the computed properties that the answer shows hold. */
  readonly computed: ReadonlyMap<string, ValueUse>;
  /** Collections whose number of items, before `$top` and `$skip` in `$select`, rows have as `Name@count`. */
  readonly counted: readonly string[];
  /**
   * The rows that come out have nothing beside what is shown: of the selected properties those of their own
   * type, in that order, and of the undeclared ones those that are asked for.
   */
  readonly exact: boolean;
  /** The same rows have the same answer at any time; false where the query asks for `now()`. */
  readonly repeatable: boolean;
  /** What `$apply` leaves of the entities, and what it adds; undefined where there is none. */
  readonly results?: ResultContent;
}

interface Projected {
  readonly projection: Projection;
  readonly extend: ((row: Row) => Row) | undefined;
}

/**
 * Binds `$select`. What the options before it read is known by then; what its own nested options read of
 * the row is found here, and fetched, too.
 */
export function project({ select }: QueryOptions, type: EntityType, scope: Scope): Projected {
  const inSelect = { ...scope, target: '$select' };
  const selection = bindSelect(select, type, scope.computed, inSelect);
  const shown = new Map([...scope.computed].filter(([name]) => selection.names.includes(name)));
  for (const name of [...shown.values()].flatMap(({ reads }) => [...reads])) {
    scope.reads.add(name);
  }
  const it = instanceAround(scope);
  const parts = compileParts(selection, type, { ...inSelect, it: it.variable });
  const read = fetched(selection.names, type, scope);
  const projection = {
    properties: read.properties,
    dynamic: read.dynamic || (selection.dynamic && isOpen(type)),
    related: scope.related,
    roots: scope.roots.map(({ read }) => read),
    calls: callsOf(scope),
    selected: selection.names,
    computed: new Map(
      [...shown].map(([name, { expression }]) => [name, useOfType(expression.type, scope.model)]),
    ),
    counted: parts.filter(({ counted }) => counted).map(({ name }) => name),
    exact:
      scope.related.size === 0 &&
      callsOf(scope).length === 0 &&
      read.properties.every((name) => selection.names.includes(name)),
    repeatable: !scope.current.isAskedForTime,
  };
  return {
    projection,
    extend: extension(projection, selection, { shown, parts, it }, type, scope),
  };
}

export function callsOf({ calls }: Scope): readonly FunctionCall[] {
  return [...(calls?.values() ?? [])];
}

/** What is to be fetched: what is shown, what options read, and the key. */
export function fetched(selected: readonly string[], type: EntityType, scope: Scope) {
  const { reads } = scope;
  const needed = new Set([...selected, ...reads, ...type.key]);
  const declared = declaredNames(type);
  const computed = scope.computed;
  return {
    properties: [...declared].filter((name) => needed.has(name)),
    dynamic: [...selected, ...reads].some((name) => !declared.has(name) && !computed.has(name)),
  };
}

/** What rows of a type, or of one that is derived from it, may be fetched with. */
export function declaredNames(type: EntityType): ReadonlySet<string> {
  return new Set(withDerivedTypes(type).flatMap(namesOf));
}

/** Properties, aliases of key properties, and navigation properties whose entities stand in the row. */
function namesOf(type: ModelType): readonly string[] {
  const embedded = [...type.navigationProperties.values()].filter(({ origin }) => origin.kind === 'embedded');
  const aliases = [...type.structuralProperties.values()].filter(({ aliasOf }) => aliasOf !== undefined);
  return [...readableProperties(type).keys(), ...[...aliases, ...embedded].map(({ name }) => name)];
}

function isOpen(type: EntityType): boolean {
  return withDerivedTypes(type).some(({ open }) => open);
}

/** What rows have that were not fetched so. */
interface Made {
  readonly shown: ReadonlyMap<string, ComputedProperty>;
  readonly parts: readonly Part[];
  readonly it: InstanceAround;
}

/** What makes an answer's rows of fetched ones; undefined where they are the same. */
function extension(
  { dynamic }: Projection,
  selection: Selection,
  { shown, parts, it: { enter } }: Made,
  type: EntityType,
  scope: Scope,
): ((row: Row) => Row) | undefined {
  const drop = dynamic ? compileUndeclared(selection, declaredNames(type)) : undefined;
  if (shown.size === 0 && parts.length === 0) return drop;
  const extend = compileExtension(shown, parts, scope.current);
  return (row) => {
    const extended = extend(enter(row));
    return drop === undefined ? extended : drop(extended);
  };
}
