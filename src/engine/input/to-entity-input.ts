import type { EntityType } from '../../model/edm.ts';
import type { EntityInput, MemberChange } from './entity-input.ts';
import type { ReadMember, ReadObject } from './reading.ts';

/** What was read of an entity without a mistake. */
export function toEntityInput(entity: ReadObject<EntityType>): EntityInput {
  const { type, values, bindings, nested, changes } = entity;
  return {
    entityType: type,
    values,
    bindings,
    nested: nested.map(({ property, entities }) => ({
      property,
      entities: entities.map((each) => toEntityInput(each)),
    })),
    changes: changes.map(({ members, ...others }) => ({
      ...others,
      members: members.map((member) => toMemberChange(member)),
    })),
  };
}

function toMemberChange(member: ReadMember): MemberChange {
  if (member.kind !== 'entity') return member;
  const { entity, ...others } = member;
  return { ...others, body: toEntityInput(entity) };
}
