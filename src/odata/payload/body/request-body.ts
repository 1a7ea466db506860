import type { Arguments, Value } from '../../../contract/entity-source.ts';
import type { GatewayRequest } from '../../../contract/exchange.ts';
import { GatewayError } from '../../../contract/gateway-error.ts';
import type { EntityType, Model } from '../../../model/edm.ts';
import type { Callable, CallableParameter } from '../../../model/operation.ts';
import type { TakenValue } from '../../../model/sent-type.ts';
import type { NavigationProperty } from '../../../model/structured-type.ts';
import { demandNoCoding } from '../negotiation/content-coding.ts';
import { parseMediaRange } from '../negotiation/media-range.ts';
import type { ODataVersion } from '../negotiation/version.ts';
import { bodyBytes } from './body-bytes.ts';
import { type BodyObject, decodeBody, parseObject } from './body-json.ts';
import type { ReadMember, ReadObject } from './body-reading.ts';
import { duplicateNames } from './duplicate-names.ts';
import type { BodyOptions, EntityBody, MemberChange, NestedChange } from './entity-body.ts';
import { demandFacets, withGiven } from './given-values.ts';
import { Mistakes, quote } from './mistakes.ts';
import { keysBack, sentBehind } from './navigation-body.ts';
import { readEntityObject, readUse } from './structured-body.ts';
import { checkVerbatim } from './verbatim-check.ts';

/** Checks that a request's body is JSON by its Content-Type, in UTF-8 and not coded (Part 1, 8.1.1 and 8.1.2). */
export function demandJsonContent(headers: GatewayRequest['headers']): void {
  const { type, parameters } = parseMediaRange(headers['content-type'] ?? '');
  const charset = parameters.get('charset')?.toLowerCase() ?? 'utf-8';
  if (type !== 'application/json' || (charset !== 'utf-8' && charset !== 'utf8')) {
    throw new GatewayError('UnsupportedMediaType', 'Content-Type: expected application/json in UTF-8.', {
      target: 'Content-Type',
    });
  }
  demandNoCoding(headers);
}

/**
 * What the body of a request says of an entity. All mistakes are told together: a BadRequest with a detail
 * for each.
 */
export function readEntityBody(
  model: Model,
  entityType: EntityType,
  body: Uint8Array | undefined,
  { kind, verbatim, version, sent, upsertKey, given = {} }: BodyOptions,
): EntityBody {
  if (verbatim) return readVerbatim(model, entityType, body);
  const mistakes = new Mistakes();
  const object = readOnce(body, mistakes);
  const reading = { model, kind, mistakes, version, sent, isUpsert: upsertKey !== undefined };
  demandFacets(reading, entityType, upsertKey ?? {});
  const read = readEntityObject(reading, entityType, object, '', Object.keys(given));
  const entity = withGiven(read, given, mistakes);
  mistakes.refuseAny();
  return toEntityBody(model, entity);
}

/** Members of a change that turn out to be new, as entities to be created behind the navigation property. */
export function readNewMembers(
  model: Model,
  owner: EntityType,
  entityType: EntityType,
  property: NavigationProperty,
  members: readonly NestedChange[],
  version: ODataVersion,
): readonly EntityBody[] {
  const mistakes = new Mistakes();
  const given = keysBack(entityType, property);
  const sent = sentBehind({ model, sent: undefined }, owner, property);
  const reading = { model, kind: 'insert', mistakes, version, sent, isUpsert: true } as const;
  const read = members.map(({ json, path }) => readEntityObject(reading, entityType, json, path, given));
  mistakes.refuseAny();
  return read.map((each) => toEntityBody(model, each));
}

/** The parameters of an action by the model's names (Part 1, 11.5.5.1); those left out are absent. */
export function readActionParameters(
  model: Model,
  { parameters }: Pick<Callable, 'parameters'>,
  body: Uint8Array | undefined,
  version: ODataVersion,
): Arguments {
  const mistakes = new Mistakes();
  const object = body === undefined || body.length === 0 ? {} : readOnce(body, mistakes);
  refuseUnknown(parameters, object, mistakes);
  const given = parameters.filter((parameter) => isGiven(parameter, object, mistakes));
  const values = given.map((parameter) => [
    parameter.name,
    readUse(
      { model, kind: 'insert', mistakes, version, sent: parameter.sent },
      parameter,
      object[parameter.name],
      parameter.name,
    ),
  ]);
  mistakes.refuseAny();
  return Object.fromEntries(values);
}

/**
 * The new value of a property (Part 1, 11.4.9): `{"value": …}`, or the members of a complex value, of which
 * an update has some and a replacement all.
 */
export function readPropertyValue(
  model: Model,
  { use, sent }: TakenValue,
  body: Uint8Array | undefined,
  kind: 'update' | 'replace',
  version: ODataVersion,
): Value {
  const mistakes = new Mistakes();
  const object = readOnce(body, mistakes);
  const isWhole = use.type.kind === 'complex' && !use.collection && !Object.hasOwn(object, 'value');
  if (!isWhole && !Object.hasOwn(object, 'value')) mistakes.add('value', 'a value', 'none');
  const given = isWhole ? object : (object['value'] ?? null);
  const value = readUse({ model, kind, mistakes, version, sent }, use, given, isWhole ? '' : 'value');
  mistakes.refuseAny();
  return value;
}

function readVerbatim(model: Model, entityType: EntityType, body: Uint8Array | undefined): EntityBody {
  const bytes = body ?? new Uint8Array();
  const mistakes = new Mistakes();
  checkVerbatim(model, entityType, parseObject(decodeBody(bytes, true)), '', mistakes);
  mistakes.refuseAny();
  return { bytes, entityType, values: {}, bindings: [], nested: [], changes: [] };
}

/** RFC 8259, section 4: of names that come twice, nobody could say which is meant. */
function readOnce(body: Uint8Array | undefined, mistakes: Mistakes): BodyObject {
  const text = decodeBody(body, false);
  const object = parseObject(text);
  for (const { name, path } of duplicateNames(text)) {
    mistakes.add(path, 'each name once', `${quote(name)} twice`);
  }
  return object;
}

function toEntityBody(model: Model, entity: ReadObject<EntityType>): EntityBody {
  const { type, values, bindings, nested, changes } = entity;
  return {
    bytes: bodyBytes(model, entity),
    entityType: type,
    values,
    bindings,
    nested: nested.map(({ property, entities }) => ({
      property,
      entities: entities.map((each) => toEntityBody(model, each)),
    })),
    changes: changes.map(({ members, ...others }) => ({
      ...others,
      members: members.map((member) => toMemberChange(model, member)),
    })),
  };
}

function toMemberChange(model: Model, member: ReadMember): MemberChange {
  if (member.kind !== 'entity') return member;
  const { entity, ...others } = member;
  return { ...others, body: toEntityBody(model, entity) };
}

function refuseUnknown(
  parameters: readonly CallableParameter[],
  object: BodyObject,
  mistakes: Mistakes,
): void {
  for (const name of Object.keys(object)) {
    const isKnown = name.includes('@') || parameters.some((parameter) => parameter.name === name);
    if (!isKnown) mistakes.add(name, 'the name of a parameter', 'none of them');
  }
}

/** A parameter that may be null, or is a collection, may be left out, too (Part 1, 11.5.5.1). */
function isGiven(
  { name, optional, nullable, collection }: CallableParameter,
  object: BodyObject,
  mistakes: Mistakes,
): boolean {
  if (Object.hasOwn(object, name)) return true;
  if (!optional && !nullable && !collection) mistakes.add(name, 'a value', 'none');
  return false;
}
