import { isArraySchema } from '../../../openapi/schemas/schema.ts';
import { pascalCase, styleless } from '../../names.ts';
import type { Derivation } from '../operations/derivation.ts';
import { isKeyType, primitiveType } from './primitive-type.ts';
import { type NamedProperty, namedProperties } from './structural-property.ts';

/**
 * The properties of a single object that a property holds, as parts of a key (CSDL 4.01, 6.5): each under the alias
 * that key predicates and rows have for it, such as `MetadataName` for `Metadata/Name`.
 */
export function nestedKeyProperties(derivation: Derivation, owner: NamedProperty): readonly NamedProperty[] {
  return nestedProperties(derivation, owner).filter(({ schema }) =>
    isKeyType(primitiveType(derivation.source, schema)),
  );
}

/** The property at a path such as `metadata/name`, as a part of a key; undefined where there is none. */
export function nestedKeyProperty(
  derivation: Derivation,
  properties: readonly NamedProperty[],
  [first = '', ...deeper]: readonly string[],
): NamedProperty | undefined {
  const wanted = styleless(first);
  const found = properties.find(
    ({ name, upstreamName }) => styleless(upstreamName) === wanted || styleless(name) === wanted,
  );
  if (found === undefined || deeper.length === 0) return found;
  const inner = namedProperties(derivation, found.schema);
  const next = nestedKeyProperty(derivation, inner, deeper);
  return next && aliased(found, next);
}

function nestedProperties(derivation: Derivation, owner: NamedProperty): readonly NamedProperty[] {
  if (isArraySchema(owner.schema) || owner.argument === true) return [];
  return namedProperties(derivation, owner.schema).flatMap((inner) => aliased(owner, inner) ?? []);
}

/** The inner property as one of the owner's owner; undefined where the two make no name. */
function aliased(owner: NamedProperty, inner: NamedProperty): NamedProperty | undefined {
  const path = [owner.name, ...(inner.aliasOf ?? [inner.name])];
  const name = pascalCase(path.join(' '));
  if (name === undefined) return undefined;
  const within = [...(owner.within ?? []), owner.upstreamName, ...(inner.within ?? [])];
  return { ...inner, name, within, aliasOf: path };
}
