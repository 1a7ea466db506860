import type {
  DescribedModel,
  DescribedNavigationProperty,
  DescribedStructuredType,
  DescribedTypeUse,
} from '../../model/description.ts';
import { madeOnce } from '../../model/maps.ts';
import { describedResourceName, grantingResource } from '../../model/resource-grants.ts';

/**
 * The resources that a principal must be allowed to view to see values with entities at places that the model
 * does not declare.
 */
export interface HeldResources {
  /** For values of a type use, at any depth; without those beneath complex values. */
  ofUse(use: Pick<DescribedTypeUse, 'heldEntities'>): readonly string[];
  /** For undeclared properties of a type. */
  ofUndeclared(type: Pick<DescribedStructuredType, 'undeclaredEntities'>): readonly string[];
  /** For anything within entities of a type, including complex values and nested entities. */
  ofContent(entityType: string): readonly string[];
  /** All resources that entities of the type may belong to. */
  ofEntity(name: string): readonly string[];
}

const HELD = new WeakMap<DescribedModel, HeldResources>();

/** Everything is found when it is first asked for: most models hold nothing so. */
export function heldResources(model: DescribedModel): HeldResources {
  return madeOnce(HELD, model, () => findHeldResources(model));
}

function findHeldResources(model: DescribedModel): HeldResources {
  let uses: TypeUses | undefined;
  const known = new Map<string, readonly string[]>();
  const ofTypes = new Map<string, readonly string[]>();
  const ofEntity = (name: string): readonly string[] =>
    madeOnce(ofTypes, name, () => {
      uses ??= typeUses(model);
      return resourcesOf(model, uses, name);
    });
  const ofNames = (names: readonly string[]): readonly string[] =>
    madeOnce(known, names.join(' '), (): readonly string[] => {
      uses ??= typeUses(model);
      return [...new Set(contentOf(model, uses, names).flatMap(ofEntity))];
    });
  return {
    ofUse: ({ heldEntities }) => (heldEntities === undefined ? NONE : ofNames(heldEntities)),
    ofUndeclared: ({ undeclaredEntities }) =>
      undeclaredEntities === undefined ? NONE : ofNames(undeclaredEntities),
    ofContent: (name) => ofNames([name]),
    ofEntity,
  };
}

const NONE: readonly string[] = [];

/** The uses of the types of a model, by type name. */
interface TypeUses {
  /** The types derived directly from each. */
  readonly derived: ReadonlyMap<string | undefined, readonly DescribedStructuredType[]>;
  /** The sets and singletons of each. */
  readonly members: ReadonlyMap<string, readonly { readonly name: string }[]>;
  /** The navigation properties that lead to entities of each which are in no set. */
  readonly contained: ReadonlyMap<string, readonly DescribedNavigationProperty[]>;
}

function typeUses({ entityTypes, complexTypes, entitySets, singletons }: DescribedModel): TypeUses {
  const types: readonly DescribedStructuredType[] = [...entityTypes.values(), ...complexTypes.values()];
  const contained = [...entityTypes.values()]
    .flatMap(({ navigationProperties }) => [...navigationProperties.values()])
    .filter(({ target }) => target === undefined);
  return {
    derived: Map.groupBy(types, ({ baseType }) => baseType),
    members: Map.groupBy(
      [...entitySets.values(), ...singletons.values()],
      ({ entityType }) => entityType.name,
    ),
    contained: Map.groupBy(contained, ({ entityType }) => entityType),
  };
}

/** The entity types of all entities that may stand in the JSON of entities of those types, and they themselves. */
function contentOf(model: DescribedModel, uses: TypeUses, names: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  const queue = [...names];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    const type: DescribedStructuredType | undefined =
      model.entityTypes.get(name) ?? model.complexTypes.get(name);
    if (type !== undefined) queue.push(...derivedFrom(uses, name), ...namesIn(type));
  }
  return [...seen].filter((name) => model.entityTypes.has(name));
}

function namesIn(type: DescribedStructuredType): readonly string[] {
  return [
    ...(type.undeclaredEntities ?? []),
    ...[...type.structuralProperties.values()].flatMap((property) => [
      property.type.name,
      ...(property.heldEntities ?? []),
    ]),
    ...[...type.navigationProperties.values()].flatMap(({ origin, entityType }) =>
      origin.kind === 'embedded' ? [entityType] : [],
    ),
  ];
}

function derivedFrom({ derived }: TypeUses, name: string): readonly string[] {
  return derived.get(name)?.map((type) => type.name) ?? [];
}

/**
 * The sets and singletons of the type, of its base types and of its derived types: a value may be in any.
 * Contained entities belong to the resource with grants of its own, else to their container.
 */
function resourcesOf(model: DescribedModel, uses: TypeUses, name: string): readonly string[] {
  const family = [...new Set([...ancestorsOf(model, name), ...descendantsOf(uses, name)])];
  const contained = family
    .flatMap((each) => uses.contained.get(each) ?? [])
    .flatMap((navigation) => {
      const { origin } = navigation;
      const places = origin.kind === 'path' ? origin.places : [];
      return describedResourceName(navigation) ?? places.map(({ path }) => grantingResource(model, path));
    });
  return [
    ...family.flatMap((each) => uses.members.get(each) ?? []).map((member) => member.name),
    ...contained,
  ];
}

function ancestorsOf(model: DescribedModel, name: string): readonly string[] {
  const base = model.entityTypes.get(name)?.baseType;
  return base === undefined ? [name] : [name, ...ancestorsOf(model, base)];
}

function descendantsOf(uses: TypeUses, name: string): readonly string[] {
  return [name, ...derivedFrom(uses, name).flatMap((derived) => descendantsOf(uses, derived))];
}
