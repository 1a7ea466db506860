import { GatewayError } from '../../contract/gateway-error.ts';
import type { EntityType, Model } from '../../model/edm.ts';
import { nearName } from '../../model/near-name.ts';
import type { NavigationProperty } from '../../model/structured-type.ts';
import { findEntityType, isDerived } from '../resource/place.ts';
import { notImplemented } from '../resource/resource-error.ts';
import type { ExpandItem } from '../tree/options-tree.ts';

/** An item of `$expand` with its names bound to the model (Part 2, 5.1.3). */
export interface BoundExpand {
  readonly item: ExpandItem;
  /** Only entities of this type have the property expanded: the declared one, or a type cast before it. */
  readonly owner: EntityType;
  readonly navigation: NavigationProperty;
  /** The declared type of the related entities. */
  readonly target: EntityType;
  /** A type cast behind the property: related entities of other types are left out. */
  readonly cast: EntityType | undefined;
  /** Whether `*` stands for the property. */
  readonly isStar: boolean;
}

/** Binds all items. `*` stands for the navigation properties that no other item names. */
export function bindExpand(
  model: Model,
  type: EntityType,
  items: readonly ExpandItem[],
): readonly BoundExpand[] {
  const named = items.filter((item) => !isStar(item)).map((item) => bindNamed(model, type, item));
  refuseDoubles(named);
  const stars = items.filter(isStar).flatMap((item) => bindStar(model, type, item));
  const others = stars.filter((star) =>
    named.every(({ navigation }) => navigation.name !== star.navigation.name),
  );
  refuseDoubles(others);
  return [...named, ...others];
}

/** Under which name entities hold what is expanded. */
export function expandedName({ item, navigation }: Pick<BoundExpand, 'item' | 'navigation'>): string {
  return item.alias ?? navigation.name;
}

function isStar({ path }: ExpandItem): boolean {
  return path.length === 1 && path[0] === '*';
}

function bindStar(model: Model, type: EntityType, item: ExpandItem): readonly BoundExpand[] {
  return [...type.navigationProperties.values()].map((navigation) => ({
    item,
    owner: type,
    navigation,
    target: targetOf(model, navigation, item),
    cast: undefined,
    isStar: true,
  }));
}

function bindNamed(model: Model, type: EntityType, item: ExpandItem): BoundExpand {
  const [first = ''] = item.path;
  const before = findEntityType(model, first);
  if (before !== undefined && !isDerived(model, before, type)) throw noNavigation(type, first);
  const owner = before ?? type;
  const [name = '', ...behind] = before === undefined ? item.path : item.path.slice(1);
  if (isStreamItem(owner, name, item)) throw notImplemented('A stream in $expand', '$expand');
  if (owner.structuralProperties.get(name)?.type.kind === 'complex' && behind.length > 0) {
    throw notImplemented(`"${item.path.join('/')}" in $expand`, '$expand');
  }
  const navigation = owner.navigationProperties.get(name);
  if (navigation === undefined) throw noNavigation(owner, name);
  const target = targetOf(model, navigation, item);
  return { item, owner, navigation, target, cast: bindCast(model, target, behind), isStar: false };
}

/** `$value` is a media entity's own stream; a stream property is expanded to its value (Part 2, 5.1.3). */
function isStreamItem(
  { structuralProperties }: EntityType,
  name: string,
  { path, form }: ExpandItem,
): boolean {
  return (
    (form === 'stream' && path.length === 0) || structuralProperties.get(name)?.type.name === 'Edm.Stream'
  );
}

function targetOf(model: Model, navigation: NavigationProperty, { form }: ExpandItem): EntityType {
  const { name, entityType, collection } = navigation;
  const target = model.entityTypes.get(entityType);
  if (form === 'count' && !collection)
    throw badExpand(`expected a collection before /$count, found "${name}"`);
  if (target === undefined || form === 'stream') throw notImplemented(`"${name}" in $expand`, '$expand');
  return target;
}

function bindCast(model: Model, target: EntityType, path: readonly string[]): EntityType | undefined {
  const [name, ...more] = path;
  if (name === undefined) return undefined;
  const cast = findEntityType(model, name);
  if (cast !== undefined && more.length === 0 && isDerived(model, cast, target)) return cast;
  throw badExpand(
    `expected a type derived from ${qualified(target)}, found "${path.join('/').slice(0, 100)}"`,
  );
}

function noNavigation(type: EntityType, found: string): GatewayError {
  const near = nearName(found, type.navigationProperties.keys());
  const meant = near === undefined ? '' : `: is "${near}" meant?`;
  const message = `expected a navigation property of ${qualified(type)}, found "${found.slice(0, 100)}"${meant}`;
  return badExpand(message);
}

function refuseDoubles(bound: readonly BoundExpand[]): void {
  const names = bound.map(expandedName);
  const double = names.find((name, index) => names.indexOf(name) !== index);
  if (double !== undefined)
    throw badExpand(`expected each navigation property once, found "${double}" twice`);
}

function badExpand(message: string): GatewayError {
  return new GatewayError('BadRequest', `$expand: ${message}`, { target: '$expand' });
}

function qualified({ namespace, name }: EntityType): string {
  return `${namespace}.${name}`;
}
