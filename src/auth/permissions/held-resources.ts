import type { DescribedModel, DescribedStructuredType, DescribedTypeUse } from '../../model/description.ts';
import { describedResourceName, grantingResource } from '../../model/resource-grants.ts';

/** What somebody must be allowed to view who is shown values that hold entities at places the model does not know. */
export interface HeldResources {
  /** The resources of the entities that values of the use may hold so, at whatever depth; none of those beneath a complex value. */
  ofUse(use: Pick<DescribedTypeUse, 'heldEntities'>): readonly string[];
  /** The resources of the entities that values of the type may hold in properties that it does not declare. */
  ofUndeclared(type: Pick<DescribedStructuredType, 'undeclaredEntities'>): readonly string[];
  /**
   * The resources of the entities that anything within entities of the type may hold, complex values and entities
   * included.
   */
  ofContent(entityType: string): readonly string[];
  /** All resources that entities of the type may belong to. */
  ofEntity(name: string): readonly string[];
}

/** Everything is found when it is first asked for: most models hold nothing so. */
export function heldResources(model: DescribedModel): HeldResources {
  const known = new Map<string, readonly string[]>();
  const ofNames = (names: readonly string[]): readonly string[] => {
    const key = names.join(' ');
    const found = known.get(key) ?? [
      ...new Set(contentOf(model, names).flatMap((name) => resourcesOf(model, name))),
    ];
    known.set(key, found);
    return found;
  };
  return {
    ofUse: ({ heldEntities }) => (heldEntities === undefined ? NONE : ofNames(heldEntities)),
    ofUndeclared: ({ undeclaredEntities }) =>
      undeclaredEntities === undefined ? NONE : ofNames(undeclaredEntities),
    ofContent: (name) => ofNames([name]),
    ofEntity: (name) => resourcesOf(model, name),
  };
}

const NONE: readonly string[] = [];

/** The entity types of all entities that may stand in the JSON of entities of those types, and they themselves. */
function contentOf(model: DescribedModel, names: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  const queue = [...names];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    const type: DescribedStructuredType | undefined =
      model.entityTypes.get(name) ?? model.complexTypes.get(name);
    if (type !== undefined) queue.push(...derivedFrom(model, name), ...namesIn(type));
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

function derivedFrom({ entityTypes, complexTypes }: DescribedModel, name: string): readonly string[] {
  return [...entityTypes.values(), ...complexTypes.values()].flatMap((type) =>
    type.baseType === name ? [type.name] : [],
  );
}

/**
 * The sets and singletons of the type, of those that it is derived from, and of those derived from it: a value may
 * be in any. Contained entities belong to what has grants of its own, else to whatever contains them.
 */
function resourcesOf(model: DescribedModel, name: string): readonly string[] {
  const family = new Set([...ancestorsOf(model, name), ...descendantsOf(model, name)]);
  const members = [...model.entitySets.values(), ...model.singletons.values()];
  const contained = [...model.entityTypes.values()]
    .flatMap(({ navigationProperties }) => [...navigationProperties.values()])
    .filter(({ entityType, target }) => target === undefined && family.has(entityType))
    .flatMap((navigation) => {
      const { origin } = navigation;
      const places = origin.kind === 'path' ? origin.places : [];
      return describedResourceName(navigation) ?? places.map(({ path }) => grantingResource(model, path));
    });
  return [
    ...members.filter(({ entityType }) => family.has(entityType.name)).map((member) => member.name),
    ...contained,
  ];
}

function ancestorsOf(model: DescribedModel, name: string): readonly string[] {
  const base = model.entityTypes.get(name)?.baseType;
  return base === undefined ? [name] : [name, ...ancestorsOf(model, base)];
}

function descendantsOf(model: DescribedModel, name: string): readonly string[] {
  return [name, ...derivedFrom(model, name).flatMap((derived) => descendantsOf(model, derived))];
}
