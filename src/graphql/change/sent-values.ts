import { fittingOperation, insertingOperation } from '../../engine/change/update-entity.ts';
import type { ModelType } from '../../engine/typing/expression-type.ts';
import {
  type EntityType,
  type NavigationProperty,
  type StructuralProperty,
  type StructuredType,
  withDerivedTypes,
} from '../../model/edm.ts';
import { addedLink, insertInSet, removedLink } from '../../model/link-change.ts';
import { madeOnce } from '../../model/maps.ts';
import type { SentType } from '../../model/operation.ts';
import { sentAs, sentWithin, takenProperties } from '../../model/sent-type.ts';
import { isExactType, type ShownModel } from '../context/schema-names.ts';
import { type ChangePlace, changePlaces } from './change-place.ts';

/** The use of an input type: a new entity, a partial change, or a replacement. */
export type InputUse = 'create' | 'change' | 'replace';

/** The input of a property. */
export interface SentValue {
  /** True if all operations require the value. */
  readonly isRequired: boolean;
  /** True if all operations accept null. */
  readonly isNullable: boolean;
  /** The common default of all operations, in the text form of CSDL 4.01, 7.2.7. */
  readonly defaultValue: string | undefined;
}

/** The supported changes of a relation. */
export interface RelationWords {
  readonly create: boolean;
  readonly link: boolean;
  readonly unlink: boolean;
  /** Replaces all related entities: by links, or by entities if they are contained. */
  readonly set: 'links' | 'entities' | undefined;
}

/** The input properties that the operations of the API accept. */
export interface SentValues {
  /** Undefined if some operation would drop the value. */
  property(type: ModelType, use: InputUse, property: StructuralProperty): SentValue | undefined;
  relation(owner: EntityType, use: InputUse, navigation: NavigationProperty): RelationWords;
}

/** The properties of a type that an operation accepts. */
interface Taken {
  readonly properties: ReadonlyMap<string, StructuralProperty>;
  /** Properties that its body lacks. */
  readonly lacks: readonly string[];
  /** True if the input is forwarded unchanged. */
  readonly isVerbatim: boolean;
}

export function sentValues(shown: ShownModel): SentValues {
  const places = changePlaces(shown);
  let found: ReadonlyMap<string, readonly Taken[]> | undefined;
  const takenOf = ({ name }: ModelType, use: InputUse): readonly Taken[] => {
    found ??= collectTaken(shown, places);
    return found.get(`${use} ${name}`) ?? [];
  };
  const isAlwaysDemanded = (type: ModelType, use: InputUse, name: string): boolean => {
    const taken = takenOf(type, use).flatMap(({ properties }) => properties.get(name) ?? []);
    return taken.length > 0 && taken.every(isDemanded);
  };
  // GraphQL, 3.10: an input type must not require itself.
  const demandsItself = (owner: ModelType, use: InputUse, within: ModelType, seen: Set<string>): boolean => {
    if (within.name === owner.name) return true;
    if (seen.has(within.name)) return false;
    seen.add(within.name);
    return [...within.structuralProperties.values()].some(
      ({ name, type, collection }) =>
        type.kind === 'complex' &&
        !collection &&
        isAlwaysDemanded(within, use, name) &&
        demandsItself(owner, use, type, seen),
    );
  };
  const property: SentValues['property'] = (type, use, declared) =>
    declared.aliasOf === undefined ? givenProperty(type, use, declared) : undefined;
  /** Also an alias, which is given by a link alone. */
  const givenProperty: SentValues['property'] = (type, use, declared) => {
    const { name, computed, immutable } = declared;
    const isKey = type.kind === 'entity' && type.key.includes(name);
    const isSign = isExactType(type) && type.discriminator?.upstreamName === declared.upstreamName;
    const all = takenOf(type, use);
    const taken = all.flatMap(({ properties }) => properties.get(name) ?? []);
    const isGiven = taken.length === 0 ? computed : taken.every((each) => each.computed);
    const isFixed = use !== 'create' && (immutable || isKey || (isSign && type.kind === 'entity'));
    const isLacking = all.length > 0 && all.every(({ lacks }) => lacks.includes(name));
    const isStream = declared.type.name === 'Edm.Stream';
    if (isGiven || isFixed || isLacking || isStream) return undefined;
    const { type: valueType, collection } = declared;
    const isEndless =
      valueType.kind === 'complex' && !collection && demandsItself(type, use, valueType, new Set());
    const isFree = isSign || (isKey && !immutable) || isForeignKey(type, name) || isEndless;
    const defaults = new Set(taken.map(({ defaultValue }) => defaultValue));
    const [defaultValue] = defaults;
    return {
      isRequired: use !== 'change' && !isFree && isAlwaysDemanded(type, use, name),
      isNullable: taken.every(({ nullable }) => nullable),
      defaultValue: defaults.size === 1 ? defaultValue : undefined,
    };
  };
  return {
    property,
    relation(owner, use, navigation) {
      const all = takenOf(owner, use);
      if (all.length > 0 && all.every(({ isVerbatim }) => isVerbatim)) return NO_WORDS;
      const { entityType, target, constraints, origin, collection, containsTarget } = navigation;
      const link = { type: owner, update: undefined, navigation };
      const own = constraints.map((each) => {
        const foreign = owner.structuralProperties.get(each.property);
        return foreign && givenProperty(owner, use, foreign);
      });
      const isSettable = own.every((each) => each !== undefined);
      const at = origin.kind === 'path' ? origin.places : [];
      const isCreatedBelow = collection && at.some(({ insert }) => insert?.verbatim === false);
      const isCreatable = insertInSet(owner, navigation) !== undefined && isSettable;
      const isLinkedTo = target !== undefined && entityType.key.length > 0 && !containsTarget;
      const byOwner = own.length > 0 && isSettable;
      const isLinkable = isLinkedTo && (byOwner || addedLink(link) !== undefined);
      const isFreed = byOwner && own.every((each) => each?.isNullable === true);
      const isUnlinkable = isLinkedTo && use !== 'create' && (isFreed || removedLink(link) !== undefined);
      const isCleared = use !== 'create' && isCreatedBelow && at.some((place) => place.delete !== undefined);
      const setLinks = collection && isLinkable && isUnlinkable ? 'links' : undefined;
      return {
        create: isCreatedBelow || isCreatable,
        link: isLinkable,
        unlink: isUnlinkable,
        set: containsTarget ? (isCleared ? 'entities' : undefined) : setLinks,
      };
    },
  };
}

const NO_WORDS: RelationWords = { create: false, link: false, unlink: false, set: undefined };

/** Values with a default are filled in by the API or the gateway. */
function isDemanded({ required, nullable, collection, computed, defaultValue }: StructuralProperty): boolean {
  return required === true && (!nullable || collection) && !computed && defaultValue === undefined;
}

/** Foreign keys are also set by linking. */
function isForeignKey({ navigationProperties }: StructuredType, name: string): boolean {
  return [...navigationProperties.values()].some(({ constraints }) =>
    constraints.some(({ property }) => property === name),
  );
}

/** The accepted properties by use and type name. */
function collectTaken(
  { model }: ShownModel,
  places: readonly ChangePlace[],
): ReadonlyMap<string, readonly Taken[]> {
  const found = new Map<string, Taken[]>();
  const known = new Map<string, Set<SentType | undefined>>();
  const add = (
    declared: StructuredType,
    use: InputUse,
    sent: SentType | undefined,
    lacks: readonly string[] = [],
    isVerbatim = false,
  ): void => {
    const seen = madeOnce(known, `${use} ${declared.name}`, () => new Set<SentType | undefined>());
    if (seen.has(sent) && lacks.length === 0) return;
    seen.add(sent);
    for (const type of withDerivedTypes(declared)) {
      const own = sentAs(sent, type);
      const properties = takenProperties(type, own);
      madeOnce(found, `${use} ${type.name}`, (): Taken[] => []).push({ properties, lacks, isVerbatim });
      for (const property of properties.values()) {
        // Items of a collection are always new (Part 1, 11.4.3).
        const inner = property.collection ? 'create' : use;
        if (property.type.kind === 'complex') add(property.type, inner, sentWithin(own, property));
      }
      for (const { origin, entityType, collection } of type.navigationProperties.values()) {
        if (origin.kind === 'embedded') {
          add(entityType, collection ? 'create' : use, sentWithin(own, origin));
        }
      }
    }
  };
  for (const { type, operations } of places) {
    const { insert, update } = operations;
    if (insert !== undefined) {
      add(type, 'create', insert.sent, insert.nonInsertableProperties, insert.verbatim);
    }
    if (update === undefined) continue;
    const replace = fittingOperation(update, 'PUT');
    const inserting = insertingOperation(update);
    add(type, 'change', update.sent, update.nonUpdatableProperties);
    add(type, 'replace', replace.sent, replace.nonUpdatableProperties);
    if (inserting !== undefined) add(type, 'replace', inserting.sent, inserting.nonUpdatableProperties);
  }
  for (const { parameters } of model.callables) {
    for (const { type, sent } of parameters) {
      if (type.kind === 'complex' || type.kind === 'entity') add(type, 'create', sent);
    }
  }
  return found;
}
