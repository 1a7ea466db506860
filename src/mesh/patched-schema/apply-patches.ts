import {
  type GraphQLFieldConfig,
  type GraphQLFieldConfigMap,
  GraphQLInterfaceType,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLSchema,
  GraphQLUnionType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredInputField,
  isTypeSubTypeOf,
  isUnionType,
} from 'graphql';
import {
  type FieldRemark,
  type SchemaPatches,
  SENT_SUFFIX,
  type TypeFamily,
} from '../normalized-document/schema-names.ts';

/** Puts into the schema what its document could not tell Mesh. It changes types in place, or makes them anew. */
export function applyPatches(schema: GraphQLSchema, { families, remarks }: SchemaPatches): GraphQLSchema {
  for (const remark of remarks) applyRemark(schema, remark);
  nameInputs(schema);
  return withInterfaces(schema, families);
}

/** What Mesh puts behind the name of an object to have that of its input. */
const INPUT_SUFFIX = '_Input';

function applyRemark(schema: GraphQLSchema, { type, field, description, deprecated }: FieldRemark): void {
  const object = schema.getType(type);
  const output = isObjectType(object) ? object.getFields()[field] : undefined;
  if (output !== undefined) {
    output.description = description ?? output.description;
    if (deprecated) output.deprecationReason = DEPRECATED;
  }
  const inputObject = schema.getType(`${type}${INPUT_SUFFIX}`);
  const input = isInputObjectType(inputObject) ? inputObject.getFields()[field] : undefined;
  if (input === undefined) return;
  input.description = description ?? input.description;
  // GraphQL, 3.10: what is required cannot be deprecated.
  if (deprecated && !isRequiredInputField(input)) input.deprecationReason = DEPRECATED;
}

const DEPRECATED = 'deprecated';

/** That the input differs from the object is no part of its name. */
function nameInputs(schema: GraphQLSchema): void {
  const ending = `${SENT_SUFFIX}${INPUT_SUFFIX}`;
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isInputObjectType(type) || !type.name.endsWith(ending)) continue;
    const name = `${type.name.slice(0, -ending.length)}${INPUT_SUFFIX}`;
    if (schema.getType(name) === undefined) type.name = name;
  }
}

type Fields = GraphQLFieldConfigMap<unknown, unknown>;

/** Tells the object type of a value of an interface. */
type TypeOfValue = (value: object) => GraphQLObjectType;

const typesOfValues = new WeakMap<GraphQLInterfaceType, TypeOfValue>();

/** How the values of the interface tell their types; undefined where it is none of a family. */
export function typeOfValue(type: GraphQLInterfaceType): TypeOfValue | undefined {
  return typesOfValues.get(type);
}

/**
 * The schema with interfaces where it has the unions of families. They have the fields of the base type; all
 * object types of the family implement them, and so do the interfaces of types derived from it.
 */
function withInterfaces(schema: GraphQLSchema, families: readonly TypeFamily[]): GraphQLSchema {
  const known = families.filter(
    ({ name, plain }) => isUnionType(schema.getType(name)) && isObjectType(schema.getType(plain)),
  );
  return known.length === 0 ? schema : new SchemaRebuilder(schema, known).schema();
}

/** Types refer to each other, so that one cannot be replaced without all that lead to it. */
class SchemaRebuilder {
  readonly #schema: GraphQLSchema;
  readonly #families: readonly TypeFamily[];
  readonly #types = new Map<GraphQLNamedType, GraphQLNamedType>();

  constructor(schema: GraphQLSchema, families: readonly TypeFamily[]) {
    this.#schema = schema;
    this.#families = families;
    const names = new Map(families.map((family) => [family.name, family]));
    for (const type of Object.values(schema.getTypeMap())) {
      const family = names.get(type.name);
      if (family !== undefined && isUnionType(type)) this.#types.set(type, this.#interface(family));
      else if (isUnionType(type)) this.#types.set(type, this.#union(type));
      else if (isObjectType(type) && !type.name.startsWith('__')) this.#types.set(type, this.#object(type));
    }
  }

  schema(): GraphQLSchema {
    const { query, mutation, types, ...config } = this.#schema.toConfig();
    return new GraphQLSchema({
      ...config,
      query: query && this.#latest(query),
      mutation: mutation && this.#latest(mutation),
      types: types.map((type) => this.#latest(type)),
    });
  }

  #interface(family: TypeFamily): GraphQLInterfaceType {
    const typeOf = this.#typeOfValue(family);
    const type = new GraphQLInterfaceType({
      name: family.name,
      description: this.#schema.getType(family.plain)?.description,
      interfaces: () => this.#interfacesAbove(family),
      fields: () => this.#fieldsOf(family.plain),
      resolveType: (value: object) => typeOf(value).name,
    });
    typesOfValues.set(type, typeOf);
    return type;
  }

  #typeOfValue({ plain, discriminator, objects }: TypeFamily): TypeOfValue {
    const types = new Map([...objects].map(([value, name]) => [value as unknown, this.#objectNamed(name)]));
    const otherwise = this.#objectNamed(plain);
    return (value) => (types.get(memberInAnyCase(value, discriminator)) ?? otherwise)();
  }

  /** It is there when all types are. */
  #objectNamed(name: string): () => GraphQLObjectType {
    return () => {
      const type = this.#schema.getType(name);
      const latest = type && this.#latest(type);
      if (!isObjectType(latest)) throw new Error(`There is no object type ${name}`);
      return latest;
    };
  }

  #object(type: GraphQLObjectType): GraphQLObjectType {
    return new GraphQLObjectType({
      ...type.toConfig(),
      interfaces: () => this.#interfacesOf(type.name),
      fields: () => this.#fieldsOf(type.name),
    });
  }

  #union(type: GraphQLUnionType): GraphQLUnionType {
    const { types, ...config } = type.toConfig();
    return new GraphQLUnionType({ ...config, types: () => types.map((member) => this.#latest(member)) });
  }

  /** Its own fields, and those of its interfaces where its own are none of them. */
  #fieldsOf(object: string): Fields {
    const fields: Fields = { ...this.#ownFields(object) };
    for (const { plain } of this.#familiesOf(object)) {
      for (const [name, inherited] of Object.entries(this.#ownFields(plain))) {
        const own = fields[name];
        const isFit = own !== undefined && isTypeSubTypeOf(this.#schema, own.type, inherited.type);
        if (!isFit) fields[name] = inherited;
      }
    }
    return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, this.#field(field)]));
  }

  #field(field: GraphQLFieldConfig<unknown, unknown>): GraphQLFieldConfig<unknown, unknown> {
    return { ...field, type: this.#output(field.type) };
  }

  #ownFields(object: string): Fields {
    const type = this.#schema.getType(object);
    return isObjectType(type) ? type.toConfig().fields : {};
  }

  #familiesOf(object: string): readonly TypeFamily[] {
    return this.#families.filter((family) => membersOf(family).has(object));
  }

  #interfacesOf(object: string): readonly GraphQLInterfaceType[] {
    return this.#familiesOf(object).map((family) => this.#interfaceNamed(family));
  }

  #interfacesAbove(family: TypeFamily): readonly GraphQLInterfaceType[] {
    return this.#familiesOf(family.plain)
      .filter((above) => above !== family)
      .map((above) => this.#interfaceNamed(above));
  }

  #interfaceNamed({ name }: TypeFamily): GraphQLInterfaceType {
    const type = this.#schema.getType(name);
    return (type && this.#latest(type)) as unknown as GraphQLInterfaceType;
  }

  #output(type: GraphQLOutputType): GraphQLOutputType {
    if (isNonNullType(type)) return new GraphQLNonNull(this.#output(type.ofType));
    if (isListType(type)) return new GraphQLList(this.#output(type.ofType));
    return this.#latest(type);
  }

  #latest<Type extends GraphQLNamedType>(type: Type): Type {
    return (this.#types.get(type) ?? type) as Type;
  }
}

function membersOf({ plain, objects }: TypeFamily): ReadonlySet<string> {
  return new Set([plain, ...objects.values()]);
}

/**
 * The member of that name in any case; undefined where there is none, for what Object.prototype has is not the
 * upstream's.
 */
function memberInAnyCase(object: object, name: string): unknown {
  const own = Object.hasOwn(object, name)
    ? name
    : Object.keys(object).find((key) => key.toLowerCase() === name.toLowerCase());
  return own === undefined ? undefined : (object as Readonly<Record<string, unknown>>)[own];
}
