import { type Row, TYPE, type Value } from '../../contract/row.ts';
import { atOnce, finished, mapped, type Work } from '../../contract/work.ts';
import type { StructuralProperty } from '../../model/edm.ts';
import { isResult } from '../results/result-type.ts';
import { type BoundVariable, rowOf, variableOf } from '../scope/bound-tree.ts';
import { aboutOption, badRequest, quote, type Scope } from '../scope/scope.ts';
import type { SelectItem, SystemQueryOptions } from '../tree/options-tree.ts';
import { itemType } from '../typing/expression-type.ts';
import { type ModelType, propertiesOf, structuredType, typeOfUse, useOfType } from '../typing/model-type.ts';
import { compileAccept } from './accept.ts';
import { bindCompute } from './compute.ts';
import { compileExtension, countName, type NestedRows, type Part } from './extension.ts';
import { COLLECTION_OPTIONS, refuseMisplaced } from './options.ts';
import { compileOrder } from './order.ts';
import { pageOf } from './page.ts';
import { runSteps } from './pipeline.ts';
import { bindSelect, type Selection } from './select.ts';

/**
 * Compiles what is left of the properties that a selection shows in part.
 *
 * Inside their options a path starts at the value, and `$it` is the row that was fetched.
 */
export function compileParts({ parts }: Selection, type: ModelType, scope: Scope): readonly Part[] {
  const properties = propertiesOf(type);
  return [...parts].flatMap(([name, items]) => {
    const property = properties.get(name) ?? heldProperty(type, name) ?? addedProperty(name, scope);
    return property === undefined ? [] : [compilePart(property, items, scope)];
  });
}

type PartProperty = Pick<StructuralProperty, 'name' | 'type' | 'collection'>;

/** What results of `$apply` hold under the name of a navigation property. */
function heldProperty(type: ModelType, name: string): PartProperty | undefined {
  const navigation = isResult(type) ? type.navigationProperties.get(name) : undefined;
  if (navigation === undefined) return undefined;
  const { entityType, collection } = navigation;
  return { name, type: entityType, collection };
}

/** What a computed property holds, or one that a transformation has added. */
function addedProperty(name: string, { model, computed }: Scope): PartProperty | undefined {
  const added = computed.get(name);
  return added && { name, ...useOfType(added.expression.type, model) };
}

function compilePart(property: PartProperty, items: readonly SelectItem[], scope: Scope): Part {
  const { name } = property;
  const options = optionsOf(items, name, scope);
  const type = itemType(typeOfUse(property));
  const inner: Scope = {
    ...scope,
    instance: rowOf(type),
    variables: new Map(),
    aliases: new Map([...scope.aliases, ...(options.aliases ?? [])]),
    computed: new Map(),
  };
  const cut = property.collection
    ? compileItems(options, inner)
    : compileSingle(options, `the single value ${quote(name)}`, inner);
  return { name, cut: (value) => finished(cut(value)), counted: options.count === true };
}

/** Paths into a value are a `$select` of its own; options can be given once. */
function optionsOf(items: readonly SelectItem[], name: string, scope: Scope): SystemQueryOptions {
  const [options, again] = items.flatMap((item) =>
    item.path.length === 0 && item.options !== undefined ? [item] : [],
  );
  if (again !== undefined) {
    throw badRequest(scope, again.position, `expected options of ${quote(name)} once, found them again`);
  }
  const paths = items.filter(({ path }) => path.length > 0);
  const select = [...paths, ...(options?.options?.select ?? [])];
  return { ...options?.options, ...(select.length > 0 && { select }) };
}

/** What is shown of a value that may be large. */
export type NestedSelect = (value: Value) => Work<NestedRows>;

/** `$select` and `$compute` of a single structured value; `who` it is, an error about another option says. */
export function compileSingle(options: SystemQueryOptions, who: string, scope: Scope): NestedSelect {
  refuseMisplaced(options, COLLECTION_OPTIONS, who);
  const cutItem = compileItem(options, withComputed(options, scope));
  return (value) => atOnce(() => ({ value: cutItem(value), count: undefined }));
}

function withComputed({ compute = [] }: SystemQueryOptions, scope: Scope): Scope {
  return { ...scope, computed: bindCompute(compute, aboutOption(scope, '$compute')) };
}

/** The query options of a collection of values (Part 1, 11.2.6), which has no key to sort by in the end. */
export function compileItems(options: SystemQueryOptions, outer: Scope): NestedSelect {
  const scope = withComputed(options, outer);
  const steps = {
    accept: compileAccept(options, aboutOption(scope, '$filter')),
    order: compileOrder(options.orderBy ?? [], [], aboutOption(scope, '$orderby')),
    page: pageOf(options),
    count: options.count === true,
    pace: scope.current,
  };
  const cutItem = compileItem(options, scope);
  return function* (items) {
    if (items === null) return { value: null, count: undefined };
    const { rows, count } = yield* runSteps(steps, items as readonly Row[]);
    return { value: yield* mapped(rows, scope.current, cutItem), count };
  };
}

/** What is shown of one value: the value itself where that is all of it. */
function compileItem({ select }: SystemQueryOptions, outer: Scope): (value: Value) => Value {
  const scope = aboutOption(outer, '$select');
  const type = structuredType(scope.model, scope.instance.type);
  if (type === undefined || (select === undefined && scope.computed.size === 0)) return (value) => value;
  const selection = bindSelect(select, type, scope.computed, scope);
  const shown = new Map([...scope.computed].filter(([name]) => selection.names.includes(name)));
  const { variable: it, enter } = instanceAround(scope);
  const extend = compileExtension(shown, compileParts(selection, type, { ...scope, it }), scope.current);
  const keep = compileKeep(selection, type);
  return (value) => (value === null ? null : keep(extend(enter(value as Row))));
}

/** Leaves what a selection names, in the order that the value has it. */
function compileKeep({ names, dynamic }: Selection, type: ModelType): (row: Row) => Row {
  // The key of an entity is kept for its URL, whether it is shown or not.
  const key = 'key' in type ? type.key : [];
  const kept = new Set([...withCounts(names), ...key]);
  const declared = new Set(propertiesOf(type).keys());
  return (row) => keepMembers(row, (name) => kept.has(name) || (dynamic && !declared.has(name)));
}

/** Leaves out undeclared properties of the fetched row that are not shown; undefined where all are. */
export function compileUndeclared(
  { names, dynamic }: Selection,
  declared: ReadonlySet<string>,
): ((row: Row) => Row) | undefined {
  if (dynamic) return undefined;
  const kept = new Set([...declared, ...withCounts(names)]);
  return (row) => keepMembers(row, (name) => kept.has(name));
}

function withCounts(names: readonly string[]): readonly string[] {
  return names.flatMap((name) => [name, countName(name)]);
}

function keepMembers(row: Row, isKept: (name: string) => boolean): Row {
  const members = Object.fromEntries(Object.entries(row).filter(([name]) => isKept(name)));
  return row[TYPE] === undefined ? members : { ...members, [TYPE]: row[TYPE] };
}

/** What `$it` stands for in the options of a row's parts. */
export interface InstanceAround {
  readonly variable: BoundVariable;
  /** To be called with each row before its parts are cut. */
  readonly enter: (row: Row) => Row;
}

/** The fetched row, or what is `$it` for that already. */
export function instanceAround({ it }: Scope): InstanceAround {
  if (it.kind === 'variable') return { variable: it, enter: (row) => row };
  const variable = variableOf(it.type, 0);
  const { cell } = variable;
  return {
    variable,
    enter(row) {
      cell.value = row;
      return row;
    },
  };
}
