import {
  GraphQLBoolean,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLInputFieldConfig,
  type GraphQLInputFieldConfigMap,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
} from 'graphql';
import type { ModelType } from '../../engine/typing/expression-type.ts';
import { parsePrimitive } from '../../engine/values/primitive.ts';
import {
  type CallableParameter,
  type EntityType,
  isComparable,
  type NavigationProperty,
  type StructuralProperty,
  type TypeUse,
} from '../../model/edm.ts';
import { madeOnce } from '../../model/maps.ts';
import type { KeyArgument } from '../change/change-place.ts';
import { type InputUse, type RelationWords, type SentValue, sentValues } from '../change/sent-values.ts';
import type { InputMember } from '../context/members.ts';
import { kindsOf, nestedCreates, nestedSets, type ShownModel } from '../context/schema-names.ts';
import { keyNames } from '../query/key.ts';
import { deprecation, describedValue, several } from './field-parts.ts';
import { isFlags, JSON_VALUE, type ScalarFor } from './scalars.ts';

/** The inputs of changes, and of function and action parameters. */
export interface ChangeInputs {
  /** Undefined if nothing of the type can be changed. */
  of(type: EntityType, use: InputUse): GraphQLInputObjectType | undefined;
  parameter(parameter: CallableParameter, use: ParameterUse): GraphQLInputFieldConfig;
}

/** The combined requirements of all overloads. */
interface ParameterUse {
  readonly isRequired: boolean;
  /** True if omitting the value means the default. */
  readonly hasDefault: boolean;
}

const SUFFIXES: Readonly<Record<InputUse, string>> = {
  create: 'Input',
  change: 'Changes',
  replace: 'Replacement',
};

export function changeInputs(shown: ShownModel, scalarFor: ScalarFor): ChangeInputs {
  const { names } = shown;
  const sent = sentValues(shown);
  const made = new Map<string, GraphQLInputObjectType>();
  const once = (
    { name }: ModelType,
    suffix: string,
    fields: () => GraphQLInputFieldConfigMap,
    isOneOf = false,
  ) => {
    const own = names.generated(names.typeOf(name), suffix);
    return madeOnce(made, own, () => new GraphQLInputObjectType({ name: own, fields, isOneOf }));
  };

  function inputFields(type: ModelType, use: InputUse): GraphQLInputFieldConfigMap {
    return Object.fromEntries(
      [...names.inputsOf(type)].flatMap(([name, member]) => {
        const field = inputField(type, use, member);
        return field === undefined ? [] : [[name, field]];
      }),
    );
  }

  /** GraphQL requires at least one field. */
  const plain = (type: ModelType, use: InputUse) =>
    once(type, SUFFIXES[use], () => {
      const fields = inputFields(type, use);
      return Object.keys(fields).length === 0 ? { additionalProperties: { type: JSON_VALUE } } : fields;
    });

  /** For a type with derived types, the value states its type. */
  function value(type: ModelType, use: InputUse): GraphQLInputObjectType {
    const kinds = kindsOf(shown, type);
    if (kinds === undefined) return plain(type, use);
    const fields = () =>
      Object.fromEntries([...kinds].map(([name, kind]) => [name, { type: plain(kind, use) }]));
    return once(type, `Kind${SUFFIXES[use]}`, fields, true);
  }

  function inputField(type: ModelType, use: InputUse, member: InputMember) {
    if (member.kind === 'dynamic') return { type: JSON_VALUE };
    if (member.kind === 'property') return propertyField(type, use, member.property);
    const { navigation } = member;
    const { description, entityType, collection, origin } = navigation;
    if (type.kind !== 'entity') return undefined;
    if (origin.kind === 'embedded') {
      const item = value(entityType, collection ? 'create' : use);
      return { type: collection ? several(item) : item, description };
    }
    const input = relation(navigation, sent.relation(type, use, navigation));
    return input && { type: input, description };
  }

  function propertyField(
    type: ModelType,
    use: InputUse,
    property: StructuralProperty,
  ): GraphQLInputFieldConfig | undefined {
    const taken = sent.property(type, use, property);
    if (taken === undefined) return undefined;
    const { deprecated } = property;
    return {
      type: valueType(property, use, taken.isRequired),
      description: describedValue(property),
      ...(!taken.isRequired && deprecation(deprecated)),
      ...(use === 'create' && defaultOf(property, taken)),
    };
  }

  /** The input of a relation, with fields for creating and linking; contained entities cannot be linked. */
  function relation(
    { entityType, collection }: NavigationProperty,
    words: RelationWords,
  ): GraphQLInputObjectType | undefined {
    const { create, link, unlink, set } = words;
    if (!create && !link && !unlink) return undefined;
    const given = (type: GraphQLInputObjectType) => (collection ? several(type) : type);
    const created = (fields: ReturnType<typeof nestedCreates>) =>
      Object.fromEntries(fields.map(([field, type]) => [field, { type: given(plain(type, 'create')) }]));
    const suffix = `${collection ? 'List' : ''}${wordsName(words)}`;
    return once(
      entityType,
      suffix,
      () => ({
        ...(create && created(nestedCreates(shown, entityType))),
        ...(link && { link: { type: given(key(entityType)) } }),
        ...(unlink && { unlink: { type: collection ? several(key(entityType)) : GraphQLBoolean } }),
        ...(set === 'links' && { set: { type: several(key(entityType)), description: SET_LINKS } }),
        ...(set === 'entities' && created(nestedSets(shown, entityType))),
      }),
      !collection,
    );
  }

  const key = (type: EntityType) =>
    once(type, 'Key', () =>
      Object.fromEntries(
        keyNames(shown, type).map(([argument, property]) => [argument, keyInput(scalarFor, property)]),
      ),
    );

  function valueType(
    { type, collection, nullable }: TypeUse,
    use: InputUse,
    isRequired: boolean,
  ): GraphQLInputType {
    const item =
      type.kind === 'complex' || type.kind === 'entity'
        ? value(type, collection ? 'create' : use)
        : scalarFor(type);
    const single = isFlags(type) ? several(item) : item;
    const whole = collection ? new GraphQLList(nullable ? single : new GraphQLNonNull(single)) : single;
    return isRequired ? new GraphQLNonNull(whole) : whole;
  }

  /** The default of a value. */
  function defaultOf(
    { type, collection }: TypeUse,
    { defaultValue }: Pick<SentValue, 'defaultValue'>,
  ): { readonly defaultValue?: unknown } {
    if (defaultValue === undefined || collection) return {};
    if (type.kind === 'enumeration') {
      const members = defaultValue.split(',');
      const isKnown = members.every((name) => type.members.some((member) => member.name === name));
      return isKnown ? { defaultValue: type.flags ? members : defaultValue } : {};
    }
    if (type.kind !== 'primitive' || !isComparable(type.name)) return {};
    const found = parsePrimitive(type.name, defaultValue);
    return found === undefined || Math.abs(Number(found)) === Number.POSITIVE_INFINITY
      ? {}
      : { defaultValue: found };
  }

  return {
    of: (type, use) => (Object.keys(inputFields(type, use)).length === 0 ? undefined : plain(type, use)),
    parameter: (parameter, { isRequired, hasDefault }) => ({
      type: valueType(parameter, 'create', isRequired),
      description: describedValue(parameter),
      ...(hasDefault && defaultOf(parameter, parameter)),
    }),
  };
}

const SET_LINKS = 'The entities that are related from now on, and no others.';

/** Types with the same changes share a name. */
function wordsName({ create, link, unlink, set }: RelationWords): string {
  const base = create && link ? 'Relation' : create ? 'Part' : 'Link';
  if (set !== undefined) return `${base}Changes`;
  if (!unlink) return base;
  return link ? `Optional${base}` : `Unlinkable${base}`;
}

/** The key parts, by the names of their fields. */
export function keyInputs(
  { scalarFor }: { readonly scalarFor: ScalarFor },
  keys: readonly KeyArgument[],
): GraphQLFieldConfigArgumentMap {
  return Object.fromEntries(keys.map(({ argument, property }) => [argument, keyInput(scalarFor, property)]));
}

function keyInput(scalarFor: ScalarFor, { type }: StructuralProperty): GraphQLInputFieldConfig {
  return { type: new GraphQLNonNull(scalarFor(type, true)) };
}
