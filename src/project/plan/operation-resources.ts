import type { EntitySet, NavigationPlace, Operation, Singleton } from '../../model/edm.ts';
import type { Model } from '../../model/model.ts';

/** The resource that each operation serves, by the operation's name in the mesh. */
export function operationResources(model: Model): ReadonlyMap<string, string> {
  return new Map(allPairs(model).map(([operation, resource]) => [operation.id, resource]));
}

/** The names of the resources that operations of these sources serve. */
export function resourcesOfSources(model: Model, sources: ReadonlySet<string>): ReadonlySet<string> {
  const served = allPairs(model).filter(([{ source = '' }]) => sources.has(source));
  return new Set(served.map(([, resource]) => resource));
}

function allPairs(model: Model): readonly (readonly [operation: Operation, resource: string])[] {
  const pairs = [...navigationPairs(model), ...callablePairs(model), ...resourcePairs(model)];
  return pairs.flatMap(([operation, resource]) => (operation ? [[operation, resource] as const] : []));
}

type Pair = readonly [operation: Operation | undefined, resource: string];

function resourcePairs({ entitySets, singletons }: Model): readonly Pair[] {
  return [...entitySets.values(), ...singletons.values()].flatMap((resource) =>
    Object.values(operationsOf(resource)).map((operation): Pair => [operation, resource.name]),
  );
}

/** The operations of an entity set or a singleton, by kind. */
export function operationsOf(
  resource: EntitySet | Singleton,
): Readonly<Record<string, Operation | undefined>> {
  const { read, update } = resource;
  if (!('list' in resource)) return { read, update };
  const { list, insert, delete: remove, page, changes } = resource;
  return { list, read, insert, update, delete: remove, page, changes };
}

function callablePairs({ callables }: Model): readonly Pair[] {
  return callables.flatMap(({ name, calls }) => calls.map(({ operation }): Pair => [operation, name]));
}

function navigationPairs({ entityTypes }: Model): readonly Pair[] {
  return [...entityTypes.values()]
    .flatMap(({ navigationProperties }) => [...navigationProperties.values()])
    .flatMap(({ origin }) => (origin.kind === 'path' ? origin.places : []))
    .flatMap(placePairs);
}

function placePairs({ path, list, read, insert, update, delete: remove }: NavigationPlace): readonly Pair[] {
  return [list, read, insert, update, remove].map((operation): Pair => [operation, path]);
}
