import type { EntityType } from '../edm.ts';
import type { ComplexType, EnumerationType } from '../structured-type.ts';
import type { Derivation } from './derivation.ts';
import type { EntityPlans } from './entity-plan.ts';
import { entityType } from './entity-type.ts';
import { enumerationIdentity, enumerationName, enumerationType } from './enumeration.ts';
import { pascalCase } from './names.ts';
import { componentName, ownSchema, type Schema } from './schema.ts';
import type { TypeNames } from './schema-use.ts';
import { complexType } from './structured.ts';

/** The types of one document: a type is derived when something first refers to it. */
export interface TypeTable extends TypeNames {
  /** Derives everything that is referred to, and what that refers to. */
  readonly finish: () => FinishedTypes;
}

export interface FinishedTypes {
  readonly entityTypes: ReadonlyMap<string, EntityType>;
  readonly complexTypes: readonly ComplexType[];
  readonly enumerationTypes: readonly EnumerationType[];
}

/** Types that are written out, and not referred to, can multiply. */
const MOST_TYPES = 10_000;

export function typeTable(derivation: Derivation, entities: EntityPlans): TypeTable {
  const names = new Map<string, string | undefined>();
  const queue: (() => void)[] = [];
  const entityTypes = new Map<string, EntityType>();
  const complexTypes: ComplexType[] = [];
  const enumerationTypes: EnumerationType[] = [];

  const name = (
    identity: string,
    schema: Schema,
    suggestion: string,
    derive: (name: string) => void,
  ): string | undefined => {
    const known = names.get(identity);
    if (known !== undefined) return known;
    if (names.size >= MOST_TYPES) {
      derivation.source.report('error', '', `The document has more than ${MOST_TYPES} types`);
      return undefined;
    }
    const wanted = pascalCase(componentName(schema) ?? suggestion);
    const claimed = wanted && derivation.claimTypeName(wanted, schema.identity);
    names.set(identity, claimed);
    if (claimed !== undefined) queue.push(() => derive(claimed));
    return claimed;
  };

  const table: TypeNames = {
    enumeration: (schema, suggestion) =>
      name(enumerationIdentity(schema), schema, enumerationName(schema) ?? suggestion, (claimed) =>
        enumerationTypes.push(enumerationType(derivation, ownSchema(schema), claimed)),
      ),
    entity: (schema) => {
      const plan = entities.get(schema.identity);
      if (plan === undefined) return undefined;
      if (!names.has(schema.identity)) {
        names.set(schema.identity, plan.name);
        queue.push(() => entityTypes.set(plan.name, entityType(derivation, table, plan)));
      }
      return plan.name;
    },
    complex: (schema, suggestion) =>
      name(schema.identity, schema, suggestion, (claimed) =>
        complexTypes.push(complexType(derivation, table, ownSchema(schema), claimed)),
      ),
  };

  return {
    ...table,
    finish: () => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) next();
      return { entityTypes, complexTypes, enumerationTypes };
    },
  };
}
