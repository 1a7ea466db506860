import { GraphQLBoolean } from 'graphql';
import { collectionOf } from '../../engine/resource/entity-set-resource.ts';
import { memberOf } from '../../engine/resource/place.ts';
import { relatedResource } from '../../engine/resource/related-resource.ts';
import type { EntitySet } from '../../model/edm.ts';
import { singularOf } from '../../model/from-openapi/names.ts';
import type { ReferenceOperation } from '../../model/operation.ts';
import type { NavigationProperty } from '../../model/structured-type.ts';
import { type ChangePlace, changePlaces, keyArguments, keyIn } from '../change/change-place.ts';
import { addLink, removeLink } from '../change/perform-change.ts';
import { permit } from '../permit.ts';
import type { Input } from '../query/where.ts';
import { fieldName, typeName } from './graphql-name.ts';
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
  const { entitySets } = parts.face.model;
  return changePlaces(parts.face).flatMap((place) =>
    [...place.type.navigationProperties.values()].flatMap((navigation) => {
      const set = entitySets.get(navigation.target ?? '');
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
  return {
    type: GraphQLBoolean,
    description: 'True once it is linked.',
    args: linkArguments(parts, link),
    async resolve(_, args, context) {
      const { place, navigation, set } = link;
      permit(context, place.resource, 'Update');
      const owner = place.entity(args);
      const related = memberOf(collectionOf(set), relatedKey(parts, link, args));
      await addLink(context, { owner, navigation }, operation, related, givenTag(args));
      return true;
    },
  };
}

function removeField(parts: SchemaParts, link: LinkPlace, operation: ReferenceOperation): RootField {
  return {
    type: GraphQLBoolean,
    description: 'True once it is linked no more.',
    args: linkArguments(parts, link),
    async resolve(_, args, context) {
      const { place, navigation } = link;
      permit(context, place.resource, 'Update');
      const owner = place.entity(args);
      const all = relatedResource(parts.face.model, owner, navigation);
      const related = all.kind === 'entity' ? all : memberOf(all, relatedKey(parts, link, args));
      await removeLink(context, { owner, navigation }, operation, related, givenTag(args));
      return true;
    },
  };
}

function linkArguments(parts: SchemaParts, link: LinkPlace) {
  return { ...keyInputs(parts, [...ownerKeys(link), ...relatedKeys(parts, link)]), ...IF_MATCH };
}

function ownerKeys({ place }: LinkPlace) {
  return [...place.outerKeys, ...place.ownKey];
}

function relatedKeys({ face }: SchemaParts, link: LinkPlace) {
  const taken = new Set(ownerKeys(link).map(({ argument }) => argument));
  const { set, navigation } = link;
  return keyArguments(face, set.entityType, taken, fieldName(singularOf(navigation.name)));
}

function relatedKey(parts: SchemaParts, link: LinkPlace, args: Input) {
  return keyIn(parts.face, link.set.entityType, relatedKeys(parts, link), args);
}
