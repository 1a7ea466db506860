import { type DocumentNode, member, members, nodeAt, text } from '../document/document-node.ts';
import { type DocumentSource, decodeFragment, quote, resolve } from '../document/document-source.ts';
import { componentName, discriminatorOf, type Schema, type SchemaReader } from './schema.ts';

/** How the values of a schema tell that they are of it (OpenAPI 3.1, 4.8.25). */
export interface Discriminator {
  readonly propertyName: string;
  /** The value that stands for the schema; undefined where no value does. */
  readonly value: string | undefined;
  /** Further values that stand for it, too. */
  readonly otherValues?: readonly string[] | undefined;
}

/** Which schemas are derived from which, by `allOf` and `discriminator`. */
export interface Inheritance {
  readonly baseOf: (schema: Schema) => Schema | undefined;
  readonly derivedFrom: (schema: Schema) => readonly Schema[];
  readonly discriminator: (schema: Schema) => Discriminator | undefined;
  /** A schema that is one of several others, which a discriminator tells apart: no value is of its type alone. */
  readonly isUnion: (schema: Schema) => boolean;
}

/** Schemas by their identity. */
type Schemas = ReadonlyMap<string, Schema>;

/**
 * Reads from the components which types are derived, over any number of steps: those that merge a schema
 * with a `discriminator`, or one that is derived from it, and those that a schema with a `discriminator`
 * has as its `oneOf` or `anyOf`, or names in its mapping.
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

/** The schemas with branches that a discriminator tells apart: their own, or the one of a union whose branch they are. */
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

/** The branches of a union that are components, and so have a name. */
function branchesOf(schema: Schema, read: SchemaReader): readonly Schema[] {
  return schema.alternatives
    .flatMap((branch) => read(branch) ?? [])
    .filter((branch) => branch.identity !== schema.identity && componentName(branch) !== undefined);
}

/** What each derived schema is derived from; none for those that would be derived from themselves. */
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

/** The nearest schema with a name that it merges and can be derived from. */
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

/** The schema and those that it is derived from, the nearest first. */
function lineage(schema: Schema, baseOf: Inheritance['baseOf']): readonly Schema[] {
  const base = baseOf(schema);
  return base === undefined ? [schema] : [schema, ...lineage(base, baseOf)];
}

/** How values tell that they are of the first type of a lineage: by the property that the last one names. */
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

/** A value of a discriminator, and the schema that it stands for. */
interface MappedValue {
  readonly value: string;
  readonly target: DocumentNode;
}

/**
 * The mapping of a discriminator (OpenAPI 3.1, 4.8.25): to schemas by their names or by references to them.
 * What leads to no schema of the document is reported.
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
