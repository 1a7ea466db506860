import { meshName } from '../../model/derive/names/mesh-name.ts';
import { type DocumentNode, isTrue } from '../../openapi/document/document-node.ts';
import type { DocumentSource } from '../../openapi/document/document-source.ts';
import {
  isArraySchema,
  keyword,
  ownSchema,
  requiredNames,
  restNode,
  type Schema,
  type SchemaReader,
  schemaProperties,
} from '../../openapi/schemas/schema.ts';
import { schemaReader } from '../../openapi/schemas/schema-reader.ts';
import {
  anySchema,
  endsInItself,
  hasName,
  isAny,
  isComponentEnum,
  isEnum,
  isOpen,
  mayBeNull,
  mergesOthers,
  type PreparedSchema,
  scalarSchema,
  scalarType,
} from './scalar-schema.ts';
import { type SchemaNames, schemaNames, type TypeFamily } from './schema-names.ts';
import {
  type Branch,
  commonScalar,
  type Hierarchy,
  isRecord,
  readHierarchy,
  unionBranches,
} from './union-schema.ts';

/**
 * Prepares the schemas of a document for Mesh: each says in few words what the model takes it for.
 *
 * References lead to components of the prepared document, `allOf` is merged, null is told by what is
 * required, and what GraphQL has no type for is a JSON scalar.
 */
export class SchemaNormalizer {
  readonly #source: DocumentSource;
  readonly #read: SchemaReader;
  readonly #names: SchemaNames;
  readonly #hierarchy: Hierarchy;
  readonly #known = new Map<string, string>();
  readonly #components = new Map<string, PreparedSchema>();
  readonly #waiting: (() => void)[] = [];
  /** What is being written out: references within it may lead back to it. */
  readonly #begun = new Set<string>();
  readonly #families: TypeFamily[] = [];

  constructor(source: DocumentSource) {
    this.#source = source;
    this.#read = schemaReader(source);
    this.#names = schemaNames(source);
    this.#hierarchy = readHierarchy(source, this.#read);
  }

  /** The schema of a body that is sent. Nothing holds values against it: it goes out beside what Mesh makes. */
  body(node: DocumentNode): PreparedSchema | undefined {
    return this.#shown(node) && anySchema();
  }

  /** The schema of a parameter; objects within objects have any values. `suggested` names its type. */
  parameter(node: DocumentNode, suggested: string): PreparedSchema | undefined {
    const schema = this.#shown(node);
    if (schema === undefined) return undefined;
    if (isArraySchema(schema)) return this.#listOf(schema, (items) => this.parameter(items, suggested));
    const isPlain = isRecord(schema) && this.#hierarchy.descendants(schema).length === 0;
    if (!isPlain) return this.#placedScalar(schema, node, suggested) ?? anySchema();
    return this.#object(
      schema,
      this.#names.inline(schema, suggested),
      ({ node: property, schema: held }, name) =>
        isRecord(held) ? anySchema() : this.parameter(property, name),
    );
  }

  /**
   * The schema of an answer; undefined, and a finding, where that is none or not exposed. Where the document is not
   * strict, the gateway reads answers by the model alone, and Mesh is only told which of them are lists, objects or
   * values by themselves: a large document's types would cost more than all the rest of its start.
   */
  answer(node: DocumentNode, suggested: string): PreparedSchema | undefined {
    return this.#source.strict ? this.#prepare(node, suggested) : this.#shape(node);
  }

  #prepare(node: DocumentNode, suggested: string): PreparedSchema | undefined {
    const schema = this.#shown(node);
    return schema && this.#place(schema, node, suggested);
  }

  #shape(node: DocumentNode): PreparedSchema | undefined {
    const schema = this.#shown(node);
    if (schema === undefined) return undefined;
    if (isArraySchema(schema)) return this.#listOf(schema, (items) => this.#shape(items));
    const scalar = scalarType(schema) ?? commonScalar(schema, this.#read);
    if (scalar !== undefined) return scalarSchema(schema, scalar, false);
    const isObject = isRecord(schema) || unionBranches(schema, this.#read) !== undefined;
    return isObject ? referenceTo(this.#anyObject()) : anySchema();
  }

  #shown(node: DocumentNode): Schema | undefined {
    const schema = this.#read(node);
    return schema?.hidden === true ? undefined : schema;
  }

  /** The components that all prepared schemas refer to. */
  components(): Readonly<Record<string, PreparedSchema>> {
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) next();
    return Object.fromEntries(this.#components);
  }

  /** Of all components, once they have been asked for. */
  families(): readonly TypeFamily[] {
    return this.#families;
  }

  /** The schema itself where it is written out, else a reference to its component. */
  #place(schema: Schema, node: DocumentNode, suggested: string): PreparedSchema | undefined {
    if (!hasName(schema)) return this.#content(schema, suggested);
    if (this.#isShared(schema, node) || this.#begun.has(schema.identity)) {
      return referenceTo(this.#component(schema));
    }
    this.#begun.add(schema.identity);
    const name = this.#names.inline(schema, suggested);
    const content = this.#content(schema, name);
    this.#begun.delete(schema.identity);
    return content;
  }

  #isShared(schema: Schema, { pointer }: DocumentNode): boolean {
    return (
      schema.identity !== pointer ||
      mergesOthers(schema) ||
      isComponentEnum(schema) ||
      this.#hierarchy.isPartOfBase(schema)
    );
  }

  /** The name of the component, which will be there. */
  #component(schema: Schema): string {
    return this.#named(
      schema.identity,
      () => this.#names.component(schema),
      (name) => this.#content(ownSchema(schema), name),
    );
  }

  /** The name of the component for values that are of the type and of none derived from it. */
  #plainComponent(schema: Schema): string {
    const suggest = () => this.#names.made(`Other${this.#component(schema)}`);
    return this.#named(`plain ${schema.identity}`, suggest, (name) =>
      this.#objectOf(ownSchema(schema), name),
    );
  }

  /** The name of the component for objects of which Mesh is told nothing. */
  #anyObject(): string {
    const properties = { value: anySchema() };
    return this.#named(
      ANY_OBJECT,
      () => this.#names.made(ANY_OBJECT),
      (name) => ({
        title: name,
        type: 'object',
        properties,
      }),
    );
  }

  /** The name of the component of that key, which is filled in when all that leads to it has been met. */
  #named(key: string, take: () => string, content: (name: string) => PreparedSchema | undefined): string {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const name = take();
    this.#known.set(key, name);
    this.#waiting.push(() => void this.#components.set(name, content(name) ?? anySchema()));
    return name;
  }

  #content(schema: Schema, name: string): PreparedSchema | undefined {
    if (isArraySchema(schema)) return this.#listOf(schema, (items) => this.#prepare(items, name));
    const scalar = this.#scalar(schema, name);
    if (scalar !== undefined) return scalar;
    if (isRecord(schema)) return this.#record(schema, name);
    const branches = unionBranches(schema, this.#read);
    return branches === undefined ? anySchema() : this.#union(branches, name);
  }

  #scalar(schema: Schema, name: string): PreparedSchema | undefined {
    const type = scalarType(schema) ?? commonScalar(schema, this.#read);
    const prepared = type && scalarSchema(schema, type);
    return prepared && isEnum(schema) ? { title: name, ...prepared } : prepared;
  }

  #placedScalar(schema: Schema, node: DocumentNode, suggested: string): PreparedSchema | undefined {
    return isEnum(schema) ? this.#place(schema, node, suggested) : this.#scalar(schema, suggested);
  }

  #listOf(
    schema: Schema,
    prepare: (items: DocumentNode) => PreparedSchema | undefined,
  ): PreparedSchema | undefined {
    const node = restNode(schema);
    const isTyped = node !== undefined && node.value !== false && !endsInItself(schema, this.#read);
    const items = isTyped ? prepare(node) : anySchema();
    return items && { type: 'array', items };
  }

  #record(schema: Schema, name: string): PreparedSchema {
    const descendants = this.#hierarchy.descendants(schema);
    return descendants.length === 0 ? this.#objectOf(schema, name) : this.#family(schema, descendants, name);
  }

  #objectOf(schema: Schema, name: string): PreparedSchema {
    return this.#object(schema, name, ({ schema: held, node }, suggested) =>
      this.#place(held, node, suggested),
    );
  }

  #object(
    schema: Schema,
    name: string,
    prepare: (property: PropertySchema, suggested: string) => PreparedSchema | undefined,
  ): PreparedSchema {
    const required = requiredNames(schema);
    const properties = new Map<string, PreparedSchema>();
    const alwaysThere: string[] = [];
    for (const property of namedProperties(this.#read, schema)) {
      const prepared = prepare(property, `${name}_${property.name}`);
      if (prepared === undefined) continue;
      properties.set(property.name, prepared);
      const isAlwaysThere = required.has(property.name) && !mayBeNull(property.schema, this.#read);
      if (isAlwaysThere && !isAny(prepared)) alwaysThere.push(property.name);
    }
    if (properties.size === 0) return anySchema();
    return {
      title: name,
      type: 'object',
      properties: Object.fromEntries(properties),
      ...(alwaysThere.length === 0 ? {} : { required: alwaysThere }),
      ...(isOpen(schema) ? { additionalProperties: true } : {}),
    };
  }

  #family(schema: Schema, descendants: readonly Schema[], name: string): PreparedSchema {
    const members = [schema, ...descendants].map((type) => {
      const isBase = this.#hierarchy.descendants(type).length > 0;
      const object = isBase ? this.#plainComponent(type) : this.#component(type);
      return { object, values: this.#hierarchy.values(type) };
    });
    const discriminator = this.#hierarchy.property(schema) ?? '';
    const objects = new Map(
      members.flatMap(({ object, values }) => values.map((value) => [value, object] as const)),
    );
    this.#families.push({ name, plain: this.#plainComponent(schema), discriminator, objects });
    return { title: name, oneOf: members.map(({ object }) => referenceTo(object)) };
  }

  #union(branches: readonly Branch[], name: string): PreparedSchema {
    const oneOf = branches.map(({ schema, node }) => this.#place(schema, node, name) ?? anySchema());
    return { title: name, oneOf };
  }
}

/** A property that has a name in GraphQL. */
interface PropertySchema {
  readonly name: string;
  readonly node: DocumentNode;
  readonly schema: Schema;
}

/**
 * The properties of an object as far as they have a name of their own in Mesh: what is left out is read all the same, and
 * is held against no type of Mesh's. What is written only does not come.
 */
function namedProperties(read: SchemaReader, object: Schema): readonly PropertySchema[] {
  const known = new Map<string, PropertySchema>();
  for (const [name, node] of schemaProperties(object)) {
    const schema = read(node);
    if (schema === undefined || schema.hidden || isTrue(keyword(schema, 'writeOnly'))) continue;
    if (isNamed(name) && !known.has(meshName(name))) known.set(meshName(name), { name, node, schema });
  }
  return [...known.values()];
}

/** No object can have a property of the one name, and Mesh takes the other for the keyword. */
function isNamed(name: string): boolean {
  return name !== '__proto__' && name !== 'additionalProperties';
}

/** Also the key of the component, which no schema has: theirs are JSON pointers behind a blank. */
const ANY_OBJECT = 'AnyObject';

function referenceTo(component: string): PreparedSchema {
  return { $ref: `#/components/schemas/${component}` };
}
