import type { StructuralProperty } from '../../model/edm.ts';
import type { Scope, ValueUse } from '../scope/scope.ts';
import { isCombination } from '../typing/combination-type.ts';
import { type ModelType, propertiesOf } from '../typing/model-type.ts';
import { type Members, merged } from './members.ts';
import { addedMembers, instanceType } from './result-scope.ts';
import { heldMembersOfType, isResult, isTransient, membersOfType, originOf } from './result-type.ts';

/** What is shown of instances that `$apply` has made, or has put into others. */
export interface ResultContent {
  /** Whether they are no entities that could be read by themselves. */
  readonly transient: boolean;
  /** The primitive values that all of them have, as a context URL names them; `*` for all that their type declares. */
  readonly paths: readonly string[];
  /** What the properties hold that no type declares. */
  readonly computed: ReadonlyMap<string, ValueUse>;
  /** Properties that hold instances. */
  readonly nested: ReadonlyMap<string, NestedContent>;
}

/** What instances in a property hold. */
export interface NestedContent extends ResultContent {
  /** The type that the model declares them to be of. */
  readonly type: ModelType;
  readonly collection: boolean;
  readonly shown: readonly string[];
  /** Whether some of what could hold them does not. */
  readonly sparse: boolean;
}

/** What is shown of the results of `$apply` where `$select` leaves those properties. */
export function contentOfResults(scope: Scope, isShown: (name: string) => boolean): ResultContent {
  const type = instanceType(scope);
  const own = isResult(type) ? [membersOfType(type)] : [];
  return contentOfMembers(shownOf(merged(...own, ...addedMembers(scope)), isShown), type);
}

function shownOf(
  { properties, navigation, dynamic, sparse }: Members,
  isShown: (name: string) => boolean,
): Members {
  return {
    properties: new Map([...properties].filter(([name]) => isShown(name))),
    navigation: new Map([...navigation].filter(([name]) => isShown(name))),
    dynamic,
    sparse,
  };
}

function contentOfMembers(
  { properties, navigation, dynamic, sparse }: Members,
  type: ModelType,
): ResultContent {
  const declared = originOf(type).structuralProperties;
  const undeclared = [...properties].filter(([name]) => dynamic.has(name) || !declared.has(name));
  const named = isTransient(type) ? [...properties] : undeclared;
  const paths = named.filter(([name]) => !sparse.has(name)).flatMap(([, property]) => pathsOf(property));
  return {
    transient: isTransient(type),
    paths: isTransient(type) ? paths : ['*', ...paths],
    computed: new Map(undeclared.map(([name, property]) => [name, useOf(property)])),
    nested: new Map(
      [...navigation].map(([name, { entityType, collection }]) => [
        name,
        { ...nestedContent(entityType, collection), sparse: sparse.has(name) },
      ]),
    ),
  };
}

function nestedContent(type: ModelType, collection: boolean): Omit<NestedContent, 'sparse'> {
  const held = heldMembersOfType(type);
  const members = isResult(type) ? held : { ...held, properties: new Map() };
  const origin = originOf(type);
  const kept = isTransient(type) ? [] : propertiesOf(origin).keys();
  const shown = [...new Set([...kept, ...propertiesOf(type).keys()])];
  const content = contentOfMembers(members, type);
  // A combination has nothing but its entities.
  const paths = isCombination(origin) ? content.paths.filter((path) => path !== '*') : content.paths;
  return { ...content, paths, type: origin, collection, shown };
}

/** A value of which only a part is left is named by what is left. */
function pathsOf({ name, type }: StructuralProperty): readonly string[] {
  if (type.kind !== 'complex' || !isResult(type)) return [name];
  const parts = [...type.structuralProperties.values()].filter((part) => !type.sparse.has(part.name));
  return parts.flatMap((part) => pathsOf(part)).map((path) => `${name}/${path}`);
}

/** A part of a complex value is of the complex type. */
function useOf({ type, collection }: StructuralProperty): ValueUse {
  return { type: type.kind === 'complex' ? originOf(type) : type, collection };
}
