import type { ReferentialConstraint } from '../../model/edm.ts';
import { foldedName, pascalCase, singularOf, words } from '../../model/names.ts';
import { member, members, text } from '../../openapi/document/document-node.ts';
import { quote } from '../../openapi/document/document-source.ts';
import { componentName, jsonTypes, keyword, setting } from '../../openapi/schemas/schema.ts';
import type { EntityPlan, EntityPlans } from '../edm-types/entity-plan.ts';
import { primitiveType } from '../edm-types/primitive-type.ts';
import type { NamedProperty } from '../edm-types/structural-property.ts';
import { meshName } from '../names/mesh-name.ts';
import type { NameChoice } from '../names/unique-name.ts';
import type { Derivation } from '../operations/derivation.ts';
import { type DocumentOperation, pathParameters } from '../operations/document-operation.ts';
import { isLiteral } from '../parameters/list-parameters.ts';
import type { SetDraft } from '../sets/entity-set.ts';
import { markUsed } from '../vocabulary/vocabulary.ts';
import type { LinkNavigation, ReferringNavigation } from './navigation.ts';

/** A property whose values are keys of the entities of a set. */
export interface ForeignKey {
  readonly owner: EntityPlan;
  readonly property: NamedProperty;
  /** Names for the navigation property, the best first. */
  readonly names: NameChoice;
  readonly target: ReferencedSet;
  readonly constraint: ReferentialConstraint;
}

/** A set whose entities are read by one key, and whose list holds all of them. */
export interface ReferencedSet {
  readonly name: string;
  readonly entity: EntityPlan;
  readonly read: DocumentOperation;
  readonly parameter: string;
}

/**
 * The foreign keys of a document: those that `x-odata.references` declares, and those whose name is that of one set's
 * entity and its identifier (`customer_id`), of the key's type, without a `customer_type` beside them. Others that look
 * like one, such as `billing_customer_id` or `idCustomer`, are reported as suggestions: only data can prove them.
 */
export function findForeignKeys(
  derivation: Derivation,
  plans: EntityPlans,
  drafts: readonly SetDraft[],
): readonly ForeignKey[] {
  const targets = drafts.flatMap((draft) => referencedSet(derivation, draft) ?? []);
  const byName = Map.groupBy(
    targets.flatMap((target) => namesOfEntity(derivation, target).map((name) => ({ name, target }))),
    ({ name }) => name,
  );
  const targetOf = (stem: string): ReferencedSet | undefined => {
    const [only, ...others] = new Set(byName.get(stem)?.map(({ target }) => target));
    return others.length === 0 ? only : undefined;
  };
  const literal = new Set(
    drafts.filter((draft) => isLiteralSet(derivation, draft)).map(({ entity }) => entity.name),
  );
  return [...plans.values()].flatMap((owner) => {
    const declared = declaredReferences(derivation, owner, targets);
    const derived = literal.has(owner.name) ? [] : derivedReferences(derivation, owner, targetOf, declared);
    return [...declared.values()].flatMap((each) => each ?? []).concat(derived);
  });
}

function isLiteralSet(derivation: Derivation, { plan }: SetDraft): boolean {
  const operation = plan.list?.operation ?? plan.read;
  return operation !== undefined && isLiteral(derivation, operation, plan.schema);
}

function referencedSet(derivation: Derivation, draft: SetDraft): ReferencedSet | undefined {
  const { plan, entity, name, fixed = [], over } = draft;
  const { read } = plan;
  const [part, ...others] = entity.key;
  if (read === undefined || part?.parameter === undefined || others.length > 0) return undefined;
  if (fixed.length > 0 || over !== undefined || pathParameters(read).length !== 1) return undefined;
  if (isLiteralSet(derivation, draft)) return undefined;
  return { name, entity, read, parameter: part.parameter };
}

/** Words that generators put behind the name of a schema. */
const SCHEMA_ENDING =
  /(?:read|dto|response|schema|model|out|output|entity|resource|object|public|details?|bean|full|view|vo)$/;

/**
 * The names of the entity of a set, folded: those of its schema and of its type, and that of its path if it stands at the
 * top, where no other word qualifies it.
 */
function namesOfEntity({ pathPrefix }: Derivation, { entity, read }: ReferencedSet): readonly string[] {
  const literals = read.segments
    .slice(pathPrefix)
    .flatMap((segment) => (segment.kind === 'literal' ? [segment.text] : []));
  const written = [
    componentName(entity.schema) ?? '',
    entity.name,
    ...(literals.length === 1 ? literals : []),
  ];
  const folded = written.flatMap((name) => {
    const whole = foldedName(singularOf(name));
    return [whole, whole.replace(SCHEMA_ENDING, '')];
  });
  return [...new Set(folded)].filter((name) => name !== '');
}

type References = ReadonlyMap<string, ForeignKey | undefined>;

/** The foreign keys that `x-odata.references` declares, by the property; undefined for a property that is no reference. */
function declaredReferences(
  { source }: Derivation,
  owner: EntityPlan,
  targets: readonly ReferencedSet[],
): References {
  const declared = new Map<string, ForeignKey | undefined>();
  markUsed(source, owner.schema, ['references']);
  for (const [written, node] of members(setting(owner.schema, 'references'))) {
    const property = owner.properties.find(
      ({ name, upstreamName }) => name === written || upstreamName === written,
    );
    const set = text(node);
    const target = targets.find(({ name }) => name === set);
    if (property === undefined) {
      source.report('error', node.pointer, `${owner.name} has no property ${quote(written)}`);
    } else if (set !== undefined && target === undefined) {
      source.report('error', node.pointer, `No set is called ${quote(set)} and read by one key`);
    } else {
      declared.set(property.name, target && foreignKey(owner, property, target, stemOf(property)));
    }
  }
  return declared;
}

function derivedReferences(
  derivation: Derivation,
  owner: EntityPlan,
  targetOf: TargetOf,
  declared: References,
): readonly ForeignKey[] {
  const keys = new Set(owner.key.map(({ property }) => property.name));
  return owner.properties.flatMap((property): readonly ForeignKey[] => {
    const stem = stemOf(property);
    if (stem === undefined || property.argument === true || declared.has(property.name)) return [];
    if (property.within !== undefined || property.aliasOf !== undefined) return [];
    const akin = akinTarget(owner, stem, targetOf);
    const exact = targetOf(stem.name);
    const role = stem.isPlain ? roleTarget(stem.words, targetOf) : undefined;
    const target = akin ?? exact ?? role;
    if (target === undefined || !isOfKey(derivation, property, target)) return [];
    // `group_id` of a `FhrpGroup`, and an entity's own key, identify the entity itself.
    if (keys.has(property.name) && target.entity.name === owner.name) return [];
    if (foldedName(owner.name).endsWith(stem.name)) return [];
    const isSure = stem.isPlain && target === exact && !isPolymorphic(owner, stem.name);
    if (isSure && !hasObject(owner, stem.name)) return [foreignKey(owner, property, target, stem)];
    if (!isSure) suggest(derivation, owner, property, target);
    return [];
  });
}

/** The part of a foreign key's name that names the entity. */
interface Stem {
  readonly words: readonly string[];
  /** Folded. */
  readonly name: string;
  /** `customer_id`, not `idCustomer`. */
  readonly isPlain: boolean;
}

const IDENTIFIERS: ReadonlySet<string> = new Set(['id', 'uuid', 'guid']);

function stemOf({ upstreamName }: NamedProperty): Stem | undefined {
  const all = words(upstreamName);
  const lower = all.map((word) => word.toLowerCase());
  const isPlain = IDENTIFIERS.has(lower.at(-1) ?? '');
  const rest = isPlain ? all.slice(0, -1) : IDENTIFIERS.has(lower[0] ?? '') ? all.slice(1) : [];
  return rest.length === 0 ? undefined : { words: rest, name: foldedName(rest.join(' ')), isPlain };
}

type TargetOf = (stem: string) => ReferencedSet | undefined;

/** The target whose name begins like the owner's: `action_id` of a `FlowRun` may be a `FlowAction` as well as an `Action`. */
function akinTarget({ name }: EntityPlan, stem: Stem, targetOf: TargetOf): ReferencedSet | undefined {
  const own = words(name);
  const beginnings = own
    .slice(1)
    .map((_, index) => foldedName(own.slice(0, own.length - 1 - index).join(' ')));
  return beginnings.map((each) => targetOf(`${each}${stem.name}`)).find((found) => found !== undefined);
}

/** `billing_customer` is a customer in a role: the longest ending that is the name of an entity. */
function roleTarget(all: readonly string[], targetOf: TargetOf): ReferencedSet | undefined {
  const endings = all.slice(1).map((_, index) => foldedName(all.slice(index + 1).join(' ')));
  return endings.map(targetOf).find((found) => found !== undefined);
}

/** Whether values of the property may be keys of the set: both have one type. */
function isOfKey({ source }: Derivation, { schema }: NamedProperty, { entity }: ReferencedSet): boolean {
  const [part] = entity.key;
  const types = jsonTypes(schema);
  if (part === undefined || types.length !== 1 || types[0] === 'array' || types[0] === 'object') return false;
  const isWhole = types[0] === 'integer' && jsonTypes(part.property.schema).join() === 'integer';
  return isWhole || primitiveType(source, schema) === primitiveType(source, part.property.schema);
}

/** Whether another property has the type of what is identified: `owner_type` beside `owner_id`. */
function isPolymorphic({ properties }: EntityPlan, stem: string): boolean {
  return properties.some(({ upstreamName }) => {
    const name = foldedName(upstreamName);
    return name === `${stem}type` || name === `${stem}kind` || name === `${stem}class`;
  });
}

/** Whether the entity itself stands in the row beside its identifier. */
function hasObject({ properties }: EntityPlan, stem: string): boolean {
  return properties.some(
    ({ upstreamName, schema }) =>
      foldedName(upstreamName) === stem &&
      (jsonTypes(schema).includes('object') || keyword(schema, 'oneOf') !== undefined),
  );
}

function foreignKey(
  owner: EntityPlan,
  property: NamedProperty,
  target: ReferencedSet,
  stem: Stem | undefined,
): ForeignKey {
  const name = pascalCase((stem?.words ?? words(property.upstreamName)).join(' ')) ?? target.entity.name;
  const [part] = target.entity.key;
  return {
    owner,
    property,
    names: [name, `${name}Entity`],
    target,
    constraint: { property: property.name, referencedProperty: part?.property.name ?? '' },
  };
}

function suggest(
  { source }: Derivation,
  { schema, name }: EntityPlan,
  property: NamedProperty,
  target: ReferencedSet,
): void {
  const message = `${name}/${property.name} may be a key of ${target.name}: x-odata.references {${property.upstreamName}: ${target.name}} makes it a relation`;
  source.report(
    'info',
    member(property.node, 'type')?.pointer ?? schema.identity,
    message,
    'reference-suggested',
  );
}

/** The navigation properties that foreign keys make, but for those that links of the document make already. */
export function foreignKeyNavigations(
  keys: readonly ForeignKey[],
  links: readonly LinkNavigation[],
): readonly LinkNavigation[] {
  return keys.flatMap(({ owner, property, names, target, constraint }) => {
    const identity = owner.schema.identity;
    const isLinked = links.some(
      (link) =>
        link.owner === identity &&
        !link.collection &&
        link.parameters.some((each) => each.property === property.name),
    );
    if (isLinked) return [];
    return {
      owner: identity,
      names,
      link: meshName(names[0]),
      description: undefined,
      target: { set: target.name, entity: target.entity, list: undefined, read: target.read },
      collection: false,
      operation: target.read,
      list: undefined,
      parameters: [{ name: meshName(target.parameter), property: property.name }],
      constraints: [constraint],
    };
  });
}

/** The navigation properties back from the entities of foreign keys to those that have them, if one list holds all of these. */
export function referringNavigations(
  keys: readonly ForeignKey[],
  drafts: readonly SetDraft[],
): readonly ReferringNavigation[] {
  return keys.flatMap(({ owner, names, target, constraint }) => {
    const [draft, ...others] = drafts.filter(
      ({ entity, plan, fixed = [], over }) =>
        entity.name === owner.name && plan.list !== undefined && fixed.length === 0 && over === undefined,
    );
    if (draft === undefined || others.length > 0) return [];
    const literals = draft.plan.segments.flatMap((segment) =>
      segment.kind === 'literal' ? [segment.text] : [],
    );
    const name = pascalCase(literals.at(-1) ?? draft.name) ?? draft.name;
    return {
      owner: target.entity.schema.identity,
      names: [name, `${name}By${names[0]}`, draft.name],
      related: owner.name,
      set: draft.name,
      foreignKey: constraint,
    };
  });
}
