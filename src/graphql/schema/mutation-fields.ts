import {
  GraphQLBoolean,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLInputObjectType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLString,
} from 'graphql';
import type { Row } from '../../contract/row.ts';
import { fittingOperation, insertingOperation } from '../../engine/change/update-entity.ts';
import { collectionOf, entityByKey, relatedResource } from '../../engine/resource/navigation-source.ts';
import type { EntityResource } from '../../engine/resource/resource.ts';
import type { EntitySet, EntityType, NavigationProperty } from '../../model/edm.ts';
import { singularOf } from '../../model/names.ts';
import type {
  InsertOperation,
  Operation,
  ReferenceOperation,
  UpdateOperation,
} from '../../model/operation.ts';
import { createMany, deleteMany, updateMany } from '../change/change-many.ts';
import { type ChangePlace, changePlaces, keyArguments, keyIn, severalAt } from '../change/change-place.ts';
import { type NamedInput, namedEntity } from '../change/input-object.ts';
import {
  addLink,
  createShown,
  deleteOne,
  prepareShown,
  removeLink,
  updateShown,
} from '../change/perform-change.ts';
import type { InputUse } from '../change/sent-values.ts';
import { type GraphQLContext, type Input, permit } from '../context/graphql-context.ts';
import { fieldName, pluralName, typeName } from '../context/names.ts';
import { nodeSets, type ShownModel, typesOfEntities } from '../context/schema-names.ts';
import { typedNode } from '../query/node-id.ts';
import { readByKeys, selectionOf, selectionOn } from '../query/read.ts';
import { requestedFields } from '../query/selection.ts';
import { keyInputs } from './change-inputs.ts';
import { listOf, several } from './field-parts.ts';
import type { NamedField, RootField, SchemaParts } from './query-fields.ts';
import { INT } from './scalars.ts';

/**
 * The fields that change several entities at once: all of them, or none. They are nullable, so that the failure of one
 * leaves the results of those before it.
 */
export function* manyFields(parts: SchemaParts): Iterable<NamedField> {
  const updated = updatedEntities(parts);
  for (const place of changePlaces(parts.shown)) {
    const { update, delete: remove } = place.operations;
    for (const creation of creationsAt(parts, place)) {
      yield [`create${pluralName(nameOf(parts, place, creation.type))}`, createManyField(parts, creation)];
    }
    const set = nodeSets(parts.shown.model).get(place.path);
    if (set?.list === undefined) continue;
    const plural = pluralName(place.name);
    const changes = parts.inputs.of(place.type, 'change');
    if (update !== undefined && changes !== undefined) {
      yield [`update${plural}`, updateManyField(parts, { place, set }, update, { changes, updated })];
    }
    if (remove !== undefined) yield [`delete${plural}`, deleteManyField(parts, place, remove)];
  }
}

function createManyField(parts: SchemaParts, creation: Creation): RootField {
  const { place, operation, type, input: inputType } = creation;
  return {
    type: new GraphQLList(parts.objects.of(type)),
    args: { ...keyInputs(parts, place.outerKeys), input: { type: listOf(inputType) } },
    resolve(_, args, context, info) {
      permit(context, place.resource, 'Insert');
      const inputs = (args['input'] as readonly Input[]).map((input, index) =>
        inputOf(parts, creation, input, `input.${index}`),
      );
      const request = { collection: severalAt(place, args), operation, type };
      return createMany(context, request, inputs, selectionOf(context, info));
    },
  };
}

/** The arguments that select the entities to change. */
function manyArguments({ collections }: SchemaParts, { type }: ChangePlace): GraphQLFieldConfigArgumentMap {
  const { where } = collections.list(type);
  return {
    ...(where && { where: { ...where, type: new GraphQLNonNull(where.type) } }),
    limit: { type: INT, description: 'If more entities meet the conditions, none is changed.' },
    dryRun: { type: GraphQLBoolean, description: 'Whether to count the entities, and to change nothing.' },
  };
}

/** The entities of a set that were updated, or would be. */
interface UpdatedEntities {
  readonly set: EntitySet;
  readonly keys: readonly Row[];
}

/** The name of the type for the entities that were updated. */
export function updatedName({ names }: ShownModel): string {
  return names.generated('Updated', 'Entities');
}

const NODES = 'nodes';

function updatedEntities({ shown, objects }: SchemaParts): GraphQLObjectType {
  return new GraphQLObjectType<UpdatedEntities, GraphQLContext>({
    name: updatedName(shown),
    fields: {
      count: { type: new GraphQLNonNull(INT), resolve: ({ keys }) => keys.length },
      // A failed read does not change that they were updated.
      [NODES]: {
        type: several(objects.node),
        description: 'The entities as they are now.',
        async resolve({ set, keys }, _, context, info) {
          const selection = selectionOn(context, info, objects.of(set.entityType));
          return (await readByKeys(context, set, keys, selection)).map((row) => typedNode(set, row));
        },
      },
    },
  });
}

function updateManyField(
  parts: SchemaParts,
  { place, set }: { readonly place: ChangePlace; readonly set: EntitySet },
  operation: UpdateOperation,
  { changes, updated }: { readonly changes: GraphQLInputObjectType; readonly updated: GraphQLObjectType },
): RootField {
  return {
    type: updated,
    args: { ...manyArguments(parts, place), set: { type: new GraphQLNonNull(changes) } },
    async resolve(_, args, context, info): Promise<UpdatedEntities> {
      permit(context, place.resource, 'Update');
      permit(context, place.resource, 'View');
      const collection = severalAt(place, args);
      const input = namedEntity(parts.shown, place.type, args['set'] as Input, { place: 'set' });
      const { dependencies, fields } = selectionOf(context, info);
      const nodes = fields.filter(({ field }) => field.name === NODES).map(({ node }) => node);
      const type = parts.objects.of(set.entityType);
      prepareShown(context, collection, {
        dependencies,
        fields: requestedFields(dependencies.requested, type, nodes),
      });
      const many = { collection, dependencies, args };
      const request = {
        method: 'PATCH',
        operation,
        type: place.type,
        ifMatch: undefined,
        unless: unlessInserted(operation),
      } as const;
      return { set, keys: await updateMany(context, many, request, input) };
    },
  };
}

function deleteManyField(parts: SchemaParts, place: ChangePlace, operation: Operation): RootField {
  return {
    type: INT,
    description: 'The number of deleted entities.',
    args: manyArguments(parts, place),
    async resolve(_, args, context, info) {
      permit(context, place.resource, 'Delete');
      permit(context, place.resource, 'View');
      const many = { collection: severalAt(place, args), dependencies: context.dependencies(info), args };
      return (await deleteMany(context, many, operation)).length;
    },
  };
}

/** The fields that change entities, as far as the API has operations. */
export function* changeFields(parts: SchemaParts): Iterable<NamedField> {
  for (const place of changePlaces(parts.shown)) {
    for (const creation of creationsAt(parts, place)) {
      yield [`create${nameOf(parts, place, creation.type)}`, createField(parts, creation)];
    }
    yield* updateFields(parts, place);
    if (place.operations.delete !== undefined) yield deleteField(parts, place, place.operations.delete);
  }
}

/** The creation of entities of one type at a place. */
interface Creation extends TypedInput {
  readonly place: ChangePlace;
  readonly operation: InsertOperation;
}

/** One for each type that an entity may have. */
function creationsAt(parts: SchemaParts, place: ChangePlace): readonly Creation[] {
  const { insert: operation } = place.operations;
  if (operation === undefined || operation.media?.only === true) return [];
  return typesOfEntities(place.type).flatMap((type) => {
    const input = parts.inputs.of(type, 'create');
    return input === undefined ? [] : [{ place, operation, type, input }];
  });
}

function inputOf(
  { shown }: SchemaParts,
  { place: { type: declared }, operation: { verbatim }, type }: Creation,
  input: Input,
  place?: string,
): NamedInput {
  return namedEntity(shown, type, input, { verbatim, derived: type.name !== declared.name, place });
}

/** The part of a field's name after `create` and so on. */
function nameOf(parts: SchemaParts, place: ChangePlace, type: EntityType): string {
  return type.name === place.type.name ? place.name : derivedName(parts, place, type);
}

/** A type of the entities at a place, and its input. */
interface TypedInput {
  readonly type: EntityType;
  readonly input: GraphQLInputObjectType;
}

/**
 * `createAudioBook` for a derived type of the set of books; prefixed with the place's name if that differs.
 */
function derivedName({ shown }: SchemaParts, place: ChangePlace, type: EntityType): string {
  const isOfSet = shown.names.typeOf(place.type.name) === place.name;
  return isOfSet ? shown.names.typeOf(type.name) : `${place.name}${shown.names.typeOf(type.name)}`;
}

function createField(parts: SchemaParts, creation: Creation): RootField {
  const { place, operation, type, input: inputType } = creation;
  return {
    type: parts.objects.of(type),
    description: type.description,
    args: {
      ...keyInputs(parts, place.outerKeys),
      input: { type: new GraphQLNonNull(inputType) },
    },
    resolve(_, args, context, info) {
      permit(context, place.resource, 'Insert');
      const collection = severalAt(place, args);
      const input = inputOf(parts, creation, args['input'] as Input);
      return createShown(context, { collection, operation, type }, input, selectionOf(context, info));
    },
  };
}

function updateFields(parts: SchemaParts, place: ChangePlace): readonly NamedField[] {
  const { update } = place.operations;
  if (update === undefined) return [];
  const replace = fittingOperation(update, 'PUT');
  const inserting = insertingOperation(update);
  const typed = (word: string, use: InputUse, types: readonly EntityType[], change: FieldChange) =>
    types.flatMap((type) => {
      const input = parts.inputs.of(type, use);
      return input === undefined
        ? []
        : [
            [
              `${word}${nameOf(parts, place, type)}`,
              updateField(parts, place, { type, input }, change),
            ] as const,
          ];
    });
  const concrete = typesOfEntities(place.type);
  // Properties of the base type belong to all entities.
  const known = [place.type, ...concrete.filter((type) => type !== place.type)];
  return [
    ...typed('update', 'change', known, {
      operation: update,
      method: 'PATCH',
      unless: unlessInserted(update),
    }),
    ...typed('replace', 'replace', concrete, {
      operation: replace,
      method: 'PUT',
      unless: unlessInserted(replace),
    }),
    ...(inserting === undefined
      ? []
      : typed('upsert', 'replace', concrete, { operation: inserting, method: 'PATCH', unless: undefined })),
  ];
}

/** If an update can create entities, only an upsert may do so. */
function unlessInserted({ inserts }: UpdateOperation): string | undefined {
  return inserts === true ? '*' : undefined;
}

interface FieldChange {
  readonly operation: UpdateOperation;
  readonly method: 'PATCH' | 'PUT';
  /** The condition if the client gives none. */
  readonly unless: string | undefined;
}

function updateField(
  parts: SchemaParts,
  place: ChangePlace,
  { type, input: inputType }: TypedInput,
  { operation, method, unless }: FieldChange,
): RootField {
  const { shown } = parts;
  const derived = type.name !== place.type.name;
  return {
    type: parts.objects.of(type),
    description: type.description,
    args: {
      ...keyInputs(parts, [...place.outerKeys, ...place.ownKey]),
      input: { type: new GraphQLNonNull(inputType) },
      // An upsert has no state to name if it creates.
      ...ifMatch(operation.inserts === true && unless === undefined ? undefined : operation),
    },
    resolve(_, args, context, info) {
      permit(context, place.resource, 'Update');
      const input = namedEntity(shown, type, args['input'] as Input, { derived });
      const change = { method, operation, type, ifMatch: givenTag(args), unless };
      return updateShown(context, place.entity(args), change, input, selectionOf(context, info));
    },
  };
}

function deleteField(parts: SchemaParts, place: ChangePlace, operation: Operation): NamedField {
  const field: RootField = {
    type: GraphQLBoolean,
    description: 'True once it is deleted.',
    args: { ...keyInputs(parts, [...place.outerKeys, ...place.ownKey]), ...ifMatch(operation) },
    async resolve(_, args, context) {
      permit(context, place.resource, 'Delete');
      await deleteOne(context, place.entity(args), operation, givenTag(args));
      return true;
    },
  };
  return [`delete${place.name}`, field];
}

/** Not null if the API demands it. */
function ifMatch(operation: Operation | undefined): GraphQLFieldConfigArgumentMap {
  const isDemanded = operation?.precondition?.required === true;
  return {
    ifMatch: {
      type: isDemanded ? new GraphQLNonNull(GraphQLString) : GraphQLString,
      description: 'The entity tag of the state that is to be changed (RFC 9110, 13.1.1).',
    },
  };
}

function givenTag({ ifMatch }: Input): string | undefined {
  return typeof ifMatch === 'string' ? ifMatch : undefined;
}

/** A relation whose entities are linked one by one. */
interface LinkPlace {
  readonly place: ChangePlace;
  readonly navigation: NavigationProperty;
  readonly set: EntitySet;
}

/**
 * The fields that add and remove links, as far as the API has operations; foreign keys are changed with their
 * entity.
 */
export function linkFields(parts: SchemaParts): readonly NamedField[] {
  return changePlaces(parts.shown).flatMap((place) =>
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
  return linkField(parts, link, operation, 'True once it is linked.', (context, owner, key, ifMatch) => {
    const related = entityByKey(collectionOf(link.set), key);
    const request = { link: { owner, navigation: link.navigation }, operation, ifMatch };
    return addLink(context, request, related);
  });
}

function removeField(parts: SchemaParts, link: LinkPlace, operation: ReferenceOperation): RootField {
  const { navigation } = link;
  return linkField(parts, link, operation, 'True once it is unlinked.', (context, owner, key, ifMatch) => {
    // An entity that is not in the related set cannot be linked.
    const all = relatedResource(parts.shown.model, owner, navigation);
    const related = all.kind === 'entity' ? all : entityByKey(all, key);
    return removeLink(context, { link: { owner, navigation }, operation, ifMatch }, related);
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
  operation: ReferenceOperation,
  description: string,
  change: ChangeLink,
): RootField {
  const ownerKeys = [...place.outerKeys, ...place.ownKey];
  const taken = new Set(ownerKeys.map(({ argument }) => argument));
  const prefix = fieldName(singularOf(navigation.name));
  const relatedKeys = keyArguments(parts.shown, set.entityType, taken, prefix);
  return {
    type: GraphQLBoolean,
    description,
    args: { ...keyInputs(parts, [...ownerKeys, ...relatedKeys]), ...ifMatch(operation) },
    async resolve(_, args, context) {
      permit(context, place.resource, 'Update');
      const related = keyIn(parts.shown, set.entityType, relatedKeys, args);
      await change(context, place.entity(args), related, givenTag(args));
      return true;
    },
  };
}
