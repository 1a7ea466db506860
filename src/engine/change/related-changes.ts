import { GatewayError } from '../../contract/gateway-error.ts';
import { arrayOf, type Row } from '../../contract/row.ts';
import type { EntitySet, EntityType, NavigationProperty } from '../../model/edm.ts';
import { isUpdatable } from '../../model/link-change.ts';
import type { UpdateOperation } from '../../model/operation.ts';
import type {
  CreatedMember,
  EntityInput,
  MemberChange,
  NavigationBinding,
  NestedChange,
  RelatedChanges,
  WrittenLink,
} from '../input/entity-input.ts';
import { readNewMembers } from '../input/read-input.ts';
import { loadEntity, NOTHING, requireArguments, requireCollection, requireEntity } from '../load/load.ts';
import { collectionOf, entityByKey, relatedResource } from '../resource/navigation-source.ts';
import type { CollectionResource, EntityResource } from '../resource/resource.ts';
import { linkedValues } from './bound-input.ts';
import type { ChangeContext, CompletedChange } from './compensation.ts';
import { insertAfter, insertBefore } from './create-entity.ts';
import { planRelated, type RelatedInsertion } from './planned-insertion.ts';
import { linkPlanned, namedTwice, planLink, planUnlink } from './planned-link.ts';
import { assertPrecondition } from './precondition.ts';

/** The steps for related entities, before and after the change of the entity. */
interface RelatedSteps {
  /** The steps that give the entity its foreign keys. */
  readonly before: readonly ((done: CompletedChange[]) => Promise<Row>)[];
  readonly after: readonly Step[];
}

const NO_STEPS: RelatedSteps = { before: [], after: [] };

/** The context of a change. */
interface Change {
  readonly site: ChangeContext;
  readonly owner: EntityResource;
  readonly operation: UpdateOperation;
  /** True if omitted properties are reset to their defaults. */
  readonly isWhole: boolean;
  readonly planNested: PlanNested;
}

/** Checks what a body says of related entities that have operations of their own (Part 1, 11.4.3.1). */
export async function planRelatedChanges(
  site: ChangeContext,
  owner: EntityResource,
  { operation, isWhole, planNested }: Omit<Change, 'site' | 'owner'>,
  { bindings, changes }: EntityInput,
): Promise<RelatedSteps> {
  const change: Change = { site, owner, operation, isWhole, planNested };
  const steps: RelatedSteps[] = [];
  for (const binding of bindings) steps.push(await planBinding(change, binding));
  for (const { property, path, whole, members } of changes) {
    const [only] = members;
    if (property.collection) {
      const after = await planMembers(site, owner, { property, path, whole, members }, planNested);
      steps.push({ before: [], after });
    } else if (only?.kind === 'entity') steps.push(await planSingle(change, property, only));
    else if (only?.kind === 'created') steps.push(await planNewSingle(change, property, only));
  }
  const after = steps.flatMap((each) => each.after);
  return {
    before: steps.flatMap(({ before }) => before),
    // What was deleted cannot be restored if another step fails.
    after: [
      ...after.filter(({ deletes }) => deletes !== true),
      ...after.filter(({ deletes }) => deletes === true),
    ],
  };
}

type Property = NavigationBinding['property'];

/** Links without a property in the entity; those of a collection are added (JSON Format 4.0, 8.5). */
async function planBinding(
  change: Change,
  { property, path, links }: NavigationBinding,
): Promise<RelatedSteps> {
  const { site, owner, planNested } = change;
  if (property.collection) {
    const members = links.map((link) => ({ kind: 'link', link }) as const);
    const after = await planMembers(site, owner, { property, path, whole: false, members }, planNested);
    return { before: [], after };
  }
  const [link] = links;
  const previous = await presentEntity(change, property);
  if (link === undefined) {
    if (previous === undefined) return NO_STEPS;
    return { before: [], after: [planUnlink(site, { owner, navigation: property }, previous, path)] };
  }
  const planned = await planLink(site, owner, property, link);
  return { before: [], after: [(done) => linkPlanned(site, owner, { ...planned, previous }, done)] };
}

/** The entity that a single-valued property leads to now, with its key. */
async function presentEntity(
  { site, owner }: Pick<Change, 'site' | 'owner'>,
  property: Property,
): Promise<EntityResource | undefined> {
  const place = relatedResource(site.service.model, owner, property);
  if (place.kind === 'collection') return undefined;
  const wanted = { properties: place.entityType.key, dynamic: false };
  const found = await loadEntity(site, place, wanted);
  if (found === undefined) return undefined;
  const { entitySet } = place;
  const known = { ...place.known, ...found.data };
  return entitySet === undefined ? { ...place, known } : entityByKey(collectionOf(entitySet), known);
}

/** The related entity is changed where it is the one that is meant, and else another one takes its place. */
async function planSingle(change: Change, property: Property, nested: NestedChange): Promise<RelatedSteps> {
  const { site, owner, isWhole, planNested } = change;
  const { service } = site;
  const present = await presentEntity(change, property);
  const type = property.entityType;
  const key = await keyOfMember(site, type, nested);
  const isMeant =
    present !== undefined && (key === undefined || keyText(type, present.known) === keyText(type, key));
  if (!isMeant) return planOther(change, property, nested, key);
  const place = relatedResource(service.model, owner, property);
  const entity = place.kind === 'entity' ? { ...place, known: present.known } : present;
  const { run } = await planNested(site, entity, nested);
  // A change of the whole entity would set it free otherwise.
  const values = isWhole ? await foreignKey(site, property, entity) : undefined;
  const after: Step = async (done) => void (await run(done));
  return { before: values === undefined ? [] : [async () => values], after: [after] };
}

/** Another entity of the set, or one that is created. */
async function planOther(
  change: Change,
  property: Property,
  nested: NestedChange,
  key: Row | undefined,
): Promise<RelatedSteps> {
  const { site, owner, planNested } = change;
  const set = property.target;
  const other = key === undefined || set === undefined ? undefined : await elsewhere(site, set, key);
  if (other === undefined) {
    const { service, ofText } = site;
    const [body] = readNewMembers(service.model, owner.type, property, [nested], ofText);
    return body === undefined ? NO_STEPS : planNewSingle(change, property, { path: nested.path, body });
  }
  assertLeadable(change, property, nested.path);
  const { run } = await planNested(site, other, nested);
  const changed: Step = async (done) => void (await run(done));
  if (property.constraints.length > 0) {
    const values = await foreignKey(site, property, other);
    return { before: [async () => values], after: [changed] };
  }
  const planned = await planLink(site, owner, property, { url: other.url, target: nested.path });
  return { before: [], after: [(done) => linkPlanned(site, owner, planned, done), changed] };
}

/** A new entity takes the place of the one that a single-valued property leads to now, which stays as it is. */
async function planNewSingle(
  change: Change,
  property: Property,
  { path, body }: Pick<CreatedMember, 'path' | 'body'>,
): Promise<RelatedSteps> {
  const { site, owner } = change;
  assertLeadable(change, property, path);
  const { related, create } = await planNew(site, owner, property, [body]);
  if (property.constraints.length === 0) return { before: [], after: [create] };
  return { before: [(done) => insertBefore(site, { before: [related] }, done)], after: [] };
}

/** Refuses another related entity where the owner has its key in properties that no change can give. */
function assertLeadable({ owner: { type }, operation }: Change, property: Property, path: string): void {
  const isFixed = property.constraints.some((each) => !isUpdatable(type, operation, each.property));
  if (isFixed) throw notOffered(path, `leads "${property.name}" to another entity`);
}

async function foreignKey(
  site: ChangeContext,
  { constraints }: Property,
  other: EntityResource,
): Promise<Row> {
  const properties = constraints.map(({ referencedProperty }) => referencedProperty);
  const { data } = await requireEntity(site, other, { properties, dynamic: false });
  return Object.fromEntries(
    constraints.map((each) => [each.property, data[each.referencedProperty] ?? null]),
  );
}

/**
 * Checks what is to become of the entities behind a collection-valued navigation property. What is taken away comes
 * last: not all of it can be given back.
 */
async function planMembers(
  site: ChangeContext,
  owner: EntityResource,
  { property, path, whole, members }: RelatedChanges,
  planNested: PlanNested,
): Promise<readonly Step[]> {
  const { service } = site;
  const place = relatedResource(service.model, owner, property);
  if (place.kind === 'entity') throw new Error(`${property.name} is not a collection`);
  const { entityType } = place;
  const created = members.flatMap((each) => (each.kind === 'created' ? [each.body] : []));
  const others = members.filter((each) => each.kind !== 'created');
  const isPresentNeeded = whole || others.length > 0;
  const wanted = { properties: entityType.key, dynamic: false };
  const rows = isPresentNeeded ? arrayOf((await requireCollection(site, place, wanted)).data) : [];
  const of: RelatedMembers = {
    site,
    owner,
    property,
    place,
    present: new Map(rows.map((row) => [keyText(entityType, row), row])),
  };
  const keyed = await keyedMembers(of, others);
  const added: NestedChange[] = [];
  const steps: Step[] = [];
  for (const each of keyed) steps.push(...(await planMember(of, each, added, planNested)));
  const entities = [...created, ...readNewMembers(service.model, owner.type, property, added, site.ofText)];
  if (entities.length > 0) steps.push((await planNew(site, owner, property, entities)).create);
  return [...steps, ...(await planRemovals(of, keyed, whole, path))];
}

/** Plans an entity that remains or becomes related. New entities are added to `added`. */
async function planMember(
  of: RelatedMembers,
  { member, key }: KeyedMember,
  added: NestedChange[],
  planNested: PlanNested,
): Promise<readonly Step[]> {
  const { site, owner, property, place } = of;
  const isPresent = key !== undefined && isAmong(of, key);
  switch (member.kind) {
    case 'link':
      return isPresent ? [] : [await planJoining(of, member.link)];
    case 'removed':
      return [];
    case 'entity': {
      if (isPresent) return [running(await planNested(site, entityByKey(place, key), member))];
      const { entitySet } = place;
      const other =
        key === undefined || entitySet === undefined ? undefined : await elsewhere(site, entitySet, key);
      if (other === undefined) {
        added.push(member);
        return [];
      }
      const link = { url: other.url, target: member.path };
      const planned = await planLink(site, owner, property, link);
      const change = await planNested(site, other, member);
      return [(done) => linkPlanned(site, owner, planned, done), running(change)];
    }
  }
}

async function planJoining({ site, owner, property }: RelatedMembers, link: WrittenLink): Promise<Step> {
  const planned = await planLink(site, owner, property, link);
  return (done) => linkPlanned(site, owner, planned, done);
}

function running({ run }: PlannedUpdate): Step {
  return async (done) => {
    await run(done);
  };
}

function isAmong({ present, place: { entityType } }: RelatedMembers, key: Row): boolean {
  return present.has(keyText(entityType, key));
}

/** Plans to remove those that are named as removed, or that are not named where all others are. */
async function planRemovals(
  of: RelatedMembers,
  keyed: readonly KeyedMember[],
  whole: boolean,
  path: string,
): Promise<readonly Step[]> {
  const { present, place } = of;
  const { entityType } = place;
  const steps: Step[] = [];
  const namedByKey = new Map(keyed.map(({ key, member }) => [key && keyText(entityType, key), member]));
  for (const [text, row] of present) {
    const named = namedByKey.get(text);
    const isRemoved = named === undefined ? whole : named.kind === 'removed';
    if (!isRemoved) continue;
    const isDeleted = named?.kind === 'removed' && named.isDeleted;
    steps.push(await planRemoval(of, row, isDeleted, named === undefined ? path : pathOf(named)));
  }
  return steps;
}

/** A contained entity exists only in its container, so removing the link deletes it (CSDL 4.01, 8.4). */
async function planRemoval(
  { site, owner, property, place }: RelatedMembers,
  key: Row,
  isDeleted: boolean,
  target: string,
): Promise<Step> {
  const member = entityByKey(place, key);
  if (isDeleted || property.containsTarget) return planDelete(site, member, target);
  return planUnlink(site, { owner, navigation: property }, member, target);
}

async function planDelete(site: ChangeContext, entity: EntityResource, target: string): Promise<Step> {
  const { service, context } = site;
  const { delete: operation, resource, url } = entity;
  if (operation === undefined) throw notOffered(target, `deletes ${decodeURIComponent(url)}`);
  service.source.permit?.(resource, 'Delete', context);
  await assertPrecondition(site, entity, operation);
  const args = await requireArguments(site, operation, entity);
  const run = async (done: CompletedChange[]): Promise<void> => {
    await service.source.delete({ resource, operation, arguments: args }, context);
    done.push({ url, undone: '', left: 'it was deleted and cannot be restored', undo: undefined });
  };
  return Object.assign(run, { deletes: true as const });
}

/** An entity of the set that is not related yet. */
async function elsewhere(
  site: ChangeContext,
  entitySet: EntitySet,
  key: Row,
): Promise<EntityResource | undefined> {
  const entity = entityByKey(collectionOf(entitySet), key);
  const found = await loadEntity(site, entity, NOTHING);
  return found === undefined ? undefined : entity;
}

interface PlannedCreation {
  readonly related: RelatedInsertion;
  readonly create: Step;
}

/** Members that are not there yet. */
async function planNew(
  site: ChangeContext,
  owner: EntityResource,
  property: NavigationProperty,
  entities: readonly EntityInput[],
): Promise<PlannedCreation> {
  const { type: entityType } = owner;
  const related = await planRelated(site, owner, { entityType }, { property, entities });
  const properties = property.constraints.length > 0 ? [] : related.keys.map(({ own }) => own);
  const { data } = await requireEntity(site, owner, { properties, dynamic: false });
  const known = { ...owner.known, ...data };
  return { related, create: (done) => insertAfter(site, [related], { ...owner, known }, done) };
}

/** A collection of related entities, and those that are in it now. */
interface RelatedMembers {
  readonly site: ChangeContext;
  readonly owner: EntityResource;
  readonly property: NavigationProperty;
  readonly place: CollectionResource;
  /** By the texts of their keys. */
  readonly present: ReadonlyMap<string, Row>;
}

/** A member that may be there already. */
type NamedChange = Exclude<MemberChange, CreatedMember>;

/** A member with its key, as far as it is known. */
interface KeyedMember {
  readonly member: NamedChange;
  readonly key: Row | undefined;
}

/** The members that a body names, each of them once. What of a key their owner says needs no saying (Part 2, 4.3.4). */
async function keyedMembers(
  { site, place: { entityType, known } }: RelatedMembers,
  members: readonly NamedChange[],
): Promise<readonly KeyedMember[]> {
  const keyed: KeyedMember[] = [];
  const named = new Set<string>();
  const given = Object.fromEntries(Object.entries(known).filter(([name]) => entityType.key.includes(name)));
  for (const member of members) {
    const ownKey = member.kind === 'link' ? {} : member.key;
    const key = await keyOfMember(site, entityType, { link: member.link, key: { ...given, ...ownKey } });
    const text = key && keyText(entityType, key);
    if (text !== undefined && named.has(text)) throw namedTwice(pathOf(member));
    if (text !== undefined) named.add(text);
    keyed.push({ member, key });
  }
  return keyed;
}

/** The position in the body. */
function pathOf(member: NamedChange): string {
  return member.kind === 'link' ? member.link.target : member.path;
}

/** The key of an entity in a body, by its id or by its properties; undefined where the body does not say all of it. */
async function keyOfMember(
  site: ChangeContext,
  type: EntityType,
  { link, key }: { readonly link: WrittenLink | undefined; readonly key: Row },
): Promise<Row | undefined> {
  if (link === undefined) return type.key.every((name) => key[name] !== undefined) ? key : undefined;
  const named = site.entityOf(link, type);
  if (type.key.every((name) => named.known[name] !== undefined)) return named.known;
  return linkedValues(site, named, type.key, link);
}

/** A text that is equal for rows with equal keys, and for no others. */
function keyText({ key }: EntityType, row: Row): string {
  return JSON.stringify(key.map((name) => String(row[name])));
}

/** Something that is done upstream once all is checked; it notes what it has done. */
type Step = ((done: CompletedChange[]) => Promise<void>) & {
  /** True for a step that deletes an entity, which cannot be restored. */
  readonly deletes?: true;
};

/** A change of an entity with what goes with it. All of it is checked, and nothing sent yet. */
export interface PlannedUpdate {
  /** The entity as it is then, where the upstream says so and nothing follows. */
  readonly run: (done: CompletedChange[]) => Promise<Row | undefined>;
}

/** Plans the change of an existing related entity. */
type PlanNested = (
  site: ChangeContext,
  entity: EntityResource,
  change: NestedChange,
) => Promise<PlannedUpdate>;

/** A part of a change for which the upstream has no operation; `target` is where the body has it. */
export function notOffered(target: string, what: string): GatewayError {
  return new GatewayError('NotImplemented', `${target}: the upstream has no operation that ${what}.`, {
    target,
  });
}
