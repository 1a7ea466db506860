import type {
  DescribedCallable,
  DescribedEntityType,
  DescribedModel,
  DescribedNavigationProperty,
  DescribedStructuralProperty,
  DescribedStructuredType,
  DescribedTypeUse,
  DescribedValueType,
} from './description.ts';
import type {
  Callable,
  CallableImport,
  ComplexType,
  EntitySet,
  EntityType,
  NavigationProperty,
  Singleton,
  StructuralProperty,
  StructuredType,
  TypeUse,
  ValueType,
} from './edm.ts';
import { madeOnce, mapValues } from './maps.ts';

/** Members without references, which are the same in a model and its description. */
type UnlinkedMembers = Pick<
  DescribedModel,
  'namespace' | 'container' | 'schemaVersion' | 'enumerationTypes' | 'typeDefinitions'
>;

/** The linked entity data model of a service (CSDL 4.01, section 5 and 13). */
export interface Model extends UnlinkedMembers {
  /** The description that the model was linked from; filtered models are derived from it. */
  readonly description: DescribedModel;
  readonly entityTypes: ReadonlyMap<string, EntityType>;
  readonly entitySets: ReadonlyMap<string, EntitySet>;
  readonly complexTypes: ReadonlyMap<string, ComplexType>;
  readonly singletons: ReadonlyMap<string, Singleton>;
  readonly callables: readonly Callable[];
  readonly imports: ReadonlyMap<string, CallableImport>;
}

/**
 * Resolves the names in a description: bases, property types, targets of navigation properties. Types are
 * created first and filled afterwards, because they refer to each other in cycles; callers see only complete
 * ones.
 *
 * Throws TypeError for an unknown type. Missing entity sets and partners become undefined, because a filtered
 * description omits them.
 */
export function linkModel(description: DescribedModel): Model {
  const entityTypes = mapValues(description.entityTypes, draftEntityType);
  const complexTypes = mapValues(description.complexTypes, draftComplexType);
  linkBases(description.entityTypes, entityTypes);
  linkBases(description.complexTypes, complexTypes);
  const ofType = <Resource extends { readonly entityType: DescribedEntityType }>(resource: Resource) => ({
    ...resource,
    entityType: found(entityTypes, resource.entityType.name),
  });
  const entitySets = mapValues(description.entitySets, ofType);
  const use = useLinker(description, entityTypes, complexTypes);
  const structural = linkedOnce<DescribedStructuralProperty, StructuralProperty>(use);
  const navigation = navigationLinker(entityTypes, entitySets);
  const drafts: readonly (readonly [DescribedStructuredType, StructuredDraft])[] = [
    ...pairs(description.entityTypes, entityTypes),
    ...pairs(description.complexTypes, complexTypes),
  ];
  for (const [described, draft] of drafts) {
    draft.structuralProperties = mapValues(described.structuralProperties, structural);
    draft.navigationProperties = mapValues(described.navigationProperties, navigation.draft);
  }
  navigation.linkPartners();
  const callables = description.callables.map((callable) => linkedCallable(callable, entityTypes, use));
  return {
    ...description,
    description,
    entityTypes,
    complexTypes,
    entitySets,
    singletons: mapValues(description.singletons, ofType),
    callables,
    imports: mapValues(description.imports, ({ entitySet, ...each }) => ({
      ...each,
      entitySet: entitySets.get(entitySet ?? ''),
      overloads: callables.filter(
        ({ name, kind, binding }) => name === each.callable && kind === each.kind && binding === undefined,
      ),
    })),
  };
}

type Draft<Whole> = { -readonly [Key in keyof Whole]: Whole[Key] };

interface TypeDraft<Type> {
  base: Type | undefined;
  readonly derived: Type[];
}

interface EntityTypeDraft extends Draft<EntityType>, TypeDraft<EntityType> {
  readonly derived: EntityType[];
  readonly boundCallables: Callable[];
}

type StructuredDraft = Pick<Draft<StructuredType>, 'structuralProperties' | 'navigationProperties'>;

function draftEntityType({ baseType, ...type }: DescribedEntityType): EntityTypeDraft {
  return { ...type, kind: 'entity', ...unlinked<EntityType>(), boundCallables: [] };
}

function draftComplexType({
  baseType,
  ...type
}: DescribedStructuredType): Draft<ComplexType> & TypeDraft<ComplexType> {
  return { ...type, kind: 'complex', ...unlinked<ComplexType>() };
}

function unlinked<Type>(): TypeDraft<Type> & StructuredDraft {
  return { base: undefined, derived: [], structuralProperties: new Map(), navigationProperties: new Map() };
}

function linkBases<Type extends StructuredType>(
  described: ReadonlyMap<string, DescribedStructuredType>,
  drafts: ReadonlyMap<string, Type & TypeDraft<Type>>,
): void {
  for (const [{ baseType }, draft] of pairs(described, drafts)) {
    draft.base = baseType === undefined ? undefined : found(drafts, baseType);
  }
  for (const draft of drafts.values()) {
    for (let { base } = draft; base !== undefined; base = drafts.get(base.name)?.base) {
      drafts.get(base.name)?.derived.push(draft);
    }
  }
}

/** Links shared descriptions once, so that inherited parts remain shared. */
function linkedOnce<Described, Linked>(link: (described: Described) => Linked) {
  const known = new Map<Described, Linked>();
  return (described: Described): Linked => madeOnce(known, described, () => link(described));
}

type LinkedUse<Use extends DescribedTypeUse> = Omit<Use, 'type' | 'definition'> & TypeUse;
type UseLinker = <Use extends DescribedTypeUse>(described: Use) => LinkedUse<Use>;

function useLinker(
  { enumerationTypes, typeDefinitions }: DescribedModel,
  entityTypes: ReadonlyMap<string, EntityType>,
  complexTypes: ReadonlyMap<string, ComplexType>,
): UseLinker {
  const types = { enumeration: enumerationTypes, complex: complexTypes, entity: entityTypes };
  const valueType = (type: DescribedValueType): ValueType =>
    type.kind === 'primitive' ? type : found<ValueType>(types[type.kind], type.name);
  return (described) => {
    if (isLinked(described)) return described;
    const { type, definition } = described;
    return {
      ...described,
      type: valueType(type),
      definition: definition === undefined ? undefined : found(typeDefinitions, definition),
    };
  };
}

/** Whether the use needs no copy, because it names no type of the model. */
function isLinked<Use extends DescribedTypeUse>(use: Use): use is Use & LinkedUse<Use> {
  return use.type.kind === 'primitive' && use.definition === undefined;
}

/** Partners are resolved after all navigation properties exist. */
function navigationLinker(
  entityTypes: ReadonlyMap<string, EntityType>,
  entitySets: ReadonlyMap<string, EntitySet>,
) {
  const drafts: (readonly [DescribedNavigationProperty, Draft<NavigationProperty>])[] = [];
  return {
    draft: linkedOnce((described: DescribedNavigationProperty): NavigationProperty => {
      const draft = {
        ...described,
        entityType: found(entityTypes, described.entityType),
        target: entitySets.get(described.target ?? ''),
        partner: undefined,
      };
      drafts.push([described, draft]);
      return draft;
    }),
    linkPartners(): void {
      for (const [{ partner }, draft] of drafts) {
        draft.partner = draft.entityType.navigationProperties.get(partner ?? '');
      }
    },
  };
}

function linkedCallable(
  { binding, parameters, returns, ...callable }: DescribedCallable,
  entityTypes: ReadonlyMap<string, EntityTypeDraft>,
  use: UseLinker,
): Callable {
  const bound = binding && found(entityTypes, binding.entityType);
  const linked: Callable = {
    ...callable,
    binding: binding && bound && { ...binding, entityType: bound },
    parameters: parameters.map((parameter) => use(parameter)),
    returns: returns && use(returns),
  };
  bound?.boundCallables.push(linked);
  return linked;
}

function found<Part>(parts: ReadonlyMap<string, Part>, name: string): Part {
  const part = parts.get(name);
  if (part === undefined)
    throw new TypeError(`Expected a part of the model, found the name "${name}" of none`);
  return part;
}

function pairs<One, Other>(
  ones: ReadonlyMap<string, One>,
  others: ReadonlyMap<string, Other>,
): readonly (readonly [One, Other])[] {
  return [...ones].map(([name, one]) => [one, found(others, name)]);
}
