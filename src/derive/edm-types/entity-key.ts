import { foldedName, singularOf } from '../../model/names.ts';
import { type DocumentNode, isTrue, texts } from '../../openapi/document/document-node.ts';
import { quote } from '../../openapi/document/document-source.ts';
import { componentName, keyword, type Schema, setting } from '../../openapi/schemas/schema.ts';
import { partNamed } from '../names/part-named.ts';
import type { Derivation } from '../operations/derivation.ts';
import { markUsed } from '../vocabulary/vocabulary.ts';
import { entityNames, identifyingProperty, isNamed, parameterProperty } from './key-names.ts';
import {
  firstKey,
  KEY_NAMED,
  KEY_OF_PARAMETERS,
  type KeyCandidates,
  type KeyedPath,
  LIST_RULES,
  type NamedRule,
  READ_RULES,
} from './key-rules.ts';
import { isKeyProperty, nestedKeyProperty } from './nested-key.ts';
import type { NamedProperty } from './structural-property.ts';

/** A property of a key, and the path parameter with its value; no parameter if no operation reads by key. */
export interface KeyPart {
  readonly property: NamedProperty;
  readonly parameter: string | undefined;
}

/** A key and the rule that found it. */
export interface EntityKey {
  readonly parts: readonly KeyPart[];
  readonly rule: NamedRule;
  /** Whether it is what identifies the entities, and not a name of them. */
  readonly isIdentity: boolean;
}

/**
 * The key of entities at a path: the properties that `x-odata.key` names, or those that match the path
 * parameters by name or by the first applicable of the {@link READ_RULES}; for entities in lists only, by the
 * first applicable of the {@link LIST_RULES}. Undefined, and a finding, if a parameter matches no property or
 * a property is not valid in a key (CSDL 4.01, 6.5).
 */
export function entityKey(
  derivation: Derivation,
  schema: Schema,
  properties: readonly NamedProperty[],
  path: KeyedPath,
  at: DocumentNode,
): EntityKey | undefined {
  const declared = setting(schema, 'key');
  markUsed(derivation.source, schema, ['key']);
  const named = declared === undefined ? undefined : namedKey(derivation, properties, declared);
  if (declared !== undefined && named === undefined) return undefined;
  const entities = { derivation, schema, properties, path, at };
  const found = path.parameters.length > 0 ? readKey(entities, named) : listedKey(entities, named);
  if (found === undefined) return undefined;
  // The order of `x-odata.key` if present, otherwise that of the path.
  const parts =
    named?.flatMap((property) => found.parts.find((part) => part.property === property) ?? []) ?? found.parts;
  const checked = checkedKey(derivation, parts, named, at);
  const names = entityNames(schema, path.collection);
  const isIdentity = parts.every(
    ({ property }) => property.aliasOf !== undefined || identifyingProperty([property], names) !== undefined,
  );
  return checked && { ...found, parts: checked, isIdentity };
}

interface Entities {
  readonly derivation: Derivation;
  readonly schema: Schema;
  readonly properties: readonly NamedProperty[];
  readonly path: KeyedPath;
  readonly at: DocumentNode;
}

type FoundParts = Omit<EntityKey, 'isIdentity'>;

function listedKey(entities: Entities, named: readonly NamedProperty[] | undefined): FoundParts | undefined {
  const found =
    named === undefined
      ? firstKey(LIST_RULES, candidatesOf(entities, '', []))
      : { rule: KEY_NAMED, properties: named };
  if (found === undefined || found.properties.length === 0) return undefined;
  return {
    rule: found.rule,
    parts: found.properties.map((property) => ({ property, parameter: undefined })),
  };
}

/** The key by the parameters of a path: each property by its parameter's name, the last one by rules. */
function readKey(entities: Entities, named: readonly NamedProperty[] | undefined): FoundParts | undefined {
  const { derivation, schema, path } = entities;
  const { parameters } = path;
  const [only, ...others] = named ?? [];
  const last = parameters.at(-1) ?? '';
  const properties = entities.properties.filter((property) => !isOfAnother(entities, property, last));
  const isAlone = only !== undefined && others.length === 0 && parameters.length === 1;
  const candidates = named ?? properties.filter((property) => isKeyProperty(derivation, property));
  const byName = parameters.map((name) => (isAlone ? only : parameterProperty(schema, candidates, name)));
  const isLastLeft = named === undefined && byName.indexOf(undefined) === parameters.length - 1;
  const taken = byName.filter((property) => property !== undefined);
  const byRule = isLastLeft
    ? firstKey(READ_RULES, candidatesOf({ ...entities, properties }, last, taken))
    : undefined;
  const found = byRule === undefined ? byName : [...byName.slice(0, -1), byRule.properties[0]];
  const missing = parameters.find((_, index) => found[index] === undefined);
  if (missing !== undefined) {
    reportUnmatched(entities, missing);
    return undefined;
  }
  const parts = parameters.flatMap((parameter, index) => {
    const property = found[index];
    return property === undefined ? [] : [{ property, parameter }];
  });
  return { parts, rule: named === undefined ? (byRule?.rule ?? KEY_OF_PARAMETERS) : KEY_NAMED };
}

function candidatesOf(
  { derivation, schema, properties, path, at }: Entities,
  parameter: string,
  taken: readonly NamedProperty[],
): KeyCandidates {
  const names = entityNames(schema, path.collection);
  return {
    derivation,
    schema,
    properties,
    path,
    parameter,
    names,
    operation: derivation.operations.find(({ node }) => node.pointer === at.pointer),
    candidates: properties.filter(
      (property) => isKeyProperty(derivation, property) && !taken.includes(property),
    ),
    isIdentified: identifyingProperty(properties, names) !== undefined,
  };
}

/**
 * Whether a property identifies a related entity instead of the entity itself, by the name of the object that
 * contains it: the `id` in `contact_method` of the entity at `{notification_rule_id}`, if the document has a
 * collection of contact methods.
 */
function isOfAnother(
  { derivation, schema, path }: Entities,
  { within, aliasOf }: NamedProperty,
  parameter: string,
): boolean {
  const holder = aliasOf === undefined ? within?.at(-1) : undefined;
  if (holder === undefined) return false;
  const wanted = foldedName(singularOf(holder));
  const own = [parameter, ...entityNames(schema, path.collection)].map(foldedName);
  if (own.some((name) => name.includes(wanted))) return false;
  return derivation.operations.some(({ segments }) =>
    segments.some((segment) => segment.kind === 'literal' && foldedName(singularOf(segment.text)) === wanted),
  );
}

/** Reports why a path parameter is no part of a key: its property is unfit for that, or missing. */
function reportUnmatched({ derivation, schema, properties, at }: Entities, parameter: string): void {
  const { source } = derivation;
  const unfit = properties.find((property) => isNamed(property, parameter));
  if (unfit !== undefined) {
    source.report('warning', unfit.node.pointer, unfitMessage(unfit), 'key-is-unfit');
    return;
  }
  const name = componentName(schema);
  const owner = name === undefined ? 'what it answers with' : quote(name);
  const message = `No property of ${owner} is named like the path parameter ${quote(parameter)}`;
  const hint = 'x-odata.key on the schema can name it';
  source.report('warning', at.pointer, `${message}: ${hint}`, 'key-is-unnamed');
}

function unfitMessage({ name, schema }: NamedProperty): string {
  const isUnseen = isTrue(keyword(schema, 'writeOnly'));
  return `${name} cannot be a key: ${isUnseen ? 'it is write-only' : 'OData has no keys of its type'}`;
}

function namedKey(
  derivation: Derivation,
  properties: readonly NamedProperty[],
  said: DocumentNode,
): readonly NamedProperty[] | undefined {
  const names = texts(said);
  // A property of that name, or at a path such as `metadata/name`.
  const found = names.map(
    (name) => partNamed(properties, name) ?? nestedKeyProperty(derivation, properties, name.split('/')),
  );
  const missing = names.filter((_, index) => found[index] === undefined);
  if (missing.length === 0) return found.flatMap((property) => property ?? []);
  derivation.source.report(
    'error',
    said.pointer,
    `The key names ${quote(missing[0])}, which is not a property of the schema`,
  );
  return undefined;
}

function checkedKey(
  derivation: Derivation,
  key: readonly KeyPart[],
  named: readonly NamedProperty[] | undefined,
  at: DocumentNode,
): readonly KeyPart[] | undefined {
  const properties = new Set(key.map(({ property }) => property));
  if (properties.size !== key.length || key.length < (named?.length ?? 1)) {
    derivation.source.report(
      'error',
      at.pointer,
      'The path parameters must be the key properties, each of them once',
    );
    return undefined;
  }
  const unfit = [...properties].find((property) => !isKeyProperty(derivation, property));
  if (unfit === undefined) return key;
  derivation.source.report('error', unfit.node.pointer, unfitMessage(unfit), 'key-is-unfit');
  return undefined;
}
