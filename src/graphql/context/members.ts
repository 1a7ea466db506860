import type { GraphQLField } from 'graphql';
import type { ModelType } from '../../engine/typing/expression-type.ts';
import {
  type Callable,
  type EntityType,
  type NavigationProperty,
  readableProperties,
  type StreamOperations,
  type StructuralProperty,
} from '../../model/edm.ts';
import { fieldName } from './names.ts';

/** What a field of a structured type shows. */
export type Member = PropertyMember | RelatedMember | StreamMember | FunctionMember | DynamicMember;

interface Declared {
  /** The simple name of the type that declares it: that of the object, or one that this is derived from. */
  readonly declaredIn: string;
}

interface PropertyMember extends Declared {
  readonly kind: 'property';
  readonly property: StructuralProperty;
}

/** Related entities: as they are, or as a connection with pages, counts and groups. */
export interface RelatedMember extends Declared {
  readonly kind: 'related' | 'connection';
  readonly navigation: NavigationProperty;
}

/** A stream property, or the entity's own stream, which has no name. */
export interface StreamMember extends Declared {
  readonly kind: 'stream';
  readonly name: string | undefined;
  readonly operations: StreamOperations;
}

/** A function that is bound to entities of the type, with all its overloads. */
export interface FunctionMember extends Declared {
  readonly kind: 'function';
  readonly name: string;
  readonly shownAs: ShownAs;
  readonly overloads: readonly Callable[];
}

/** Properties that no type declares (CSDL 4.01, 6.3). */
interface DynamicMember extends Declared {
  readonly kind: 'dynamic';
}

/** What a field of an input says. */
export type InputMember = Exclude<Member, StreamMember | FunctionMember>;

/** How a field shows the entities that a function returns: as a plain list, or as a connection. */
export type ShownAs = 'list' | 'connection';

/** The members of a type that reads show, inherited ones included. */
export function declaredMembers(type: ModelType): readonly Member[] {
  const declaredIn = type.name;
  const navigations = [...type.navigationProperties.values()];
  return [
    ...[...readableProperties(type).values()].map(
      (property): Member => ({ kind: 'property', property, declaredIn }),
    ),
    ...navigations.map((navigation): Member => ({ kind: 'related', navigation, declaredIn })),
    ...navigations
      .filter(({ collection }) => collection)
      .map((navigation): Member => ({ kind: 'connection', navigation, declaredIn })),
    ...(type.kind === 'entity' ? entityMembers(type) : []),
    ...(type.open ? [{ kind: 'dynamic', declaredIn } as const] : []),
  ];
}

/** The streams of entities, and the functions that are bound to the type itself. */
function entityMembers({
  name: declaredIn,
  stream,
  streams = new Map(),
  boundCallables,
}: EntityType): readonly Member[] {
  const media: readonly Member[] =
    stream === undefined ? [] : [{ kind: 'stream', name: undefined, operations: stream, declaredIn }];
  const functions = Map.groupBy(
    boundCallables.filter(({ kind, binding }) => kind === 'function' && binding?.collection === false),
    ({ name }) => name,
  );
  return [
    ...media,
    ...[...streams].map(([name, operations]): Member => ({ kind: 'stream', name, operations, declaredIn })),
    ...[...functions].flatMap(([name, overloads]): readonly Member[] => {
      const member = { kind: 'function', name, overloads, declaredIn } as const;
      const list: Member = { ...member, shownAs: 'list' };
      return returnsEntities(overloads) ? [list, { ...member, shownAs: 'connection' }] : [list];
    }),
  ];
}

/** Properties that clients give and never see. */
export function unseenMembers(type: ModelType): readonly PropertyMember[] {
  return [...type.structuralProperties.values()]
    .filter(({ writeOnly, computed, aliasOf }) => writeOnly && !computed && aliasOf === undefined)
    .map((property) => ({ kind: 'property', property, declaredIn: type.name }));
}

/** The name that a member has where no other one has it. */
export function wantedName(member: Member): string {
  switch (member.kind) {
    case 'property':
      return fieldName(member.property.name);
    case 'related':
      return fieldName(member.navigation.name);
    case 'connection':
      return `${fieldName(member.navigation.name)}Connection`;
    case 'stream':
      return member.name === undefined ? 'media' : fieldName(member.name);
    case 'function':
      return fieldName(member.name) + (member.shownAs === 'connection' ? 'Connection' : '');
    case 'dynamic':
      return 'additionalProperties';
  }
}

/** Whether a function answers with a collection of entities, for which there can be a connection. */
export function returnsEntities([first]: readonly Callable[]): boolean {
  return first?.returns?.collection === true && first.returns.type.kind === 'entity';
}

/** What a member is in the model: a name has one meaning in a type and those derived from it. */
export function elementOf(member: Member): string {
  switch (member.kind) {
    case 'property':
      return `property ${member.property.name}`;
    case 'related':
    case 'connection':
      return `${member.kind} ${member.navigation.name}`;
    case 'stream':
      return `stream ${member.name ?? ''}`;
    case 'function':
      return `function ${member.name} ${member.shownAs}`;
    case 'dynamic':
      return 'dynamic';
  }
}

/** What of a model's element a field says in its extensions: selections are made into queries by it. */
const ELEMENT = 'duogate';

export function standingFor(member: Member): { readonly [ELEMENT]: Member } {
  return { [ELEMENT]: member };
}

export function memberOf({ extensions }: GraphQLField<unknown, unknown>): Member | undefined {
  return extensions[ELEMENT] as Member | undefined;
}
