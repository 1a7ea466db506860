import { meshName } from '../../model/derive/names/mesh-name.ts';
import { type DocumentNode, isTrue, text } from '../../openapi/document/document-node.ts';
import type { DocumentSource } from '../../openapi/document/document-source.ts';
import {
  isArraySchema,
  keyword,
  ownSchema,
  requiredNames,
  restNode,
  type Schema,
  type SchemaReader,
} from '../../openapi/schemas/schema.ts';
import { schemaReader } from '../../openapi/schemas/schema-reader.ts';
import {
  type Direction,
  objectProperties,
  type PropertySchema,
  readWriteVariants,
} from './object-properties.ts';
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
import {
  type FieldRemark,
  type SchemaNames,
  type SchemaPatches,
  SENT_SUFFIX,
  schemaNames,
  type TypeFamily,
} from './schema-names.ts';
import {
  type Branch,
  commonScalar,
  discriminator,
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
  readonly #differing: ReadonlySet<string>;
  readonly #known = new Map<string, string>();
  readonly #components = new Map<string, PreparedSchema>();
  readonly #waiting: (() => void)[] = [];
  /** What is being written out: references within it may lead back to it. */
  readonly #begun = new Set<string>();
  readonly #families: TypeFamily[] = [];
  readonly #remarks: FieldRemark[] = [];

  constructor(source: DocumentSource) {
    this.#source = source;
    this.#read = schemaReader(source);
    this.#names = schemaNames(source);
    this.#hierarchy = readHierarchy(source, this.#read);
    this.#differing = readWriteVariants(source.root);
  }

  /**
   * The schema of what stands at a node; undefined, and a finding, where that is none or not exposed.
   * `suggested` names its type where nothing else does.
   */
  prepare(node: DocumentNode, direction: Direction, suggested: string): PreparedSchema | undefined {
    const schema = this.#shown(node);
    return schema && this.#place(schema, node, direction, suggested);
  }

  /** The schema of a body that is sent. Where the document is not strict, nothing holds values against its types. */
  body(node: DocumentNode, suggested: string): PreparedSchema | undefined {
    if (this.#source.strict) return this.prepare(node, 'request', suggested);
    return this.#shown(node) && anySchema();
  }

  /**
   * The schema of an answer. Where the document is not strict, the gateway reads answers by the model alone, and Mesh
   * is only told which of them are lists, objects or values by themselves: a large document's types would cost more
   * than all the rest of its start.
   */
  answer(node: DocumentNode, suggested: string): PreparedSchema | undefined {
    return this.#source.strict ? this.prepare(node, 'response', suggested) : this.#shape(node);
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

  /** The name of the component for objects of which Mesh is told nothing. */
  #anyObject(): string {
    const known = this.#known.get(ANY_OBJECT);
    if (known !== undefined) return known;
    const name = this.#names.made(ANY_OBJECT);
    this.#known.set(ANY_OBJECT, name);
    this.#fill(name, () => ({ title: name, type: 'object', properties: { value: anySchema() } }));
    return name;
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

  /** Of all types, once the components have been asked for. */
  notes(): SchemaPatches {
    return { families: this.#families, remarks: this.#remarks };
  }

  /** The schema itself where it is written out, else a reference to its component. */
  #place(
    schema: Schema,
    node: DocumentNode,
    direction: Direction,
    suggested: string,
  ): PreparedSchema | undefined {
    if (!hasName(schema)) return this.#content(schema, direction, suggested);
    const isShared =
      schema.identity !== node.pointer ||
      mergesOthers(schema) ||
      isComponentEnum(schema) ||
      this.#hierarchy.isPartOfBase(schema);
    if (isShared || this.#begun.has(schema.identity)) return referenceTo(this.#component(schema, direction));
    this.#begun.add(schema.identity);
    const name = this.#names.inline(schema, suggested, direction === 'request' ? SENT_SUFFIX : '');
    const content = this.#content(schema, direction, name);
    this.#begun.delete(schema.identity);
    return content;
  }

  /** The name of the component, which will be there. */
  #component(schema: Schema, direction: Direction): string {
    const isSent = direction === 'request' && this.#differing.has(schema.identity);
    const key = `${isSent ? direction : ''} ${schema.identity}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const name = this.#names.component(schema, isSent ? SENT_SUFFIX : '');
    this.#known.set(key, name);
    this.#fill(name, () => this.#content(ownSchema(schema), isSent ? 'request' : 'response', name));
    return name;
  }

  /** The name of the component for values that are of the type and of none derived from it. */
  #plainComponent(schema: Schema): string {
    const key = `plain ${schema.identity}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const name = this.#names.made(`Other${this.#component(schema, 'response')}`);
    this.#known.set(key, name);
    this.#fill(name, () => this.#object(ownSchema(schema), 'response', name));
    return name;
  }

  #fill(name: string, content: () => PreparedSchema | undefined): void {
    this.#waiting.push(() => void this.#components.set(name, content() ?? anySchema()));
  }

  #content(schema: Schema, direction: Direction, name: string): PreparedSchema | undefined {
    if (isArraySchema(schema)) return this.#array(schema, direction, name);
    const scalar = scalarType(schema) ?? commonScalar(schema, this.#read);
    if (scalar !== undefined) {
      const prepared = scalarSchema(schema, scalar);
      return described(schema, isEnum(schema) ? { title: name, ...prepared } : prepared);
    }
    if (isRecord(schema)) return this.#record(schema, direction, name);
    const branches = direction === 'response' ? unionBranches(schema, this.#read) : undefined;
    return branches === undefined ? described(schema, anySchema()) : this.#union(schema, branches, name);
  }

  #array(schema: Schema, direction: Direction, suggested: string): PreparedSchema | undefined {
    const list = this.#listOf(schema, (items) => this.prepare(items, direction, suggested));
    return list && described(schema, list);
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

  #record(schema: Schema, direction: Direction, name: string): PreparedSchema {
    const descendants = this.#hierarchy.descendants(schema);
    if (descendants.length === 0) return this.#object(schema, direction, name);
    if (direction === 'response') return this.#family(schema, descendants, name);
    // No input is of one type or another: it has what any of them has, and the upstream says what is missing.
    const object = this.#object(schema, direction, name, descendants);
    return { ...object, description: this.#inputDescription(schema, descendants) };
  }

  #inputDescription(schema: Schema, descendants: readonly Schema[]): string {
    const said = text(keyword(schema, 'description'));
    const values = [schema, ...descendants].flatMap((type) => this.#hierarchy.values(type));
    const telling = `It has the properties of all its types. "${this.#hierarchy.property(schema)}" says which one is meant: ${values.join(', ')}.`;
    return said === undefined ? telling : `${said}\n\n${telling}`;
  }

  #object(
    schema: Schema,
    direction: Direction,
    name: string,
    descendants: readonly Schema[] = [],
  ): PreparedSchema {
    const required = requiredNames(schema);
    const properties = new Map<string, PreparedSchema>();
    const alwaysThere: string[] = [];
    for (const property of objectProperties(this.#read, [schema, ...descendants], direction)) {
      const placed = this.#property(property, direction, name);
      if (placed === undefined) continue;
      properties.set(property.name, placed);
      const isAlwaysThere = required.has(property.name) && !mayBeNull(property.schema, this.#read);
      if (isAlwaysThere && !isAny(placed)) alwaysThere.push(property.name);
    }
    if (properties.size === 0) return described(schema, anySchema());
    return described(schema, {
      title: name,
      type: 'object',
      properties: Object.fromEntries(properties),
      ...(alwaysThere.length === 0 ? {} : { required: alwaysThere }),
      ...(isOpen(schema) ? { additionalProperties: true } : {}),
    });
  }

  /** Mesh drops what stands beside a `$ref`. */
  #property(
    { name, node, schema, isOne }: PropertySchema,
    direction: Direction,
    owner: string,
  ): PreparedSchema | undefined {
    const suggested = `${owner.endsWith(SENT_SUFFIX) ? owner.slice(0, -SENT_SUFFIX.length) : owner}_${name}`;
    const placed = isOne ? this.#place(schema, node, direction, suggested) : anySchema();
    if (placed === undefined) return undefined;
    const isReference = '$ref' in placed;
    const own = schema.layers.findIndex(({ pointer }) => pointer === schema.identity);
    const beside = isReference ? { ...schema, layers: schema.layers.slice(0, own) } : schema;
    const deprecated = isTrue(keyword(beside, 'deprecated'));
    const description = isReference ? text(keyword(beside, 'description')) : undefined;
    if (deprecated || description !== undefined) {
      this.#remarks.push({ type: owner, field: meshName(name), description, deprecated });
    }
    return placed;
  }

  #family(schema: Schema, descendants: readonly Schema[], name: string): PreparedSchema {
    const members = [schema, ...descendants].map((type) => {
      const isBase = this.#hierarchy.descendants(type).length > 0;
      const object = isBase ? this.#plainComponent(type) : this.#component(type, 'response');
      return { object, values: this.#hierarchy.values(type) };
    });
    const discriminator = this.#hierarchy.property(schema) ?? '';
    const objects = new Map(
      members.flatMap(({ object, values }) => values.map((value) => [value, object] as const)),
    );
    this.#families.push({ name, plain: this.#plainComponent(schema), discriminator, objects });
    return { title: name, oneOf: members.map(({ object }) => referenceTo(object)) };
  }

  #union(schema: Schema, branches: readonly Branch[], name: string): PreparedSchema {
    const references = branches.map(({ schema: branch, node }) => ({
      branch,
      placed: this.#place(branch, node, 'response', name) ?? anySchema(),
    }));
    const target = new Map(references.map(({ branch, placed }) => [branch.identity, placed['$ref']]));
    return described(schema, {
      title: name,
      oneOf: references.map(({ placed }) => placed),
      ...discriminator(this.#source, schema, branches, target),
    });
  }
}

/** Also the key of the component, which no schema has: theirs are JSON pointers behind a blank. */
const ANY_OBJECT = 'AnyObject';

function described(schema: Schema, prepared: PreparedSchema): PreparedSchema {
  const description = text(keyword(schema, 'description'));
  return description === undefined ? prepared : { ...prepared, description };
}

function referenceTo(component: string): PreparedSchema {
  return { $ref: `#/components/schemas/${component}` };
}
