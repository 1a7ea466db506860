import { meshName } from '../../model/derive/names/mesh-name.ts';
import {
  type DocumentNode,
  isTrue,
  items,
  member,
  members,
  text,
} from '../../openapi/document/document-node.ts';
import { keyword, type Schema, type SchemaReader, schemaProperties } from '../../openapi/schemas/schema.ts';

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

/** Which way the values go: what is read only is not sent, what is written only does not come. */
export type Direction = 'request' | 'response';

/**
 * The pointers of the components whose values differ by the way they go, because they, or what they refer
 * to, have properties that are read only or written only, or are of one type or another: GraphQL has unions
 * and interfaces for what comes alone.
 */
export function readWriteVariants(root: DocumentNode): ReadonlySet<string> {
  const components = members(member(member(root, 'components'), 'schemas')).map(([, node]) => node);
  const scans = new Map(components.map((node) => [node.pointer, scan(node.value)]));
  const referring = new Map<string, string[]>();
  for (const [pointer, { references }] of scans) {
    for (const reference of references) {
      const known = referring.get(reference);
      if (known === undefined) referring.set(reference, [pointer]);
      else known.push(pointer);
    }
  }
  const differing = new Set<string>();
  const waiting = [...scans].flatMap(([pointer, { isDirected }]) => (isDirected ? [pointer] : []));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (differing.has(next)) continue;
    differing.add(next);
    waiting.push(...(referring.get(next) ?? []));
  }
  return differing;
}

interface Scan {
  readonly isDirected: boolean;
  /** The pointers that it refers to. */
  readonly references: ReadonlySet<string>;
}

function scan(schema: unknown): Scan {
  const references = new Set<string>();
  let isDirected = false;
  const waiting: DocumentNode[] = [{ value: schema, pointer: '' }];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const reference = text(member(node, '$ref'));
    if (reference?.startsWith('#')) references.add(reference.slice(1));
    isDirected ||= isTrue(member(node, 'readOnly')) || isTrue(member(node, 'writeOnly')) || isVaried(node);
    if (typeof node.value !== 'object' || node.value === null) continue;
    for (const value of Object.values(node.value)) waiting.push({ value, pointer: '' });
  }
  return { isDirected, references };
}

function isVaried(node: DocumentNode): boolean {
  const branches = [...items(member(node, 'oneOf')), ...items(member(node, 'anyOf'))];
  return branches.length > 1 || member(node, 'discriminator') !== undefined;
}
