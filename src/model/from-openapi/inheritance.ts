import type { Discriminator } from '../structured-type.ts';
import { type DocumentNode, member, members, text } from './document-node.ts';
import type { DocumentSource } from './document-source.ts';
import { componentName, discriminatorOf, type Schema, type SchemaReader } from './schema.ts';

/** Which schemas are derived from which (design, section 3: `allOf` + `discriminator`). */
export interface Inheritance {
  readonly baseOf: (schema: Schema) => Schema | undefined;
  readonly derivedFrom: (schema: Schema) => readonly Schema[];
  readonly discriminator: (schema: Schema) => Discriminator | undefined;
  /** A schema that is one of several others and says nothing of its own: no value is of its type alone. */
  readonly isUnion: (schema: Schema) => boolean;
}

/**
 * Reads from the components which types are derived: those that merge a schema with a `discriminator`,
 * and those that a schema with a `discriminator` has as its `oneOf` or `anyOf`.
 */
export function readInheritance(source: DocumentSource, read: SchemaReader): Inheritance {
  const components = members(member(member(source.root, 'components'), 'schemas'));
  const schemas = components.filter(([, node]) => mayInherit(node)).flatMap(([, node]) => read(node) ?? []);
  const bases = new Map<string, Schema>();
  for (const union of schemas.filter(isUnion)) {
    for (const branch of branchesOf(union, read)) bases.set(branch.identity, union);
  }
  for (const schema of schemas) {
    const base = schema.parts.find((part) => discriminatorOf(part) !== undefined);
    if (base !== undefined && base.identity !== schema.identity) bases.set(schema.identity, base);
  }
  const derived = Map.groupBy(
    [...bases].filter(([identity]) => !isCircular(bases, identity)),
    ([, base]) => base.identity,
  );
  const byIdentity = new Map(
    [...schemas, ...schemas.flatMap((schema) => branchesOf(schema, read))].map((s) => [s.identity, s]),
  );
  const baseOf = (schema: Schema): Schema | undefined =>
    isCircular(bases, schema.identity) ? undefined : bases.get(schema.identity);
  return {
    baseOf,
    derivedFrom: (schema) =>
      (derived.get(schema.identity) ?? []).flatMap(([identity]) => byIdentity.get(identity) ?? []),
    discriminator: (schema) => discriminatorValue(schema, rootOf(schema, baseOf)),
    isUnion,
  };
}

function mayInherit(node: DocumentNode): boolean {
  return ['allOf', 'discriminator', '$ref'].some((name) => member(node, name) !== undefined);
}

function isUnion(schema: Schema): boolean {
  const isNamed = componentName(schema) !== undefined;
  return isNamed && schema.alternatives.length > 0 && discriminatorOf(schema) !== undefined;
}

/** The branches of a union that are components, and so have a name. */
function branchesOf(schema: Schema, read: SchemaReader): readonly Schema[] {
  return schema.alternatives
    .flatMap((branch) => read(branch) ?? [])
    .filter((branch) => branch.identity !== schema.identity && componentName(branch) !== undefined);
}

function isCircular(bases: ReadonlyMap<string, Schema>, identity: string): boolean {
  const seen = new Set<string>();
  for (let next: string | undefined = identity; next !== undefined; next = bases.get(next)?.identity) {
    if (seen.has(next)) return true;
    seen.add(next);
  }
  return false;
}

function rootOf(schema: Schema, baseOf: (schema: Schema) => Schema | undefined): Schema {
  const base = baseOf(schema);
  return base === undefined ? schema : rootOf(base, baseOf);
}

function discriminatorValue(schema: Schema, root: Schema): Discriminator | undefined {
  const discriminator = discriminatorOf(root);
  const upstreamName = text(member(discriminator, 'propertyName'));
  if (upstreamName === undefined) return undefined;
  const name = componentName(schema);
  const mapped = members(member(discriminator, 'mapping')).find(([, node]) => isNameOf(text(node), name));
  return { upstreamName, value: mapped?.[0] ?? (isUnion(schema) ? undefined : name) };
}

/** A mapping leads to a schema by its name or by a reference to it. */
function isNameOf(mapped: string | undefined, name: string | undefined): boolean {
  return mapped !== undefined && name !== undefined && (mapped === name || mapped.endsWith(`/${name}`));
}
