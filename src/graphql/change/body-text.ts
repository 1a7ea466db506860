import type { Value } from '../../contract/entity-source.ts';
import type { EntityType } from '../../model/edm.ts';
import type { ComplexType, NavigationProperty } from '../../model/structured-type.ts';
import { isNumeric, type TypeUse } from '../../model/type-use.ts';
import { keyOf } from '../query/key.ts';
import type { Input } from '../query/where.ts';
import { type Face, structuredType } from '../schema/face.ts';

/** How inputs are written: by the names of the model, or of the API where it gets what it is sent as it is. */
export interface BodyStyle {
  readonly face: Face;
  readonly verbatim: boolean;
  /** The URL of an entity that a link leads to, relative to the service root. */
  readonly urlOf: (
    type: EntityType,
    navigation: NavigationProperty,
    key: Readonly<Record<string, Value>>,
  ) => string;
}

/** JSON of an input, in which every number is exact. `type` is the type that is written, where it is a derived one. */
export function bodyText(
  style: BodyStyle,
  type: EntityType | ComplexType,
  input: Input,
  derived: boolean,
): string {
  const control =
    derived && !style.verbatim ? [['@odata.type', JSON.stringify(`#${type.namespace}.${type.name}`)]] : [];
  return written([...control, ...membersOf(style, type, input)]);
}

/** JSON of the parameters of an action. */
export function parametersText(
  style: BodyStyle,
  parameters: readonly (TypeUse & { readonly name: string })[],
  input: (name: string) => unknown,
): string {
  const given = parameters.flatMap((parameter) => {
    const value = input(parameter.name);
    return value === undefined ? [] : [[parameter.name, useText(style, parameter, value)]];
  });
  return written(given);
}

function written(members: readonly (readonly string[])[]): string {
  return `{${members.map(([name = '', text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;
}

function membersOf(
  style: BodyStyle,
  type: EntityType | ComplexType,
  input: Input,
): readonly (readonly string[])[] {
  const members = style.face.names.inputsOf(type);
  return Object.entries(input).flatMap(([name, value]): readonly (readonly string[])[] => {
    const member = members.get(name);
    if (member === undefined || value === undefined) return [];
    if (member.kind === 'property') {
      const { property } = member;
      return [[style.verbatim ? property.upstreamName : property.name, useText(style, property, value)]];
    }
    if (member.kind === 'dynamic')
      return Object.entries((value ?? {}) as Input).map(([key, each]) => [key, anyText(each)]);
    return value === null
      ? [[member.navigation.name, 'null']]
      : relationMembers(style, member.navigation, value as Input);
  });
}

/** JSON Format 4.01, 8.5: entities that are created stand within, those that are linked to are named by their URLs. */
function relationMembers(
  style: BodyStyle,
  navigation: NavigationProperty,
  { create, link }: Input,
): readonly (readonly string[])[] {
  const target = style.face.model.entityTypes.get(navigation.entityType);
  if (target === undefined) return [];
  const createOne = (each: unknown) => bodyText(style, target, each as Input, false);
  const linkOne = (each: unknown) =>
    JSON.stringify(style.urlOf(target, navigation, keyOf(style.face, target, each as Input)));
  const made =
    create === undefined || create === null ? [] : [[navigation.name, severally(create, createOne)]];
  const linked =
    link === undefined || link === null ? [] : [[`${navigation.name}@odata.bind`, severally(link, linkOne)]];
  return [...made, ...linked];
}

function severally(value: unknown, text: (item: unknown) => string): string {
  return Array.isArray(value) ? `[${value.map(text).join(',')}]` : text(value);
}

function useText(style: BodyStyle, { type, collection }: TypeUse, value: unknown): string {
  if (value === null) return 'null';
  const one = (each: unknown): string => {
    if (each === null) return 'null';
    const structured = type.kind === 'primitive' ? undefined : structuredType(style.face, type.name);
    if (structured !== undefined) return bodyText(style, structured, each as Input, false);
    if (type.kind === 'enumeration') return memberText(style, type.name, each);
    return isNumeric(type.name) ? String(each) : anyText(each);
  };
  return collection ? severally(value, one) : one(value);
}

/** Members of flags stand in one text (JSON Format 4.01, 7.1). */
function memberText({ face, verbatim }: BodyStyle, name: string, value: unknown): string {
  const members = face.model.enumerationTypes.get(name)?.members ?? [];
  const upstream = (member: unknown) => members.find((each) => each.name === member)?.upstreamValue ?? member;
  if (verbatim) return JSON.stringify(Array.isArray(value) ? value.map(upstream) : upstream(value));
  return JSON.stringify(Array.isArray(value) ? value.join(',') : value);
}

function anyText(value: unknown): string {
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value);
}
