import { type DocumentNode, member, members, nodeAt, text } from '../document/document-node.ts';
import { type DocumentSource, decodeFragment, quote, resolve } from '../document/document-source.ts';
import { componentName, discriminatorOf, type Schema, type SchemaReader } from './schema.ts';

/** The discriminator of a schema (OpenAPI 3.1, 4.8.25). */
export interface Discriminator {
  readonly propertyName: string;
  /** The value for this schema; undefined if there is no such value. */
  readonly value: string | undefined;
  /** Additional values for this schema. */
  readonly otherValues?: readonly string[] | undefined;
}

/** The inheritance of schemas by `allOf` and `discriminator`. */
export interface Inheritance {
  readonly baseOf: (schema: Schema) => Schema | undefined;
  readonly derivedFrom: (schema: Schema) => readonly Schema[];
  readonly discriminator: (schema: Schema) => Discriminator | undefined;
  /** True for a union of other schemas with a discriminator, whose values all belong to one of these. */
  readonly isUnion: (schema: Schema) => boolean;
}

/** Schemas by identity. */
type Schemas = ReadonlyMap<string, Schema>;

/**
 * Reads the directly and indirectly derived schemas from the components: those that merge a schema with a
 * `discriminator` or one derived from it, and those that such a schema lists in `oneOf`, `anyOf` or its
 * mapping.
 */
export function readInheritance(source: DocumentSource, read: SchemaReader): Inheritance {
  const components = members(member(member(source.root, 'components'), 'schemas'));
  const written = components.filter(([, node]) => mayInherit(node)).flatMap(([, node]) => read(node) ?? []);
  const unions = readUnions(written, read);
  const mapped = written.flatMap((schema) =>
    readMapping(source, discriminatorOf(schema)).flatMap(({ target }) => read(target) ?? []),
  );
  const branches = [...unions.values()].flatMap((union) => branchesOf(union, read));
  const schemas = new Map([...written, ...branches, ...mapped].map((schema) => [schema.identity, schema]));
  const bases = readBases(schemas, unions, new Set(mapped.map(({ identity }) => identity)), read);
  const baseOf = ({ identity }: Schema) => bases.get(identity);
  const derived = Map.groupBy([...bases.keys()], (identity) => bases.get(identity)?.identity);
  return {
    baseOf,
    derivedFrom: ({ identity }) => (derived.get(identity) ?? []).flatMap((each) => schemas.get(each) ?? []),
    discriminator: (schema) => discriminatorIn(source, unions, lineage(schema, baseOf)),
    isUnion: ({ identity }) => unions.has(identity),
  };
}

function mayInherit(node: DocumentNode): boolean {
  return ['allOf', 'discriminator', '$ref'].some((name) => member(node, name) !== undefined);
}

/**
 * The schemas whose branches are distinguished by a discriminator, their own or that of an enclosing union.
 */
function readUnions(schemas: readonly Schema[], read: SchemaReader): Schemas {
  const unions = new Map<string, Schema>();
  const waiting = schemas.filter((schema) => discriminatorOf(schema) !== undefined);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const isKnown = next.alternatives.length === 0 || unions.has(next.identity);
    if (isKnown || componentName(next) === undefined) continue;
    unions.set(next.identity, next);
    waiting.push(...branchesOf(next, read));
  }
  return unions;
}

/** The named branches of a union. */
function branchesOf(schema: Schema, read: SchemaReader): readonly Schema[] {
  return schema.alternatives
    .flatMap((branch) => read(branch) ?? [])
    .filter((branch) => branch.identity !== schema.identity && componentName(branch) !== undefined);
}

/** The base of each derived schema; undefined for circular ones. */
function readBases(
  schemas: Schemas,
  unions: Schemas,
  mapped: ReadonlySet<string>,
  read: SchemaReader,
): Schemas {
  const bases = new Map<string, Schema>();
  for (const union of unions.values()) {
    for (const branch of branchesOf(union, read)) bases.set(branch.identity, union);
  }
  const branches = new Set(bases.keys());
  const isDerivable = ({ identity, discriminated }: Schema) => discriminated || branches.has(identity);
  for (const schema of schemas.values()) {
    const { identity, discriminated } = schema;
    const mayMerge = discriminated || branches.has(identity) || mapped.has(identity);
    const base = mayMerge ? mergedBase(schema, isDerivable) : undefined;
    if (base !== undefined && base.identity !== identity) bases.set(identity, base);
  }
  return new Map([...bases].filter(([identity]) => !isCircular(bases, identity)));
}

/** The nearest named schema that it merges and that it can be derived from. */
function mergedBase(schema: Schema, isDerivable: (part: Schema) => boolean): Schema | undefined {
  const part = schema.parts.find((each) => isDerivable(each) || mergedBase(each, isDerivable) !== undefined);
  if (part === undefined || (isDerivable(part) && componentName(part) !== undefined)) return part;
  return mergedBase(part, isDerivable);
}

function isCircular(bases: Schemas, identity: string): boolean {
  const seen = new Set<string>();
  for (let next: string | undefined = identity; next !== undefined; next = bases.get(next)?.identity) {
    if (seen.has(next)) return true;
    seen.add(next);
  }
  return false;
}

/** The schema and its bases, the nearest first. */
function lineage(schema: Schema, baseOf: Inheritance['baseOf']): readonly Schema[] {
  const base = baseOf(schema);
  return base === undefined ? [schema] : [schema, ...lineage(base, baseOf)];
}

/** The discriminator of the first type in a lineage, whose property the last one declares. */
function discriminatorIn(
  source: DocumentSource,
  unions: Schemas,
  types: readonly Schema[],
): Discriminator | undefined {
  const [schema] = types;
  const root = types.at(-1);
  const name = root && propertyNameOf(root);
  if (schema === undefined || name === undefined) return undefined;
  const [value, ...others] = types
    .filter((type) => propertyNameOf(type) === name)
    .flatMap((type) => readMapping(source, discriminatorOf(type)))
    .flatMap((mapped) => (mapped.target.pointer === schema.identity ? [mapped.value] : []));
  if (value === undefined) {
    return { propertyName: name, value: unions.has(schema.identity) ? undefined : componentName(schema) };
  }
  const otherValues = [...new Set(others)].filter((other) => other !== value);
  return { propertyName: name, value, ...(otherValues.length === 0 ? {} : { otherValues }) };
}

function propertyNameOf(schema: Schema): string | undefined {
  return text(member(discriminatorOf(schema), 'propertyName'));
}

/** A discriminator value and its schema. */
interface MappedValue {
  readonly value: string;
  readonly target: DocumentNode;
}

/**
 * The mapping of a discriminator (OpenAPI 3.1, 4.8.25), by schema name or reference. Unknown targets are
 * reported.
 */
function readMapping(
  source: DocumentSource,
  discriminator: DocumentNode | undefined,
): readonly MappedValue[] {
  const components = member(member(source.root, 'components'), 'schemas');
  return members(member(discriminator, 'mapping')).flatMap(([value, node]) => {
    const written = text(node) ?? '';
    const found = written.startsWith('#/')
      ? nodeAt(source.root, decodeFragment(written.slice(1)))
      : member(components, written.slice(written.lastIndexOf('/') + 1));
    const target = resolve(source, found);
    if (target !== undefined) return { value, target };
    if (found === undefined) {
      const message = `The mapping leads to no schema of the document: ${quote(node.value)}`;
      source.report('warning', node.pointer, message);
    }
    return [];
  });
}
