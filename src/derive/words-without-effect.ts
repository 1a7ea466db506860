import type {
  DescribedCallable,
  DescribedEntitySet,
  DescribedEntityType,
  DescribedNavigationProperty,
  DescribedSingleton,
} from '../model/description.ts';
import type { Operation } from '../model/operation.ts';
import { member, members, text } from '../openapi/document/document-node.ts';
import { type DocumentSource, quote } from '../openapi/document/document-source.ts';
import type { Report } from '../openapi/document/finding.ts';
import { ownSetting } from '../openapi/schemas/schema.ts';
import type { EntityPlan, EntityPlans } from './edm-types/entity-plan.ts';
import type { DocumentOperation, Method } from './operations/document-operation.ts';
import { markUsed, type PlacedSettings } from './vocabulary/vocabulary.ts';

/** The role of an operation in the model, of which it may have several. */
type Role = 'list' | 'page' | 'changes' | 'read' | 'insert' | 'update' | 'delete' | 'link' | 'bound' | 'call';

interface WordUse {
  /** The roles of operations to which the word applies. */
  readonly roles: readonly Role[];
  /** The method that the operations must have; undefined for any. */
  readonly method?: Method;
  /** The name of these operations for readers. */
  readonly of: string;
}

const LISTS: WordUse = { roles: ['list', 'page'], of: 'lists' };
const PAGES: WordUse = { roles: ['page'], of: 'lists with pageOf' };
const FEEDS: WordUse = { roles: ['changes'], of: 'feeds of changes' };
const CALLS: WordUse = { roles: ['bound', 'call'], of: 'functions and actions' };
const INSERTS: WordUse = { roles: ['insert'], of: 'creates' };
const READS: WordUse = {
  roles: ['list', 'page', 'changes', 'read', 'bound', 'call'],
  method: 'get',
  of: 'reads',
};

/**
 * Words that apply to operations of some roles only. Operations named for links are reported where they are
 * read.
 */
const USES: ReadonlyMap<string, WordUse> = new Map([
  ['function', CALLS],
  ['action', CALLS],
  ['bound', CALLS],
  ['overloads', CALLS],
  ['grants', { roles: ['call'], of: 'functions and actions that are bound to nothing' }],
  ['body', INSERTS],
  ['failure', INSERTS],
  ['pageOf', PAGES],
  ['orderBy', PAGES],
  ['filters', PAGES],
  ['items', { roles: ['list', 'page', 'changes'], of: 'lists' }],
  ['total', LISTS],
  ['top', LISTS],
  ['skip', LISTS],
  ['page', LISTS],
  ['cursor', LISTS],
  ['more', LISTS],
  ['first', LISTS],
  ['maxTop', LISTS],
  ['next', { roles: ['list', 'page', 'changes'], of: 'lists' }],
  ['since', FEEDS],
  ['removed', FEEDS],
  ['entitySet', { roles: ['list', 'page'], of: 'lists' }],
  ['derive', LISTS],
  ['maxAge', READS],
]);

/** The model parts of a document. */
interface Derived {
  readonly entityTypes: readonly DescribedEntityType[];
  readonly entitySets: readonly DescribedEntitySet[];
  readonly singletons: readonly DescribedSingleton[];
  readonly callables: readonly DescribedCallable[];
}

/** Reports each word in an operation's `x-odata` that does not apply to its roles in the model. */
export function reportWordsWithoutEffect(
  report: Report,
  operations: readonly DocumentOperation[],
  derived: Derived,
): void {
  const roles = rolesOf(derived);
  for (const operation of operations) {
    const own = roles.get(operation.id);
    if (own === undefined) continue;
    for (const [word, { pointer }] of members(member(operation.node, 'x-odata'))) {
      const use = USES.get(word);
      if (use === undefined) continue;
      const isMethod = use.method === undefined || use.method === operation.method;
      if (isMethod && use.roles.some((role) => own.has(role))) continue;
      const message = `${quote(word)} has no effect here: it is about ${use.of}, and this operation ${ROLE_NAMES[firstOf(own)]}`;
      report('warning', pointer, message, 'word-without-effect');
    }
  }
}

const ROLE_NAMES: Readonly<Record<Role, string>> = {
  list: 'lists entities',
  page: 'lists entities',
  changes: 'tells what has changed',
  read: 'reads one entity',
  insert: 'creates entities',
  update: 'changes entities',
  delete: 'deletes entities',
  link: 'links entities',
  bound: 'is bound',
  call: 'is a function or an action',
};

function firstOf(roles: ReadonlySet<Role>): Role {
  const [first = 'call'] = roles;
  return first;
}

type Roles = Map<string, Set<Role>>;

function rolesOf({ entityTypes, entitySets, singletons, callables }: Derived): Roles {
  const roles: Roles = new Map();
  const take = (operation: Operation | undefined, role: Role): void => {
    if (operation === undefined) return;
    roles.set(operation.id, (roles.get(operation.id) ?? new Set()).add(role));
  };
  for (const set of entitySets) {
    for (const role of ['list', 'page', 'changes', 'read', 'insert', 'update', 'delete'] as const) {
      take(set[role], role);
    }
    take(set.update?.replacing, 'update');
  }
  for (const { read, update } of singletons) {
    take(read, 'read');
    take(update, 'update');
    take(update?.replacing, 'update');
  }
  for (const { navigationProperties } of entityTypes) {
    for (const property of navigationProperties.values()) takeNavigation(property, take);
  }
  for (const { kind, returns, calls, binding } of callables) {
    for (const { operation } of calls) {
      take(operation, binding === undefined ? 'call' : 'bound');
      if (kind === 'function' && returns?.collection === true) take(operation, 'list');
    }
  }
  return roles;
}

function takeNavigation(
  { origin, collection, addReference, removeReference }: DescribedNavigationProperty,
  take: (operation: Operation | undefined, role: Role) => void,
): void {
  take(addReference, 'link');
  take(removeReference, 'link');
  if (origin.kind === 'link') take(origin.operation, collection ? 'list' : 'read');
  if (origin.kind !== 'path') return;
  for (const place of origin.places) {
    for (const role of ['list', 'read', 'insert', 'update', 'delete'] as const) take(place[role], role);
    take(place.update?.replacing, 'update');
  }
}

interface Entities {
  readonly entityTypes: readonly DescribedEntityType[];
  readonly entitySets: readonly DescribedEntitySet[];
  readonly singletons: readonly DescribedSingleton[];
}

/** Notes which words of `x-odata` the entity types, sets and singletons of a document say. */
export function markUsedOfEntities(source: DocumentSource, plans: EntityPlans, entities: Entities): void {
  const types = new Map(entities.entityTypes.map((type) => [type.name, type]));
  const contained = new Set(entities.entityTypes.flatMap(containedTypes));
  for (const plan of plans.values()) {
    const type = types.get(plan.name);
    if (type === undefined) continue;
    markUsed(source, plan.schema, ['alternateKeys', 'etag', 'hasStream', 'stream', 'streams']);
    const sets = entities.entitySets.filter(({ entityType }) => entityType.name === plan.name);
    const singletons = entities.singletons.filter(({ entityType }) => entityType.name === plan.name);
    if (sets.length > 0) markUsed(source, plan.schema, ['changes', 'pageSize']);
    // If another set has the name, the report is about the one without a name.
    if (sets.length > 0 && isNamed(plan, 'entitySet', entities.entitySets))
      markUsed(source, plan.schema, ['entitySet']);
    if (isNamed(plan, 'singleton', singletons)) markUsed(source, plan.schema, ['singleton']);
    const isResource = sets.length + singletons.length > 0 || contained.has(plan.name);
    if (isResource) markUsed(source, plan.schema, ['grants']);
  }
}

function containedTypes({ navigationProperties }: DescribedEntityType): readonly string[] {
  return [...navigationProperties.values()].flatMap(({ entityType, contained }) =>
    contained === undefined ? [] : [entityType],
  );
}

/** Whether one of the resources has the name that the word says. */
function isNamed(
  { schema }: EntityPlan,
  word: 'entitySet' | 'singleton',
  resources: readonly (DescribedEntitySet | DescribedSingleton)[],
): boolean {
  const declared = text(ownSetting(schema, word));
  return declared !== undefined && resources.some(({ name }) => name === declared);
}

const OF_ENTITIES = 'the schema of entities that are listed, or read by key or on their own';
const OF_SETS = 'the schema of entities that are in an entity set';
const OF_ENUMERATIONS = 'the schema of texts or integers that enumerates them';

/** The subject of each word of `x-odata` on a schema. */
const ABOUT: ReadonlyMap<string, string> = new Map([
  ['name', 'the schema of a property, or of a parameter of a function or an action'],
  ['type', 'the schema of values that are in the service'],
  ['precision', 'the schema of decimal numbers, points in time, times of day and durations'],
  ['scale', 'the schema of decimal numbers'],
  ['searchable', 'the schema of a property that is a text'],
  ['immutable', 'the schema of a property of what is read'],
  ['mediaType', 'the schema of a property that is a text or binary'],
  ['ui', 'the schema of a property, or of entities'],
  ['enum', OF_ENUMERATIONS],
  ['flags', OF_ENUMERATIONS],
  ['members', OF_ENUMERATIONS],
  ['entitySet', OF_SETS],
  ['singleton', 'the schema of an object that is read without a key'],
  ['key', OF_ENTITIES],
  ['alternateKeys', OF_ENTITIES],
  ['etag', OF_ENTITIES],
  ['grants', 'the schema of entities that are in an entity set, alone or contained'],
  ['hasStream', OF_ENTITIES],
  ['stream', OF_ENTITIES],
  ['streams', OF_ENTITIES],
  ['changes', OF_SETS],
  ['pageSize', OF_SETS],
  ['maxAge', 'the schema of entities that are read'],
  ['rate', 'the schema of entities that are read'],
  ['references', OF_ENTITIES],
  ['derive', 'the schema of entities that are listed, or a parameter of a list'],
  ['all', 'a parameter of a list'],
]);

/**
 * Reports each word on a schema that has no effect in the model. Invalid words have been reported already.
 */
export function reportUnusedKeywords(
  { findings, usedKeywords, report }: DocumentSource,
  placed: readonly PlacedSettings[],
): void {
  const reported = new Set(findings().map(({ pointer }) => pointer));
  for (const { place, settings } of placed) {
    if (place !== 'record' && place !== 'value') continue;
    const known = usedKeywords.get(settings.value);
    for (const [word, { pointer }] of members(settings)) {
      const about = ABOUT.get(word);
      if (about === undefined || reported.has(pointer) || known?.has(word) === true) continue;
      const message = `${quote(word)} has no effect here: it is about ${about}`;
      report('warning', pointer, message, 'word-without-effect');
    }
  }
}
