import { isInherited, type Row, TYPE, type Value, valueReader } from '../../contract/row.ts';
import {
  isReadable,
  type NavigationProperty,
  type StructuralProperty,
  withDerivedTypes,
} from '../../model/edm.ts';
import { type EntityReads, followNavigation } from '../scope/scope.ts';
import type { SearchExpression } from '../tree/query-tree.ts';
import {
  isCombination,
  isResult,
  isStructured,
  type ModelType,
  type SingleType,
} from '../typing/expression-type.ts';
import type { Predicate } from './compile.ts';

/**
 * The properties that `$search` looks into: strings and collections of them, but for those that the model excludes, and
 * complex values that contain some.
 */
function searchedProperties(type: ModelType): readonly StructuralProperty[] {
  return [...type.structuralProperties.values()].filter((property) => isSearched(property));
}

/** `around`: the complex types that are being looked into, which may contain themselves. */
function isSearched(property: StructuralProperty, around: ReadonlySet<ModelType> = new Set()): boolean {
  const { type, searchable } = property;
  if (!isReadable(property)) return false;
  if (type.kind !== 'complex') return type.name === 'Edm.String' && searchable !== false;
  if (around.has(type)) return false;
  const within = new Set([...around, type]);
  return withDerivedTypes(type).some((each) =>
    [...each.structuralProperties.values()].some((part) => isSearched(part, within)),
  );
}

/** Notes what `$search` reads of instances of the type, and of those derived from it. */
export function noteSearched(type: ModelType, reads: EntityReads): void {
  for (const { name } of withDerivedTypes(type).flatMap(searchedProperties)) reads.properties.add(name);
  if (!isCombination(type)) return;
  for (const navigation of type.navigationProperties.values()) {
    noteSearched(navigation.entityType, followNavigation(reads, navigation));
  }
}

/** Makes of a text in lower case the question whether a row, or an item of a collection, contains it. */
type FindText = (text: string) => Predicate;

/**
 * The search in values of a type: in the searched properties, also those of the derived type that a value is of, or in
 * the value itself. Entities of other sets that stand in a combination, or in the result of a
 * transformation, are searched, too. A text such as `Title:ferry`, as clients of Microsoft Graph write it, is also found
 * if the rest is in the property of that name.
 */
export function searchedTexts(type: SingleType): FindText {
  return (text) => {
    const find = new TextFinder(text);
    if (!isStructured(type)) return find.inValue;
    const [, name, rest] = OF_PROPERTY.exec(text) ?? [];
    const anywhere = find.inInstance(type);
    if (name === undefined || rest === undefined) return anywhere;
    return or(
      anywhere,
      new TextFinder(rest).inInstance(type, (property) => property.name.toLowerCase() === name),
    );
  };
}

const OF_PROPERTY = /^([\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}\p{Cf}]*):\s*(.+)$/su;

type PropertyTest = (property: StructuralProperty) => boolean;

/** Finds one text in values of any type. */
class TextFinder {
  readonly #text: string;
  /**
   * Shorter texts cannot contain the text in any case, and need not be turned into lower case: that makes no text
   * longer, but where it puts a dot above (U+0307).
   */
  readonly #least: number;

  constructor(text: string) {
    this.#text = text;
    this.#least = text.includes('\u0307') ? 0 : text.length;
  }

  readonly inValue = (value: Value | undefined): boolean =>
    typeof value === 'string' && value.length >= this.#least && value.toLowerCase().includes(this.#text);

  inInstance(type: ModelType, isWanted: PropertyTest = () => true): Predicate {
    const declared = this.#inOwn(type, isWanted);
    if (type.derived.length === 0) return declared;
    const derived = new Map(type.derived.map((each) => [each.name, this.#inOwn(each, isWanted)]));
    return (row) => (derived.get(row[TYPE] ?? '') ?? declared)(row);
  }

  #inOwn(type: ModelType, isWanted: PropertyTest): Predicate {
    const searched = searchedProperties(type).filter(isWanted);
    const strings = searched.filter(isPlainString).map(({ name }) => name);
    const parts = searched.filter((property) => !isPlainString(property));
    const inside = isResult(type) || isCombination(type) ? [...type.navigationProperties.values()] : [];
    return [
      this.#inStrings(strings),
      ...parts.map((property) => this.#inPart(property)),
      ...inside.map((navigation) => this.#inNested(navigation, isWanted)),
    ].reduce(or);
  }

  /** Most rows are searched in nothing but these: one loop takes less time than a function for each. */
  #inStrings(names: readonly string[]): Predicate {
    const [text, least] = [this.#text, this.#least];
    return (row) => {
      for (const name of names) {
        const value = row[name];
        if (typeof value !== 'string' || value.length < least) continue;
        if (value.toLowerCase().includes(text)) return true;
      }
      return false;
    };
  }

  #inPart({ name, collection, type }: StructuralProperty): Predicate {
    const find = type.kind === 'complex' ? this.#inComplex(type) : this.inValue;
    return inMember(name, collection, find);
  }

  /** Compiled with the first value: a type may contain itself. */
  #inComplex(type: ModelType): (value: Value) => boolean {
    let find: Predicate | undefined;
    return (value) => {
      find ??= this.inInstance(type);
      return find(value as Row);
    };
  }

  #inNested({ name, collection, entityType }: NavigationProperty, isWanted: PropertyTest): Predicate {
    const find = this.inInstance(entityType, isWanted);
    return inMember(name, collection, (value) => find(value as Row));
  }
}

/** A single string that rows have under a name without a special meaning in JavaScript. */
function isPlainString({ name, collection, type }: StructuralProperty): boolean {
  return !collection && type.kind === 'primitive' && !isInherited(name);
}

function inMember(name: string, collection: boolean, find: (value: Value) => boolean): Predicate {
  const read = valueReader(name);
  return (row) => {
    const value = read(row) ?? null;
    if (value === null) return false;
    return collection ? (value as readonly Value[]).some((item) => item !== null && find(item)) : find(value);
  };
}

/**
 * Compiles `$search` (5.1.8): an entity matches a word or a phrase if one of its strings contains it, in upper or lower
 * case.
 */
export function compileSearch(search: SearchExpression, find: FindText): Predicate {
  switch (search.kind) {
    case 'term':
      return find(search.text.toLowerCase());
    case 'searchNot':
      return not(compileSearch(search.operand, find));
    case 'searchAnd':
      return and(compileSearch(search.left, find), compileSearch(search.right, find));
    case 'searchOr':
      return or(compileSearch(search.left, find), compileSearch(search.right, find));
  }
}

function not(holds: Predicate): Predicate {
  return (row) => !holds(row);
}

function and(left: Predicate, right: Predicate): Predicate {
  return (row) => left(row) && right(row);
}

function or(left: Predicate, right: Predicate): Predicate {
  return (row) => left(row) || right(row);
}
