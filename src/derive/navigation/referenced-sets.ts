import { foldedName, foldedNoun, words } from '../../model/names.ts';
import { componentName, type Schema } from '../../openapi/schemas/schema.ts';
import type { KeyPart } from '../edm-types/entity-key.ts';
import { componentNames, type EntityPlan } from '../edm-types/entity-plan.ts';
import { isIdentifier } from '../edm-types/identifier.ts';
import type { Derivation } from '../operations/derivation.ts';
import { type DocumentOperation, pathParameters } from '../operations/document-operation.ts';
import { isLiteral } from '../parameters/list-parameters.ts';
import type { SetDraft } from '../sets/entity-set.ts';

/** A set that holds all entities of its type, each under one key. */
export interface ReferencedSet {
  readonly name: string;
  readonly entity: EntityPlan;
  /** The last part of the key, which a foreign key has. */
  readonly key: KeyPart;
  /** The parts before the last one: the entity that refers to one of the set must have them under the same names. */
  readonly context: readonly KeyPart[];
  /** Undefined for entities that only a list has. */
  readonly read: DocumentOperation | undefined;
}

/** A set that a name means, and by what. */
export interface NamedSet {
  readonly set: ReferencedSet;
  readonly by: keyof EntityNames;
}

/** Finds the sets that names of entities mean. */
export interface ReferencedSets {
  readonly all: readonly ReferencedSet[];
  /**
   * The set whose entities have the name, of those that the owner can refer to; a name is folded. If the name does not
   * decide between several sets, the first of them is returned as one that has the name last.
   */
  readonly named: (name: string, owner: EntityPlan) => NamedSet | undefined;
  /** All sets that the owner can refer to and that have the name, or a longer one that ends so. */
  readonly alike: (name: string, owner: EntityPlan) => readonly ReferencedSet[];
  /** The only set whose entities have a longer name that ends so. */
  readonly endingIn: (name: string, owner: EntityPlan) => ReferencedSet | undefined;
}

/** The words behind the first ones of the names of a set. */
function endingsOf({ entity, name }: ReferencedSet): ReadonlySet<string> {
  const named = [entity.name, name].flatMap((each) => schemaNouns(each, ENTITY).map((noun) => noun.words));
  return new Set(named.flatMap((all) => all.slice(1).map((_, index) => foldedWords(all.slice(index + 1)))));
}

/** The parts of a set that have names for its entities. */
type NamedSource = Pick<ReferencedSet, 'entity' | 'read' | 'name'>;

export function referencedSets(derivation: Derivation, drafts: readonly SetDraft[]): ReferencedSets {
  const all = drafts.flatMap((draft) => referencedSet(derivation, draft) ?? []);
  const ranked = all.map((set) => ({ set, names: namesOf(derivation, set) }));
  const pairs = (by: keyof EntityNames) =>
    ranked.flatMap(({ set, names }) => [...new Set(names[by])].map((name) => ({ name, set, by })));
  const groups = [[...pairs('schema'), ...pairs('path')], pairs('last')].map((named) =>
    Map.groupBy(named, ({ name }) => name),
  );
  const names = new Set(all.map(({ name }) => name));
  const others = drafts
    .filter(({ name }) => !names.has(name))
    .flatMap(({ entity, name, plan: { read } }) => namesOf(derivation, { entity, name, read }).schema);
  const otherNames = new Set(others);
  const partial = new Set(
    ranked.flatMap(({ set, names: { schema } }) =>
      schema.some((name) => otherNames.has(name)) ? [set] : [],
    ),
  );
  const endings = Map.groupBy(
    all.flatMap((set) => [...endingsOf(set)].map((ending) => ({ ending, set }))),
    ({ ending }) => ending,
  );
  return {
    all,
    named(name, owner) {
      for (const sets of groups) {
        const all = sets.get(name)?.filter(({ set }) => hasContext(owner, set)) ?? [];
        if (all.length === 0) continue;
        const found = [...new Set(all.map((each) => each.set))];
        const chosen = preferred(found, name);
        const set = chosen ?? found[0];
        // A list may have some of the entities that another list has, too.
        const isPart = set !== undefined && set.read === undefined && (partial.has(set) || found.length > 1);
        const by = all.find((each) => each.set === set)?.by ?? 'last';
        return set && { set, by: isPart || chosen === undefined ? 'last' : by };
      }
      return undefined;
    },
    alike(name, owner) {
      const named = groups.flatMap((group) => group.get(name) ?? []);
      const found = named.length > 0 ? named : (endings.get(name) ?? []);
      return [...new Set(found.map(({ set }) => set))].filter((set) => hasContext(owner, set));
    },
    endingIn(name, owner) {
      const found = endings.get(name)?.filter(({ set }) => hasContext(owner, set)) ?? [];
      return found.length === 1 ? found[0]?.set : undefined;
    },
  };
}

export function isLiteralSet(derivation: Derivation, { plan }: SetDraft): boolean {
  const operation = plan.list?.operation ?? plan.read;
  return operation !== undefined && isLiteral(derivation, operation, plan.schema);
}

function referencedSet(derivation: Derivation, draft: SetDraft): ReferencedSet | undefined {
  const { plan, entity, name, fixed = [] } = draft;
  const { read, list } = plan;
  const key = entity.key.at(-1);
  if (key === undefined || key.property.isRowKey === true || isLiteralSet(derivation, draft))
    return undefined;
  const context = entity.key.slice(0, -1);
  if (read === undefined) {
    const isWhole = list !== undefined && fixed.length === 0 && context.length === 0;
    return isWhole ? { name, entity, key, context, read } : undefined;
  }
  const isRead =
    entity.key.every(({ parameter }) => parameter !== undefined) &&
    pathParameters(read).length === entity.key.length;
  return isRead ? { name, entity, key, context, read } : undefined;
}

/** Whether the owner's entities have all parts of the set's key but the last one. */
function hasContext(owner: EntityPlan, { context }: ReferencedSet): boolean {
  return context.every((part) => contextProperty(owner, part) !== undefined);
}

/** The owner's property of the name of a part of another entity's key. */
export function contextProperty({ properties }: EntityPlan, { property, parameter }: KeyPart) {
  const names = [property.upstreamName, property.name, parameter ?? '']
    .filter((name) => name !== '' && !isIdentifier(name))
    .map(foldedName);
  return properties.find(({ upstreamName }) => names.includes(foldedName(upstreamName)));
}

/** The set that is read by its key alone before those that need more; of several, the one that is called so itself. */
function preferred(sets: readonly ReferencedSet[], name: string): ReferencedSet | undefined {
  const rank = ({ read, context }: ReferencedSet) => (read === undefined ? 2 : context.length > 0 ? 1 : 0);
  const best = Math.min(...sets.map(rank));
  const [only, ...others] = sets.filter((set) => rank(set) === best);
  if (others.length === 0) return only;
  const called = sets.filter((set) => rank(set) === best && foldedNoun(set.name) === name);
  return called.length === 1 ? called[0] : undefined;
}

interface EntityNames {
  /** The names of its schema and of its type. */
  readonly schema: readonly string[];
  /** That of its path, if nothing but other keys qualifies it there. */
  readonly path: readonly string[];
  /** The last word of a longer path. */
  readonly last: readonly string[];
}

/** Segments at the beginning of a path that say nothing of what is there. */
const PATH_START = /^(?:api|rest|public|v?\d[\w.-]*)$/i;

function namesOf({ source, pathPrefix }: Derivation, { entity, read, name }: NamedSource): EntityNames {
  const all = read?.segments.slice(pathPrefix) ?? [];
  const start = all.findIndex((segment) => segment.kind !== 'literal' || !PATH_START.test(segment.text));
  const segments = all.slice(Math.max(start, 0));
  const literals = segments.flatMap((segment, index) =>
    segment.kind === 'literal'
      ? [{ text: segment.text.replace(/\.\w+$/, ''), next: segments[index + 1]?.kind }]
      : [],
  );
  const last = foldedNoun(literals.at(-1)?.text ?? name);
  const isAlone = literals.length > 0 && literals.every(({ next }) => next !== 'literal');
  const written = [componentName(entity.schema) ?? '', entity.name];
  const others = componentNames(source);
  const schema = written.flatMap((each) => {
    const whole = foldedNoun(each);
    const nouns = schemaNouns(each, ENTITY).filter(
      ({ isTail, words: all }) => !isTail || !others.has(foldedName(all.join(' '))),
    );
    return [whole, whole.replace(SCHEMA_ENDING, ''), ...nouns.map((noun) => foldedWords(noun.words))];
  });
  return { schema: schema.filter((each) => each !== ''), path: isAlone ? [last] : [], last: [last] };
}

function foldedWords(all: readonly string[]): string {
  return foldedNoun(all.join(' '));
}

/** Words that generators put behind the name of a schema. */
const SCHEMA_ENDING =
  /(?:read|dto|response|schema|model|out|output|entity|resource|object|public|details?|bean|full|view|vo)$/;

/** Words before and behind the name of an entity in that of a schema, which say how much of the entity it has. */
interface Decoration {
  readonly before: RegExp;
  readonly behind: RegExp;
}

const ENTITY: Decoration = {
  before: /^(?:abstract|base|basic|full|public|simple)$/i,
  behind:
    /^(?:api|base|basic|bean|compact|details?|dto|entity|full|get|model|object|out|output|public|read|resource|response|rest|schema|seriali[sz]er|view|vo)$/i,
};

/** The decorations of schemas of references, which have little more than the key. */
export const REFERENCE: Decoration = {
  before:
    /^(?:abstract|base|basic|brief|compact|created|current|deleted|embedded|full|inline|light|linked|lite|min|mini|minimal|nested|partial|public|related|short|simple|simplified|slim|small|tiny|updated)$/i,
  behind:
    /^(?:api|base|basic|bean|brief|compact|details?|dto|embedded|entity|full|get|id|identifier|info|item|key|light|link|lite|min|mini|minimal|model|nested|obj|object|out|output|preview|public|read|ref|reference|resource|response|rest|schema|seriali[sz]er|short|simple|slim|stub|summary|view|vo)$/i,
};

/** A meaning of the name of a schema. */
interface SchemaNoun {
  readonly words: readonly string[];
  /** True for the part behind the last dot or slash. */
  readonly isTail: boolean;
}

/** Longer names, which no name of a model may be (CSDL 4.01, 15.2), mean no entity. */
export const LONGEST_NAME = 128;

/**
 * The meanings of the name of a schema: all of the name, that before a double separator (`User--Mini`), and that behind its
 * last dot or slash; of each, decorations are taken away one after the other, and `with …` at once.
 */
export function schemaNouns(name: string, decoration: Decoration): readonly SchemaNoun[] {
  if (name.length > LONGEST_NAME) return [];
  const [head = name] = name.split(/[-_.]{2,}/, 1);
  const tail = name.slice(name.search(/[^./]*$/));
  const written = new Map([
    [name, false],
    [head, false],
    [tail, tail !== name],
  ]);
  return [...written].flatMap(([each, isTail]) =>
    undecorated(words(each), decoration).map((all) => ({ words: all, isTail })),
  );
}

/** The words, and what is left without decorations before or behind them, those first that have lost the fewest. */
function undecorated(all: readonly string[], { before, behind }: Decoration): readonly (readonly string[])[] {
  const qualifier = all.findIndex((word, index) => index > 0 && /^with$/i.test(word));
  const own = qualifier < 0 ? all : all.slice(0, qualifier);
  const first = own.findIndex((word) => !before.test(word));
  const last = own.findLastIndex((word) => !behind.test(word));
  const [most, least] = [Math.max(first, 0), last < Math.max(first, 0) ? own.length - 1 : last];
  const starts = Array.from({ length: most + 1 }, (_, index) => index);
  const ends = Array.from({ length: own.length - least }, (_, index) => own.length - index);
  const forms = starts.flatMap((start) => ends.map((end) => own.slice(start, end)));
  const sorted = forms.filter(({ length }) => length > 0).toSorted((a, b) => b.length - a.length);
  return own === all ? sorted : [all, ...sorted];
}

/** The name of the schema that describes an object: its own, or that of the first one that it merges. */
export function schemaNames(schema: Schema): readonly string[] {
  const identities = [schema.identity, ...schema.layers.map(({ pointer }) => pointer)];
  return identities.flatMap((identity) => componentName({ ...schema, identity }) ?? []).slice(0, 1);
}
