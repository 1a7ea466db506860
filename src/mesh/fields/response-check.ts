import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLUnionType,
  getNullableType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql';
import { isObject } from '../../contract/json-object.ts';
import { everyFew, type Work } from '../../contract/work.ts';
import { badResponse } from '../exchange/upstream-failure.ts';

import { isShallow, leafCheck, plainTypeOf } from './scalar-checks.ts';
import { nameInDirective, typeOfValue } from './type-families.ts';

/**
 * Holds a parsed answer against its GraphQL type, and gives properties that differ from the type's
 * names in case only those names, in place. Others can go first while it goes through long lists.
 *
 * Throws an UpstreamBadResponse whose cause names the place (`[0].id`).
 */
export type ResponseCheck = (data: unknown) => Work<void>;

/** `partial`: what is missing or null is taken for null, also where the type demands a value. */
export type Completeness = 'complete' | 'partial';

type Check = (value: unknown, mismatch: Mismatch) => boolean;

interface FieldCheck {
  /** The property's name in the upstream's JSON. */
  readonly property: string;
  readonly isRequired: boolean;
  readonly check: Check;
  /** What `typeof` says of each value that the check accepts, where that is all it looks at. */
  readonly primitive: 'string' | 'boolean' | undefined;
}

interface JsonObject {
  [property: string]: unknown;
}

/** A list that is gone through when all around it has been looked at. */
interface LongList {
  readonly items: readonly unknown[];
  readonly check: Check;
  /** How many objects it is within. */
  readonly depth: number;
}

/** Lists are long that have more items. */
const LONG = 512;
/** So many items are gone through before others may go first. */
const AT_ONCE = 128;

/** Where a value differs from its type; its path is gathered on the way back from it. */
class Mismatch {
  readonly path: (string | number)[] = [];
  /** What is still to be gone through. */
  readonly long: LongList[] = [];
  /** How many objects within objects the check is in. */
  depth = 0;
  expected = '';
  found: unknown;

  note(expected: string, found: unknown): false {
    this.expected = expected;
    this.found = found;
    return false;
  }

  within(step: string | number): false {
    this.path.push(step);
    return false;
  }

  toString(): string {
    const path = this.path.reverse().map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`));
    return `${path.join('') || 'the body'}: expected ${this.expected}, found ${describe(this.found)}`;
  }
}

/** Compiles the check of a root field's type, when it is called for the first time. */
export function compileResponseCheck(type: GraphQLOutputType, completeness: Completeness): ResponseCheck {
  let check: Check | undefined;
  return function* (data) {
    check ??= COMPILERS[completeness].root(type);
    const mismatch = new Mismatch();
    if (!check(data, mismatch)) throw badResponse(String(mismatch));
    for (const long of mismatch.long) yield* checkLong(long, mismatch);
  };
}

function* checkLong({ items, check, depth }: LongList, mismatch: Mismatch): Work<void> {
  const pace = everyFew(AT_ONCE);
  for (const [index, item] of items.entries()) {
    mismatch.depth = depth;
    if (!check(item, mismatch)) {
      mismatch.within(index);
      throw badResponse(String(mismatch));
    }
    if (pace.isDue()) yield;
  }
}

class Compiler {
  readonly #completeness: Completeness;
  /** Root fields share their types: a check of its own for each would cost a document's size squared. */
  readonly #objects = new WeakMap<GraphQLObjectType, Check>();

  constructor(completeness: Completeness) {
    this.#completeness = completeness;
  }

  /** A root value may not be null, nor may an object in a root list. */
  root(type: GraphQLOutputType): Check {
    const nullable = getNullableType(type);
    if (!isListType(nullable)) return present(this.value(nullable));
    return isLeafType(getNullableType(nullable.ofType))
      ? this.#items(nullable.ofType)
      : list(present(this.value(nullable.ofType)));
  }

  /** The check of a value that is neither null nor undefined. */
  value(type: GraphQLOutputType): Check {
    const nullable = getNullableType(type);
    if (isListType(nullable)) return this.#items(nullable.ofType);
    if (isLeafType(nullable)) return leaf(leafCheck(nullable));
    if (isUnionType(nullable)) return this.#union(nullable);
    if (isObjectType(nullable)) return this.#object(nullable);
    return anyObject;
  }

  #items(type: GraphQLOutputType): Check {
    const check = this.value(type);
    return list(
      isNonNullType(type) ? present(check) : (item, mismatch) => isNull(item) || check(item, mismatch),
    );
  }

  /** The check of the type that the value says it is of. */
  #union(type: GraphQLUnionType): Check {
    const typeOf = typeOfValue(type);
    if (typeOf === undefined) return anyObject;
    return (value, mismatch) =>
      isObject(value) ? this.#object(typeOf(value))(value, mismatch) : mismatch.note('an object', value);
  }

  /** Types may refer to themselves, so that a check is known before it is complete. */
  #object(type: GraphQLObjectType): Check {
    const known = this.#objects.get(type);
    if (known !== undefined) return known;
    const fields: FieldCheck[] = [];
    const check = objectCheck(fields);
    this.#objects.set(type, check);
    for (const field of Object.values(type.getFields())) {
      const property = propertyOf(field);
      if (property === undefined) continue;
      const isRequired = this.#completeness === 'complete' && isNonNullType(field.type);
      fields.push({
        property,
        isRequired,
        check: this.value(field.type),
        primitive: primitiveOf(field.type),
      });
    }
    return check;
  }
}

const COMPILERS = { complete: new Compiler('complete'), partial: new Compiler('partial') };

/** The property that a field of the mesh shows, or undefined where it is made of something else. */
function propertyOf(field: GraphQLField<unknown, unknown>): string | undefined {
  const isPlain = field.resolve === undefined || field.resolve.name === 'defaultFieldResolver';
  return nameInDirective(field) ?? (isPlain ? field.name : undefined);
}

/** What `typeof` says of all values of a type, where that is all that is to be looked at. */
function primitiveOf(type: GraphQLOutputType): FieldCheck['primitive'] {
  const nullable = getNullableType(type);
  return isLeafType(nullable) ? plainTypeOf(nullable.name) : undefined;
}

function leaf({ accepts, expected }: ReturnType<typeof leafCheck>): Check {
  return (value, mismatch) => accepts(value) || mismatch.note(expected, value);
}

function present(check: Check): Check {
  return (value, mismatch) => (isNull(value) ? mismatch.note('a value', value) : check(value, mismatch));
}

function list(check: Check): Check {
  return (value, mismatch) => {
    if (!Array.isArray(value)) return mismatch.note('a list', value);
    if (value.length > LONG) {
      mismatch.long.push({ items: value, check, depth: mismatch.depth });
      return true;
    }
    for (let index = 0; index < value.length; index += 1) {
      if (!check(value[index], mismatch)) return mismatch.within(index);
    }
    return true;
  };
}

const LEVELS = 200;

function anyObject(value: unknown, mismatch: Mismatch): boolean {
  if (!isObject(value)) return mismatch.note('an object', value);
  return isShallow(value, LEVELS) || mismatch.note(`at most ${LEVELS} levels`, value);
}

/** `fields` is filled in later, see {@link Compiler}. */
function objectCheck(fields: readonly FieldCheck[]): Check {
  let names: ReadonlyMap<string, string> | undefined;
  return (value, mismatch) => {
    if (!isObject(value)) return mismatch.note('an object', value);
    mismatch.depth += 1;
    if (mismatch.depth > LEVELS) return mismatch.note(`at most ${LEVELS} levels`, value);
    let isFolded = false;
    for (const field of fields) {
      // Each property is read once: a read by a name that differs from turn to turn costs more than a check.
      let found = value[field.property];
      if (!isFolded && isMissing(found)) {
        names ??= lowerCaseNames(fields);
        foldNames(value, names);
        isFolded = true;
        found = value[field.property];
      }
      if (typeof found === field.primitive) continue;
      if (!checkField(value, found, field, mismatch)) return mismatch.within(field.property);
    }
    mismatch.depth -= 1;
    return true;
  };
}

function checkField(object: JsonObject, found: unknown, field: FieldCheck, mismatch: Mismatch): boolean {
  if (!isNull(found)) {
    // What is inherited from Object.prototype is not the upstream's; GraphQL would call it.
    if (typeof found !== 'function') return field.check(found, mismatch);
    object[field.property] = null;
  }
  return !field.isRequired || mismatch.note('a value', found);
}

/** Whether the object itself has nothing there. */
function isMissing(found: unknown): boolean {
  return found === undefined || typeof found === 'function';
}

function lowerCaseNames(fields: readonly Pick<FieldCheck, 'property'>[]): ReadonlyMap<string, string> {
  return new Map(fields.map(({ property }) => [property.toLowerCase(), property]));
}

/** Adds what is there under another case of its name; the exact name wins. */
function foldNames(object: JsonObject, names: ReadonlyMap<string, string>): void {
  for (const key of Object.keys(object)) {
    const name = names.get(key.toLowerCase());
    if (name !== undefined && !Object.hasOwn(object, name)) object[name] = object[key];
  }
}

function isNull(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

const DESCRIBED_LENGTH = 40;

function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value === 'string') return JSON.stringify(value.slice(0, DESCRIBED_LENGTH));
  return String(value);
}
