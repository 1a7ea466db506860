import type { DescribedEntitySet, DescribedEntityType } from '../model/description.ts';
import type { ListOperation } from '../model/operation.ts';
import { componentName } from '../openapi/schemas/schema.ts';
import {
  isAddressable,
  isCalledByName,
  isOneOfLists,
  isPartOfSet,
  isRecord,
  type ListAnswer,
  listAnswer,
} from './answers/list-answer.ts';
import type { Derivation } from './operations/derivation.ts';
import type { DocumentOperation } from './operations/document-operation.ts';
import { unfitParameter } from './sets/filtered-set-plan.ts';

/** The outcome for a GET that returns a list of objects. */
export interface ListReport {
  /** The name of the source whose document it is in. */
  readonly source: string;
  /** A JSON pointer (RFC 6901) to the operation. */
  readonly pointer: string;
  readonly path: string;
  readonly became: 'set' | 'listOnlySet' | 'contained' | 'filteredSet' | 'function' | 'nothing';
  /** The entity set, or the resource path without keys, that serves it. */
  readonly resource?: string | undefined;
  /** The convention that found the key of its entities, as `docs/x-odata.md` has it. */
  readonly keyRule?: string | undefined;
  /** For a list that is not a table: the rule, the reason, and a suggestion. */
  readonly rule?: string | undefined;
  readonly message?: string | undefined;
  readonly hint?: string | undefined;
}

/** The tables of a document. */
interface Tables {
  readonly entitySets: readonly DescribedEntitySet[];
  readonly entityTypes: readonly DescribedEntityType[];
  /** The operations that functions call. */
  readonly called: ReadonlySet<string>;
  /** The conventions that found the keys of entity types, by the names of these. */
  readonly keyRules: ReadonlyMap<string, string>;
}

/** Reports the table of each list of a document, or why it has none. */
export function reportLists(
  derivation: Derivation,
  operations: readonly DocumentOperation[],
  tables: Tables,
): readonly ListReport[] {
  const served = servedLists(tables);
  return operations.flatMap((operation) => {
    if (operation.method !== 'get' || isPartOfSet(operation)) return [];
    const { pointer } = operation.node;
    const place = { source: derivation.source.name, pointer, path: operation.writtenPath };
    const became = tables.called.has(operation.id) ? 'function' : 'nothing';
    const list = listAnswer(derivation, operation);
    if (list === undefined) {
      return isOneOfLists(derivation, operation) ? [{ ...place, became, ...ONE_OF_LISTS }] : [];
    }
    if (!isRecord(derivation, list.item)) return [];
    const table = served.get(operation.id);
    if (table !== undefined) return [{ ...place, ...table }];
    return list.isAll ? [{ ...place, became, ...reasonOf(derivation, list) }] : [];
  });
}

const ONE_OF_LISTS = {
  rule: 'list-of-kinds',
  message: 'it answers with one of several objects, each with a list of its own',
  hint: 'an overlay can give the answer the schema of the list that comes',
};

type Served = Pick<ListReport, 'became' | 'resource' | 'keyRule'>;

function servedLists({ entitySets, entityTypes, keyRules }: Tables): ReadonlyMap<string, Served> {
  const served = (became: ListReport['became'], resource: string, type: string): Served => {
    const keyRule = keyRules.get(type);
    return { became, resource, ...(keyRule !== undefined && { keyRule }) };
  };
  const contained = entityTypes
    .flatMap(({ navigationProperties }) => [...navigationProperties.values()])
    .flatMap(({ origin, entityType }) =>
      origin.kind === 'path' ? origin.places.map((place) => ({ ...place, entityType })) : [],
    )
    .flatMap(({ list, path, entityType }) =>
      list === undefined ? [] : [[list.id, served('contained', path, entityType)] as const],
    );
  const read = entitySets.flatMap(({ name, read: of, entityType }) =>
    of?.isList === true ? [[of.id, served('set', name, entityType.name)] as const] : [],
  );
  const sets = entitySets.flatMap((set) =>
    [set.list, set.page].flatMap((list) =>
      list === undefined
        ? []
        : [[list.id, served(kindOf(set, list), set.name, set.entityType.name)] as const],
    ),
  );
  return new Map<string, Served>([...contained, ...read, ...sets]);
}

function kindOf({ read }: DescribedEntitySet, { fixed, over }: ListOperation): ListReport['became'] {
  if (fixed !== undefined && over === undefined) return 'filteredSet';
  return read === undefined ? 'listOnlySet' : 'set';
}

/** Why a list is no table, the plainest reason first. */
function reasonOf(
  derivation: Derivation,
  { operation, item }: ListAnswer,
): Pick<ListReport, 'rule' | 'message' | 'hint'> {
  const name = componentName(item) ?? 'the schema of its items';
  if (isCalledByName(operation)) {
    return { rule: 'list-is-a-function', message: 'x-odata says that it is a function' };
  }
  if (item.hidden) return { rule: 'list-is-hidden', message: `x-odata: false hides ${name}` };
  if (!isAddressable(operation)) {
    return { rule: 'list-path', message: 'a parameter is a part of a segment of its path' };
  }
  const unfit = unfitParameter(derivation, operation);
  if (unfit !== undefined) {
    const message = `it demands the parameter ${unfit.name}, whose values no property has`;
    return { rule: 'list-needs-values', message, hint: 'it can be called as a function' };
  }
  return {
    rule: 'list-without-key',
    message: `nothing tells its entities apart: no property of ${name} is named like a key`,
    hint: 'x-odata.key on the schema names the properties that do',
  };
}
