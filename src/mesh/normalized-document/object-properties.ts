import { meshName } from '../../model/derive/names/mesh-name.ts';
import { type DocumentNode, isTrue } from '../../openapi/document/document-node.ts';
import { keyword, type Schema, type SchemaReader, schemaProperties } from '../../openapi/schemas/schema.ts';
import type { Direction } from './read-write-variants.ts';

/** A property that has a name in GraphQL. */
export interface PropertySchema {
  readonly name: string;
  readonly node: DocumentNode;
  readonly schema: Schema;
  /** Whether all types that have the property say the same of it. */
  readonly isOne: boolean;
}

type Schemas = readonly [Schema, ...Schema[]];

/**
 * The properties of objects of any of the schemas, as far as they go that way and have a name of their own in Mesh: what
 * is left out is read all the same, and is held against no type of Mesh's. Where the first schema has a property, its
 * word holds.
 */
export function objectProperties(
  read: SchemaReader,
  schemas: Schemas,
  direction: Direction,
): readonly PropertySchema[] {
  const withheld = direction === 'request' ? 'readOnly' : 'writeOnly';
  const known = new Map<string, PropertySchema>();
  for (const [name, nodes] of propertyNodes(schemas)) {
    const [node] = nodes;
    const schema = read(node);
    if (schema === undefined || schema.hidden || isTrue(keyword(schema, withheld))) continue;
    const isOne = nodes.every(({ value }) => JSON.stringify(value) === JSON.stringify(node.value));
    if (isNamed(name) && !known.has(meshName(name))) known.set(meshName(name), { name, node, schema, isOne });
  }
  return [...known.values()];
}

/** No object can have a property of the one name, and Mesh takes the other for the keyword. */
function isNamed(name: string): boolean {
  return name !== '__proto__' && name !== 'additionalProperties';
}

type Nodes = readonly [DocumentNode, ...DocumentNode[]];

/** Where each property is described: by the first schema where that has it, else by all that do. */
function propertyNodes([first, ...others]: Schemas): ReadonlyMap<string, Nodes> {
  const nodes = new Map<string, Nodes>();
  for (const schema of others) {
    for (const [name, node] of schemaProperties(schema)) nodes.set(name, [node, ...(nodes.get(name) ?? [])]);
  }
  const own = [...schemaProperties(first)].map(([name, node]): [string, Nodes] => [name, [node]]);
  return new Map([...own, ...[...nodes].filter(([name]) => !schemaProperties(first).has(name))]);
}
