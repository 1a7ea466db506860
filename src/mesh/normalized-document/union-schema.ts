import { type DocumentNode, member, members } from '../../openapi/document/document-node.ts';
import type { DocumentSource } from '../../openapi/document/document-source.ts';
import { readInheritance } from '../../openapi/schemas/inheritance.ts';
import {
  isObjectSchema,
  type Schema,
  type SchemaReader,
  schemaProperties,
} from '../../openapi/schemas/schema.ts';
import { type ScalarType, scalarType } from './scalar-schema.ts';

/** One of the schemas that a value of a union may have. */
export interface Branch {
  readonly node: DocumentNode;
  readonly schema: Schema;
}

/** The JSON type of all branches, such as of two formats of texts. */
export function commonScalar(schema: Schema, read: SchemaReader): ScalarType | undefined {
  const branches = schema.alternatives.map(read);
  const types = new Set(branches.map((branch) => branch && scalarType(branch)));
  if (types.has('number')) types.delete('integer');
  const [only, ...others] = types;
  return others.length === 0 ? only : undefined;
}

/** The branches, where GraphQL can have a union of them: several types of objects, each with a name. */
export function unionBranches(schema: Schema, read: SchemaReader): readonly Branch[] | undefined {
  const branches = flatBranches(schema, read, new Set([schema.identity]));
  const distinct = new Map(branches?.map((branch) => [branch.schema.identity, branch]));
  const isUnion = distinct.size > 1 && [...distinct.values()].every(({ schema: branch }) => isRecord(branch));
  return isUnion ? [...distinct.values()] : undefined;
}

/** Unions among the branches are dissolved. */
function flatBranches(schema: Schema, read: SchemaReader, above: ReadonlySet<string>): Branch[] | undefined {
  const branches: Branch[] = [];
  for (const node of schema.alternatives) {
    const branch = read(node);
    if (branch === undefined || branch.hidden || above.has(branch.identity)) return undefined;
    const isUnion = branch.alternatives.length > 0 && schemaProperties(branch).size === 0;
    const inner = isUnion ? flatBranches(branch, read, new Set([...above, branch.identity])) : undefined;
    if (isUnion && inner === undefined) return undefined;
    branches.push(...(inner ?? [{ node, schema: branch }]));
  }
  return branches;
}

/** Which types of objects are derived from which, as the model has it. */
export interface Hierarchy {
  /** All types derived from a type, at any remove; none where no property of their values tells them apart. */
  readonly descendants: (schema: Schema) => readonly Schema[];
  /** Whether it stands within a type that others are derived from, which have it too. */
  readonly isPartOfBase: (schema: Schema) => boolean;
  /** The property that tells the types apart, by the upstream's name. */
  readonly property: (schema: Schema) => string | undefined;
  /** The values of that property that stand for the type. */
  readonly values: (schema: Schema) => readonly string[];
}

export function readHierarchy(source: DocumentSource, read: SchemaReader): Hierarchy {
  const inheritance = readInheritance(source, read);
  const property = (schema: Schema) => inheritance.discriminator(schema)?.propertyName;
  const below = (schema: Schema): readonly Schema[] =>
    inheritance
      .derivedFrom(schema)
      .filter((derived) => !derived.hidden && isRecord(derived))
      .flatMap((derived) => [derived, ...below(derived)]);
  const descendants: Hierarchy['descendants'] = (schema) =>
    isRecord(schema) && property(schema) !== undefined ? below(schema) : [];
  const isBase = (node: DocumentNode): boolean => {
    const schema = mayBeBase(node) ? read(node) : undefined;
    return schema !== undefined && descendants(schema).length > 0;
  };
  const components = members(member(member(source.root, 'components'), 'schemas'));
  const bases = new Set(components.flatMap(([, node]) => (isBase(node) ? [node.pointer] : [])));
  return {
    descendants,
    isPartOfBase: ({ identity }) => bases.has(WITHIN_COMPONENT.exec(identity)?.[1] ?? ''),
    property,
    values: (schema) => {
      const { value, otherValues = [] } = inheritance.discriminator(schema) ?? {};
      return value === undefined ? otherValues : [value, ...otherValues];
    },
  };
}

const WITHIN_COMPONENT = /^(\/components\/schemas\/[^/]+)\//;

function mayBeBase(node: DocumentNode): boolean {
  return ['discriminator', 'allOf'].some((name) => member(node, name) !== undefined);
}

/** An object with properties that are known. */
export function isRecord(schema: Schema): boolean {
  return isObjectSchema(schema) && schemaProperties(schema).size > 0;
}
