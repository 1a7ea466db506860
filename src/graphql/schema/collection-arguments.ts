import {
  GraphQLBoolean,
  GraphQLEnumType,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLInputFieldConfig,
  type GraphQLInputFieldConfigMap,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
  GraphQLString,
} from 'graphql';
import type { ModelType } from '../../engine/typing/expression-type.ts';
import {
  comparableType,
  type EntityType,
  type TypeUse,
  type ValueType,
  withDerivedTypes,
} from '../../model/edm.ts';
import type { Member } from '../context/members.ts';
import { derivedKinds, type ShownModel } from '../context/schema-names.ts';
import { inputTypes, several } from './field-parts.ts';
import { INT, isFlags, type ScalarFor } from './scalars.ts';

/** The arguments of lists of entities. */
export interface CollectionArguments {
  list(type: EntityType): GraphQLFieldConfigArgumentMap;
  connection(type: EntityType): GraphQLFieldConfigArgumentMap;
}

export function collectionArguments(filters: FilterInputs, orders: OrderInputs): CollectionArguments {
  const conditions = (type: EntityType): GraphQLFieldConfigArgumentMap => ({
    where: { type: filters.of(type), description: 'The conditions that all of them meet.' },
    ...orderArgument(orders(type)),
    search: {
      type: GraphQLString,
      description: 'Words, and phrases in double quotes, that must all be found.',
    },
  });
  return {
    list: (type) => ({
      ...conditions(type),
      skip: { type: INT, description: 'The number of entities to leave out at the beginning.' },
      take: { type: INT, description: 'The number of entities at most.' },
    }),
    connection: (type) => ({
      ...conditions(type),
      first: { type: INT, description: 'The number of entities at most, from the beginning.' },
      after: { type: GraphQLString, description: 'The cursor of the entity before the first one.' },
      last: { type: INT, description: 'The number of entities at most, from the end.' },
      before: { type: GraphQLString, description: 'The cursor of the entity behind the last one.' },
    }),
  };
}

function orderArgument(input: GraphQLInputObjectType | undefined): GraphQLFieldConfigArgumentMap {
  if (input === undefined) return {};
  return {
    order: {
      type: several(input),
      description: 'The first one decides, then the next.',
    },
  };
}

interface FilterInputs {
  /** The conditions on entities or complex values of the type. */
  of(type: ModelType): GraphQLInputObjectType;
}

const EQUALITY = ['eq', 'neq'];
const MEMBERSHIP = ['in', 'nin'];
const FLAGS = ['has', 'nhas'];
const ORDER = ['gt', 'ngt', 'gte', 'ngte', 'lt', 'nlt', 'lte', 'nlte'];
const TEXT = [...['contains', 'ncontains', 'startsWith', 'nstartsWith', 'endsWith', 'nendsWith'], 'matches'];

/** Types that can only be compared with null (Part 2, 5.1.1.1). */
function isOpaque(name: string): boolean {
  return name === 'Edm.Binary' || name === 'Edm.Untyped' || name.startsWith('Edm.Geography');
}

export function filterInputs(shown: ShownModel, scalarFor: ScalarFor): FilterInputs {
  const once = inputTypes(shown.names);

  const of = (type: ModelType): GraphQLInputObjectType => {
    const name = shown.names.typeOf(type.name);
    return once(name, 'Filter', () => {
      const self = once(name, 'Filter', () => ({}));
      const conjuncts = { type: several(self) };
      const kinds = ofType(type);
      return {
        and: conjuncts,
        or: conjuncts,
        not: { type: self },
        ...(kinds !== undefined && { ofType: { type: kinds, description: OF_TYPE } }),
        ...conditions(type),
      };
    });
  };

  function ofType(type: ModelType): GraphQLInputObjectType | undefined {
    const kinds = derivedKinds(shown, type);
    if (kinds.size === 0) return undefined;
    const fields = () => Object.fromEntries([...kinds].map(([name, kind]) => [name, { type: of(kind) }]));
    return once(shown.names.typeOf(type.name), 'OfTypeFilter', fields, true);
  }

  function conditions(type: ModelType): GraphQLInputFieldConfigMap {
    const key = type.kind === 'entity' ? type.key : [];
    return Object.fromEntries(
      [...shown.names.membersOf(type)].flatMap(([name, member]) => {
        const input = condition(member, key);
        return input === undefined ? [] : [[name, { type: input }]];
      }),
    );
  }

  function condition(member: Member, key: readonly string[]): GraphQLInputType | undefined {
    if (member.kind === 'property') return ofUse(member.property, key.includes(member.property.name));
    if (member.kind !== 'related') return undefined;
    const { entityType, collection } = member.navigation;
    return collection ? listOf(shown.names.typeOf(entityType.name), () => of(entityType)) : of(entityType);
  }

  function ofUse({ type, collection }: TypeUse, isKey: boolean): GraphQLInputObjectType | undefined {
    if (type.kind === 'entity') return undefined;
    if (type.kind === 'complex') {
      return collection ? listOf(shown.names.typeOf(type.name), () => of(type)) : of(type);
    }
    if (!collection) return operators(type, isKey);
    return isOpaque(type.name) ? undefined : listOf(operatorName(type, isKey), () => operators(type, isKey));
  }

  function listOf(name: string, items: () => GraphQLInputObjectType): GraphQLInputObjectType {
    return once(name, 'ListFilter', () => ({
      some: { type: items() },
      all: { type: items() },
      none: { type: items() },
      any: { type: GraphQLBoolean },
    }));
  }

  function operatorName(type: ValueType, isKey: boolean): string {
    const value = scalarFor(type).name;
    return isKey && type.kind === 'primitive' ? `${value}ID` : value;
  }

  function operators(type: ValueType, isKey: boolean): GraphQLInputObjectType {
    const value = scalarFor(type, isKey);
    // Flags are equal if the same members are set.
    const whole = isFlags(type) ? several(value) : value;
    const isText = type.name === 'Edm.String';
    return once(operatorName(type, isKey), 'Filter', () => {
      const one = (names: readonly string[], input: GraphQLInputType) =>
        names.map((name) => [name, { type: input }]);
      if (isOpaque(type.name)) return { isNull: { type: GraphQLBoolean } };
      const isOrdered = !(value instanceof GraphQLEnumType) && type.name !== 'Edm.Boolean';
      return Object.fromEntries([
        ...one(EQUALITY, whole),
        ...one(type.name === 'Edm.Boolean' ? [] : MEMBERSHIP, new GraphQLList(whole)),
        ...one(isFlags(type) ? FLAGS : [], several(value)),
        ...one(isOrdered ? ORDER : [], value),
        ...one(isText ? TEXT : [], scalarFor({ kind: 'primitive', name: 'Edm.String' })),
        ...one(isText ? ['caseInsensitive'] : [], GraphQLBoolean),
      ]);
    });
  }

  return { of };
}

const OF_TYPE = 'Values of that derived type alone.';

const SORT_DIRECTION = new GraphQLEnumType({
  name: 'SortDirection',
  description: 'Null comes before every value.',
  values: { ASC: { value: 'ASC' }, DESC: { value: 'DESC' } },
});

function isSortable(member: Member): boolean {
  if (member.kind !== 'property' || member.property.collection) return false;
  const { type } = member.property;
  if (type.kind === 'enumeration') return true;
  return comparableType(member.property) !== undefined && type.name !== 'Edm.Binary';
}

/** The inputs of `order`; undefined for a type without sortable members. */
type OrderInputs = (type: ModelType) => GraphQLInputObjectType | undefined;

export function orderInputs(shown: ShownModel): OrderInputs {
  const made = new Map<ModelType, GraphQLInputObjectType | undefined>();
  const of: OrderInputs = (type) => {
    if (made.has(type)) return made.get(type);
    const kinds: readonly ModelType[] = withDerivedTypes(type);
    const isOrdered = kinds.some((kind) => [...shown.names.membersOf(kind).values()].some(isSortable));
    const input = isOrdered
      ? new GraphQLInputObjectType({
          name: shown.names.generated(shown.names.typeOf(type.name), 'Order'),
          // Several members would have no defined order.
          isOneOf: true,
          fields: () => fields(type),
        })
      : undefined;
    made.set(type, input);
    return input;
  };
  const fields = (type: ModelType) => {
    const kinds = ofType(type);
    return {
      ...(kinds !== undefined && { ofType: { type: kinds, description: OF_TYPE } }),
      ...Object.fromEntries(
        [...shown.names.membersOf(type)].flatMap(([name, member]) => {
          const field = fieldFor(member);
          return field === undefined ? [] : [[name, field]];
        }),
      ),
    };
  };
  function ofType(type: ModelType): GraphQLInputObjectType | undefined {
    const kinds = [...derivedKinds(shown, type)].flatMap(([name, kind]) => {
      const field = inputOf(kind);
      return field === undefined ? [] : [[name, field] as const];
    });
    if (kinds.length === 0) return undefined;
    return new GraphQLInputObjectType({
      name: shown.names.generated(shown.names.typeOf(type.name), 'OfTypeOrder'),
      isOneOf: true,
      fields: Object.fromEntries(kinds),
    });
  }
  function fieldFor(member: Member): GraphQLInputFieldConfig | undefined {
    if (member.kind === 'related' && !member.navigation.collection) {
      return inputOf(member.navigation.entityType);
    }
    if (member.kind !== 'property' || member.property.collection) return undefined;
    const { type } = member.property;
    if (type.kind === 'complex') return inputOf(type);
    return isSortable(member) ? { type: SORT_DIRECTION } : undefined;
  }
  function inputOf(type: ModelType): GraphQLInputFieldConfig | undefined {
    const input = of(type);
    return input && { type: input };
  }
  return of;
}
