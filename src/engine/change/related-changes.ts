import type { Row } from '../../contract/row.ts';
import { isUpdatable } from '../../model/link-change.ts';
import type { UpdateOperation } from '../../model/operation.ts';
import type { EntityInput, NavigationBinding, NestedChange } from '../input/entity-input.ts';
import { demandEntity, loadEntity } from '../load/load.ts';
import { collectionOf } from '../resource/entity-set-resource.ts';
import { entityByKey } from '../resource/place.ts';
import { relatedResource } from '../resource/related-resource.ts';
import type { EntityResource } from '../resource/resource.ts';
import type { Changing, CompletedChange } from './compensation.ts';
import { insertBefore } from './deep-insert.ts';
import { isSameKey, keyOfMember } from './member-key.ts';
import { elsewhere, planNew } from './new-members.ts';
import { notOffered } from './not-offered.ts';
import { linkPlanned, planLink, planUnlink } from './planned-link.ts';
import type { PlanNested, Step } from './planned-update.ts';
import { planMembers } from './related-members.ts';

/** What is done with related entities, around the change of the entity itself. */
interface RelatedSteps {
  /** They give the entity its foreign keys. */
  readonly before: readonly ((done: CompletedChange[]) => Promise<Row>)[];
  readonly after: readonly Step[];
}

const NO_STEPS: RelatedSteps = { before: [], after: [] };

/** Who changes what, and of which entity. */
interface Change {
  readonly site: Changing;
  readonly owner: EntityResource;
  readonly operation: UpdateOperation;
  /** What the change does not name gets its default. */
  readonly isWhole: boolean;
  readonly planNested: PlanNested;
}

/** Checks what a body says of related entities that have operations of their own (Part 1, 11.4.3.1). */
export async function planRelatedChanges(
  site: Changing,
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
  }
  return {
    before: steps.flatMap(({ before }) => before),
    after: steps.flatMap(({ after }) => after),
  };
}

type Property = NavigationBinding['property'];

/** Links that no property of the entity stands for: those of a collection are added (JSON Format 4.0, 8.5). */
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
  const isMeant = present !== undefined && (key === undefined || isSameKey(type, present.known, key));
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
  const { site, owner, operation, planNested } = change;
  const isOwn = property.constraints.length > 0;
  const { type } = owner;
  const isFixed = property.constraints.some((each) => !isUpdatable(type, operation, each.property));
  if (isOwn && isFixed) throw notOffered(nested.path, `leads "${property.name}" to another entity`);
  const set = property.target;
  const other = key === undefined || set === undefined ? undefined : await elsewhere(site, set, key);
  if (other === undefined) {
    const { related, create } = await planNew(site, owner, property, [nested]);
    if (!isOwn) return { before: [], after: [create] };
    return { before: [(done) => insertBefore(site, { before: [related] }, done)], after: [] };
  }
  const { run } = await planNested(site, other, nested);
  const changed: Step = async (done) => void (await run(done));
  if (isOwn) {
    const values = await foreignKey(site, property, other);
    return { before: [async () => values], after: [changed] };
  }
  const planned = await planLink(site, owner, property, { url: other.url, target: nested.path });
  return { before: [], after: [(done) => linkPlanned(site, owner, planned, done), changed] };
}

async function foreignKey(site: Changing, { constraints }: Property, other: EntityResource): Promise<Row> {
  const properties = constraints.map(({ referencedProperty }) => referencedProperty);
  const { data } = await demandEntity(site, other, { properties, dynamic: false });
  return Object.fromEntries(
    constraints.map((each) => [each.property, data[each.referencedProperty] ?? null]),
  );
}
