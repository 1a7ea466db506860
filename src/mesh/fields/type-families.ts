import {
  type FieldDefinitionNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  type GraphQLUnionType,
  type InputValueDefinitionNode,
  isObjectType,
  isUnionType,
} from 'graphql';
import type { TypeFamily } from '../normalized-document/schema-names.ts';

/** Tells the object type of a value. */
type TypeOfValue = (value: object) => GraphQLObjectType;

const typesOfValues = new WeakMap<GraphQLUnionType, TypeOfValue>();

/** How the values of a union tell their types; undefined where it is none of a type and those derived from it. */
export function typeOfValue(type: GraphQLUnionType): TypeOfValue | undefined {
  return typesOfValues.get(type);
}

/** Notes of the unions that stand for a type and those derived from it how their values tell their types. */
export function noteFamilies(schema: GraphQLSchema, families: readonly TypeFamily[]): void {
  for (const { name, plain, discriminator, objects } of families) {
    const union = schema.getType(name);
    const otherwise = schema.getType(plain);
    if (!isUnionType(union) || !isObjectType(otherwise)) continue;
    const types = new Map<unknown, GraphQLObjectType>();
    for (const [value, object] of objects) {
      const type = schema.getType(object);
      if (isObjectType(type)) types.set(value, type);
    }
    typesOfValues.set(union, (value) => types.get(memberInAnyCase(value, discriminator)) ?? otherwise);
  }
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

/** The upstream's name of a property, which the directive has where GraphQL does not allow it. */
export function nameInDirective({
  astNode,
}: {
  readonly astNode?: FieldDefinitionNode | InputValueDefinitionNode | null | undefined;
}): string | undefined {
  const directive = astNode?.directives?.find(({ name }) => name.value === 'resolveRootField');
  const real = directive?.arguments?.find(({ name }) => name.value === 'field')?.value;
  return real?.kind === 'StringValue' ? real.value : undefined;
}
