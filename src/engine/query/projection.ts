import type { CurrentBudget } from '../../contract/request-budget.ts';
import { type Row, TYPE, type Value } from '../../contract/row.ts';
import { atOnce, finished, mapped, type Work } from '../../core/work.ts';
import {
  type EntityType,
  isA,
  readableProperties,
  type StructuralProperty,
  withDerivedTypes,
} from '../../model/edm.ts';
import { bindExpression } from '../bind/bind-expression.ts';
import { isStream, unknownProperty } from '../bind/bind-path.ts';
import { compileValue, type Evaluator } from '../compile/compile.ts';
import type { ResultContent } from '../results/result-type.ts';
import {
  aboutOption,
  type BoundVariable,
  badRequest,
  type ComputedProperty,
  type FunctionCall,
  notImplemented,
  quote,
  type RelatedReads,
  type RootSource,
  repeatedCast,
  rowOf,
  type Scope,
  type ValueUse,
  variableOf,
} from '../scope/scope.ts';
import type { ComputeItem, QueryOptions, SelectItem, SystemQueryOptions } from '../tree/query-tree.ts';
import {
  isDynamic,
  isResult,
  isStructured,
  isUntyped,
  itemType,
  type ModelType,
  propertiesOf,
  qualifiedName,
  structuredOf,
  structuredType,
  typeName,
  typeOfUse,
  useOfType,
} from '../typing/expression-type.ts';
import { compileOrder } from './order.ts';
import { assertNoneMisplaced, COLLECTION_OPTIONS, compileAccept, pageOf, runSteps } from './pipeline.ts';

/** The selected parts of a structured type (Part 1, 11.2.5.1). */
interface Selection {
  /** Properties in the model's order, those of derived types behind, then computed and named undeclared ones. */
  readonly names: readonly string[];
  /** All undeclared properties are shown. */
  readonly dynamic: boolean;
  /** Properties of which a part is shown, with the items that say which. */
  readonly parts: ReadonlyMap<string, readonly SelectItem[]>;
}

/** The collected requirements of the items of one `$select`. */
interface Requirements {
  readonly names: Set<string>;
  readonly undeclared: Set<string>;
  readonly parts: Map<string, SelectItem[]>;
  dynamic: boolean;
}

/** Binds `$select`: without it, everything is shown; `*` represents all but computed properties. */
function bindSelect(
  items: readonly SelectItem[] | undefined,
  type: ModelType,
  computed: ReadonlyMap<string, ComputedProperty>,
  scope: Scope,
): Selection {
  const requirements: Requirements = {
    names: new Set(),
    undeclared: new Set(),
    parts: new Map(),
    dynamic: false,
  };
  if (items === undefined) {
    wishAll(requirements, type);
    for (const name of computed.keys()) requirements.names.add(name);
  }
  for (const item of items ?? []) {
    bindItem(item, type, requirements, { ...scope, computed });
  }
  const held = isResult(type) ? type.navigationProperties.keys() : [];
  const declared = [...propertiesOf(type).keys(), ...held, ...computed.keys()];
  return {
    names: [...declared.filter((name) => requirements.names.has(name)), ...requirements.undeclared],
    dynamic: requirements.dynamic,
    parts: new Map([...requirements.parts].filter(([name]) => !isWhole(name, requirements))),
  };
}

function isWhole(name: string, { parts }: Requirements): boolean {
  return parts.get(name)?.length === 0;
}

function wishAll(wishes: Requirements, type: ModelType): void {
  for (const name of propertiesOf(type).keys()) wishWhole(wishes, name);
  wishes.dynamic = true;
}

/** A property that is asked for as a whole is shown so, whatever else is asked of it. */
function wishWhole(wishes: Requirements, name: string): void {
  wishes.names.add(name);
  wishes.parts.set(name, []);
}

function bindItem(item: SelectItem, type: ModelType, wishes: Requirements, scope: Scope): void {
  const [name = ''] = item.path;
  if (name === '*') {
    wishAll(wishes, type);
  } else if (name.startsWith('@')) {
    throw notImplemented(scope, item.position, `${quote(name)} in $select`);
  } else if (name.includes('.')) {
    bindQualified(item, type, wishes, scope);
  } else {
    bindName(item, type, wishes, scope);
  }
}

/** A type cast; or operations of the model, which add nothing to what is read. */
function bindQualified(item: SelectItem, type: ModelType, wishes: Requirements, scope: Scope): void {
  const [name = '', ...rest] = item.path;
  const cast = structuredType(scope.model, name);
  if (cast !== undefined && rest.length > 0) {
    if (rest[0] === name) throw repeatedCast(name, item.position, scope);
    assertRelated(cast, type, item, scope);
    bindItem({ ...item, path: rest }, isA(cast, type) ? cast : type, wishes, scope);
    return;
  }
  const isOperation = scope.model.callables.some((callable) => qualifiedName(callable) === name);
  if (!name.endsWith('.*') && !isOperation) throw unknownProperty(name, type, scope, item.position);
}

function assertRelated(cast: ModelType, type: ModelType, item: SelectItem, scope: Scope): void {
  if (!isA(cast, type) && !isA(type, cast)) {
    throw badRequest(
      scope,
      item.position,
      `expected a type derived from ${qualifiedName(type)}, found ${quote(qualifiedName(cast))}`,
    );
  }
}

function bindName(item: SelectItem, type: ModelType, wishes: Requirements, scope: Scope): void {
  const [name = '', ...rest] = item.path;
  const isPart = rest.length > 0 || item.options !== undefined;
  const property = readableProperties(type).get(name);
  if (property !== undefined && isPart) {
    assertParts(property, rest, item, scope);
    wishPart(wishes, name, { ...item, path: rest });
  } else if (property !== undefined) {
    wishWhole(wishes, name);
  } else if (isPart && isHeld(type, name, scope)) {
    wishPart(wishes, name, { ...item, path: rest });
  } else if (isPart) {
    throw partOfOther(item, name, type, scope);
  } else if (scope.computed.has(name) || isHeld(type, name, scope)) {
    wishWhole(wishes, name);
  } else if (isDynamic(type, name)) {
    wishes.undeclared.add(name);
  } else if (!isLink(type, name)) {
    throw unknownProperty(name, type, scope, item.position);
  }
}

/** Results of `$apply` hold instances under the names of navigation properties, or of what was added to them. */
function isHeld(type: ModelType, name: string, { computed }: Scope): boolean {
  const added = computed.get(name);
  if (added !== undefined) return isStructured(itemType(added.expression.type));
  return isResult(type) && type.navigationProperties.has(name);
}

/** Whether a property has no value, but links: navigation properties and streams. */
function isLink(type: ModelType, name: string): boolean {
  return type.navigationProperties.has(name) || isStream(type, name);
}

function wishPart(wishes: Requirements, name: string, part: SelectItem): void {
  if (isWhole(name, wishes)) return;
  wishes.names.add(name);
  wishes.parts.set(name, [...(wishes.parts.get(name) ?? []), part]);
}

/** Single primitive values have no parts. */
function assertParts(
  { name, type, collection }: StructuralProperty,
  rest: readonly string[],
  item: SelectItem,
  scope: Scope,
): void {
  const isStructured = type.kind === 'complex' || type.kind === 'entity';
  if (isStructured || (collection && rest.length === 0)) return;
  const found = rest.length > 0 ? quote(`/${rest.join('/')}`) : 'options';
  throw badRequest(
    scope,
    item.position,
    `expected nothing after the primitive ${quote(name)}, found ${found}`,
  );
}

function partOfOther(item: SelectItem, name: string, type: ModelType, scope: Scope): Error {
  const computed = scope.computed.get(name);
  if (computed !== undefined && !isUntyped(computed.expression.type)) {
    return badRequest(scope, item.position, `expected nothing after the computed ${quote(name)}`);
  }
  if (type.navigationProperties.has(name)) {
    const expected = `expected nothing after the navigation property ${quote(name)}`;
    return badRequest(
      scope,
      item.position,
      `${expected}: its entities' properties are selected within $expand`,
    );
  }
  const isKnown = scope.computed.has(name) || isDynamic(type, name);
  return isKnown
    ? notImplemented(scope, item.position, `${quote(item.path.join('/'))} in $select`)
    : unknownProperty(name, type, scope, item.position);
}

/**
 * Binds `$compute` (Part 1, 11.2.5.3). Each name can be used by the items behind it and by all other
 * options; it must differ from the names of the properties and from those before it. What the scope has
 * already stays in front.
 */
export function bindCompute(
  items: readonly ComputeItem[],
  scope: Scope,
): ReadonlyMap<string, ComputedProperty> {
  const computed = new Map(scope.computed);
  for (const item of items) {
    assertNewName(item, computed, scope);
    computed.set(item.alias, bindComputed(item, { ...scope, computed }));
  }
  return computed;
}

function assertNewName(
  { alias, position }: ComputeItem,
  before: ReadonlyMap<string, ComputedProperty>,
  scope: Scope,
): void {
  // An object cannot have a property of its own with this name by assignment.
  if (alias === '__proto__') {
    throw badRequest(scope, position, `expected a name, found ${quote(alias)}`);
  }
  const type = structuredOf(scope.instance.type);
  const isTaken =
    type !== undefined && (propertiesOf(type).has(alias) || type.navigationProperties.has(alias));
  if (isTaken || before.has(alias)) {
    throw badRequest(scope, position, `expected an unused name, found ${quote(alias)}`);
  }
}

function bindComputed(item: ComputeItem, scope: Scope): ComputedProperty {
  const before = scope.nodes.used;
  // What an expression reads counts when the computed property is used.
  const reads = new Set<string>();
  const expression = bindExpression(item.expression, { ...scope, reads });
  if (useOfType(expression.type).type.kind === 'entity') {
    throw notImplemented(scope, item.position, `a computed property of type ${typeName(expression.type)}`);
  }
  return { expression, reads, size: scope.nodes.used - before };
}

/** The properties that a query reads and shows. */
export interface Projection {
  /** The properties to fetch: those shown, those that options read, and the key, in the model's order. */
  readonly properties: readonly string[];
  /** Undeclared properties of an open type are to be fetched, too: they are shown, or an option reads one. */
  readonly dynamic: boolean;
  /** The reads of related entities; rows must have them under the navigation properties' names. */
  readonly related: ReadonlyMap<string, RelatedReads>;
  /** The reads from `$root`; `run` takes their results in this order. */
  readonly roots: readonly RootSource[];
  /** The function calls for rows, whose results must be in the rows under the calls' names. */
  readonly calls: readonly FunctionCall[];
  /** The names that the answer shows: properties in the model's order, then computed, then named undeclared ones. */
  readonly selected: readonly string[];
  /** The types of shown computed properties. */
  readonly computed: ReadonlyMap<string, ValueUse>;
  /** Collections whose number of items, before `$top` and `$skip` in `$select`, rows have as `Name@count`. */
  readonly counted: readonly string[];
  /**
   * The rows that come out have nothing beside what is shown: of the selected properties those of their own
   * type, in that order, and of the undeclared ones those that are asked for.
   */
  readonly exact: boolean;
  /** False if the query uses `now()`. */
  readonly repeatable: boolean;
  /** The content of the results of `$apply`; undefined without it. */
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
    dynamic: read.dynamic || (selection.dynamic && withDerivedTypes(type).some(({ open }) => open)),
    related: scope.related,
    roots: scope.roots.map(({ read }) => read),
    calls: callsOf(scope),
    selected: selection.names,
    computed: new Map([...shown].map(([name, { expression }]) => [name, useOfType(expression.type)])),
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

/** The properties to fetch: shown ones, those that options read, and the key. */
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

/** The declared properties of a type and its derived types. */
export function declaredNames(type: EntityType): ReadonlySet<string> {
  return new Set(withDerivedTypes(type).flatMap(namesOf));
}

/** Properties, aliases of key properties, and navigation properties whose entities stand in the row. */
function namesOf(type: ModelType): readonly string[] {
  const embedded = [...type.navigationProperties.values()].filter(({ origin }) => origin.kind === 'embedded');
  const aliases = [...type.structuralProperties.values()].filter(({ aliasOf }) => aliasOf !== undefined);
  return [...readableProperties(type).keys(), ...[...aliases, ...embedded].map(({ name }) => name)];
}

/** Members of rows that are not fetched. */
interface Made {
  readonly shown: ReadonlyMap<string, ComputedProperty>;
  readonly parts: readonly NestedSelection[];
  readonly it: InstanceAround;
}

/** Converts fetched rows to those of the response; undefined if they are the same. */
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

/**
 * Compiles what is left of the properties that a selection shows in part.
 *
 * Inside their options a path starts at the value, and `$it` is the row that was fetched.
 */
function compileParts({ parts }: Selection, type: ModelType, scope: Scope): readonly NestedSelection[] {
  const properties = propertiesOf(type);
  return [...parts].flatMap(([name, items]) => {
    const property = properties.get(name) ?? heldProperty(type, name) ?? addedProperty(name, scope);
    return property === undefined ? [] : [compilePart(property, items, scope)];
  });
}

type PartProperty = Pick<StructuralProperty, 'name' | 'type' | 'collection'>;

/** The content of `$apply` results under the name of a navigation property. */
function heldProperty(type: ModelType, name: string): PartProperty | undefined {
  const navigation = isResult(type) ? type.navigationProperties.get(name) : undefined;
  if (navigation === undefined) return undefined;
  const { entityType, collection } = navigation;
  return { name, type: entityType, collection };
}

/** A computed property, or one that a transformation added. */
function addedProperty(name: string, { computed }: Scope): PartProperty | undefined {
  const added = computed.get(name);
  return added && { name, ...useOfType(added.expression.type) };
}

function compilePart(property: PartProperty, items: readonly SelectItem[], scope: Scope): NestedSelection {
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

/** Selects the shown part of a value that may be large. */
export type NestedSelect = (value: Value) => Work<NestedRows>;

/** `$select` and `$compute` of a single structured value; `who` it is, an error about another option says. */
export function compileSingle(options: SystemQueryOptions, who: string, scope: Scope): NestedSelect {
  assertNoneMisplaced(options, COLLECTION_OPTIONS, who);
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

/** Selects the shown part of a value; returns the value itself if that is all of it. */
function compileItem({ select }: SystemQueryOptions, outer: Scope): (value: Value) => Value {
  const scope = aboutOption(outer, '$select');
  const type = structuredOf(scope.instance.type);
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
function compileUndeclared(
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

/** The instance bound to `$it` in nested options. */
interface InstanceAround {
  readonly variable: BoundVariable;
  /** To be called with each row before its parts are cut. */
  readonly enter: (row: Row) => Row;
}

/** The fetched row, or what is `$it` for that already. */
function instanceAround({ it }: Scope): InstanceAround {
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

/** The shown value, and its count before paging if `$count` requests it. */
export interface NestedRows {
  readonly value: Value;
  readonly count: number | undefined;
}

type CutNestedRows = (value: Value) => NestedRows;

/** A property of which a part is shown. */
interface NestedSelection {
  readonly name: string;
  readonly cut: CutNestedRows;
  /** `$count` asks how many items there are. */
  readonly counted: boolean;
}

/** The name of a row's member that says how many items the collection has before it is cut into a page. */
export function countName(property: string): string {
  return `${property}@count`;
}

/** Adds computed properties to copies of rows, and cuts the properties that are shown in part. */
export function compileExtension(
  computed: ReadonlyMap<string, ComputedProperty>,
  parts: readonly NestedSelection[],
  current: CurrentBudget,
): (row: Row) => Row {
  const evaluators: readonly (readonly [string, Evaluator])[] = [...computed].map(
    ([name, { expression }]) => [name, compileValue(expression)],
  );
  return (row) => {
    const extended: Record<string, Value> = { ...row };
    for (const [name, value] of evaluators) {
      const computed = value(row);
      // What rows hold stays in memory: a computed text is charged, wherever it comes from.
      if (typeof computed === 'string') current.budget.chargeText(computed.length);
      extended[name] = computed;
    }
    for (const { name, cut } of parts) {
      if (!Object.hasOwn(extended, name)) continue;
      const whole = extended[name] ?? null;
      const { value, count } = cut(whole);
      extended[name] = value;
      if (count !== undefined) extended[countName(name)] = count;
    }
    return extended;
  };
}
