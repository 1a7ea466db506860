import type { WrittenScope } from '../../contract/accounts.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import { EVERY_RESOURCE, type Scope } from '../../contract/principal.ts';
import { PERMISSIONS, type Permission } from '../../model/permission.ts';

const MOST_RESOURCES = 200;

/** A name, or names separated by slashes: any name that a model may give a resource (CSDL 4.01, 15.2). */
const RESOURCE = /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}/]{0,255}$/u;

/** Parses the scope of a request; throws BadRequest with the target `scope` if it is invalid. */
export function readScope(value: unknown): Scope {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw refused('scope must be an object of resources, each with a list of permissions.');
  }
  const entries = Object.entries(value);
  if (entries.length === 0 || entries.length > MOST_RESOURCES) {
    throw refused(`scope must name 1 to ${MOST_RESOURCES} resources, but names ${entries.length}.`);
  }
  return scopeOf(entries.map(([name, list]) => [readResource(name), readPermissions(name, list)]));
}

function readResource(name: string): string {
  if (name === EVERY_RESOURCE || RESOURCE.test(name)) return name;
  throw refused(`scope must name resources, or ${EVERY_RESOURCE}, not ${JSON.stringify(name)}.`);
}

function readPermissions(name: string, list: unknown): readonly Permission[] {
  const isList = Array.isArray(list) && list.length > 0 && list.every((each) => PERMISSIONS.includes(each));
  if (isList) return list;
  const expected = `a list of ${PERMISSIONS.slice(0, -1).join(', ')} and ${PERMISSIONS.at(-1)}`;
  throw refused(`scope.${name} must be ${expected}, with at least one of them.`);
}

function refused(message: string): GatewayError {
  return new GatewayError('BadRequest', message, { target: 'scope' });
}

/** Sorted, so that equal scopes have equal texts. */
function scopeOf(entries: readonly (readonly [string, readonly Permission[]])[]): Scope {
  const ordered = [...entries]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, held]) => [name, PERMISSIONS.filter((permission) => held.includes(permission))] as const);
  const permissions = new Map(ordered.map(([name, held]) => [name, new Set(held)]));
  return { permissions, text: JSON.stringify(Object.fromEntries(ordered)) };
}

/** Parses a stored scope; an invalid one allows nothing. */
export function storedScope(text: string): Scope {
  try {
    return readScope(JSON.parse(text));
  } catch {
    return scopeOf([]);
  }
}

export function writtenScope({ permissions }: Scope): WrittenScope {
  return Object.fromEntries([...permissions].map(([name, held]) => [name, [...held]]));
}
