import { foldedName, pascalCase } from '../../model/names.ts';
import { isKeyType } from '../../model/type-use.ts';
import { isTrue } from '../../openapi/document/document-node.ts';
import { isArraySchema, isObjectSchema, keyword } from '../../openapi/schemas/schema.ts';
import { partNamed } from '../names/part-named.ts';
import type { Derivation } from '../operations/derivation.ts';
import { IDENTIFIERS } from './identifier.ts';
import { identifyingProperty, isNamed } from './key-names.ts';
import { sharedPrimitiveType } from './primitive-type.ts';
import { type NamedProperty, namedProperties } from './structural-property.ts';

/** Whether a property's values can be keys (CSDL 4.01, 6.5), and are seen. */
export function isKeyProperty(derivation: Derivation, { schema }: NamedProperty): boolean {
  return isKeyType(sharedPrimitiveType(derivation, schema)) && !isTrue(keyword(schema, 'writeOnly'));
}

/**
 * The properties of a single object that a property holds, as parts of a key (CSDL 4.01, 6.5): each under the alias
 * that key predicates and rows have for it, such as `MetadataName` for `Metadata/Name`.
 */
export function nestedKeyProperties(derivation: Derivation, owner: NamedProperty): readonly NamedProperty[] {
  if (isArraySchema(owner.schema) || owner.argument === true) return [];
  return namedProperties(derivation, owner.schema)
    .filter((inner) => isKeyProperty(derivation, inner))
    .flatMap((inner) => aliased(owner, inner) ?? []);
}

/** The property at a path such as `metadata/name`, as a part of a key. */
export function nestedKeyProperty(
  derivation: Derivation,
  properties: readonly NamedProperty[],
  [first = '', ...deeper]: readonly string[],
): NamedProperty | undefined {
  const found = partNamed(properties, first);
  if (found === undefined || deeper.length === 0) return found;
  const next = nestedKeyProperty(derivation, namedProperties(derivation, found.schema), deeper);
  return next && aliased(found, next);
}

/** Names of the value within an identifier that is an object, beside those of identifiers themselves. */
const VALUES: ReadonlySet<string> = new Set(['oid', 'value', 'key', 'code']);

/** The key within an identifier that is an object: `id/id` of `{ "id": { "entityType": "ALARM", "id": "7" } }`. */
export function keyInIdentifier(
  derivation: Derivation,
  properties: readonly NamedProperty[],
  names: readonly string[],
): NamedProperty | undefined {
  const owner = identifyingProperty(
    properties.filter(({ schema }) => isObjectSchema(schema)),
    names,
  );
  if (owner === undefined) return undefined;
  const nested = nestedKeyProperties(derivation, owner);
  const named = (word: string) => nested.find(({ upstreamName }) => foldedName(upstreamName) === word);
  const identifier = IDENTIFIERS.map(named).find((found) => found !== undefined);
  return identifier ?? nested.find(({ upstreamName }) => VALUES.has(foldedName(upstreamName)));
}

/**
 * The identifier, of several objects side by side, of the one that is named as the entity is: `subscription.id` beside
 * `customer` in `subscriptions`.
 */
export function keyInHeldEntity(
  derivation: Derivation,
  properties: readonly NamedProperty[],
  names: readonly string[],
): NamedProperty | undefined {
  const objects = properties.filter(({ schema }) => isObjectSchema(schema));
  const owner = objects.find((property) => names.some((name) => isNamed(property, name)));
  if (owner === undefined || objects.length === 1) return undefined;
  return identifyingProperty(nestedKeyProperties(derivation, owner), names);
}

/**
 * The inner property with the owner as its container; undefined if the two names do not form a valid name.
 */
function aliased(owner: NamedProperty, inner: NamedProperty): NamedProperty | undefined {
  const path = [owner.name, ...(inner.aliasOf ?? [inner.name])];
  const name = pascalCase(path.join(' '));
  if (name === undefined) return undefined;
  const within = [...(owner.within ?? []), owner.upstreamName, ...(inner.within ?? [])];
  return { ...inner, name, within, aliasOf: path };
}
