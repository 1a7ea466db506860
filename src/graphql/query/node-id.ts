import { type Row, TYPE } from '../../contract/row.ts';
import { parsePrimitive } from '../../engine/values/primitive.ts';
import { type EntitySet, type EntityType, isA, isComparable, keyProperties } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import { nodeSets } from '../context/schema-names.ts';

/** The row member with the name of the entity's set, if several sets have entities of its type. */
export const ENTITY_SET = 'entity set';

/** The sets that an entity of the type may be in, and that its global identifier may name. */
export function setsWithNodes(model: Model, type: EntityType): readonly EntitySet[] {
  return [...nodeSets(model).values()].filter(({ entityType }) => isA(type, entityType));
}

/** The global identifier of an entity: base64url of a JSON array with its set and the values of its key. */
export function writeNodeId({ name, entityType }: EntitySet, row: Row): string | null {
  const values = entityType.key.map((each) => row[each] ?? null);
  if (values.includes(null)) return null;
  return Buffer.from(JSON.stringify([name, ...values.map(String)])).toString('base64url');
}

/** An entity as its global identifier names it. */
export interface NamedNode {
  readonly set: EntitySet;
  readonly key: Row;
}

/** The set and key in a global identifier; undefined for any text that {@link writeNodeId} does not write. */
export function readNodeId(model: Model, id: string): NamedNode | undefined {
  const [name, ...texts] = partsOf(id);
  const set = nodeSets(model).get(name ?? '');
  if (set === undefined || texts.length !== set.entityType.key.length) return undefined;
  const key: Record<string, Row[string]> = {};
  for (const [index, { name: property, type }] of keyProperties(set.entityType).entries()) {
    const text = texts[index] ?? '';
    const isText = type.kind !== 'primitive' || !isComparable(type.name);
    const value = isText ? text : parsePrimitive(type.name, text);
    if (value === undefined) return undefined;
    key[property] = value;
  }
  return writeNodeId(set, key) === id ? { set, key } : undefined;
}

function partsOf(id: string): readonly string[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(id, 'base64url').toString());
    const isOfTexts = Array.isArray(parts) && parts.every((part) => typeof part === 'string');
    return isOfTexts ? parts : [];
  } catch {
    return [];
  }
}

/** The row with its type, by which the executor finds the object type of a node. */
export function typedNode({ entityType }: EntitySet, row: Row): Row {
  return row[TYPE] === undefined ? { ...row, [TYPE]: entityType.name } : row;
}
