import type { Arguments, Row, Value } from '../../contract/entity-source.ts';
import { type ErrorDetail, GatewayError } from '../../contract/gateway-error.ts';
import type { EntityType, Model, PrimitiveTypeName } from '../../model/edm.ts';
import type { Callable } from '../../model/operation.ts';
import { comparableType } from '../../model/readable-property.ts';
import type { StructuralProperty } from '../../model/structured-type.ts';
import type { TypeUse } from '../../model/type-use.ts';
import type { BodyOptions, EntityBody } from './entity-body.ts';
import { parseMediaRange } from './media-range.ts';
import { findMismatches } from './structural-check.ts';

/** How deep arrays and objects may nest in a request's body. */
const MAX_DEPTH = 64;

/** Checks that a request's body is JSON by its Content-Type, in UTF-8 (Part 1, 8.1.1). */
export function demandJsonContent(contentType: string | undefined): void {
  const { type, parameters } = parseMediaRange(contentType ?? '');
  const charset = parameters.get('charset')?.toLowerCase() ?? 'utf-8';
  if (type !== 'application/json' || (charset !== 'utf-8' && charset !== 'utf8')) {
    throw new GatewayError('UnsupportedMediaType', 'Content-Type: expected application/json in UTF-8.', {
      target: 'Content-Type',
    });
  }
}

/**
 * What the body of a request says of an entity. All mistakes are told together: a BadRequest with a detail
 * for each.
 */
export function readEntityBody(
  model: Model,
  entityType: EntityType,
  body: Uint8Array | undefined,
  _options: BodyOptions,
): EntityBody {
  return { bytes: demandEntity(model, body, entityType), entityType, values: {}, bindings: [], nested: [] };
}

/** The parameters of an action by the model's names (Part 1, 11.5.5.1); those left out are absent. */
export function readActionParameters(
  _model: Model,
  { parameters }: Pick<Callable, 'parameters'>,
  body: Uint8Array | undefined,
): Arguments {
  const given = body === undefined || body.length === 0 ? {} : (parseObject(body) as Arguments);
  const known = parameters.filter(({ name }) => Object.hasOwn(given, name));
  return Object.fromEntries(known.map(({ name }) => [name, given[name] ?? null]));
}

/**
 * The new value of a property (Part 1, 11.4.9): `{"value": …}`, or the members of a complex value, of which
 * an update has some and a replacement all.
 */
export function readPropertyValue(
  _model: Model,
  { type, collection }: TypeUse,
  body: Uint8Array | undefined,
  _kind: 'update' | 'replace',
): Value {
  const given = parseObject(body ?? new Uint8Array()) as Row;
  return type.kind === 'complex' && !collection ? given : (given['value'] ?? null);
}

/**
 * The bytes of an insert's body, checked: it must be a JSON object, and what it says of properties of the
 * type must fit them. All mistakes are told together.
 */
function demandEntity(model: Model, body: Uint8Array | undefined, type: EntityType): Uint8Array {
  if (body === undefined)
    throw new GatewayError('BadRequest', 'Body: expected a JSON object, found nothing.');
  const entity = parseObject(body);
  const properties = propertiesByFoldedName(type);
  const details = [
    ...Object.entries(entity).flatMap(([name, value]) =>
      checkProperty(name, value, properties.get(name.toLowerCase())),
    ),
    ...checkStructural(model, type, entity),
  ];
  const [first] = details;
  if (first === undefined) return body;
  throw new GatewayError('BadRequest', first.message, {
    ...(first.target !== undefined && { target: first.target }),
    ...(details.length > 1 && { details }),
  });
}

/**
 * A body that is forwarded as it is may have the upstream's names, which are read in any case; else it has
 * the model's.
 */
function propertiesByFoldedName(type: EntityType): ReadonlyMap<string, StructuralProperty> {
  const properties = [...type.structuralProperties.values()].filter(isComparableProperty);
  const named = (nameOf: (property: StructuralProperty) => string) =>
    properties.map((property) => [nameOf(property).toLowerCase(), property] as const);
  return new Map([...named(({ upstreamName }) => upstreamName), ...named(({ name }) => name)]);
}

/** What the check of single primitive values leaves, by the names of the model. */
function checkStructural(model: Model, type: EntityType, entity: object): ErrorDetail[] {
  const structural = [...type.structuralProperties].filter(([, property]) => !isComparableProperty(property));
  const mismatches = findMismatches(model, new Map(structural), entity, fitsAnyPrimitive);
  return mismatches.map(({ name, expected, found }) => ({
    code: 'BadRequest',
    message: `${name}: expected ${expected}, found ${describe(found)}.`,
    target: name,
  }));
}

function isComparableProperty(property: StructuralProperty): boolean {
  return comparableType(property) !== undefined;
}

/** Untyped, geography and stream values are JSON of any kind. */
function fitsAnyPrimitive(value: unknown, type: string): boolean {
  const isOpaque = /^Edm\.(Untyped|Geography.*|Stream)$/.test(type);
  return isOpaque || fitsType(value, type as PrimitiveTypeName);
}

function parseObject(body: Uint8Array): object {
  const text = new TextDecoder().decode(body);
  demandDepth(text);
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new GatewayError('BadRequest', `Body: expected a JSON object, found ${describe(value)}.`);
  }
  return value;
}

function parseJson(text: string): unknown {
  if (text === '') throw new GatewayError('BadRequest', 'Body: expected a JSON object, found nothing.');
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new GatewayError('BadRequest', 'Body: expected a JSON object, found malformed JSON.', { cause });
  }
}

/** Counted before parsing, so that nothing deep is ever built. */
function demandDepth(text: string): void {
  let depth = 0;
  let quoted = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (quoted && character === '\\') index++;
    else if (character === '"') quoted = !quoted;
    else if (quoted) continue;
    else if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') depth--;
    if (depth > MAX_DEPTH) {
      throw new GatewayError('BadRequest', `Body: expected at most ${MAX_DEPTH} levels of nesting.`);
    }
  }
}

function checkProperty(
  name: string,
  value: unknown,
  property: StructuralProperty | undefined,
): ErrorDetail[] {
  const type = comparableType(property);
  if (type === undefined || value === null || fitsType(value, type)) return [];
  const message = `${name}: expected ${type}, found ${describe(value)}.`;
  return [{ code: 'BadRequest', message, target: name }];
}

/**
 * A string property takes a number, too: it may be a number to the upstream, as `Id` is to the posts API.
 */
function fitsType(value: unknown, type: PrimitiveTypeName): boolean {
  switch (type) {
    case 'Edm.Boolean':
      return typeof value === 'boolean';
    case 'Edm.Byte':
      return isInteger(value, 0, 255);
    case 'Edm.SByte':
      return isInteger(value, -128, 127);
    case 'Edm.Int16':
      return isInteger(value, -32_768, 32_767);
    case 'Edm.Int32':
      return isInteger(value, -2_147_483_648, 2_147_483_647);
    case 'Edm.Int64':
    case 'Edm.Decimal':
    case 'Edm.Double':
    case 'Edm.Single':
      return typeof value === 'number' || typeof value === 'string';
    case 'Edm.String':
      return typeof value === 'string' || typeof value === 'number';
    default:
      return typeof value === 'string';
  }
}

function isInteger(value: unknown, min: number, max: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
