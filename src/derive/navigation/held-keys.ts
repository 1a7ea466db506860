import type { DescribedStructuralProperty } from '../../model/description.ts';
import { plainProperty } from '../../model/edm.ts';
import { freeName, pascalCase } from '../../model/names.ts';
import { items, text } from '../../openapi/document/document-node.ts';
import {
  isArraySchema,
  isObjectSchema,
  itemNode,
  jsonTypes,
  keyword,
  type Schema,
  schemaProperties,
  valueNodes,
} from '../../openapi/schemas/schema.ts';
import type { EntityPlan } from '../edm-types/entity-plan.ts';
import { entityNames, identifyingProperty, isNamed } from '../edm-types/key-names.ts';
import { primitiveType } from '../edm-types/primitive-type.ts';
import { type NamedProperty, namedProperties, upstreamTypes } from '../edm-types/structural-property.ts';
import type { Derivation } from '../operations/derivation.ts';
import type { ReferencedSet } from './referenced-sets.ts';

/** A place in the JSON of an entity that may have keys of other entities. */
export interface KeyHolder {
  /** The words that name the related entity: the name of the property, of the link or of the relationship. */
  readonly label: string;
  /** The property that is the place, or that has it. */
  readonly property: NamedProperty;
  /** Model names that lead to the place. */
  readonly path: readonly string[];
  /** Upstream names that lead to the place. */
  readonly within: readonly string[];
  /** Of a list, the schema of its items. */
  readonly schema: Schema;
  readonly collection: boolean;
  /** Alternatives of the schema, or the schema itself: those with values of a primitive type, and objects. */
  readonly scalars: readonly Schema[];
  readonly objects: readonly Schema[];
  /** A HAL link, or a relationship of JSON:API, that is named by the place itself. */
  readonly convention?: 'hal' | 'json-api' | undefined;
}

/** The property of an entity that has the key of a related one. */
export interface HeldKey {
  readonly name: string;
  /** The entity type needs it, because no property that is seen has the key alone. */
  readonly alias: DescribedStructuralProperty | undefined;
}

/** The places in the entities of a type that may have keys of others. */
export function keyHolders(derivation: Derivation, { properties }: EntityPlan): readonly KeyHolder[] {
  return properties.flatMap((property): readonly KeyHolder[] => {
    const isList = property.argument === true && isArraySchema(property.schema);
    if (property.aliasOf !== undefined || property.isRowKey === true || isList) return [];
    const { name, upstreamName, within = [], schema } = property;
    const place = { property, path: [name], within: [...within, upstreamName] };
    if (upstreamName === '_links') return halLinks(derivation, place, schema);
    if (upstreamName === 'relationships') return relationships(derivation, place, schema);
    const held = holder(derivation, { ...place, label: upstreamName }, schema);
    return held === undefined ? [] : [held];
  });
}

type Place = Pick<KeyHolder, 'property' | 'path' | 'within'>;

function holder(
  { read }: Derivation,
  place: Place & Pick<KeyHolder, 'label' | 'convention'>,
  schema: Schema,
): KeyHolder | undefined {
  const collection = isArraySchema(schema);
  const node = collection ? itemNode(schema) : undefined;
  const item = node === undefined ? schema : read(node);
  if (item === undefined || item.hidden || (collection && node === undefined)) return undefined;
  const branches = item.alternatives.flatMap((branch) => read(branch) ?? []);
  const all = branches.length === 0 ? [item] : branches;
  const objects = all.filter(isObjectSchema);
  const scalars = all.filter((each) => !objects.includes(each) && isScalar(each));
  if (objects.length + scalars.length < all.length) return undefined;
  return { ...place, schema: item, collection, scalars, objects };
}

function isScalar(schema: Schema): boolean {
  const types = jsonTypes(schema);
  return (
    types.length > 0 && types.every((type) => type === 'string' || type === 'integer' || type === 'number')
  );
}

/** Relations of HAL links that lead to no other entity (RFC 8288, RFC 5988 registry). */
const OWN_LINKS =
  /^(?:self|curies|first|last|next|prev|previous|profile|edit|collection|search|describedby)$/i;

function halLinks(derivation: Derivation, place: Place, schema: Schema): readonly KeyHolder[] {
  return [...schemaProperties(schema)].flatMap(([label, node]) => {
    const link = derivation.read(node);
    const name = pascalCase(label);
    if (link === undefined || name === undefined || OWN_LINKS.test(label)) return [];
    const path = [...place.path, name];
    const within = [...place.within, label];
    return holder(derivation, { ...place, label, path, within, convention: 'hal' }, link) ?? [];
  });
}

/** JSON:API 1.1, 7.2.2.2: `data` is the linkage, an identifier or a list of them. */
function relationships(derivation: Derivation, place: Place, schema: Schema): readonly KeyHolder[] {
  return [...schemaProperties(schema)].flatMap(([label, node]) => {
    const relationship = derivation.read(node);
    const linkage = relationship && schemaProperties(relationship).get('data');
    const data = linkage && derivation.read(linkage);
    const name = pascalCase(label);
    if (data === undefined || name === undefined) return [];
    const path = [...place.path, name, 'Data'];
    const within = [...place.within, label, 'data'];
    return holder(derivation, { ...place, label, path, within, convention: 'json-api' }, data) ?? [];
  });
}

/** The values that objects name their own type by: `customer` or `customer_reference`. */
export function typeWords({ schema }: KeyHolder, derivation: Derivation): readonly string[] {
  const node = schemaProperties(schema).get('type');
  const type = node && derivation.read(node);
  return type === undefined ? [] : valueNodes(type).flatMap((value) => text(value) ?? []);
}

/** Returns how a place has URLs of entities, if the document says that it has. */
export function urlForm(place: KeyHolder): 'link' | 'uri' | undefined {
  if (place.convention === 'hal') return 'link';
  const [scalar, ...others] = place.scalars;
  if (scalar === undefined || others.length > 0 || place.objects.length > 0) return undefined;
  const format = text(keyword(scalar, 'format')) ?? '';
  return /^(?:ur[il]|ir[il]|uri-reference|iri-reference)$/i.test(format) || exampleUrl(scalar) !== undefined
    ? 'uri'
    : undefined;
}

function exampleUrl(schema: Schema): string | undefined {
  const examples = [keyword(schema, 'example'), ...items(keyword(schema, 'examples'))];
  return examples.flatMap((each) => text(each) ?? []).find((each) => /^(?:https?:\/)?\/[^/]/i.test(each));
}

/** Whether an example of the place is the URL of an entity of the set. */
export function hasExampleOf({ scalars }: KeyHolder, set: ReferencedSet): boolean {
  const behind = segmentsBefore(set);
  const url = scalars.map(exampleUrl).find((each) => each !== undefined);
  if (url === undefined || behind === undefined) return false;
  const segments = (url.split(/[?#]/, 1)[0] ?? '').split('/').filter((segment) => segment !== '');
  segments.pop();
  return behind.every((segment, index) => segments.at(index - behind.length) === segment);
}

/** The literal segments right before the key in the path of a set's entities. */
function segmentsBefore({ read }: ReferencedSet): readonly string[] | undefined {
  const segments = read?.segments ?? [];
  if (segments.at(-1)?.kind !== 'parameter') return undefined;
  const before = segments.slice(0, -1);
  const start = before.findLastIndex(({ kind }) => kind !== 'literal') + 1;
  const literals = before.slice(start).flatMap((each) => (each.kind === 'literal' ? [each.text] : []));
  return literals.length === 0 ? undefined : literals.slice(-1);
}

/** The property that has keys of the set at the place; undefined if it has none of their type. */
export function heldKey(
  derivation: Derivation,
  owner: EntityPlan,
  place: KeyHolder,
  set: ReferencedSet,
): HeldKey | undefined {
  const { property, collection, scalars, objects, path, within } = place;
  const type = primitiveType(derivation.source, set.key.property.schema);
  if (type === undefined) return undefined;
  const url = urlForm(place);
  if (url !== undefined) {
    const behind = segmentsBefore(set);
    const isHref = objects.length > 0;
    const hasHref = objects.every((object) => schemaProperties(object).has('href'));
    if (behind === undefined || set.context.length > 0 || !hasHref) return undefined;
    const form = {
      upstreamName: isHref ? 'href' : '',
      upstreamTypes: ['string'] as const,
      reference: { behind },
    };
    return aliased(owner, { path: isHref ? [...path, 'Href'] : path, within, collection, type }, form);
  }
  if (scalars.some((scalar) => !isOfKey(derivation, scalar, set))) return undefined;
  if (objects.length === 0) return path.length === 1 ? { name: property.name, alias: undefined } : undefined;
  const keys = objects.map((object) => keyWithin(derivation, object, set));
  const [key] = keys;
  if (key === undefined || keys.some((each) => each?.upstreamName !== key.upstreamName)) return undefined;
  const types = [key.schema, ...scalars].flatMap((each) => upstreamTypes(derivation, each));
  const isPlain = scalars.length === 0 && !collection;
  const form = {
    upstreamName: key.upstreamName,
    upstreamTypes: [...new Set(types)],
    ...(!isPlain && { reference: {} }),
  };
  const inner = [...within, ...(key.within ?? [])];
  return aliased(owner, { path: [...path, key.name], within: inner, collection, type }, form);
}

/** The property of an object that has the key of the set's entities. */
function keyWithin(derivation: Derivation, object: Schema, set: ReferencedSet): NamedProperty | undefined {
  const { property } = set.key;
  const own = namedProperties(derivation, object).filter(({ schema }) => isOfKey(derivation, schema, set));
  if (property.argument === true) {
    return identifyingProperty(own, entityNames(set.entity.schema, set.name));
  }
  const wanted = property.aliasOf?.at(-1) ?? property.upstreamName;
  return own.find((each) => isNamed(each, wanted));
}

function aliased(
  { properties }: EntityPlan,
  place: {
    readonly path: readonly string[];
    readonly within: readonly string[];
    readonly collection: boolean;
    readonly type: NonNullable<ReturnType<typeof primitiveType>>;
  },
  form: Pick<DescribedStructuralProperty, 'upstreamName' | 'upstreamTypes'> &
    Partial<Pick<DescribedStructuralProperty, 'reference'>>,
): HeldKey | undefined {
  const wanted = pascalCase(place.path.join(' '));
  if (wanted === undefined) return undefined;
  const name = freeName(wanted, new Set(properties.map((each) => each.name)));
  const use = { type: { kind: 'primitive', name: place.type } as const, collection: place.collection };
  const alias = {
    ...plainProperty(name, use),
    ...form,
    within: place.within,
    aliasOf: place.path,
    computed: true,
  };
  return { name, alias };
}

/** Whether values of the schema may be keys of the set: both have one type. */
export function isOfKey({ source }: Derivation, schema: Schema, { key }: ReferencedSet): boolean {
  const types = jsonTypes(schema);
  if (types.length !== 1 || types[0] === 'array' || types[0] === 'object') return false;
  const isWhole = types[0] === 'integer' && jsonTypes(key.property.schema).join() === 'integer';
  return isWhole || primitiveType(source, schema) === primitiveType(source, key.property.schema);
}
