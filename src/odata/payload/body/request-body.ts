import type { Arguments, Row, Value } from '../../../contract/entity-source.ts';
import type { GatewayRequest } from '../../../contract/exchange.ts';
import { GatewayError } from '../../../contract/gateway-error.ts';
import type { EntityInput, NestedChange } from '../../../engine/change/entity-input.ts';
import { demandFacets, withGiven } from '../../../engine/input/given-values.ts';
import type { InputObject } from '../../../engine/input/input-value.ts';
import { Mistakes, quote } from '../../../engine/input/mistakes.ts';
import { keysBack, sentBehind } from '../../../engine/input/navigation-input.ts';
import type { InputKind, Reading } from '../../../engine/input/reading.ts';
import { readEntityObject, readUse } from '../../../engine/input/structured-input.ts';
import { toEntityInput } from '../../../engine/input/to-entity-input.ts';
import type { EntityType, Model } from '../../../model/edm.ts';
import type { Callable, CallableParameter } from '../../../model/operation.ts';
import type { SentType, TakenValue } from '../../../model/sent-type.ts';
import type { NavigationProperty } from '../../../model/structured-type.ts';
import { demandNoCoding } from '../negotiation/content-coding.ts';
import { parseMediaRange } from '../negotiation/media-range.ts';
import type { ODataVersion } from '../negotiation/version.ts';
import { untypedOfText } from '../untyped-text.ts';
import { decodeBody, parseNested, parseObject } from './body-json.ts';
import { duplicateNames } from './duplicate-names.ts';
import { checkVerbatim } from './verbatim-check.ts';

/** How a body is read. */
interface BodyOptions {
  readonly kind: InputKind;
  /**
   * The upstream gets the client's bytes as they are: names may be the upstream's in any case, others are
   * passed on, and only what is surely wrong is refused.
   */
  readonly verbatim: boolean;
  /** In which version of the protocol it is written. */
  readonly version: ODataVersion;
  /** What the operation takes; undefined where the document does not say. */
  readonly sent: SentType | undefined;
  /** The key in the URL of an insert that was to be a change, also by deltas (Part 1, 11.4.4). */
  readonly upsertKey?: Row;
  /** What the URL says of the entity. */
  readonly given?: Row;
}

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
): EntityInput {
  if (verbatim) return readVerbatim(model, entityType, body);
  const mistakes = new Mistakes();
  const object = readOnce(body, mistakes);
  const reading = {
    model,
    kind,
    mistakes,
    untypedText: untypedIn(version),
    sent,
    isUpsert: upsertKey !== undefined,
  };
  demandFacets(reading, entityType, upsertKey ?? {});
  const read = readEntityObject(reading, entityType, object, '', Object.keys(given));
  const entity = withGiven(read, given, mistakes);
  mistakes.refuseAny();
  return toEntityInput(entity);
}

/** Members of a change that turn out to be new, as entities to be created behind the navigation property. */
export function readNewMembers(
  model: Model,
  owner: EntityType,
  entityType: EntityType,
  property: NavigationProperty,
  members: readonly NestedChange[],
  version: ODataVersion,
): readonly EntityInput[] {
  const mistakes = new Mistakes();
  const given = keysBack(entityType, property);
  const sent = sentBehind({ model, sent: undefined }, owner, property);
  const reading = {
    model,
    kind: 'insert',
    mistakes,
    untypedText: untypedIn(version),
    sent,
    isUpsert: true,
  } as const;
  const read = members.map(({ json, path }) => readEntityObject(reading, entityType, json, path, given));
  mistakes.refuseAny();
  return read.map((each) => toEntityInput(each));
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
      { model, kind: 'insert', mistakes, untypedText: untypedIn(version), sent: parameter.sent },
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
  const value = readUse(
    { model, kind, mistakes, untypedText: untypedIn(version), sent },
    use,
    given,
    isWhole ? '' : 'value',
  );
  mistakes.refuseAny();
  return value;
}

function readVerbatim(model: Model, entityType: EntityType, body: Uint8Array | undefined): EntityInput {
  const bytes = body ?? new Uint8Array();
  const mistakes = new Mistakes();
  checkVerbatim(model, entityType, parseObject(decodeBody(bytes, true)), '', mistakes);
  mistakes.refuseAny();
  return { verbatim: bytes, entityType, values: {}, bindings: [], nested: [], changes: [] };
}

/** 4.0 has texts in the place of values that each tell their type themselves. */
function untypedIn(version: ODataVersion): Reading['untypedText'] {
  return version === '4.0' ? (text) => untypedOfText(text, parseNested) : undefined;
}

/** RFC 8259, section 4: of names that come twice, nobody could say which is meant. */
function readOnce(body: Uint8Array | undefined, mistakes: Mistakes): InputObject {
  const text = decodeBody(body, false);
  const object = parseObject(text);
  for (const { name, path } of duplicateNames(text)) {
    mistakes.add(path, 'each name once', `${quote(name)} twice`);
  }
  return object;
}

function refuseUnknown(
  parameters: readonly CallableParameter[],
  object: InputObject,
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
  object: InputObject,
  mistakes: Mistakes,
): boolean {
  if (Object.hasOwn(object, name)) return true;
  if (!optional && !nullable && !collection) mistakes.add(name, 'a value', 'none');
  return false;
}
