import { readableProperties } from '../../model/readable-property.ts';
import type { SelectItem } from '../url/tree.ts';
import { qualifiedName, unknownProperty } from './bind-path.ts';
import { badRequest, notImplemented, quote, type Scope } from './scope.ts';

/**
 * Binds `$select` (Part 1, 11.2.5.1) to the names that the answer shows: properties in the model's order,
 * then computed ones. Without `$select` that is all of them; `*` stands for the model's.
 */
export function bindSelect(items: readonly SelectItem[] | undefined, scope: Scope): readonly string[] {
  const all = [...readableProperties(scope.entityType).keys(), ...scope.computed.keys()];
  if (items === undefined) {
    return all;
  }
  const chosen = new Set(items.flatMap((item) => bindItem(item, scope)));
  return all.filter((name) => chosen.has(name));
}

function bindItem(item: SelectItem, scope: Scope): readonly string[] {
  const { entityType } = scope;
  const [name, ...rest] = withoutTypeCast(item.path, qualifiedName(entityType));
  if (name === '*' && rest.length === 0) {
    return [...readableProperties(entityType).keys()];
  }
  if (name === undefined || name.endsWith('.*')) {
    throw notImplemented(scope, item.position, `${quote(item.path.join('/'))} in $select`);
  }
  return bindName(name, rest, item, scope);
}

function withoutTypeCast(path: readonly string[], typeName: string): readonly string[] {
  return path[0] === typeName ? path.slice(1) : path;
}

function bindName(name: string, rest: readonly string[], item: SelectItem, scope: Scope): readonly string[] {
  const property = readableProperties(scope.entityType).get(name);
  if (property === undefined && !scope.computed.has(name)) {
    throw unknownProperty(name, scope, item.position);
  }
  if (rest.length > 0 || item.options !== undefined) {
    if (property !== undefined && (property.type.kind !== 'primitive' || property.collection)) {
      throw notImplemented(scope, item.position, `${quote(item.path.join('/'))} in $select`);
    }
    const found = rest.length > 0 ? quote(`/${rest.join('/')}`) : 'options';
    throw badRequest(
      scope,
      item.position,
      `expected nothing behind the primitive ${quote(name)}, found ${found}`,
    );
  }
  return [name];
}
