import type { Row, Value } from '../../contract/row.ts';
import type { EntityType } from '../../model/edm.ts';
import { isReference, readReference } from './binding-input.ts';
import type { WrittenLink } from './entity-input.ts';
import { describe, type InputObject, isObject } from './input-value.ts';
import { pathTo } from './mistakes.ts';
import type { ReadEntity, Reading, ReadMember } from './reading.ts';
import { readMember as readEnumerationMember, readPrimitiveValue } from './scalar-input.ts';

/** One of the entities that are to be related: a reference to one, or what it is to be (Part 1, 11.4.3.1). */
export function readMember(
  reading: Reading,
  type: EntityType,
  json: InputObject,
  path: string,
  readEntity: ReadEntity,
): ReadMember {
  const link = linkOf(json, path);
  if (link !== undefined && isReference(json)) return { kind: 'link', link };
  const entity = readEntity({ ...reading, kind: 'update', sent: undefined }, type, json, path);
  const key = readKey(reading, entity.type, json, path);
  return { kind: 'entity', path, link, key, etag: controlOf(json, 'etag'), entity, json };
}

/** An entity that a delta takes out (JSON Format 4.01, 15.3); undefined for any other. */
export function readRemoved(
  reading: Reading,
  type: EntityType,
  json: InputObject,
  path: string,
): ReadMember | undefined {
  const name = ['@removed', '@odata.removed'].find((each) => Object.hasOwn(json, each));
  if (name === undefined) return undefined;
  const removed = json[name];
  const reason = isObject(removed) ? (removed['reason'] ?? 'changed') : undefined;
  if (reason !== 'changed' && reason !== 'deleted') {
    reading.mistakes.add(pathTo(path, name), 'the reason "changed" or "deleted"', describe(removed));
  }
  const link = linkOf(json, path);
  const key = readKey(reading, type, json, path);
  if (link === undefined && Object.keys(key).length < type.key.length) {
    reading.mistakes.add(path, 'the id or the key of an entity', 'neither');
  }
  return { kind: 'removed', path, link, key, isDeleted: reason === 'deleted' };
}

function linkOf(json: InputObject, path: string): WrittenLink | undefined {
  const [url] = readReference(json);
  return url === undefined ? undefined : { url, target: path };
}

function controlOf(json: InputObject, name: string): string | undefined {
  const value = json[`@${name}`] ?? json[`@odata.${name}`];
  return typeof value === 'string' ? value : undefined;
}

/** The properties of the key that are said. */
function readKey(reading: Reading, type: EntityType, json: InputObject, path: string): Row {
  const entries = type.key.flatMap((name): readonly (readonly [string, Value])[] => {
    const property = type.structuralProperties.get(name);
    const value = json[name];
    if (property === undefined || value === undefined) return [];
    const { type: held } = property;
    const place = pathTo(path, name);
    if (held.kind === 'enumeration') return [[name, readEnumerationMember(reading, held, value, place)]];
    return held.kind === 'primitive' ? [[name, readPrimitiveValue(reading, property, value, place)]] : [];
  });
  return Object.fromEntries(entries);
}
