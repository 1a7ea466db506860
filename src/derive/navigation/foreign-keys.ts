import type { DescribedStructuralProperty } from '../../model/description.ts';
import type { ReferentialConstraint } from '../../model/edm.ts';
import type { FoundRelation } from '../../model/found-relation.ts';
import { meshName } from '../../model/mesh-name.ts';
import { foldedName, foldedNoun, pascalCase, singularOf, words } from '../../model/names.ts';
import { member, members, text } from '../../openapi/document/document-node.ts';
import { quote } from '../../openapi/document/document-source.ts';
import { keyword, setting, valueNodes } from '../../openapi/schemas/schema.ts';
import type { EntityPlan, EntityPlans } from '../edm-types/entity-plan.ts';
import { ABOUT_IDENTIFIER, isIdentifier } from '../edm-types/identifier.ts';
import { primitiveType } from '../edm-types/primitive-type.ts';
import type { NamedProperty } from '../edm-types/structural-property.ts';
import type { NameChoice } from '../names/unique-name.ts';
import type { Derivation } from '../operations/derivation.ts';
import { isOfFirstEdition } from '../operations/generated-name.ts';
import type { SetDraft } from '../sets/entity-set.ts';
import { calling } from '../sets/model-operation.ts';
import { markUsed } from '../vocabulary/vocabulary.ts';
import {
  hasExampleOf,
  heldKey,
  isOfKey,
  type KeyHolder,
  keyHolders,
  typeWords,
  urlForm,
} from './held-keys.ts';
import type { LinkNavigation, ReferringNavigation } from './navigation.ts';
import {
  contextProperty,
  isLiteralSet,
  LONGEST_NAME,
  type NamedSet,
  REFERENCE,
  type ReferencedSet,
  type ReferencedSets,
  referencedSets,
  schemaNames,
  schemaNouns,
} from './referenced-sets.ts';

/** Properties whose values are keys of the entities of a set. */
export interface ForeignKey {
  readonly owner: EntityPlan;
  /** Names for the navigation property, the best first. */
  readonly names: NameChoice;
  /** The related entities in the owner's words: `BillingCustomer`. */
  readonly role: string;
  readonly target: ReferencedSet;
  /** True if the last of the owner's properties has several keys. */
  readonly collection: boolean;
  /** A property for each part of the target's key. */
  readonly constraints: readonly ReferentialConstraint[];
  readonly alias: DescribedStructuralProperty | undefined;
  readonly foundBy: string;
}

interface ForeignKeys {
  readonly keys: readonly ForeignKey[];
  /** The relations of the keys, and of places that look like one. */
  readonly relations: readonly FoundRelation[];
}

/**
 * The foreign keys of a document: those that `x-odata.references` declares, and those that can mean nothing but the
 * entities of one set, by their names (`customer_id`) or by the schema of what has the key (`customer: {id}`). Others that
 * look like one, such as `billing_customer_id`, are reported as suggestions: a person has to accept them.
 */
export function findForeignKeys(
  derivation: Derivation,
  plans: EntityPlans,
  drafts: readonly SetDraft[],
): ForeignKeys {
  const sets = referencedSets(derivation, drafts);
  const literal = new Set(
    drafts.filter((draft) => isLiteralSet(derivation, draft)).map(({ entity }) => entity.name),
  );
  const relations: FoundRelation[] = [];
  const keys = [...plans.values()].flatMap((owner) => {
    const places = keyHolders(derivation, owner);
    const search: Search = { derivation, sets, plans, owner, places, relations };
    const declared = declaredReferences(search);
    const left = literal.has(owner.name) ? [] : places.filter((place) => !declared.has(place));
    const derived = derivedReferences(search, left);
    return [...declared.values()].flatMap((each) => each ?? []).concat(derived);
  });
  return { keys, relations };
}

interface Search {
  readonly derivation: Derivation;
  readonly sets: ReferencedSets;
  readonly plans: EntityPlans;
  readonly owner: EntityPlan;
  readonly places: readonly KeyHolder[];
  /** Takes what is found. */
  readonly relations: FoundRelation[];
}

/** The foreign keys that `x-odata.references` declares, by their places; undefined for a place that is no reference. */
function declaredReferences(search: Search): ReadonlyMap<KeyHolder, ForeignKey | undefined> {
  const { derivation, sets, owner, places } = search;
  const { source } = derivation;
  const declared = new Map<KeyHolder, ForeignKey | undefined>();
  markUsed(source, owner.schema, ['references']);
  for (const [written, node] of members(setting(owner.schema, 'references'))) {
    const place = places.find((each) => isCalled(each, written));
    const name = text(node);
    const set = sets.all.find((each) => each.name === name);
    if (place === undefined) {
      source.report('error', node.pointer, `${owner.name} has no property ${quote(written)}`);
    } else if (name === undefined) {
      const refused = findReference(search, place);
      if (refused !== undefined)
        note(search, refused, foreignKey(search, refused, evidenceOf(refused)), 'refused');
      declared.set(place, undefined);
    } else if (set === undefined) {
      source.report('error', node.pointer, `No set is called ${quote(name)} and read by one key`);
    } else {
      const reference = { place, set, role: declaredRole(place) };
      const found = foreignKey(search, reference, 'x-odata.references');
      note(search, reference, found, 'declared');
      if (found === undefined) {
        const message = `${quote(written)} has no value of the type of the key of ${name}`;
        source.report('error', node.pointer, message);
      }
      declared.set(place, found);
    }
  }
  return declared;
}

function isCalled({ property, path, within }: KeyHolder, written: string): boolean {
  if (path.length === 1 && property.name === written) return true;
  const upstream = within.slice(property.within?.length ?? 0).join('/');
  return upstream === written || upstream === `${written}/data`;
}

function declaredRole(place: KeyHolder): readonly string[] {
  const [meaning] = meaningsOf(place).filter(({ word }) => word !== undefined);
  return meaning?.words ?? labelWords(place);
}

/** A set that a place may refer to. */
interface Reference {
  readonly place: KeyHolder;
  readonly set: ReferencedSet;
  /** The words for the related entity in the owner. */
  readonly role: readonly string[];
}

interface FoundReference extends Reference {
  /** Whether the values can be of nothing else. */
  readonly isSure: boolean;
}

function derivedReferences(search: Search, places: readonly KeyHolder[]): readonly ForeignKey[] {
  const found = places.flatMap((place) => findReference(search, place) ?? []);
  // `customer_id` is the better one beside `customer: {id}`.
  const plain = new Set(found.flatMap((each) => (each.place.objects.length > 0 ? [] : [roleText(each)])));
  const single = found.filter((each) => each.place.objects.length === 0 || !plain.has(roleText(each)));
  const isFirstEdition = isOfFirstEdition(search.derivation.source);
  return single.flatMap((each) => {
    const key = foreignKey(search, each, evidenceOf(each));
    if (each.isSure && (!isFirstEdition || isPlainReference(each))) {
      note(search, each, key, 'derived');
      return key ?? [];
    }
    const relation = note(search, each, key, 'suggested');
    if (relation !== undefined) suggest(search, each, relation);
    return [];
  });
}

/** The first edition derived only relations by values such as `customer_id`, to sets that are read by one key. */
function isPlainReference({ place, set }: Reference): boolean {
  const { property, collection, path, objects } = place;
  const isPlain = !collection && path.length === 1 && objects.length === 0 && property.argument !== true;
  const [first] = meaningsOf(place);
  const isNamed = first?.isBefore === false && /^(?:id|uuid|guid)$/.test(first.word ?? '');
  return (
    isPlain && isNamed && property.within === undefined && set.read !== undefined && set.context.length === 0
  );
}

function roleText({ role, set, place }: Reference): string {
  return `${foldedNoun(role.join(' '))} ${set.name} ${place.collection}`;
}

function findReference(search: Search, place: KeyHolder): FoundReference | undefined {
  const { owner, derivation } = search;
  if (place.label.length > LONGEST_NAME) return undefined;
  const found =
    urlForm(place) !== undefined
      ? referenceByUrl(search, place)
      : place.objects.length > 0
        ? referenceByObject(search, place)
        : referenceByValue(search, place);
  if (found === undefined || heldKey(derivation, owner, place, found.set) === undefined) return undefined;
  const { set, role, isSure } = found;
  // Entities of the set within the entity lead there themselves.
  const { identity } = set.entity.schema;
  if (place.scalars.length === 0 && place.objects.every((object) => object.identity === identity)) {
    if (place.objects.length > 0) return undefined;
  }
  const stem = foldedNoun(role.join(' '));
  const isNamedSo = search.sets.named(stem, owner)?.set === set;
  if (set.entity.name === owner.name && (isNamedSo || (!isSure && place.objects.length > 0)))
    return undefined;
  return isSure && (typeBeside(owner, stem) !== undefined || mayBeOthers(search, found))
    ? { ...found, isSure: false }
    : found;
}

/** "This can be a project, a task or a goal". */
const ONE_OF_SEVERAL =
  /\b(?:can|may|might|could|either)\s+(?:be\s+)?(?:either\s+)?(?:an?|the)\s+\W*\w+(?:\s\w+)?\W*(?:,|\s)\s*(?:or\b|an?\b|\w+\W+(?:or|\w+\W+or)\b)/i;

/** Whether the description says that it may be one of several entities. */
function mayBeOthers({ sets, owner }: Search, { place, role, set }: Reference): boolean {
  if (nounsOfSet(set).includes(foldedNoun(role.join(' ')))) return false;
  const { layers } = place.property.schema;
  return layers.some((layer) => {
    const description = text(member(layer, 'description'))?.slice(0, LONGEST_DESCRIPTION) ?? '';
    if (ONE_OF_SEVERAL.test(description)) return true;
    const all = words(description).filter((word) => !/^(?:an?|the|either)$/i.test(word));
    return all.some((word, index) => {
      if (!/^or$/i.test(word)) return false;
      const [one, other] = [all[index - 1], all[index + 1]].map(
        (each) => sets.named(foldedNoun(each ?? ''), owner)?.set,
      );
      return one !== undefined && other !== undefined && one !== other;
    });
  });
}

/** The property that has the type of the related entity: `owner_type` beside `owner_id`. */
function typeBeside({ properties }: EntityPlan, stem: string): NamedProperty | undefined {
  return properties.find(({ upstreamName }) => {
    const name = foldedName(upstreamName);
    return (
      name.startsWith(stem) &&
      /^(?:object|entity|resource|content|model)?(?:type|kind|class|model)$/.test(name.slice(stem.length))
    );
  });
}

function labelWords({ label, collection }: Pick<KeyHolder, 'label' | 'collection'>): readonly string[] {
  return words(collection ? singularOf(label) : label);
}

/** The set whose name is the longest ending of the words: `billing_customer` is a customer in a role. */
function namedByEnding({ sets, owner }: Search, all: readonly string[]): NamedSet | undefined {
  const endings = all.map((_, index) => foldedNoun(all.slice(index).join(' ')));
  return endings.map((ending) => sets.named(ending, owner)).find((found) => found !== undefined);
}

/** A meaning of the words of a name: an entity, and the way in which one is identified. */
interface Meaning {
  /** The words for the entity. */
  readonly words: readonly string[];
  /** The word for the identifier; undefined if the name has none. */
  readonly word: string | undefined;
  readonly isBefore: boolean;
}

/** Words for identifiers, in the languages of in-house documents; a property of the target may have such a name, too. */
const NUMBERING =
  /^(?:cod(?:e|igo|ice)?|num(?:ber|ero)?|nro?|no|nummer|key|clave|chave|slug|ref(?:erence)?|kennung|\u043a\u043e\u0434|\u043d\u043e\u043c\u0435\u0440|\u7f16\u53f7|\u756a\u53f7)$/;
const FOREIGN = /^(?:fk|\u0438\u0434|\u6807\u8bc6|\u8b58\u5225\u5b50)$/;
const BEFORE_NAME = /^(?:id|uuid|guid|pk|fk)$/;

function meaningsOf(place: Pick<KeyHolder, 'label' | 'collection'>): readonly Meaning[] {
  const all = labelWords(place);
  const [first = '', second = ''] = all.map(foldedNoun);
  const written = all.at(-1) ?? '';
  const last = foldedNoun(written);
  const unidentified = { words: all, word: undefined, isBefore: false };
  // `customer_ids` of one value, such as `"1,2"`, is not a key.
  if (!place.collection && isIdentifierWord(last) && foldedName(written) !== last) return [unidentified];
  const found: Meaning[] = [];
  if (all.length > 1 && isIdentifierWord(last)) {
    found.push({ words: all.slice(0, -1), word: last, isBefore: false });
  }
  const isBefore = BEFORE_NAME.test(first) || NUMBERING.test(first);
  if (all.length > 1 && isBefore && !ABOUT_IDENTIFIER.test(second)) {
    found.push({ words: all.slice(1), word: first, isBefore });
  }
  // `customerid`, `\u5ba2\u6237ID`
  const [, stem, word] = /^(.+?)(id|uuid|guid)$/i.exec(written) ?? [];
  if (stem !== undefined && word !== undefined && !isIdentifierWord(last)) {
    found.push({ words: [...all.slice(0, -1), stem], word: word.toLowerCase(), isBefore: false });
  }
  return [...found, unidentified];
}

function isIdentifierWord(word: string): boolean {
  return isIdentifier(word) || NUMBERING.test(word) || FOREIGN.test(word);
}

/** A value that is a key by its name: `customer_id`; or by its description: `customer`, "ID of the customer". */
function referenceByValue(search: Search, place: KeyHolder): FoundReference | undefined {
  const { derivation, owner, sets } = search;
  const [scalar] = place.scalars;
  if (scalar === undefined || valueNodes(scalar).length > 0 || isOwnKey(search, place)) return undefined;
  for (const { words: role, word, isBefore } of meaningsOf(place)) {
    const stem = foldedNoun(role.join(' '));
    const exact = sets.named(stem, owner);
    const akin = word === undefined ? undefined : akinSet(search, stem);
    const inRole = isBefore || word === undefined ? undefined : namedByEnding(search, role.slice(1));
    const longer = word === undefined || exact !== undefined ? undefined : longerSet(search, stem);
    const found = [akin, exact, inRole, longer].find(
      (each) => each !== undefined && isOfKey(derivation, scalar, each.set),
    );
    if (found === undefined || foldedName(owner.name).endsWith(stem)) continue;
    const { set, by } = found;
    const reference = { place, set, role };
    if (word !== undefined && identifiesOtherwise(set, word)) {
      if (isIdentifier(word)) return { ...reference, isSure: false };
      continue;
    }
    if (word === undefined) {
      if (by !== 'last') return { ...reference, isSure: isDescribedAsKey(search, place, set) };
      continue;
    }
    if (set !== exact?.set || by === 'last') return { ...reference, isSure: false };
    const isPlainWord = isIdentifier(word) || FOREIGN.test(word) || isOwnWord(set, word);
    return { ...reference, isSure: isPlainWord && stem.length > 1 };
  }
  return describedReference(search, place);
}

/** Whether the property is the entity's own key: it identifies no other entity. */
function isOwnKey({ owner }: Search, { property, path }: KeyHolder): boolean {
  return (
    path.length === 1 &&
    owner.key.some((part) => part.property.name === property.name) &&
    owner.key.length === 1
  );
}

/** Whether the key of the set itself is called so: `number`, or `customer_number`. */
function isOwnWord({ key: { property } }: ReferencedSet, word: string): boolean {
  const all = words(property.upstreamName).map(foldedNoun);
  return all.at(-1) === word || all[0] === word;
}

/** Whether the entities of the set have another property than the key that the word means. */
function identifiesOtherwise(set: ReferencedSet, word: string): boolean {
  if (isOwnWord(set, word)) return false;
  const { entity, key } = set;
  return entity.properties.some(
    (property) => property.name !== key.property.name && foldedName(property.upstreamName) === word,
  );
}

/** The only set whose name ends so: `workflow_id` may be that of an `IncidentWorkflow`. */
function longerSet({ sets, owner }: Search, stem: string): NamedSet | undefined {
  const set = stem.length > 3 ? sets.endingIn(stem, owner) : undefined;
  return set && { set, by: 'last' };
}

/** The set whose name begins like the owner's: `action_id` of a `FlowRun` may be a `FlowAction` as well as an `Action`. */
function akinSet({ owner, sets }: Search, stem: string): NamedSet | undefined {
  const own = words(owner.name);
  const beginnings = own.slice(1).map((_, index) => own.slice(0, own.length - 1 - index).join(' '));
  const names = beginnings.flatMap((each) => [`${foldedName(each)}${stem}`, `${foldedNoun(each)}${stem}`]);
  return names.map((name) => sets.named(name, owner)).find((found) => found !== undefined);
}

/** Words of descriptions that mean an identifier. */
const IDENTIFIER_WORD = /\b(?:ids?|identifiers?|uuids?|guids?|gids?|sids?|keys?|primary key|foreign key)\b/i;

/** Whether the description or the format says that the values are keys of the entity that the property is named like. */
function isDescribedAsKey(
  { derivation }: Search,
  { scalars, property }: KeyHolder,
  set: ReferencedSet,
): boolean {
  const [scalar] = scalars;
  if (scalar !== undefined && primitiveType(derivation.source, scalar) === 'Edm.Guid') return true;
  const description = text(keyword(property.schema, 'description')) ?? '';
  const names = new Set(nounsOfSet(set));
  return IDENTIFIER_WORD.test(description) && entityWords(description).some((word) => names.has(word));
}

/** The names of the entities of a set, and the last word of these. */
function nounsOfSet({ entity, name }: ReferencedSet): readonly string[] {
  const nouns = [...schemaNouns(entity.name, REFERENCE).map((noun) => noun.words), words(name)];
  return nouns.flatMap((noun) => [foldedNoun(noun.join(' ')), foldedNoun(noun.at(-1) ?? '')]);
}

/** The words of a description, folded, alone and with those after them: `payment method` is `paymentmethod`, too. */
function entityWords(description: string): readonly string[] {
  const all = words(description.slice(0, LONGEST_DESCRIPTION));
  return all.flatMap((word, index) => {
    const [second, third] = [all[index + 1], all[index + 2]];
    return [
      foldedNoun(word),
      ...(second === undefined ? [] : [foldedNoun(`${word} ${second}`)]),
      ...(third === undefined ? [] : [foldedNoun(`${word} ${second} ${third}`)]),
    ];
  });
}

const LONGEST_DESCRIPTION = 300;

const DESCRIBED_KEY =
  /\b(?:ids?|identifiers?|uuids?|guids?|gids?|sids?|keys?|urn)\b\W*\s(?:of|for|to)\s+(?:(?:the|an?|this|its|their|which|any|each)\s+)?\W*((?:[\p{L}\p{N}_-]+\W{0,3}){1,4})/iu;

/** "ID of the user who created it": a set that a description names right behind the identifier. */
function describedReference(search: Search, place: KeyHolder): FoundReference | undefined {
  const { derivation, owner, sets } = search;
  const [scalar] = place.scalars;
  const role = labelWords(place);
  const description =
    text(keyword(place.property.schema, 'description'))?.slice(0, LONGEST_DESCRIPTION) ?? '';
  const described = DESCRIBED_KEY.exec(description)?.[1];
  const isBare = role.length === 1 && isIdentifierWord(foldedNoun(role[0] ?? ''));
  if (scalar === undefined || described === undefined || place.path.length > 1 || isBare) return undefined;
  const all = words(
    described.split(/[.,;:()\]]|\b(?:that|which|who|whose|this|of|for|to|in|on|is|was|if|or)\b/i)[0] ?? '',
  );
  const names = all
    .slice(0, 2)
    .flatMap((_, start) => all.slice(start).map((__, end) => all.slice(start, all.length - end)));
  const found = names
    .map((each) => sets.named(foldedNoun(each.join(' ')), owner))
    .find((each) => each !== undefined && isOfKey(derivation, scalar, each.set));
  if (found === undefined || found.by === 'last' || isAbout(owner, found.set, role)) return undefined;
  return { place, set: found.set, role, isSure: false };
}

/** Whether the owner is a form of the set's entities, and the property no other role: its own key is described so. */
function isAbout(owner: EntityPlan, { entity }: ReferencedSet, role: readonly string[]): boolean {
  const isRole = role.some((word) =>
    /^(?:parent|previous|next|original|source|reply|related|duplicate|master)$/i.test(word),
  );
  return !isRole && foldedNoun(owner.name).includes(foldedNoun(entity.name));
}

/** Objects that have a key, alone or beside values that are one: the schemas say of which entity. */
function referenceByObject(search: Search, place: KeyHolder): FoundReference | undefined {
  const { sets, owner, derivation } = search;
  const role = labelWords(place);
  const byName = sets.named(foldedNoun(role.join(' ')), owner);
  const types = typeWords(place, derivation).map((word) => typedSet(search, word));
  const [type] = types;
  const isOneType = types.every((each) => each?.set === type?.set);
  const kinds = place.objects.map((object) => namedBySchema(search, object, role));
  const [kind] = kinds;
  if (kinds.some((each) => each.found?.set !== kind?.found?.set)) return undefined;
  if (kind?.found !== undefined) {
    const isExact = kinds.every((each) => each.isExact);
    const isOther = type !== undefined && type.set !== kind.found.set;
    return { place, set: kind.found.set, role, isSure: isExact && isOneType && !isOther };
  }
  if (type !== undefined && isOneType) return { place, set: type.set, role, isSure: type.by !== 'last' };
  if (kinds.some(({ isOtherNoun }) => isOtherNoun)) return undefined;
  const label = foldedNoun(role.join(' '));
  const found =
    byName ?? namedByEnding(search, role.slice(1)) ?? longerSet(search, label) ?? describedSet(search, place);
  if (found === undefined) return undefined;
  const isUnnamed = kinds.every(({ isNamed }) => !isNamed);
  const isSure = isUnnamed && found === byName && found.by !== 'last' && types.length === 0;
  return { place, set: found.set, role, isSure };
}

const DESCRIBED_ENTITY =
  /^\W*(?:(?:an?|the)\s+)?(?:(?:references?|links?|ids?)\s+(?:to|of)\s+(?:an?|the)\s+)?([\s\S]+)/i;

/** A word that ends the name of an entity in a description. */
const NO_NOUN =
  /^(?:|that|which|who|whose|whom|this|the|an?|to|for|of|in|on|is|was|has|had|by|with|associated|object|reference|id)$/i;

/** "Reference to the user that has created it", "The user who …": a set that the beginning of a description names. */
function describedSet({ sets, owner }: Search, { property }: KeyHolder): NamedSet | undefined {
  const description = text(keyword(property.schema, 'description'))?.slice(0, LONGEST_DESCRIPTION) ?? '';
  const [first = '', second = '', third = ''] = words(DESCRIBED_ENTITY.exec(description)?.[1] ?? '');
  const longer = NO_NOUN.test(third) ? sets.named(foldedNoun(`${first} ${second}`), owner) : undefined;
  const named = longer ?? (NO_NOUN.test(second) ? sets.named(foldedNoun(first), owner) : undefined);
  return named && { ...named, by: 'last' };
}

function typedSet({ sets, owner }: Search, word: string): NamedSet | undefined {
  const nouns = schemaNouns(word, REFERENCE).map((noun) => foldedNoun(noun.words.join(' ')));
  return nouns.map((noun) => sets.named(noun, owner)).find((found) => found !== undefined);
}

interface NamedBySchema {
  readonly found: NamedSet | undefined;
  /** Whether the name of the schema says nothing but the entity. */
  readonly isExact: boolean;
  readonly isNamed: boolean;
  /** The name of the schema is that of the place: it is something of its own. */
  readonly isOtherNoun: boolean;
}

function namedBySchema(
  search: Search,
  object: KeyHolder['objects'][number],
  role: readonly string[],
): NamedBySchema {
  const { sets, owner } = search;
  const [name] = schemaNames(object);
  if (name === undefined) return { found: undefined, isExact: false, isNamed: false, isOtherNoun: false };
  const label = foldedNoun(role.join(' '));
  for (const { words: noun } of schemaNouns(name, REFERENCE)) {
    const found = sets.named(foldedNoun(noun.join(' ')), owner);
    const isExact = found?.by === 'schema' || noun.length < words(name).length;
    if (found !== undefined)
      return { found, isExact: isExact && found.by !== 'last', isNamed: true, isOtherNoun: false };
    if (foldedNoun(noun.join(' ')) === label)
      return { found, isExact: false, isNamed: true, isOtherNoun: true };
  }
  // `FrontPortRearPort` of a `FrontPort`.
  const all = words(name);
  const ownWords = words(owner.name).length;
  const isOfOwner = foldedName(all.slice(0, ownWords).join(' ')) === foldedName(owner.name);
  const behind = isOfOwner ? sets.named(foldedNoun(all.slice(ownWords).join(' ')), owner) : undefined;
  return { found: behind, isExact: behind?.by === 'schema', isNamed: true, isOtherNoun: false };
}

/** Words that say of a name that it is that of a URL. */
const URL_WORD = /^(?:ur[il]s?|hrefs?|links?)$/i;

function referenceByUrl(search: Search, place: KeyHolder): FoundReference | undefined {
  const { sets, owner } = search;
  const all = labelWords(place);
  const last = all.at(-1) ?? '';
  const role = all.length > 1 && URL_WORD.test(last) ? all.slice(0, -1) : all;
  const exact = sets.named(foldedNoun(role.join(' ')), owner);
  const found = exact ?? namedByEnding(search, role.slice(1));
  if (found === undefined) return undefined;
  const { set, by } = found;
  const isNamed = found === exact && by !== 'last' && (place.convention === 'hal' || role === all);
  return { place, set, role, isSure: isNamed || hasExampleOf(place, set) };
}

/** The part of the document that shows that a place refers to the set, for people. */
function evidenceOf({ place }: Reference): string {
  const { convention, property, objects, path } = place;
  if (convention === 'hal') return 'a HAL link';
  if (convention === 'json-api') return 'a JSON:API relationship';
  const name = path.join('/');
  if (urlForm(place) !== undefined) return `URLs in ${name}`;
  if (objects.length > 0) return `the schema of ${name}`;
  const isIdentified = meaningsOf(place)[0]?.word !== undefined;
  return isIdentified ? `the name ${property.name}` : `name and description of ${name}`;
}

function foreignKey(
  { derivation, owner }: Search,
  { place, set, role }: Reference,
  foundBy: string,
): ForeignKey | undefined {
  const key = heldKey(derivation, owner, place, set);
  const context = set.context.map((part) => ({ part, own: contextProperty(owner, part) }));
  if (key === undefined || context.some(({ own }) => own === undefined)) return undefined;
  if (place.collection && context.length > 0) return undefined;
  const name = pascalCase(role.join(' ')) ?? set.entity.name;
  const isTaken = place.path.length === 1 && foldedName(place.label) === foldedName(role.join(' '));
  const plural = `${name}${name.endsWith('s') ? 'es' : 's'}`;
  const names: NameChoice = place.collection
    ? [place.path.length === 1 ? `${name}Entities` : plural, `${name}Entities`]
    : [isTaken ? `${name}Entity` : name, `${name}Entity`];
  return {
    owner,
    names,
    role: name,
    target: set,
    collection: place.collection,
    constraints: [
      ...context.map(({ part, own }) => ({
        property: own?.name ?? '',
        referencedProperty: part.property.name,
      })),
      { property: key.name, referencedProperty: set.key.property.name },
    ],
    alias: key.alias,
    foundBy,
  };
}

/** Adds a reference to the relations that people are shown. */
function note(
  search: Search,
  { place, set, role }: Reference,
  found: ForeignKey | undefined,
  state: FoundRelation['state'],
): FoundRelation | undefined {
  const { derivation, owner, sets, relations } = search;
  if (found === undefined) return undefined;
  const stem = foldedNoun(role.join(' '));
  const [scalar] = place.scalars;
  const alternatives = sets
    .alike(stem, owner)
    .filter((each) => each !== set && (scalar === undefined || isOfKey(derivation, scalar, each)));
  const relation: FoundRelation = {
    source: derivation.source.name,
    schema: owner.schema.identity,
    entityType: owner.name,
    property: place.path.join('/'),
    written: writtenPath(place),
    target: set.name,
    alternatives: alternatives.map(({ name }) => name),
    state,
    foundBy: found.foundBy,
    typedBy: typeBeside(owner, stem)?.name,
    constraints: found.constraints,
    alias: found.alias,
  };
  relations.push(relation);
  return relation;
}

/** The name of a place in `x-odata.references`. */
function writtenPath({ property, within }: KeyHolder): string {
  return within.slice(property.within?.length ?? 0).join('/');
}

function suggest(
  { derivation: { source }, owner: { schema } }: Search,
  { place: { property } }: Reference,
  { entityType, property: path, written = '', target, alternatives }: FoundRelation,
): void {
  const targets = [target, ...alternatives].join(' or ');
  const message = `${entityType}/${path} may be a key of ${targets}: x-odata.references {${written}: ${target}} makes it a relation`;
  const pointer = member(property.node, 'type')?.pointer ?? schema.identity;
  source.report('info', pointer, message, 'reference-suggested');
}

/** The navigation properties that foreign keys make, but for those that links of the document make already. */
export function foreignKeyNavigations(
  derivation: Derivation,
  keys: readonly ForeignKey[],
  links: readonly LinkNavigation[],
): readonly LinkNavigation[] {
  return keys.flatMap(({ owner, names, target, collection, constraints, alias, foundBy }) => {
    const { identity } = owner.schema;
    const last = constraints.at(-1);
    const isLinked = links.some(
      ({ origin, ...link }) =>
        link.owner === identity &&
        !link.collection &&
        origin.kind === 'link' &&
        origin.operation.parameters.some(({ property }) => property === last?.property),
    );
    if (isLinked || last === undefined) return [];
    const parts = [...target.context, target.key];
    const parameters = parts.map(({ parameter }, index) => ({
      name: meshName(parameter ?? ''),
      property: constraints[index]?.property ?? '',
    }));
    const isRead = target.read !== undefined && !collection;
    const foreignKey = { property: last.referencedProperty, referencedProperty: last.property };
    return {
      owner: identity,
      names,
      description: undefined,
      target: { set: target.name, entity: target.entity, list: undefined, read: target.read },
      collection,
      origin:
        target.read === undefined || !isRead
          ? ({ kind: 'referring', foreignKey } as const)
          : ({
              kind: 'link',
              name: meshName(names[0]),
              operation: calling(derivation, target.read, parameters),
            } as const),
      constraints: collection ? [] : constraints,
      alias,
      foundBy,
    };
  });
}

/** The navigation properties back from the entities of foreign keys to those that have them, if one list holds all of these. */
export function referringNavigations(
  keys: readonly ForeignKey[],
  drafts: readonly SetDraft[],
): readonly ReferringNavigation[] {
  return keys.flatMap(({ owner, role, target, constraints: [constraint, ...more] }) => {
    const [draft, ...others] = drafts.filter(
      ({ entity, plan, fixed = [], over }) =>
        entity.name === owner.name && plan.list !== undefined && fixed.length === 0 && over === undefined,
    );
    if (constraint === undefined || more.length > 0 || draft === undefined || others.length > 0) return [];
    const literals = draft.plan.segments.flatMap((segment) =>
      segment.kind === 'literal' ? [segment.text] : [],
    );
    const name = pascalCase(literals.at(-1) ?? draft.name) ?? draft.name;
    return {
      owner: target.entity.schema.identity,
      names: [name, `${name}By${role}`, draft.name, `${name}Entities`],
      related: owner.name,
      set: draft.name,
      foreignKey: constraint,
    };
  });
}
