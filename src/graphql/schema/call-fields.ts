import {
  GraphQLBoolean,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigArgumentMap,
  GraphQLNonNull,
  type GraphQLOutputType,
} from 'graphql';
import type { Row } from '../../contract/row.ts';
import { collectionOf, entityByKey } from '../../engine/resource/navigation-source.ts';
import type { ModelType } from '../../engine/typing/expression-type.ts';
import {
  type Callable,
  type CallableImport,
  type CallableParameter,
  callablesBoundTo,
  isA,
} from '../../model/edm.ts';
import { type ChangePlace, changePlaces } from '../change/change-place.ts';
import { namedParameters } from '../change/input-object.ts';
import { callAction } from '../change/perform-change.ts';
import { type GraphQLContext, type Input, permit } from '../context/graphql-context.ts';
import { type FunctionMember, returnsEntities, type ShownAs } from '../context/members.ts';
import { fieldName, typeName } from '../context/names.ts';
import { boundCall, type Called, callFunction, ownArguments } from '../query/call.ts';
import { selectionOf } from '../query/read.ts';
import { keyInputs } from './change-inputs.ts';
import { deprecation, listOf, shownValue } from './field-parts.ts';
import type { NamedField, RootField, SchemaParts } from './query-fields.ts';

/** Query fields for unbound functions, and for those bound to an entity set. */
export function functionFields(parts: SchemaParts): readonly NamedField[] {
  const { model, names } = parts.shown;
  const imported = importsOf(parts, 'function').flatMap((each) =>
    functionForms(parts, names.rootOf(each.name), { overloads: each.overloads, imported: each }),
  );
  const ofSets = [...model.entitySets.values()].flatMap((set) => {
    const bound = callablesBoundTo(set.entityType, 'collection').filter(({ kind }) => kind === 'function');
    return [...Map.groupBy(bound, ({ name }) => name)].flatMap(([name, overloads]) =>
      functionForms(parts, `${names.setOf(set).list}${typeName(name)}`, {
        overloads,
        collection: collectionOf(set),
      }),
    );
  });
  return [...imported, ...ofSets];
}

function functionForms(parts: SchemaParts, name: string, called: Called): readonly NamedField[] {
  const { overloads } = called;
  const field = functionConfig(parts, overloads, 'list', () => called);
  if (field === undefined) return [];
  if (!returnsEntities(overloads)) return [[name, field]];
  const connection = functionConfig(parts, overloads, 'connection', () => called);
  return [[name, field], ...(connection === undefined ? [] : [[`${name}Connection`, connection] as const])];
}

/** Undefined for a result that GraphQL cannot show: none, or a stream. */
function functionConfig<Source>(
  parts: SchemaParts,
  overloads: readonly Callable[],
  shownAs: ShownAs,
  calledOn: (source: Source) => Called,
): GraphQLFieldConfig<Source, GraphQLContext> | undefined {
  const [first] = overloads;
  const type = first && resultType(parts, first, shownAs);
  if (first?.returns === undefined || type === undefined) return undefined;
  const { returns, description, deprecated } = first;
  return {
    type,
    description,
    ...deprecation(deprecated),
    args: {
      ...(returns.collection && returns.type.kind === 'entity' && parts.collections[shownAs](returns.type)),
      ...parameterInputs(parts, overloads),
    },
    async resolve(source, args, context, info) {
      const called = calledOn(source);
      permit(context, called.imported?.name ?? (called.entity ?? called.collection)?.resource ?? '', 'Call');
      const call = boundCall(parts.shown, context, called, args);
      const result = { shownAs, args: ownArguments(called, args) };
      const found = await callFunction(context, call, result, () => selectionOf(context, info));
      return shownValue(returns, found);
    },
  };
}

function resultType(
  { objects, connections }: SchemaParts,
  { returns }: Callable,
  shownAs: ShownAs = 'list',
): GraphQLOutputType | undefined {
  if (returns === undefined || returns.type.name === 'Edm.Stream') return undefined;
  const { type, collection } = returns;
  if (type.kind !== 'entity') return objects.use({ ...returns, nullable: true });
  if (shownAs === 'connection') return new GraphQLNonNull(connections.of(type));
  const entity = objects.of(type);
  return collection ? listOf(entity) : entity;
}

/** The parameters of all overloads; those that one overload lacks are optional. */
function parameterInputs(
  { inputs }: SchemaParts,
  overloads: readonly Callable[],
): GraphQLFieldConfigArgumentMap {
  const found = new Map<string, CallableParameter>();
  for (const { parameters } of overloads) for (const each of parameters) found.set(each.name, each);
  return Object.fromEntries(
    [...found.values()].map((parameter) => {
      const isAlways = overloads.every(({ parameters }) =>
        parameters.some(({ name, optional }) => name === parameter.name && !optional),
      );
      const isRequired = isAlways && (!parameter.nullable || parameter.collection);
      const hasDefault = overloads.length === 1;
      return [fieldName(parameter.name), inputs.parameter(parameter, { isRequired, hasDefault })];
    }),
  );
}

/** A function as a field of its entities, which must be in a set, because it is called with their key. */
export function boundFunctionField(
  parts: SchemaParts,
  type: ModelType,
  { overloads, shownAs }: FunctionMember,
): GraphQLFieldConfig<Row, GraphQLContext> | undefined {
  const { shown } = parts;
  const set = [...shown.model.entitySets.values()].find(({ entityType }) => isA(type, entityType));
  if (set === undefined) return undefined;
  return functionConfig<Row>(parts, overloads, shownAs, (row) => {
    const key = Object.fromEntries(set.entityType.key.map((name) => [name, row[name] ?? null]));
    return { overloads, entity: entityByKey(collectionOf(set), key) };
  });
}

/** Mutation fields for actions; bound ones take the key of the binding parameter. */
export function actionFields(parts: SchemaParts): readonly NamedField[] {
  const { shown } = parts;
  const imported = importsOf(parts, 'action').flatMap((each): NamedField[] => {
    const [action] = each.overloads;
    return action === undefined
      ? []
      : [[shown.names.rootOf(each.name), actionField(parts, action, undefined, each)]];
  });
  const places = changePlaces(shown);
  const bound = shown.model.callables
    .filter(({ kind, binding }) => kind === 'action' && binding !== undefined)
    .flatMap((action) => placesOf(places, action).map((place) => boundAction(parts, action, place)));
  return [...imported, ...bound];
}

/** The places at which an action can be called, or the set of its entities. */
function placesOf(places: readonly ChangePlace[], { calls, binding }: Callable) {
  const named = calls.flatMap(({ resource }) => places.find(({ path }) => path === resource) ?? []);
  if (named.length > 0) return [...new Set(named)];
  const ofType = binding && places.find(({ type }) => isA(binding.entityType, type));
  return ofType === undefined ? [] : [ofType];
}

function boundAction(parts: SchemaParts, action: Callable, place: ChangePlace): NamedField {
  const own = fieldName(action.name);
  const says = own.toLowerCase().includes(parts.shown.names.typeOf(place.type.name).toLowerCase());
  return [says ? own : `${own}${place.name}`, actionField(parts, action, place, undefined)];
}

function actionField(
  parts: SchemaParts,
  action: Callable,
  place: ChangePlace | undefined,
  imported: CallableImport | undefined,
): RootField {
  const isWhole = action.binding?.collection === true;
  const keys = place === undefined ? [] : [...place.outerKeys, ...(isWhole ? [] : place.ownKey)];
  return {
    type: resultType(parts, action) ?? GraphQLBoolean,
    description: action.description,
    ...deprecation(action.deprecated),
    args: { ...parameterInputs(parts, [action]), ...keyInputs(parts, keys) },
    async resolve(_, args, context, info) {
      permit(context, imported?.name ?? place?.resource ?? '', 'Call');
      const called = { overloads: [action], ...ownerOf(place, isWhole, args), ...(imported && { imported }) };
      const call = boundCall(parts.shown, context, called, args);
      const input = namedParameters(parts.shown, action, args);
      const found = await callAction(context, call, input, () => selectionOf(context, info));
      return action.returns === undefined ? found : shownValue(action.returns, found);
    },
  };
}

function ownerOf(place: ChangePlace | undefined, isWhole: boolean, args: Input): Omit<Called, 'overloads'> {
  if (place === undefined) return {};
  if (!isWhole) return { entity: place.entity(args) };
  const whole = place.collection(args);
  return whole.kind === 'collection' ? { collection: whole } : { entity: whole };
}

function importsOf({ shown: { model } }: SchemaParts, kind: Callable['kind']): readonly CallableImport[] {
  return [...model.imports.values()].filter((each) => each.kind === kind);
}
