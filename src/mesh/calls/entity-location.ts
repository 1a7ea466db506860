import type { GraphQLSchema } from 'graphql';
import type { Row, Value } from '../../contract/row.ts';
import type { EntityType, TypeUse } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';
import type { Operation } from '../../model/operation.ts';
import { isComparable, isNumeric, type PrimitiveTypeName } from '../../model/type-use.ts';
import { pathTemplate } from '../fields/http-field.ts';
import { operationField } from '../fields/operation-field.ts';
import { conversionTo } from '../reading/edm-values.ts';

/** Which entities a URL may be of, and the operations at the URLs of single ones. */
export interface EntityPlaces {
  readonly schema: GraphQLSchema;
  readonly model: Model;
  readonly entityType: EntityType;
  readonly operations: readonly Operation[];
}

/**
 * What the URL of an entity (RFC 9110, 10.2.2) says of it: absolute or relative, under whatever path the upstream
 * is reached. Nothing where it is the URL of something else.
 */
export function propertiesInLocation(places: EntityPlaces, location: string): Row {
  for (const operation of places.operations) {
    const found = propertiesByTemplate(places, operation, location.replace(/[?#].*$/, ''));
    if (found !== undefined) return found;
  }
  return {};
}

function propertiesByTemplate(
  { schema, entityType }: EntityPlaces,
  operation: Operation,
  path: string,
): Row | undefined {
  const texts = argumentsInPath(pathTemplate(schema, operationField(schema, operation).field), path);
  if (texts === undefined) return undefined;
  const own = operation.parameters.filter(({ up = 0 }) => up === 0);
  const values = own.map(({ name, property }): readonly [string, Value | undefined] => {
    const use = entityType.structuralProperties.get(property);
    const text = texts.get(name);
    return [property, use === undefined || text === undefined ? undefined : valueOfText(use, text)];
  });
  const known = values.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  return known.length === values.length ? Object.fromEntries(known) : undefined;
}

/** An argument in the template of a path, as Mesh writes it. */
const ARGUMENT = /\{args\.([^}:|]+)[^}]*\}/g;

/** What stands for the template's arguments in a path that ends like it. */
function argumentsInPath(template: string, path: string): ReadonlyMap<string, string> | undefined {
  const [plain = ''] = template.replace(/^\//, '').split(/[?#]/, 1);
  const names = Array.from(plain.matchAll(ARGUMENT), ([, name = '']) => name);
  const literals = plain.replace(ARGUMENT, '{}').split('{}').map(escaped);
  const found = new RegExp(`(?:^|/)${literals.join('([^/]+)')}/?$`).exec(path);
  const texts = found?.slice(1).map(decoded);
  if (texts === undefined || texts.includes(undefined)) return undefined;
  return new Map(names.map((name, index) => [name, texts[index] ?? '']));
}

function escaped(text: string): string {
  return text.replace(/[$()*+.?[\\\]^{|}-]/g, '\\$&');
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

function valueOfText({ type }: TypeUse, text: string): Value | undefined {
  switch (type.kind) {
    case 'enumeration':
      return type.members.find((each) => String(each.upstreamValue) === text)?.name;
    case 'primitive':
      return isComparable(type.name) ? primitiveOf(type.name, text) : undefined;
    default:
      return undefined;
  }
}

/** Int64 and Decimal keep their digits. */
const DIGITS: ReadonlySet<string> = new Set(['Edm.Int64', 'Edm.Decimal']);

function primitiveOf(name: PrimitiveTypeName, text: string): Value | undefined {
  const isNumber = isNumeric(name) && !DIGITS.has(name);
  if (isNumber && !/^-?\d+(\.\d+)?$/.test(text)) return undefined;
  return conversionTo(name, 'JSON')?.(isNumber ? Number(text) : text);
}
