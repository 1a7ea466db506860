import type { EntityType, NavigationProperty } from './edm.ts';
import type { InsertOperation } from './operation.ts';
import { referentialConstraints } from './referential-constraints.ts';
import { takenProperties } from './sent-type.ts';

/**
 * What creates entities behind a link, in their own set, where properties of theirs say to whom they belong; undefined
 * where nothing does. Bytes that are forwarded as they are, a stream among them, say only what the client has put there.
 */
export function linkedInsert(owner: EntityType, navigation: NavigationProperty): InsertOperation | undefined {
  const { origin, collection, target, entityType: related } = navigation;
  const insert = target?.insert;
  if (origin.kind !== 'link' || !collection) return undefined;
  if (insert === undefined || insert.verbatim || insert.media?.only === true) return undefined;
  const keys = referentialConstraints(owner, navigation);
  const isGiven = keys.length > 0 && keys.every((key) => isInsertable(related, insert, key.related));
  return isGiven ? { ...insert, media: undefined } : undefined;
}

/** Whether a create may give the property a value: it may give whatever is not the upstream's to give. */
export function isInsertable(
  type: EntityType,
  { nonInsertableProperties = [], sent }: InsertOperation,
  name: string,
): boolean {
  return takenProperties(type, sent).get(name)?.computed === false && !nonInsertableProperties.includes(name);
}
