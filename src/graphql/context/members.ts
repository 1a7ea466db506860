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

/** The content of a field of a structured type. */
export type Member = PropertyMember | RelatedMember | StreamMember | FunctionMember | DynamicMember;

interface Declared {
  /** The simple name of the declaring type: that of the object or a base type. */
  readonly declaredIn: string;
}

interface PropertyMember extends Declared {
  readonly kind: 'property';
  readonly property: StructuralProperty;
}

/** Related entities: as a list or single entity, or as a connection with pages, counts and groups. */
export interface RelatedMember extends Declared {
  readonly kind: 'related' | 'connection';
  readonly navigation: NavigationProperty;
}

/** A stream property, or the media entity's own stream, which has no name. */
export interface StreamMember extends Declared {
  readonly kind: 'stream';
  readonly name: string | undefined;
  readonly operations: StreamOperations;
}

/** A function bound to entities of the type, with all overloads. */
export interface FunctionMember extends Declared {
  readonly kind: 'function';
  readonly name: string;
  readonly shownAs: ShownAs;
  readonly overloads: readonly Callable[];
}

/** Undeclared properties (CSDL 4.01, 6.3). */
interface DynamicMember extends Declared {
  readonly kind: 'dynamic';
}

/** The global identifier of an entity, which is made of its set and key. */
interface NodeIdMember extends Declared {
  readonly kind: 'nodeId';
}

/** The entity tag of an entity, for `ifMatch`. */
interface EtagMember extends Declared {
  readonly kind: 'etag';
}

/** The content of an output field. */
export type OutputMember = Member | NodeIdMember | EtagMember;

/** The content of an input field. */
export type InputMember = Exclude<Member, StreamMember | FunctionMember>;

/** The form of entities that a function returns. */
export type ShownAs = 'list' | 'connection';

/** The readable members of a type, including inherited ones. */
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

/** The streams of entities, and the functions bound to the type itself. */
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

/** Properties that can be written but not read. */
export function unseenMembers(type: ModelType): readonly PropertyMember[] {
  return [...type.structuralProperties.values()]
    .filter(({ writeOnly, computed, aliasOf }) => writeOnly && !computed && aliasOf === undefined)
    .map((property) => ({ kind: 'property', property, declaredIn: type.name }));
}

/** The preferred name of a member. */
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

/** Whether a function returns a collection of entities, so that it can have a connection. */
export function returnsEntities([first]: readonly Callable[]): boolean {
  return first?.returns?.collection === true && first.returns.type.kind === 'entity';
}

/** Identifies a member in the model: a name has one meaning in a type and its derived types. */
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

/** The key of the model's element in a field's extensions. */
const ELEMENT = 'duogate';

export function standingFor(member: OutputMember): { readonly [ELEMENT]: OutputMember } {
  return { [ELEMENT]: member };
}

export function memberOf({ extensions }: GraphQLField<unknown, unknown>): OutputMember | undefined {
  return extensions[ELEMENT] as OutputMember | undefined;
}
