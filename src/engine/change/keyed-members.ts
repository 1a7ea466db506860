import { GatewayError } from '../../contract/gateway-error.ts';
import type { Row } from '../../contract/row.ts';
import type { NavigationProperty } from '../../model/edm.ts';
import type { MemberChange } from '../input/entity-input.ts';
import type { CollectionResource, EntityResource } from '../resource/resource.ts';
import type { Changing } from './compensation.ts';
import { isSameKey, keyOfMember } from './member-key.ts';

/** A collection of related entities, and those that are in it now. */
export interface Members {
  readonly site: Changing;
  readonly owner: EntityResource;
  readonly property: NavigationProperty;
  readonly place: CollectionResource;
  readonly present: readonly Row[];
}

/** A member with its key, as far as it is known. */
export interface KeyedMember {
  readonly member: MemberChange;
  readonly key: Row | undefined;
}

/** The members that a body names, each of them once. What of a key their owner says needs no saying (Part 2, 4.3.4). */
export async function keyedMembers(
  { site, place: { entityType, known } }: Members,
  members: readonly MemberChange[],
): Promise<readonly KeyedMember[]> {
  const keyed: KeyedMember[] = [];
  const given = Object.fromEntries(Object.entries(known).filter(([name]) => entityType.key.includes(name)));
  for (const member of members) {
    const said = member.kind === 'link' ? {} : member.key;
    const named = { link: member.link, key: { ...given, ...said } };
    const key = await keyOfMember(site, entityType, named);
    const isTwice = key && keyed.some((each) => each.key && isSameKey(entityType, each.key, key));
    if (isTwice) throw namedTwice(pathOf(member));
    keyed.push({ member, key });
  }
  return keyed;
}

function namedTwice(target: string): GatewayError {
  const message = `${target}: expected each entity once, found it twice.`;
  return new GatewayError('BadRequest', message, { target });
}

/** Where the body names it. */
export function pathOf(member: MemberChange): string {
  return member.kind === 'link' ? member.link.target : member.path;
}
