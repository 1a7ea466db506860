import { type DocumentNode, member, members, text } from '../../openapi/document/document-node.ts';
import type { DocumentSource } from '../../openapi/document/document-source.ts';
import {
  componentName,
  discriminatorOf,
  type Schema,
  type SchemaReader,
  schemaProperties,
} from '../../openapi/schemas/schema.ts';
import { isRecord } from './hierarchy.ts';
import type { PreparedSchema } from './prepared-schema.ts';
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

/** How the values of a union say which branch they are of, where they all do. */
export function discriminator(
  { root }: DocumentSource,
  schema: Schema,
  branches: readonly Branch[],
  targets: ReadonlyMap<string, unknown>,
): PreparedSchema {
  const node = discriminatorOf(schema);
  const propertyName = text(member(node, 'propertyName'));
  const isEverywhere =
    propertyName !== undefined && branches.every((each) => schemaProperties(each.schema).has(propertyName));
  if (!isEverywhere || [...targets.values()].includes(undefined)) return {};
  const components = member(member(root, 'components'), 'schemas')?.pointer;
  const said = members(member(node, 'mapping')).flatMap(([value, mapped]) => {
    const written = text(mapped) ?? '';
    const pointer = written.startsWith('#') ? written.slice(1) : `${components}/${written}`;
    return targets.has(pointer) ? [[value, targets.get(pointer)] as const] : [];
  });
  const implied = branches.flatMap(({ schema: branch }) => {
    const name = componentName(branch);
    return name === undefined ? [] : [[name, targets.get(branch.identity)] as const];
  });
  return { discriminator: { propertyName, mapping: Object.fromEntries([...implied, ...said]) } };
}
