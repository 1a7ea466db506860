import { type Row, TYPE, type Value } from '../../contract/entity-source.ts';
import type { StructuralProperty } from '../../model/structured-type.ts';
import type { SelectItem, SystemQueryOptions } from '../url/tree.ts';
import { compileAccept } from './accept.ts';
import { type BoundVariable, rowOf } from './bound-tree.ts';
import { bindCompute } from './compute.ts';
import { itemType } from './expression-type.ts';
import { type Cut, compileExtension, countName, type Part } from './extension.ts';
import { type ModelType, propertiesOf, structuredType, typeOfUse } from './model-type.ts';
import { COLLECTION_OPTIONS, refuseMisplaced } from './options.ts';
import { compileOrder } from './order.ts';
import { pageOf } from './page.ts';
import { runSteps } from './pipeline.ts';
import { badRequest, quote, type Scope } from './scope.ts';
import { bindSelect, type Selection } from './select.ts';

/**
 * Compiles what is left of the properties that a selection shows in part.
 *
 * Inside their options a path starts at the value, and `$it` is the row that was fetched.
 */
export function compileParts({ parts }: Selection, type: ModelType, scope: Scope): readonly Part[] {
  const properties = propertiesOf(scope.model, type);
  return [...parts].flatMap(([name, items]) => {
    const property = properties.get(name);
    return property === undefined ? [] : [compilePart(property, items, scope)];
  });
}

function compilePart(property: StructuralProperty, items: readonly SelectItem[], scope: Scope): Part {
  const { name } = property;
  const options = optionsOf(items, name, scope);
  const type = itemType(typeOfUse(scope.model, property));
  const inner: Scope = {
    ...scope,
    instance: rowOf(type),
    variables: new Map(),
    aliases: new Map([...scope.aliases, ...(options.aliases ?? [])]),
    computed: new Map(),
  };
  return property.collection
    ? { name, ...compileItems(options, inner) }
    : { name, cut: compileSingle(options, name, inner), count: undefined };
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

function compileSingle(options: SystemQueryOptions, name: string, scope: Scope): Cut {
  refuseMisplaced(options, COLLECTION_OPTIONS, `the single value ${quote(name)}`);
  return compileItem(options, withComputed(options, scope));
}

function withComputed({ compute = [] }: SystemQueryOptions, scope: Scope): Scope {
  return { ...scope, computed: bindCompute(compute, scope) };
}

/** `$filter`, `$search`, `$orderby`, `$skip`, `$top` and `$count` of a collection in a row. */
function compileItems(options: SystemQueryOptions, outer: Scope): Omit<Part, 'name'> {
  const scope = withComputed(options, outer);
  const steps = {
    accept: compileAccept(options, scope),
    order: compileOrder(options.orderBy ?? [], [], scope),
    page: pageOf(options),
    count: options.count === true,
  };
  const cutItem = compileItem(options, scope);
  const run = (value: Value) => runSteps(steps, (value ?? []) as readonly Row[]);
  return {
    cut: (value) => (value === null ? null : run(value).rows.map(cutItem)),
    count: steps.count ? (value) => run(value).count ?? 0 : undefined,
  };
}

/** What is shown of one value: the value itself where that is all of it. */
function compileItem({ select }: SystemQueryOptions, scope: Scope): Cut {
  const type = structuredType(scope.model, scope.instance.type);
  if (type === undefined || (select === undefined && scope.computed.size === 0)) return (value) => value;
  const selection = bindSelect(select, type, scope.computed, scope);
  const shown = new Map([...scope.computed].filter(([name]) => selection.names.includes(name)));
  const extend = compileExtension(shown, compileParts(selection, type, scope));
  const keep = compileKeep(selection, type, scope);
  return (value) => (value === null ? null : keep(extend(value as Row)));
}

/** Leaves what a selection names, in the order that the value has it. */
function compileKeep({ names, dynamic }: Selection, type: ModelType, { model }: Scope): (row: Row) => Row {
  const kept = new Set(withCounts(names));
  const declared = new Set(propertiesOf(model, type).keys());
  return (row) => keepMembers(row, (name) => kept.has(name) || (dynamic && !declared.has(name)));
}

/** Leaves out undeclared properties of the fetched row that are not shown; undefined where all are. */
export function compileUndeclared(
  { names, dynamic }: Selection,
  declared: readonly string[],
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

/** Remembers the fetched row for `$it` in the options of its parts. */
export function enterRow({ cell }: BoundVariable, row: Row): Row {
  cell.value = row;
  return row;
}
