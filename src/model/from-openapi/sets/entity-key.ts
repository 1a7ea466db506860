import type { Derivation } from '../derivation.ts';
import { type DocumentNode, isTrue, texts } from '../document/document-node.ts';
import { quote } from '../document/document-source.ts';
import { primitiveType } from '../edm-types/primitive-type.ts';
import type { NamedProperty } from '../edm-types/structural-property.ts';
import { styleless, words } from '../names.ts';
import { componentName, keyword, type Schema, setting } from '../schemas/schema.ts';

/** A property of a key, and the path parameter that it fills; none where nothing is read by key. */
export interface KeyPart {
  readonly property: NamedProperty;
  readonly parameter: string | undefined;
}

/**
 * The key of an entity type: the properties that its path parameters are named after (design, section 3),
 * or those that `x-odata.key` names. Undefined, and reported, where a parameter fits no property or a
 * property is no key (CSDL 4.01, 6.5).
 */
export function entityKey(
  derivation: Derivation,
  schema: Schema,
  properties: readonly NamedProperty[],
  parameters: readonly string[],
  at: DocumentNode,
): readonly KeyPart[] | undefined {
  const said = setting(schema, 'key');
  const named = said === undefined ? undefined : namedKey(derivation, properties, said);
  if (said !== undefined && named === undefined) return undefined;
  const parts =
    named === undefined || parameters.length > 0
      ? matchedParts(derivation, schema, named ?? properties, parameters, at)
      : named.map((property) => ({ property, parameter: undefined }));
  return parts === undefined ? undefined : checkedKey(derivation, inOrder(parts, named), named, at);
}

function matchedParts(
  { source }: Derivation,
  schema: Schema,
  candidates: readonly NamedProperty[],
  parameters: readonly string[],
  at: DocumentNode,
): readonly KeyPart[] | undefined {
  const byName = parameters.map((parameter) => parameterProperty(schema, candidates, parameter));
  const isAlone = setting(schema, 'key') !== undefined && candidates.length === 1 && parameters.length === 1;
  const found = isAlone ? candidates : byName;
  const missing = parameters.find((_, index) => found[index] === undefined);
  if (missing === undefined) {
    return parameters.flatMap((parameter, index) => {
      const property = found[index];
      return property === undefined ? [] : [{ property, parameter }];
    });
  }
  const message = `No property of ${quote(componentName(schema))} is named like the path parameter ${quote(missing)}`;
  source.report('warning', at.pointer, `${message}: x-odata.key on the schema can name it`);
  return undefined;
}

/** The order of `x-odata.key` where it is there, else that of the path. */
function inOrder(parts: readonly KeyPart[], named: readonly NamedProperty[] | undefined): readonly KeyPart[] {
  if (named === undefined) return parts;
  return parts.toSorted((a, b) => named.indexOf(a.property) - named.indexOf(b.property));
}

function namedKey(
  { source }: Derivation,
  properties: readonly NamedProperty[],
  said: DocumentNode,
): readonly NamedProperty[] | undefined {
  const names = texts(said);
  const found = names.map((name) => properties.find((property) => isNamed(property, name)));
  const missing = names.filter((_, index) => found[index] === undefined);
  if (missing.length === 0) return found.flatMap((property) => property ?? []);
  source.report(
    'error',
    said.pointer,
    `The key names ${quote(missing[0])}, which is no property of the schema`,
  );
  return undefined;
}

function isNamed(property: NamedProperty, name: string): boolean {
  const wanted = styleless(name);
  return styleless(property.upstreamName) === wanted || styleless(property.name) === wanted;
}

/** `id`, `post_id` for `postId`; and `id` for `postId` where the schema is `Post` or `BlogPost`. */
export function parameterProperty(
  schema: Schema,
  properties: readonly NamedProperty[],
  parameter: string,
): NamedProperty | undefined {
  const exact = properties.find((property) => isNamed(property, parameter));
  if (exact !== undefined) return exact;
  const entity = styleless(componentName(schema) ?? '');
  const parts = words(parameter).map((word) => word.toLowerCase());
  const lengths = parts
    .map((_, index) => index + 1)
    .slice(0, -1)
    .toReversed();
  const prefix = lengths.find((length) => entity.endsWith(parts.slice(0, length).join('')));
  if (prefix === undefined) return undefined;
  return properties.find((property) => isNamed(property, parts.slice(prefix).join(' ')));
}

const KEY_TYPES: ReadonlySet<string> = new Set([
  'Edm.Boolean',
  'Edm.Byte',
  'Edm.Date',
  'Edm.DateTimeOffset',
  'Edm.Decimal',
  'Edm.Duration',
  'Edm.Guid',
  'Edm.Int16',
  'Edm.Int32',
  'Edm.Int64',
  'Edm.SByte',
  'Edm.String',
  'Edm.TimeOfDay',
]);

function checkedKey(
  { source }: Derivation,
  key: readonly KeyPart[],
  named: readonly NamedProperty[] | undefined,
  at: DocumentNode,
): readonly KeyPart[] | undefined {
  const properties = new Set(key.map(({ property }) => property));
  if (properties.size !== key.length || key.length < (named?.length ?? 1)) {
    source.report('error', at.pointer, 'The path parameters do not make up the key, each of it once');
    return undefined;
  }
  const unseen = [...properties].find(({ schema }) => isTrue(keyword(schema, 'writeOnly')));
  if (unseen !== undefined) {
    source.report('error', unseen.node.pointer, `${unseen.name} cannot be a key: it is write-only`);
    return undefined;
  }
  const unfit = [...properties].find(({ schema }) => !KEY_TYPES.has(primitiveType(source, schema) ?? ''));
  if (unfit === undefined) return key;
  source.report('error', unfit.node.pointer, `${unfit.name} cannot be a key: OData has no keys of its type`);
  return undefined;
}
