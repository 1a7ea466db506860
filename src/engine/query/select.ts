import { isA, readableProperties, type StructuralProperty } from '../../model/edm.ts';
import { bindExpression } from '../bind/bind-expression.ts';
import { isStream, unknownProperty } from '../bind/bind-property.ts';
import { isResult } from '../results/result-type.ts';
import type { BoundExpression } from '../scope/bound-tree.ts';
import {
  badRequest,
  type ComputedProperty,
  notImplemented,
  quote,
  repeatedCast,
  type Scope,
} from '../scope/scope.ts';
import type { ComputeItem, SelectItem } from '../tree/query-tree.ts';
import {
  isDynamic,
  isStructured,
  isUntyped,
  itemType,
  type ModelType,
  propertiesOf,
  qualifiedName,
  structuredOf,
  structuredType,
  typeName,
  useOfType,
} from '../typing/expression-type.ts';

/** What `$select` leaves of the values of a structured type (Part 1, 11.2.5.1). */
export interface Selection {
  /** Properties in the model's order, those of derived types behind, then computed and named undeclared ones. */
  readonly names: readonly string[];
  /** All undeclared properties are shown. */
  readonly dynamic: boolean;
  /** Properties of which a part is shown, with the items that say which. */
  readonly parts: ReadonlyMap<string, readonly SelectItem[]>;
}

/** What the items of one `$select` have asked for so far. */
interface Wishes {
  readonly names: Set<string>;
  readonly undeclared: Set<string>;
  readonly parts: Map<string, SelectItem[]>;
  dynamic: boolean;
}

/** Binds `$select`: without it everything is shown, `*` stands for all but computed properties. */
export function bindSelect(
  items: readonly SelectItem[] | undefined,
  type: ModelType,
  computed: ReadonlyMap<string, ComputedProperty>,
  scope: Scope,
): Selection {
  const wishes: Wishes = { names: new Set(), undeclared: new Set(), parts: new Map(), dynamic: false };
  if (items === undefined) {
    wishAll(wishes, type);
    for (const name of computed.keys()) wishes.names.add(name);
  }
  for (const item of items ?? []) {
    bindItem(item, item.path, type, wishes, { ...scope, computed });
  }
  const held = isResult(type) ? type.navigationProperties.keys() : [];
  const declared = [...propertiesOf(type).keys(), ...held, ...computed.keys()];
  return {
    names: [...declared.filter((name) => wishes.names.has(name)), ...wishes.undeclared],
    dynamic: wishes.dynamic,
    parts: new Map([...wishes.parts].filter(([name]) => !isWhole(name, wishes))),
  };
}

function isWhole(name: string, { parts }: Wishes): boolean {
  return parts.get(name)?.length === 0;
}

function wishAll(wishes: Wishes, type: ModelType): void {
  for (const name of propertiesOf(type).keys()) wishWhole(wishes, name);
  wishes.dynamic = true;
}

/** A property that is asked for as a whole is shown so, whatever else is asked of it. */
function wishWhole(wishes: Wishes, name: string): void {
  wishes.names.add(name);
  wishes.parts.set(name, []);
}

function bindItem(
  item: SelectItem,
  path: readonly string[],
  type: ModelType,
  wishes: Wishes,
  scope: Scope,
): void {
  const [name = '', ...rest] = path;
  if (name === '*') {
    wishAll(wishes, type);
  } else if (name.startsWith('@')) {
    throw notImplemented(scope, item.position, `${quote(name)} in $select`);
  } else if (name.includes('.')) {
    bindQualified(item, name, rest, type, wishes, scope);
  } else {
    bindName(item, name, rest, type, wishes, scope);
  }
}

/** A type cast; or operations of the model, which add nothing to what is read. */
function bindQualified(
  item: SelectItem,
  name: string,
  rest: readonly string[],
  type: ModelType,
  wishes: Wishes,
  scope: Scope,
): void {
  const cast = structuredType(scope.model, name);
  if (cast !== undefined && rest.length > 0) {
    if (rest[0] === name) throw repeatedCast(name, item.position, scope);
    assertRelated(cast, type, item, scope);
    bindItem(item, rest, isA(cast, type) ? cast : type, wishes, scope);
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

function bindName(
  item: SelectItem,
  name: string,
  rest: readonly string[],
  type: ModelType,
  wishes: Wishes,
  scope: Scope,
): void {
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

function wishPart(wishes: Wishes, name: string, part: SelectItem): void {
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
  assertValue(expression, item, scope);
  return { expression, reads, size: scope.nodes.used - before };
}

/** Entities come from elsewhere than values. */
function assertValue({ type }: BoundExpression, { position }: ComputeItem, scope: Scope): void {
  if (useOfType(type).type.kind === 'entity') {
    throw notImplemented(scope, position, `a computed property of type ${typeName(type)}`);
  }
}
