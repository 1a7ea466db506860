import { GatewayError } from '../../contract/gateway-error.ts';
import { REQUEST_LIMITS } from '../../contract/request-limits.ts';
import type { ExpandItem, SelectItem, SystemQueryOptions } from '../../engine/tree/options-tree.ts';
import type { EntityType } from '../../model/edm.ts';
import { isA } from '../../model/edm.ts';
import { memberOf, structuredType } from '../context/face.ts';
import type { Input, Questions } from '../context/questions.ts';
import type { Member, RelatedMember, StreamMember } from '../context/schema-names.ts';
import { amount, conditionOptions, isGiven } from './collection-options.ts';
import { connectionParts } from './connection-options.ts';
import { orderBy, orderItems } from './order.ts';
import { relationKey } from './relation-key.ts';
import { type AskedField, askedFields, typeOfField } from './selection.ts';

/** What is shown of entities: their properties, and what they are related to. */
export type Shown = Pick<SystemQueryOptions, 'select' | 'expand'>;

/** The options of a list: which entities, in which order, and what of them. */
export function listOptions(
  questions: Questions,
  type: EntityType,
  args: Input,
  fields: readonly AskedField[],
): SystemQueryOptions {
  return { ...listedOptions(questions, type, args), ...shownOptions(questions, type, fields) };
}

function listedOptions(questions: Questions, type: EntityType, args: Input): SystemQueryOptions {
  const { face, limits } = questions;
  const { take, skip } = args;
  const order = orderItems(face, type.name, args['order'], limits.url.orderByItems);
  return {
    ...conditionOptions(questions, type, args),
    ...(order.length > 0 && { orderBy: orderBy(order) }),
    ...(isGiven(skip) && { skip: amount('skip', skip) }),
    ...(isGiven(take) && { top: amount('take', take) }),
  };
}

/** What the fields of a selection come to: equal relations with equal arguments are one. */
export function shownOptions(questions: Questions, type: EntityType, fields: readonly AskedField[]): Shown {
  const selected = new Map<string, SelectItem>();
  const related = new Map<string, AskedRelation>();
  const select = (member: Member, name: string): void => {
    const path = [...castTo(questions, type, member.declaredIn), name];
    selected.set(path.join('/'), { path, options: undefined, position: 0 });
  };
  for (const asked of fields) {
    const member = memberOf(asked.field);
    if (member === undefined) continue;
    if (member.kind === 'property') {
      select(member, member.property.name);
      const within = [...castTo(questions, type, member.declaredIn), member.property.name];
      for (const [key, each] of relationsWithin(questions, member, asked, within)) {
        related.set(key, { ...each, asked: [...(related.get(key)?.asked ?? []), ...each.asked] });
      }
    } else if (member.kind === 'dynamic') select(member, '*');
    else if (member.kind === 'stream') {
      for (const name of streamProperties(questions, type, member)) select(member, name);
    } else if (member.kind === 'function') {
      for (const name of type.key) select(member, name);
    } else {
      const key = relationKey(member, asked.args);
      const known = related.get(key);
      const path = [...castTo(questions, type, member.declaredIn), member.navigation.name];
      related.set(key, { member, path, asked: [...(known?.asked ?? []), asked] });
    }
  }
  // A selection of nothing but related entities, or of type names alone, shows no property: the key does no harm.
  if (selected.size === 0) {
    for (const name of type.key) selected.set(name, { path: [name], options: undefined, position: 0 });
  }
  const expand = [...related.values()].flatMap((each) => expandItems(questions, each));
  return { select: [...selected.values()], ...(expand.length > 0 && { expand }) };
}

/** A relation with the same arguments, wherever a selection asks for it. */
interface AskedRelation {
  readonly member: RelatedMember;
  /** The path from the entities to the navigation property. */
  readonly path: readonly string[];
  readonly asked: readonly AskedField[];
}

/** What is asked for of the entities that complex values lead to, by the path to it and its arguments. */
function relationsWithin(
  questions: Questions,
  { property }: Extract<Member, { kind: 'property' }>,
  asked: AskedField,
  within: readonly string[],
): readonly (readonly [string, AskedRelation])[] {
  const { type } = property;
  if (type.kind !== 'complex') return [];
  return askedFields(questions.asked, typeOfField(asked), [asked.node]).flatMap((inner) => {
    const member = memberOf(inner.field);
    if (member?.kind === 'property') {
      return relationsWithin(questions, member, inner, [...within, member.property.name]);
    }
    if (member?.kind !== 'related' && member?.kind !== 'connection') return [];
    // What only a derived type has is not reached by a path.
    if (!type.navigationProperties.has(member.navigation.name)) return [];
    const path = [...within, member.navigation.name];
    const relation: AskedRelation = { member, path, asked: [inner] };
    return [[`${within.join('/')} ${relationKey(member, inner.args)}`, relation] as const];
  });
}

/** What tells where a stream is, and of which kind. */
function streamProperties({ face }: Questions, type: EntityType, member: StreamMember): readonly string[] {
  const { key } = face.model.entityTypes.get(member.declaredIn) ?? type;
  const { contentType, etag } = member.operations;
  return [...key, contentType, etag].filter((name) => name !== undefined);
}

/** The type cast before what only a derived type declares (Part 2, 5.1.3). */
function castTo({ face }: Questions, type: EntityType, declaredIn: string): readonly string[] {
  const cast = structuredType(face, declaredIn);
  return cast === undefined || isA(type, cast) ? [] : [`${cast.namespace}.${cast.name}`];
}

function expandItems(questions: Questions, { member, path, asked }: AskedRelation): readonly ExpandItem[] {
  const target = member.navigation.entityType;
  const [first] = asked;
  if (first === undefined) return [];
  const within = deeper(questions);
  const { args } = first;
  const fields = askedFields(
    questions.asked,
    typeOfField(first),
    asked.map(({ node }) => node),
  );
  const item = (part: string | undefined, options: SystemQueryOptions): ExpandItem => ({
    path,
    form: 'entities',
    levels: undefined,
    options,
    alias: relationKey(member, args, part),
    position: 0,
  });
  if (member.kind === 'connection') {
    return connectionParts(within, target, args, fields, shownOptions).map(({ key, options }) =>
      item(key, options),
    );
  }
  if (!member.navigation.collection) return [item(undefined, shownOptions(within, target, fields))];
  return [item(undefined, listOptions(within, target, args, fields))];
}

/** One level of `$expand` further in. */
function deeper(questions: Questions): Questions {
  const { expandDepth } = questions.limits.url;
  if (questions.depth < expandDepth) return { ...questions, depth: questions.depth + 1 };
  const { variable } = REQUEST_LIMITS.url.expandDepth;
  const message = `Expected at most ${expandDepth} relations inside each other (${variable}), found more.`;
  throw new GatewayError('BadRequest', message, { limit: variable });
}
