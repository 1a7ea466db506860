import { GraphQLEnumType, type GraphQLInputFieldConfig, GraphQLInputObjectType } from 'graphql';
import { comparableType } from '../../model/readable-property.ts';
import { type Face, structuredType } from '../context/face.ts';
import type { Member } from '../context/schema-names.ts';
import { visibleMembers } from './filter-inputs.ts';

const SORT_DIRECTION = new GraphQLEnumType({
  name: 'SortDirection',
  description: 'Null comes before every value.',
  values: { ASC: { value: 'ASC' }, DESC: { value: 'DESC' } },
});

/** Whether values of a member have an order of their own. */
function isSortable(member: Member): boolean {
  if (member.kind !== 'property' || member.property.collection) return false;
  const { type } = member.property;
  if (type.kind === 'enumeration') return true;
  return comparableType(member.property) !== undefined && type.name !== 'Edm.Binary';
}

/** The inputs of `order`; undefined for a type that nothing can be sorted by. */
export type OrderInputs = (type: string) => GraphQLInputObjectType | undefined;

export function orderInputs(face: Face): OrderInputs {
  const made = new Map<string, GraphQLInputObjectType | undefined>();
  const of: OrderInputs = (type) => {
    if (made.has(type)) return made.get(type);
    const isOrdered = visibleMembers(face, type).some(([, member]) => isSortable(member));
    const input = isOrdered
      ? new GraphQLInputObjectType({
          name: face.names.generated(face.names.typeOf(type), 'Order'),
          // What comes first could not be told of several.
          isOneOf: true,
          fields: () => fields(type),
        })
      : undefined;
    made.set(type, input);
    return input;
  };
  const fields = (type: string) =>
    Object.fromEntries(
      visibleMembers(face, type).flatMap(([name, member]) => {
        const field = fieldFor(member);
        return field === undefined ? [] : [[name, field]];
      }),
    );
  function fieldFor(member: Member): GraphQLInputFieldConfig | undefined {
    if (member.kind === 'related' && !member.navigation.collection) {
      return inputOf(member.navigation.entityType.name);
    }
    if (member.kind !== 'property' || member.property.collection) return undefined;
    const { type } = member.property;
    if (type.kind === 'complex') return inputOf(type.name);
    return isSortable(member) ? { type: SORT_DIRECTION } : undefined;
  }
  function inputOf(type: string): GraphQLInputFieldConfig | undefined {
    const input = structuredType(face, type) && of(type);
    return input && { type: input };
  }
  return of;
}
