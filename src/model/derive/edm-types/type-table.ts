import { componentName, ownSchema, type Schema } from '../../../openapi/schemas/schema.ts';
import type { DescribedComplexType, DescribedEntityType } from '../../description.ts';
import type { EnumerationType, TypeDefinition } from '../../edm.ts';
import { isModelName, pascalCase, placeName, pointerName } from '../../names.ts';
import type { NameChoice } from '../names/unique-name.ts';
import type { Derivation } from '../operations/derivation.ts';
import type { EntityPlans } from './entity-plan.ts';
import { entityType } from './entity-type.ts';
import { enumerationIdentity, enumerationName, enumerationType } from './enumeration.ts';
import type { TypeNames } from './schema-use.ts';
import { complexType } from './structured.ts';
import { typeDefinition } from './type-definition.ts';

/** The types of one document: a type is derived when something first refers to it. */
interface TypeTable extends TypeNames {
  /** Derives everything that is referred to, and what that refers to. */
  readonly finish: () => FinishedTypes;
}

interface FinishedTypes {
  readonly entityTypes: ReadonlyMap<string, DescribedEntityType>;
  readonly complexTypes: readonly DescribedComplexType[];
  readonly enumerationTypes: readonly EnumerationType[];
  readonly typeDefinitions: readonly TypeDefinition[];
}

/** Types that are written out, and not referred to, can multiply. */
const MOST_TYPES = 10_000;

export function typeTable(derivation: Derivation, entities: EntityPlans): TypeTable {
  const queue: (() => void)[] = [];
  const names = new Map<string, string>();
  const entityTypes = new Map<string, DescribedEntityType>();
  const complexTypes: DescribedComplexType[] = [];
  const enumerationTypes: EnumerationType[] = [];
  const typeDefinitions: TypeDefinition[] = [];

  const once = (identity: string, claim: () => string | undefined, derive: (name: string) => void) => {
    const known = names.get(identity);
    if (known !== undefined || isFull(derivation, names)) return known;
    const claimed = claim();
    if (claimed === undefined) return undefined;
    names.set(identity, claimed);
    queue.push(() => derive(claimed));
    return claimed;
  };

  const table: TypeNames = {
    enumeration: (schema, suggestion) =>
      once(
        enumerationIdentity(schema),
        () => claimName(derivation, schema, enumerationName(schema) ?? componentName(schema) ?? suggestion),
        (name) => enumerationTypes.push(enumerationType(derivation, ownSchema(schema), name)),
      ),
    definition: (schema, type) =>
      once(
        schema.identity,
        () => claimName(derivation, schema, componentName(schema) ?? ''),
        (name) => typeDefinitions.push(typeDefinition(derivation, ownSchema(schema), name, type)),
      ),
    entity: (schema) => {
      const plan = entities.get(schema.identity);
      if (plan === undefined) return undefined;
      const derive = (name: string) => entityTypes.set(name, entityType(derivation, table, plan));
      return once(schema.identity, () => plan.name, derive);
    },
    complex: (schema, suggestion) =>
      once(
        schema.identity,
        () => claimName(derivation, schema, componentName(schema) ?? suggestion),
        (name) => complexTypes.push(complexType(derivation, table, ownSchema(schema), name)),
      ),
  };

  const finish = (): FinishedTypes => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) next();
    return { entityTypes, complexTypes, enumerationTypes, typeDefinitions };
  };
  return { ...table, finish };
}

function isFull({ source }: Derivation, names: ReadonlyMap<string, string>): boolean {
  if (names.size < MOST_TYPES) return false;
  source.report('error', '', `The document has more than ${MOST_TYPES} types`);
  return true;
}

function claimName(derivation: Derivation, schema: Schema, suggestion: string): string | undefined {
  const wanted = pascalCase(suggestion);
  if (wanted === undefined) return undefined;
  const others = [
    isModelName(suggestion) ? suggestion : undefined,
    pointerName(schema.identity),
    placeName(schema.identity),
  ];
  const choice: NameChoice = [wanted, ...others.filter((name) => name !== undefined)];
  return derivation.claimTypeName(choice, schema.identity);
}
