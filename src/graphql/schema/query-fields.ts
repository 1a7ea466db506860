import { type GraphQLFieldConfig, GraphQLList, GraphQLNonNull } from 'graphql';
import { collectionOf } from '../../engine/resource/entity-set-resource.ts';
import { memberOf } from '../../engine/resource/place.ts';
import { singletonResource } from '../../engine/resource/singleton-resource.ts';
import type { EntitySet, Singleton } from '../../model/edm.ts';
import { type ChangePlace, changePlaces, keyArguments } from '../change/change-place.ts';
import { permit } from '../permit.ts';
import { keyOf } from '../query/key.ts';
import { askedBelow, readConnection, readList, readOne } from '../query/read.ts';
import type { ChangeInputs } from './change-inputs.ts';
import type { CollectionArguments } from './collection-arguments.ts';
import type { ConnectionTypes } from './connection-types.ts';
import type { Face } from './face.ts';
import type { GraphQLContext } from './graphql-context.ts';
import { keyInputs } from './key-inputs.ts';
import type { ObjectTypes } from './object-types.ts';
import { readOf } from './root-read.ts';
import { pluralName } from './schema-names.ts';
import type { ScalarFor } from './value-types.ts';

export type RootField = GraphQLFieldConfig<unknown, GraphQLContext>;
export type NamedField = readonly [name: string, field: RootField];

export interface SchemaParts {
  readonly face: Face;
  readonly scalarFor: ScalarFor;
  readonly objects: ObjectTypes;
  readonly collections: CollectionArguments;
  readonly inputs: ChangeInputs;
  readonly connections: ConnectionTypes;
}

/** The fields by which entities are read: of sets, and singletons. */
export function queryFields(parts: SchemaParts): readonly NamedField[] {
  const { model } = parts.face;
  return [
    ...[...model.entitySets.values()].flatMap((set) => setFields(parts, set)),
    ...[...model.singletons.values()].map((singleton) => singletonField(parts, singleton)),
    ...changePlaces(parts.face).flatMap((place) => (place.isContained ? containedFields(parts, place) : [])),
  ];
}

function setFields(parts: SchemaParts, set: EntitySet): readonly NamedField[] {
  const names = parts.face.names.setOf(set);
  const isListed = set.list !== undefined || set.page !== undefined;
  return [
    ...(isListed ? [[names.list, listField(parts, set)] as const] : []),
    ...(isListed ? [[names.connection, connectionField(parts, set)] as const] : []),
    ...(!names.isOverOwners && (isListed || set.read !== undefined)
      ? [[names.one, oneField(parts, set)] as const]
      : []),
  ];
}

function listField({ objects, collections }: SchemaParts, set: EntitySet): RootField {
  const type = set.entityType.name;
  return {
    type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(objects.of(type)))),
    description: set.title,
    args: collections.list(type),
    extensions: readOf({ kind: 'list', set }),
    resolve(_, args, context, info) {
      permit(context, set.name, 'View');
      return readList(context, collectionOf(set), args, askedBelow(context, info));
    },
  };
}

function connectionField({ connections, collections }: SchemaParts, set: EntitySet): RootField {
  const type = set.entityType.name;
  return {
    type: new GraphQLNonNull(connections.of(type)),
    description: set.title,
    args: collections.connection(type),
    resolve(_, args, context, info) {
      permit(context, set.name, 'View');
      return readConnection(context, collectionOf(set), args, askedBelow(context, info));
    },
  };
}

function oneField(parts: SchemaParts, set: EntitySet): RootField {
  const { entityType } = set;
  return {
    type: parts.objects.of(entityType.name),
    description: entityType.description,
    args: keyInputs(parts, keyArguments(parts.face, entityType)),
    extensions: readOf({ kind: 'one', set }),
    resolve: (_, args, context, info) => {
      permit(context, set.name, 'View');
      const key = keyOf(parts.face, entityType, args);
      return readOne(context, memberOf(collectionOf(set), key), askedBelow(context, info));
    },
  };
}

function singletonField({ face, objects }: SchemaParts, singleton: Singleton): NamedField {
  const field: RootField = {
    type: objects.of(singleton.entityType.name),
    description: singleton.entityType.description,
    resolve(_, __, context, info) {
      permit(context, singleton.name, 'View');
      return readOne(context, singletonResource(singleton), askedBelow(context, info));
    },
  };
  return [face.names.rootOf(singleton.name), field];
}

/** Contained entities by themselves, for whoever may not see what contains them. */
function containedFields(parts: SchemaParts, place: ChangePlace): readonly NamedField[] {
  const { objects, collections } = parts;
  const type = place.type.name;
  const one = place.name.charAt(0).toLowerCase() + place.name.slice(1);
  const { list, page, read } = place.operations;
  const listed: RootField = {
    type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(objects.of(type)))),
    args: { ...collections.list(type), ...keyInputs(parts, place.outerKeys) },
    resolve(_, args, context, info) {
      permit(context, place.resource, 'View');
      const collection = place.collection(args);
      if (collection.kind === 'entity') return [];
      return readList(context, collection, args, askedBelow(context, info));
    },
  };
  const single: RootField = {
    type: objects.of(type),
    args: keyInputs(parts, [...place.outerKeys, ...place.ownKey]),
    resolve(_, args, context, info) {
      permit(context, place.resource, 'View');
      return readOne(context, place.entity(args), askedBelow(context, info));
    },
  };
  return [
    ...(list === undefined && page === undefined ? [] : [[pluralName(one), listed] as const]),
    ...(read === undefined ? [] : [[one, single] as const]),
  ];
}
