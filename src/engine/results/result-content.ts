import type { StructuralProperty } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
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
  const { model } = scope;
  const own = isResult(type) ? [membersOfType(type)] : [];
  return contentOfMembers(shownOf(merged(...own, ...addedMembers(scope)), isShown), type, model);
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
  model: Model,
): ResultContent {
  const declared = originOf(type).structuralProperties;
  const undeclared = [...properties].filter(([name]) => dynamic.has(name) || !declared.has(name));
  const named = isTransient(type) ? [...properties] : undeclared;
  const paths = named
    .filter(([name]) => !sparse.has(name))
    .flatMap(([, property]) => pathsOf(property, model));
  return {
    transient: isTransient(type),
    paths: isTransient(type) ? paths : ['*', ...paths],
    computed: new Map(undeclared.map(([name, property]) => [name, useOf(property, model)])),
    nested: new Map(
      [...navigation].flatMap(([name, { entityType, collection }]) => {
        const related = model.entityTypes.get(entityType);
        return related === undefined
          ? []
          : [[name, { ...nestedContent(related, collection, model), sparse: sparse.has(name) }]];
      }),
    ),
  };
}

function nestedContent(type: ModelType, collection: boolean, model: Model): Omit<NestedContent, 'sparse'> {
  const held = heldMembersOfType(type);
  const members = isResult(type) ? held : { ...held, properties: new Map() };
  const origin = originOf(type);
  const kept = isTransient(type) ? [] : propertiesOf(model, origin).keys();
  const shown = [...new Set([...kept, ...propertiesOf(model, type).keys()])];
  const content = contentOfMembers(members, type, model);
  // A combination has nothing but its entities.
  const paths = isCombination(origin) ? content.paths.filter((path) => path !== '*') : content.paths;
  return { ...content, paths, type: origin, collection, shown };
}

/** A value of which only a part is left is named by what is left. */
function pathsOf({ name, type }: StructuralProperty, model: Model): readonly string[] {
  const complex = type.kind === 'complex' ? model.complexTypes.get(type.name) : undefined;
  if (complex === undefined || !isResult(complex)) return [name];
  const parts = [...complex.structuralProperties.values()].filter((part) => !complex.sparse.has(part.name));
  return parts.flatMap((part) => pathsOf(part, model)).map((path) => `${name}/${path}`);
}

/** A part of a complex value is of the complex type. */
function useOf({ type, collection }: StructuralProperty, { complexTypes }: Model): ValueUse {
  const complex = type.kind === 'complex' ? complexTypes.get(type.name) : undefined;
  const name = complex === undefined ? type.name : originOf(complex).name;
  return { type: { ...type, name } as ValueUse['type'], collection };
}
