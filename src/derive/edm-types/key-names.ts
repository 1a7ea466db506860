import { foldedName, singularOf, words } from '../../model/names.ts';
import { isTrue } from '../../openapi/document/document-node.ts';
import { componentName, jsonTypes, keyword, type Schema } from '../../openapi/schemas/schema.ts';
import { IDENTIFIERS, isIdentifier } from './identifier.ts';
import type { NamedProperty } from './structural-property.ts';

/** The names that an entity may have: that of its schema, and that of its collection in the singular. */
export function entityNames(schema: Schema, collection: string | undefined): readonly string[] {
  return [componentName(schema), collection && singularOf(collection)].filter((name) => name !== undefined);
}

export function isNamed(property: NamedProperty, name: string): boolean {
  const wanted = foldedName(name);
  return foldedName(property.upstreamName) === wanted || foldedName(property.name) === wanted;
}

/** The property that has the first of the names that any of them has. */
export function firstNamed<Property extends NamedProperty>(
  properties: readonly Property[],
  names: readonly string[],
): Property | undefined {
  const found = names.values().map((name) => properties.find((property) => isNamed(property, name)));
  return found.find((property) => property !== undefined);
}

/** `id` and its like; such a word behind one of the names of the entity (`orderId`), or before it (`idPedido`). */
export function identifyingProperty(
  properties: readonly NamedProperty[],
  names: readonly string[],
): NamedProperty | undefined {
  return (
    firstNamed(properties, IDENTIFIERS) ??
    prefixedProperty(properties, names, IDENTIFIERS) ??
    properties.find(({ upstreamName }) => isIdentifierOf(upstreamName, names))
  );
}

/** A property with the name of the entity and one of the suffixes: `orderId`. */
export function prefixedProperty(
  properties: readonly NamedProperty[],
  names: readonly string[],
  behind: readonly string[],
): NamedProperty | undefined {
  const prefixed = names.flatMap((name) => behind.map((word) => `${name} ${word}`));
  return firstNamed(properties, prefixed);
}

/**
 * Words that denote an identifier before or after the name of the entity, in the languages of in-house
 * documents.
 */
const BEFORE = /^(?:id|uuid|guid|pk|cod(?:igo|ice|e)?|num(?:ero)?|nro?|clave|chave)(?=.)/;
const BEHIND = /(?<=.)(?:id|uuid|guid|pk|nr|nro|nummer|cod(?:igo|ice)?)$/;

/** Words in a schema's name that denote its representation, not the entity. */
const WRITTEN = /^(?:dto|vo|model|entity|response|read|schema|out(?:put)?|view)$/i;

/** Particles between the words of names. */
const PARTICLE = /^(?:de|del|da|do|das|dos|du|des|di|della|delle|der|von|la|le|el|of|the)$/i;

/**
 * Whether a name identifies one of the entities of that name, in whatever spelling: `menuid`, `id_cliente` and `codCliente`
 * of `clientes`, `idTipoDocumento` of `tipos-de-documento`, `KundenNr` of `kunden`.
 */
function isIdentifierOf(name: string, owners: readonly string[]): boolean {
  const folded = foldedName(name.normalize('NFD').replace(/\p{M}/gu, ''));
  const rests = [folded.replace(BEFORE, ''), folded.replace(BEHIND, '')].filter((rest) => rest !== folded);
  return rests.some((rest) =>
    owners.some((owner) => ownerForms(owner).some((form) => isSameNoun(rest, form))),
  );
}

function ownerForms(owner: string): readonly string[] {
  const all = words(owner.normalize('NFD').replace(/\p{M}/gu, '')).map((word) => word.toLowerCase());
  const own = all.filter((word) => !PARTICLE.test(word));
  const end = own.findLastIndex((word) => !WRITTEN.test(word)) + 1;
  return [own.join(''), ...(end > 0 ? [own.slice(0, end).join('')] : [])];
}

/** The endings in which the singular and the plural of one noun differ. */
const ENDINGS = /^(?:e?s|is|ns|n|en|[aeio]|u?x|a?l|m)?$/;

/** Whether two words are one noun, in the singular or in the plural: `vendedor` and `vendedores`, `prodotto` and `prodotti`. */
function isSameNoun(one: string, other: string): boolean {
  let shared = 0;
  while (shared < one.length && one[shared] === other[shared]) shared += 1;
  const [left, right] = [one.slice(shared), other.slice(shared)];
  // Nouns of several words may have their plural within: `tipo documento` and `tipos documento`.
  if (shared >= 3 && ENDINGS.test(left) && ENDINGS.test(right)) return true;
  return shared >= 3 && (right === `s${left}` || right === `es${left}`);
}

/** Words of names that are given to entities, of which several may have the same. */
const GIVEN_NAMES =
  /^(?:(?:display|full|first|last)?names?|titles?|labels?|captions?|descriptions?|e?mails?|nombres?|nomes?|noms?|titulos?|titres?|titol[oi]|titel|bezeichnung|descri(?:pcion|cao|zione)|denomina(?:cion|zione|cao)|correos?|apellidos?|cognomi?)$/i;

/** Whether a property is a name, a title or an e-mail, or may be null: where something identifies entities, it does not. */
export function isWeakKey({ upstreamName, schema }: NamedProperty): boolean {
  if (schema.nullable) return true;
  if (LOGINS.has(foldedName(upstreamName))) return false;
  const all = words(upstreamName.normalize('NFD').replace(/\p{M}/gu, ''));
  return [all.at(0), all.at(-1)].some((word) => GIVEN_NAMES.test(word ?? ''));
}

/** Names that are given only once. */
const LOGINS: ReadonlySet<string> = new Set(['username', 'loginname', 'screenname', 'filename', 'hostname']);

/** Whether a parameter identifies an entity, by one of its words or by the name of the entity. */
export function namesEntity(parameter: string, names: readonly string[]): boolean {
  if (words(parameter).some(isIdentifier)) return true;
  const given = foldedName(parameter);
  return names.some(
    (name) => given.startsWith(foldedName(name)) || isShortIdentifier(given, foldedName(name)),
  );
}

/** Whether it is how an entity's name begins, and that it is identified: `orgid` of organizations. */
function isShortIdentifier(parameter: string, name: string): boolean {
  const [, beginning = ''] = /^(.{3,})(?:id|uuid|guid)$/.exec(parameter) ?? [];
  return beginning !== '' && name.startsWith(beginning);
}

/**
 * The property that the last words of a parameter name: `gid` for `tag_gid`. Words behind all of the entity's name come
 * first: `id` for `inbound_shipment_id` of inbound shipments, although they have a `shipment_id`.
 */
export function tailProperty(
  properties: readonly NamedProperty[],
  parameter: string,
  names: readonly string[],
): NamedProperty | undefined {
  const { whole, starts } = foldedWords(parameter);
  const behindName = new Set(names.map((name) => foldedName(name).length));
  const isBehindName = (start: number): boolean =>
    behindName.has(start) && names.some((name) => foldedName(name) === whole.slice(0, start));
  const named = properties.flatMap((property) =>
    [property.upstreamName, property.name].flatMap((name) => {
      const start = whole.length - foldedName(name).length;
      return starts.has(start) && whole.endsWith(foldedName(name)) ? [{ property, start }] : [];
    }),
  );
  const [likeliest] = named.toSorted(
    (a, b) => Number(isBehindName(b.start)) - Number(isBehindName(a.start)) || a.start - b.start,
  );
  return likeliest?.property;
}

/** A name as it is compared, and where in it each of its words but the first one begins. */
function foldedWords(name: string): { readonly whole: string; readonly starts: ReadonlySet<number> } {
  const starts = new Set<number>();
  let whole = '';
  for (const word of words(name)) {
    if (whole !== '') starts.add(whole.length);
    whole += word.toLowerCase();
  }
  return { whole, starts };
}

/** `id`, `post_id` for `postId`; and `id` for `postId` where the schema is `Post` or `BlogPost`. */
export function parameterProperty(
  schema: Schema,
  properties: readonly NamedProperty[],
  parameter: string,
): NamedProperty | undefined {
  const exact = properties.find((property) => isNamed(property, parameter));
  if (exact !== undefined) return exact;
  const entity = foldedName(componentName(schema) ?? '');
  const { whole, starts } = foldedWords(parameter);
  const start = [...starts].findLast(
    (each) => each <= entity.length && entity.endsWith(whole.slice(0, each)),
  );
  if (start === undefined) return undefined;
  return properties.find((property) => isNamed(property, whole.slice(start)));
}

/** Whether a parameter behind a collection of the entities is named like their key. */
export function isKeyParameter(
  schema: Schema,
  key: NamedProperty,
  parameter: string,
  collection: string | undefined,
): boolean {
  if (parameterProperty(schema, [key], parameter) !== undefined) return true;
  const names = entityNames(schema, collection);
  if (!isIdentifier(key.upstreamName)) {
    return isIdentifier(parameter) && identifyingProperty([key], names) !== undefined;
  }
  const given = foldedName(parameter);
  const whole = [...IDENTIFIERS, ...names.map(foldedName)];
  return whole.includes(given) || tailProperty([key], parameter, names) !== undefined;
}

/**
 * The word by which a name denotes an identifier of one of the entities: `id`, or `country_id` in
 * `countries`. Undefined if the name has no such word.
 */
export function ownIdentifier(
  schema: Schema,
  name: string,
  collection: string | undefined,
): string | undefined {
  const owners = ['', ...entityNames(schema, collection)];
  return IDENTIFIERS.find((word) =>
    owners.some((owner) => foldedName(`${owner} ${word}`) === foldedName(name)),
  );
}

/** The property, which may not be the key, that a parameter behind a collection of the entities is named like. */
export function otherKeyProperty(
  schema: Schema,
  properties: readonly NamedProperty[],
  parameter: string,
  collection: string | undefined,
): NamedProperty | undefined {
  const plain = properties.filter((property) => isPlainValue(property));
  const names = entityNames(schema, collection);
  const tail = namesEntity(parameter, names) ? tailProperty(plain, parameter, names) : undefined;
  return parameterProperty(schema, plain, parameter) ?? tail;
}

/** Whether a property has one text or one integer that is seen. */
export function isPlainValue({ schema }: NamedProperty): boolean {
  const [type, ...others] = jsonTypes(schema);
  const isPlain = others.length === 0 && (type === 'string' || type === 'integer');
  return isPlain && !isTrue(keyword(schema, 'writeOnly'));
}
