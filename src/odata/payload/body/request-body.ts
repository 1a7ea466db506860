import type { Arguments } from '../../../contract/entity-source.ts';
import type { GatewayRequest } from '../../../contract/exchange.ts';
import { GatewayError, unexpectedValue } from '../../../contract/gateway-error.ts';
import type { Value } from '../../../contract/row.ts';
import { ExactNumber } from '../../../core/exact-number.ts';
import { duplicateNames } from '../../../engine/input/duplicate-names.ts';
import type { EntityInput, WrittenLink } from '../../../engine/input/entity-input.ts';
import {
  describe,
  type InputObject,
  isInputObject,
  Mistakes,
  pathTo,
  quote,
} from '../../../engine/input/mistakes.ts';
import { readReference } from '../../../engine/input/navigation-input.ts';
import { readPrimitive } from '../../../engine/input/primitive-input.ts';
import {
  type InputOptions,
  readEntityInput,
  readParameters,
  readUse,
} from '../../../engine/input/read-input.ts';
import type { TextReader } from '../../../engine/input/reading.ts';
import { checkOwnType, checkTypeControls } from '../../../engine/input/type-control.ts';
import type {
  Callable,
  ComplexType,
  EntityType,
  StructuralProperty,
  StructuredType,
  ValueType,
} from '../../../model/edm.ts';
import type { Model } from '../../../model/model.ts';
import type { TakenValue } from '../../../model/sent-type.ts';
import { isNumeric, type JsonType } from '../../../model/type-use.ts';
import { bodyVersion, parseMediaRange, untypedOfText } from '../negotiation/format.ts';
import { assertNoCoding } from '../negotiation/media-content.ts';
import { decodeBody, parseNested, parseObject } from './body-json.ts';

/** A request with a JSON body in UTF-8 without a content coding (Part 1, 8.1.1 and 8.1.2). */
type JsonRequest = Pick<GatewayRequest, 'headers' | 'body'>;

function assertJsonContent({ headers }: JsonRequest): void {
  const { type, parameters } = parseMediaRange(headers['content-type'] ?? '');
  const charset = parameters.get('charset')?.toLowerCase() ?? 'utf-8';
  if (type !== 'application/json' || (charset !== 'utf-8' && charset !== 'utf8')) {
    throw new GatewayError('UnsupportedMediaType', 'Content-Type: expected application/json in UTF-8.', {
      target: 'Content-Type',
    });
  }
  assertNoCoding(headers);
}

/** Options for reading a body. */
interface BodyOptions extends InputOptions {
  /**
   * True if the client's bytes are forwarded: the upstream's names are accepted in any case, unknown ones are
   * ignored, and only certain mistakes are rejected.
   */
  readonly verbatim?: boolean;
}

/**
 * Reads an entity from the body of a request. All mistakes are reported together, as details of one
 * BadRequest.
 */
export function readEntityBody(
  model: Model,
  entityType: EntityType,
  request: JsonRequest,
  { verbatim = false, ...options }: BodyOptions,
): EntityInput {
  assertJsonContent(request);
  if (verbatim) return readVerbatim(entityType, request.body);
  const mistakes = new Mistakes();
  const object = readOnce(request.body, mistakes);
  const ofText = textReader(request.headers);
  return readEntityInput(model, entityType, object, { ...options, ofText }, mistakes);
}

/** The parameters of an action by model name (Part 1, 11.5.5.1), without omitted ones. */
export function readActionParameters(
  model: Model,
  action: Pick<Callable, 'parameters'>,
  request: JsonRequest,
): Arguments {
  const { body, headers } = request;
  const hasBody = body !== undefined && body.length > 0;
  if (hasBody) assertJsonContent(request);
  const mistakes = new Mistakes();
  const object = hasBody ? readOnce(body, mistakes) : {};
  return readParameters(model, action, object, textReader(headers), mistakes);
}

/**
 * The new value of a property (Part 1, 11.4.9): `{"value": …}`, or the members of a complex value: some for
 * an update, all for a replacement.
 */
export function readPropertyValue(
  model: Model,
  { use, sent }: TakenValue,
  request: JsonRequest,
  kind: 'update' | 'replace',
): Value {
  assertJsonContent(request);
  const { body, headers } = request;
  const mistakes = new Mistakes();
  const object = readOnce(body, mistakes);
  const isWhole = use.type.kind === 'complex' && !use.collection && !Object.hasOwn(object, 'value');
  if (!isWhole && !Object.hasOwn(object, 'value')) mistakes.add('value', 'a value', 'none');
  if (!isWhole) checkOwnType(object, use, '', mistakes);
  const given = isWhole ? object : (object['value'] ?? null);
  const value = readUse(
    { model, kind, mistakes, ofText: textReader(headers), sent },
    use,
    given,
    isWhole ? '' : 'value',
  );
  mistakes.throwIfAny();
  return value;
}

function readVerbatim(entityType: EntityType, body: Uint8Array | undefined): EntityInput {
  const bytes = body ?? new Uint8Array();
  const mistakes = new Mistakes();
  checkVerbatim(entityType, parseObject(decodeBody(bytes, true)), '', mistakes);
  mistakes.throwIfAny();
  return { verbatim: bytes, entityType, values: {}, bindings: [], nested: [], changes: [] };
}

/** Parses the body and rejects duplicate names (RFC 8259, section 4). */
function readOnce(body: Uint8Array | undefined, mistakes: Mistakes): InputObject {
  const text = decodeBody(body, false);
  const object = parseObject(text);
  for (const { name, path } of duplicateNames(text)) {
    mistakes.add(path, 'each name once', `${quote(name)} twice`);
  }
  return object;
}

/** The entity reference in the body of a link change (Part 1, 11.4.6.1 and 11.4.6.3). */
export function readReferenceBody(request: JsonRequest): WrittenLink {
  assertJsonContent(request);
  const object = parseObject(decodeBody(request.body, false));
  const [url] = readReference(object);
  const target = Object.hasOwn(object, '@id') ? '@id' : '@odata.id';
  const extra = Object.keys(object).find((name) => !name.startsWith('@'));
  if (url === undefined) throw unexpectedValue(target, 'the URL of an entity', 'none');
  if (extra !== undefined)
    throw unexpectedValue(extra.slice(0, 100), 'nothing but an entity reference', 'a property');
  return { url, target };
}

/**
 * Converts the body of a PUT to `/$value` (Part 1, 11.4.9.1) to the equivalent JSON, so that the same checks
 * apply.
 */
export function jsonOfRawValue(
  { name }: ValueType,
  contentType: string | undefined,
  body: Uint8Array = new Uint8Array(),
): Uint8Array {
  if (name === 'Edm.Binary') return jsonBody(JSON.stringify(Buffer.from(body).toString('base64url')));
  assertText(contentType);
  const text = decodeBody(body, false);
  return jsonBody(isToken(name, text) ? text : JSON.stringify(text));
}

/** Whether JSON writes the value without quotes; other values are reported as invalid. */
function isToken(type: string, text: string): boolean {
  if (type === 'Edm.Boolean') return text === 'true' || text === 'false';
  return isNumeric(type) && NUMBER.test(text);
}

/** RFC 8259, 6. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function assertText(contentType: string | undefined): void {
  const { type, parameters } = parseMediaRange(contentType ?? 'text/plain');
  const charset = parameters.get('charset')?.toLowerCase() ?? 'utf-8';
  if (type.startsWith('text/') && (charset === 'utf-8' || charset === 'utf8')) return;
  throw new GatewayError('UnsupportedMediaType', 'Content-Type: expected text/plain in UTF-8.', {
    target: 'Content-Type',
  });
}

function jsonBody(value: string): Uint8Array {
  return Buffer.from(`{"value":${value}}`);
}

/**
 * Checks a body that is forwarded unchanged: names may be the model's or the upstream's in any case, unknown
 * names are ignored, and a value is wrong if it fits neither the model's type nor the upstream's.
 */
function checkVerbatim(
  type: EntityType | ComplexType,
  object: InputObject,
  path: string,
  mistakes: Mistakes,
): void {
  const properties = propertiesByFoldedName(type);
  checkOwnType(object, { type, collection: false }, path, mistakes);
  checkTypeControls(object, (name) => properties.get(name.toLowerCase()), path, mistakes);
  for (const [name, json] of Object.entries(object)) {
    const property = properties.get(name.toLowerCase());
    if (property === undefined || json === null) continue;
    const place = pathTo(path, name);
    if (!property.collection) checkValue(property, json, place, mistakes);
    else if (Array.isArray(json)) checkItems(property, json, place, mistakes);
    else mistakes.add(place, 'an array', describe(json));
  }
}

function propertiesByFoldedName({
  structuralProperties,
}: StructuredType): ReadonlyMap<string, StructuralProperty> {
  const properties = [...structuralProperties.values()];
  const named = (nameOf: (property: StructuralProperty) => string) =>
    properties.map((property) => [nameOf(property).toLowerCase(), property] as const);
  return new Map([...named(({ upstreamName }) => upstreamName), ...named(({ name }) => name)]);
}

function checkItems(
  property: StructuralProperty,
  items: readonly unknown[],
  path: string,
  mistakes: Mistakes,
): void {
  for (const [index, item] of items.entries()) {
    if (item !== null) checkValue(property, item, pathTo(path, index), mistakes);
  }
}

function checkValue(property: StructuralProperty, json: unknown, path: string, mistakes: Mistakes): void {
  const { type } = property;
  switch (type.kind) {
    case 'primitive':
      if (!fits(property, json)) mistakes.add(path, type.name, describe(json));
      return;
    case 'enumeration':
      if (isInputObject(json) || Array.isArray(json) || typeof json === 'boolean') {
        mistakes.add(path, `a member of ${type.name}`, describe(json));
      }
      return;
    case 'complex':
      if (isInputObject(json)) checkVerbatim(type, json, path, mistakes);
      else mistakes.add(path, 'an object', describe(json));
      return;
    case 'entity':
  }
}

function fits({ type, upstreamTypes }: StructuralProperty, json: unknown): boolean {
  if (type.kind !== 'primitive' || type.name === 'Edm.Stream') return true;
  if (readPrimitive(type.name, json) !== undefined) return true;
  const found = jsonTypes(json);
  // If the document does not say, texts may be numbers.
  const possible = upstreamTypes.length > 0 ? upstreamTypes : (['string', 'number'] satisfies JsonType[]);
  const isText = type.name === 'Edm.String' || upstreamTypes.length > 0;
  return isText && possible.some((name) => found.includes(name));
}

function jsonTypes(json: unknown): readonly JsonType[] {
  if (json instanceof ExactNumber) return /^-?\d+$/.test(json.text) ? ['integer', 'number'] : ['number'];
  if (typeof json === 'number') return Number.isInteger(json) ? ['integer', 'number'] : ['number'];
  if (Array.isArray(json)) return ['array'];
  if (typeof json === 'boolean') return ['boolean'];
  return [typeof json === 'string' ? 'string' : 'object'];
}

type Headers = GatewayRequest['headers'];

/**
 * The reader for texts in a body, by its header fields. In 4.0, untyped values are texts; with
 * IEEE754Compatible, numbers may be texts (JSON Format 4.01, 3.2).
 */
export function textReader(headers: Headers): TextReader | undefined {
  const isUntypedText = bodyVersion(headers) === '4.0';
  const isNumberText = hasNumbersAsText(headers);
  if (!isUntypedText && !isNumberText) return undefined;
  return (type, text) => {
    if (isUntypedText && type === 'Edm.Untyped') return untypedOfText(text, parseNested);
    return isNumberText && SHORT.has(type) && SHORT_NUMBER.test(text) ? Number(text) : text;
  };
}

/** Numeric types whose values are JSON numbers; texts are always accepted for the others. */
const SHORT: ReadonlySet<string> = new Set([
  'Edm.Byte',
  'Edm.SByte',
  'Edm.Int16',
  'Edm.Int32',
  'Edm.Single',
  'Edm.Double',
]);

/** A JSON number (RFC 8259, 6) with at most as many digits as a double. */
const SHORT_NUMBER = /^-?(?:0|[1-9]\d{0,20})(?:\.\d{1,20})?(?:[eE][+-]?\d{1,3})?$/;

function hasNumbersAsText(headers: Headers): boolean {
  const { parameters } = parseMediaRange(headers['content-type'] ?? '');
  return parameters.get('ieee754compatible')?.toLowerCase() === 'true';
}
