import { GraphQLBoolean } from 'graphql';
import type { Row } from '../../contract/row.ts';
import { collectionOf } from '../../engine/resource/entity-set-resource.ts';
import { entityByKey } from '../../engine/resource/place.ts';
import { relatedResource } from '../../engine/resource/related-resource.ts';
import type { EntityResource } from '../../engine/resource/resource.ts';
import type { EntitySet, NavigationProperty } from '../../model/edm.ts';
import { singularOf } from '../../model/names.ts';
import type { ReferenceOperation } from '../../model/operation.ts';
import { type ChangePlace, changePlaces, keyArguments, keyIn } from '../change/change-place.ts';
import { addLink, removeLink } from '../change/perform-change.ts';
import type { GraphQLContext } from '../context/graphql-context.ts';
import { fieldName, typeName } from '../context/graphql-name.ts';
import { permit } from '../context/permit.ts';
import { keyInputs } from './key-inputs.ts';
import { givenTag, IF_MATCH } from './mutation-fields.ts';
import type { NamedField, RootField, SchemaParts } from './query-fields.ts';

/** A relation to entities of a set, which are linked one by one. */
interface LinkPlace {
  readonly place: ChangePlace;
  readonly navigation: NavigationProperty;
  readonly set: EntitySet;
}

/**
 * The fields that link entities and take links away, where the API has operations for that: what a foreign key says
 * is changed with the entity that has it.
 */
export function linkFields(parts: SchemaParts): readonly NamedField[] {
  return changePlaces(parts.face).flatMap((place) =>
    [...place.type.navigationProperties.values()].flatMap((navigation) => {
      const set = navigation.target;
      return set === undefined || !navigation.collection ? [] : fieldsOf(parts, { place, navigation, set });
    }),
  );
}

function fieldsOf(parts: SchemaParts, link: LinkPlace): readonly NamedField[] {
  const { addReference, removeReference, name } = link.navigation;
  const linked = `${link.place.name}${typeName(singularOf(name))}`;
  return [
    ...(addReference === undefined ? [] : [[`add${linked}`, addField(parts, link, addReference)] as const]),
    ...(removeReference === undefined
      ? []
      : [[`remove${linked}`, removeField(parts, link, removeReference)] as const]),
  ];
}

function addField(parts: SchemaParts, link: LinkPlace, operation: ReferenceOperation): RootField {
  return linkField(parts, link, 'True once it is linked.', (context, owner, key, ifMatch) => {
    const related = entityByKey(collectionOf(link.set), key);
    return addLink(context, { owner, navigation: link.navigation }, operation, related, ifMatch);
  });
}

function removeField(parts: SchemaParts, link: LinkPlace, operation: ReferenceOperation): RootField {
  const { navigation } = link;
  return linkField(parts, link, 'True once it is linked no more.', (context, owner, key, ifMatch) => {
    // One that is elsewhere is not linked.
    const all = relatedResource(parts.face.model, owner, navigation);
    const related = all.kind === 'entity' ? all : entityByKey(all, key);
    return removeLink(context, { owner, navigation }, operation, related, ifMatch);
  });
}

type ChangeLink = (
  context: GraphQLContext,
  owner: EntityResource,
  related: Row,
  ifMatch: string | undefined,
) => Promise<void>;

function linkField(
  parts: SchemaParts,
  { place, navigation, set }: LinkPlace,
  description: string,
  change: ChangeLink,
): RootField {
  const ownerKeys = [...place.outerKeys, ...place.ownKey];
  const taken = new Set(ownerKeys.map(({ argument }) => argument));
  const prefix = fieldName(singularOf(navigation.name));
  const relatedKeys = keyArguments(parts.face, set.entityType, taken, prefix);
  return {
    type: GraphQLBoolean,
    description,
    args: { ...keyInputs(parts, [...ownerKeys, ...relatedKeys]), ...IF_MATCH },
    async resolve(_, args, context) {
      permit(context, place.resource, 'Update');
      const related = keyIn(parts.face, set.entityType, relatedKeys, args);
      await change(context, place.entity(args), related, givenTag(args));
      return true;
    },
  };
}
