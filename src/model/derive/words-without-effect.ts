import { member, members } from '../../openapi/document/document-node.ts';
import { quote } from '../../openapi/document/document-source.ts';
import type { Report } from '../../openapi/document/finding.ts';
import type {
  DescribedCallable,
  DescribedEntitySet,
  DescribedEntityType,
  DescribedNavigationProperty,
  DescribedSingleton,
} from '../description.ts';
import type { Operation } from '../operation.ts';
import type { DocumentOperation } from './operations/document-operation.ts';

/** What an operation is for in the model; it may be more than one of these. */
type Role = 'list' | 'page' | 'changes' | 'read' | 'insert' | 'update' | 'delete' | 'link' | 'bound' | 'call';

interface WordUse {
  /** What the operations are for that the word says something of. */
  readonly roles: readonly Role[];
  /** The same for a reader. */
  readonly of: string;
}

const LISTS: WordUse = { roles: ['list', 'page'], of: 'lists' };
const PAGES: WordUse = { roles: ['page'], of: 'lists with pageOf' };
const FEEDS: WordUse = { roles: ['changes'], of: 'feeds of changes' };
const CALLS: WordUse = { roles: ['bound', 'call'], of: 'functions and actions' };
const INSERTS: WordUse = { roles: ['insert'], of: 'creates' };

/** Words that speak of operations of some roles alone. What names an operation for a link is told of where it is read. */
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
]);

/** What has been made of a document. */
interface Derived {
  readonly entityTypes: readonly DescribedEntityType[];
  readonly entitySets: readonly DescribedEntitySet[];
  readonly singletons: readonly DescribedSingleton[];
  readonly callables: readonly DescribedCallable[];
}

/** Tells of each word in the `x-odata` of an operation that says nothing of what the operation has become. */
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
      if (use === undefined || use.roles.some((role) => own.has(role))) continue;
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
  { origin, addReference, removeReference }: DescribedNavigationProperty,
  take: (operation: Operation | undefined, role: Role) => void,
): void {
  take(addReference, 'link');
  take(removeReference, 'link');
  if (origin.kind === 'link') take(origin.operation, 'list');
  if (origin.kind !== 'path') return;
  for (const place of origin.places) {
    for (const role of ['list', 'read', 'insert', 'update', 'delete'] as const) take(place[role], role);
    take(place.update?.replacing, 'update');
  }
}
