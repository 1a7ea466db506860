import { type GraphQLField, type GraphQLFieldConfig, GraphQLNonNull } from 'graphql';
import { collectionOf, entityByKey, singletonResource } from '../../engine/resource/navigation-source.ts';
import type { CollectionResource } from '../../engine/resource/resource.ts';
import { type EntitySet, type EntityType, isTransient, type Singleton } from '../../model/edm.ts';
import {
  type ChangePlace,
  changePlaces,
  type KeyArgument,
  keyArguments,
  severalAt,
} from '../change/change-place.ts';
import { type GraphQLContext, type Input, permit } from '../context/graphql-context.ts';
import { pluralName } from '../context/names.ts';
import type { ShownModel } from '../context/schema-names.ts';
import { keyOf } from '../query/key.ts';
import { readConnection, readList, readOne, selectionOf } from '../query/read.ts';
import { type ChangeInputs, keyInputs } from './change-inputs.ts';
import type { CollectionArguments } from './collection-arguments.ts';
import type { ConnectionTypes } from './connection-types.ts';
import { listOf } from './field-parts.ts';
import type { ObjectTypes } from './object-types.ts';
import type { ScalarFor } from './scalars.ts';

export type RootField = GraphQLFieldConfig<unknown, GraphQLContext>;
export type NamedField = readonly [name: string, field: RootField];

export interface SchemaParts {
  readonly shown: ShownModel;
  readonly scalarFor: ScalarFor;
  readonly objects: ObjectTypes;
  readonly collections: CollectionArguments;
  readonly inputs: ChangeInputs;
  readonly connections: ConnectionTypes;
}

/** The fields that read sets and singletons. */
export function* queryFields(parts: SchemaParts): Iterable<NamedField> {
  const { model } = parts.shown;
  for (const set of model.entitySets.values()) yield* setFields(parts, set);
  for (const singleton of model.singletons.values()) yield singletonField(parts, singleton);
  for (const place of changePlaces(parts.shown)) if (place.isContained) yield* containedFields(parts, place);
}

function setFields(parts: SchemaParts, set: EntitySet): readonly NamedField[] {
  const names = parts.shown.names.setOf(set);
  const collection = collectionOf(set);
  const isListed = set.list !== undefined || set.page !== undefined;
  const several: Several = {
    resource: set.name,
    type: set.entityType,
    description: [set.title, set.description].filter(Boolean).join('\n\n') || undefined,
    keys: [],
    at: () => collection,
  };
  const list = { ...listField(parts, several), extensions: readOf({ kind: 'list', set }) };
  return [
    ...(isListed ? [[names.list, list] as const] : []),
    ...(isListed ? [[names.connection, connectionField(parts, several)] as const] : []),
    ...(!names.isOverOwners && !isTransient(set.entityType) && (isListed || set.read !== undefined)
      ? [[names.one, oneField(parts, set)] as const]
      : []),
  ];
}

/** A collection of entities. */
interface Several {
  readonly resource: string;
  readonly type: EntityType;
  readonly description?: string | undefined;
  /** The key arguments of the owners. */
  readonly keys: readonly KeyArgument[];
  at(args: Input): CollectionResource;
}

function listField(parts: SchemaParts, { resource, type, description, keys, at }: Several): RootField {
  return {
    type: listOf(parts.objects.of(type)),
    description,
    args: { ...parts.collections.list(type), ...keyInputs(parts, keys) },
    resolve(_, args, context, info) {
      permit(context, resource, 'View');
      return readList(context, at(args), args, selectionOf(context, info));
    },
  };
}

function connectionField(parts: SchemaParts, { resource, type, description, keys, at }: Several): RootField {
  return {
    type: new GraphQLNonNull(parts.connections.of(type)),
    description,
    args: { ...parts.collections.connection(type), ...keyInputs(parts, keys) },
    resolve(_, args, context, info) {
      permit(context, resource, 'View');
      return readConnection(context, at(args), args, selectionOf(context, info));
    },
  };
}

function oneField(parts: SchemaParts, set: EntitySet): RootField {
  const { entityType } = set;
  return {
    type: parts.objects.of(entityType),
    description: entityType.description,
    args: keyInputs(parts, keyArguments(parts.shown, entityType)),
    extensions: readOf({ kind: 'one', set }),
    resolve: (_, args, context, info) => {
      permit(context, set.name, 'View');
      const key = keyOf(parts.shown, entityType, args);
      return readOne(context, entityByKey(collectionOf(set), key), selectionOf(context, info));
    },
  };
}

function singletonField({ shown, objects }: SchemaParts, singleton: Singleton): NamedField {
  const field: RootField = {
    type: objects.of(singleton.entityType),
    description: singleton.entityType.description,
    resolve(_, __, context, info) {
      permit(context, singleton.name, 'View');
      return readOne(context, singletonResource(singleton), selectionOf(context, info));
    },
  };
  return [shown.names.rootOf(singleton.name), field];
}

/** Root fields for contained entities whose owners the caller may not view. */
function containedFields(parts: SchemaParts, place: ChangePlace): readonly NamedField[] {
  const { list, page, read } = place.operations;
  const one = place.name.charAt(0).toLowerCase() + place.name.slice(1);
  const names = pluralName(one);
  const several: Several = {
    resource: place.resource,
    type: place.type,
    keys: place.outerKeys,
    at: (args) => severalAt(place, args),
  };
  const isListed = list !== undefined || page !== undefined;
  return [
    ...(isListed ? [[names, listField(parts, several)] as const] : []),
    ...(isListed ? [[`${names}Connection`, connectionField(parts, several)] as const] : []),
    ...(read === undefined ? [] : [[one, containedField(parts, place)] as const]),
  ];
}

function containedField(parts: SchemaParts, place: ChangePlace): RootField {
  return {
    type: parts.objects.of(place.type),
    args: keyInputs(parts, [...place.outerKeys, ...place.ownKey]),
    resolve(_, args, context, info) {
      permit(context, place.resource, 'View');
      return readOne(context, place.entity(args), selectionOf(context, info));
    },
  };
}

/** The data of a root field: the entities of a set, or one by its key. */
export interface RootRead {
  readonly kind: 'list' | 'one';
  readonly set: EntitySet;
}

/** The key of the read in a root field's extensions. */
const READ = 'duogate.read';

function readOf(read: RootRead): { readonly [READ]: RootRead } {
  return { [READ]: read };
}

export function rootReadOf<Source, Context>({
  extensions,
}: GraphQLField<Source, Context>): RootRead | undefined {
  return extensions[READ] as RootRead | undefined;
}
