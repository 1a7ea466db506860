import {
  type GraphQLEnumType,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLScalarType,
  getNullableType,
  isInterfaceType,
  isLeafType,
  isListType,
  isObjectType,
} from 'graphql';
import { everyFew, type Work } from '../../contract/work.ts';
import type { PrimitiveTypeName } from '../../model/type-use.ts';
import { typeOfValue } from '../noted-schema/type-interfaces.ts';
import { Trail } from '../trail.ts';
import { type Lenience, mayHaveLostDigits } from './lenience.ts';
import { readLeniently } from './lenient-values.ts';
import {
  foldNames,
  isMissing,
  lowerCaseNames,
  primitiveOf,
  propertyOf,
  type ResponseCheck,
} from './response-check.ts';
import { isShallow, leafCheck } from './scalar-checks.ts';

/** What holds in the place of a value, which is neither null nor undefined: often the value itself. */
type Mender = (value: unknown, trail: Trail, long: LongList[]) => unknown;

/** A list that is gone through when all around it has been. */
interface LongList {
  readonly items: unknown[];
  readonly mend: Mender;
}

/** Lists are long that have more items. */
const LONG = 512;
/** So many items are gone through before others may go first. */
const AT_ONCE = 128;

interface MendedField {
  readonly property: string;
  readonly mend: Mender;
  /** What `typeof` says of values that hold as they are, where that is all there is to look at. */
  readonly primitive: 'string' | 'boolean' | undefined;
}

interface JsonObject {
  [property: string]: unknown;
}

/**
 * Has a parsed answer keep to its GraphQL type, in place: what differs is read as far as it can be, and is null
 * otherwise. Only an answer that is no object or list at all, where it should be one, is an error.
 */
export function compileMendingCheck(
  type: GraphQLOutputType,
  lenience: Lenience,
  field: string,
): ResponseCheck {
  let mend: Mender | undefined;
  return function* (data) {
    mend ??= compilerOf(lenience).root(type, field);
    const long: LongList[] = [];
    mend(data, new Trail(), long);
    for (const list of long) yield* mendLong(list, long);
  };
}

function* mendLong({ items, mend }: LongList, long: LongList[]): Work<void> {
  const pace = everyFew(AT_ONCE);
  for (const [index, item] of items.entries()) {
    const trail = new Trail();
    trail.enter();
    trail.at(index);
    if (item !== null && item !== undefined) items[index] = mend(item, trail, long);
    if (pace.isDue()) yield;
  }
}

const COMPILERS = new WeakMap<Lenience, Compiler>();

function compilerOf(lenience: Lenience): Compiler {
  const compiler = COMPILERS.get(lenience) ?? new Compiler(lenience);
  COMPILERS.set(lenience, compiler);
  return compiler;
}

class Compiler {
  readonly #lenience: Lenience;
  /** Root fields share their types. */
  readonly #objects = new WeakMap<GraphQLObjectType, Mender>();

  constructor(lenience: Lenience) {
    this.#lenience = lenience;
  }

  root(type: GraphQLOutputType, field: string): Mender {
    const nullable = getNullableType(type);
    const mend = this.#value(type, field);
    const [expected, isFit] = isListType(nullable)
      ? (['a list', Array.isArray] as const)
      : isLeafType(nullable)
        ? ([leafCheck(nullable).expected, leafCheck(nullable).accepts] as const)
        : (['an object', isObject] as const);
    return (value, trail, long) => {
      if (!isFit(value)) throw trail.misfit(expected, value);
      return mend(value, trail, long);
    };
  }

  #value(type: GraphQLOutputType, place: string): Mender {
    const nullable = getNullableType(type);
    if (isListType(nullable)) return this.#list(this.#value(nullable.ofType, place), place);
    if (isLeafType(nullable)) return this.#leaf(nullable, place);
    if (isInterfaceType(nullable)) return this.#interface(nullable, place);
    return isObjectType(nullable) ? this.#objectOrNull(this.#object(nullable), place) : this.#any(place);
  }

  #leaf(type: GraphQLScalarType | GraphQLEnumType, place: string): Mender {
    const { accepts, expected } = leafCheck(type);
    const primitive = PRIMITIVES.get(type.name);
    return (value, trail) => {
      if (accepts(value)) return value;
      if (mayHaveLostDigits(value)) throw trail.misfit(expected, value);
      this.#lenience(place, expected, value);
      const read = primitive && readLeniently(primitive, value);
      return read !== undefined && accepts(read) ? read : null;
    };
  }

  #list(mend: Mender, place: string): Mender {
    return (value, trail, long) => {
      if (Array.isArray(value)) return mendItems(value, mend, trail, long);
      this.#lenience(place, 'a list', value);
      const single = mend(value, trail, long);
      return single === null ? [] : [single];
    };
  }

  /** The mender of the type that the value says it is of. */
  #interface(type: GraphQLInterfaceType, place: string): Mender {
    const typeOf = typeOfValue(type);
    if (typeOf === undefined) return this.#any(place);
    return this.#objectOrNull(
      (value, trail, long) => this.#object(typeOf(value as object))(value, trail, long),
      place,
    );
  }

  #objectOrNull(mend: Mender, place: string): Mender {
    return (value, trail, long) => {
      if (isObject(value)) return mend(value, trail, long);
      this.#lenience(place, 'an object', value);
      return null;
    };
  }

  #any(place: string): Mender {
    return this.#objectOrNull((value) => (isShallow(value, LEVELS) ? value : null), place);
  }

  /** Types may refer to themselves, so that a mender is known before it is complete. */
  #object(type: GraphQLObjectType): Mender {
    const known = this.#objects.get(type);
    if (known !== undefined) return known;
    const fields: MendedField[] = [];
    const mend = objectMender(fields);
    this.#objects.set(type, mend);
    for (const field of Object.values(type.getFields())) {
      const property = propertyOf(field);
      if (property === undefined) continue;
      const mendValue = this.#value(field.type, `${type.name}/${property}`);
      fields.push({ property, mend: mendValue, primitive: primitiveOf(field.type) });
    }
    return mend;
  }
}

const LEVELS = 200;

/** The model's types for the scalars that Mesh has for them. */
const PRIMITIVES: ReadonlyMap<string, PrimitiveTypeName> = new Map([
  ['Int', 'Edm.Int32'],
  ['BigInt', 'Edm.Int64'],
  ['Float', 'Edm.Double'],
  ['String', 'Edm.String'],
  ['ID', 'Edm.String'],
  ['Boolean', 'Edm.Boolean'],
  ['Date', 'Edm.Date'],
  ['DateTime', 'Edm.DateTimeOffset'],
  ['Time', 'Edm.TimeOfDay'],
  ['UUID', 'Edm.Guid'],
]);

function mendItems(list: unknown[], mend: Mender, trail: Trail, long: LongList[]): unknown[] {
  if (list.length > LONG) {
    long.push({ items: list, mend });
    return list;
  }
  trail.enter();
  for (const [index, item] of list.entries()) {
    trail.at(index);
    if (item !== null && item !== undefined) list[index] = mend(item, trail, long);
  }
  trail.leave();
  return list;
}

/** `fields` is filled in later, see {@link Compiler}. */
function objectMender(fields: readonly MendedField[]): Mender {
  let names: ReadonlyMap<string, string> | undefined;
  return (value, trail, long) => {
    const object = value as JsonObject;
    names ??= lowerCaseNames(fields);
    if (fields.some(({ property }) => isMissing(object[property]))) foldNames(object, names);
    trail.enter();
    for (const { property, mend, primitive } of fields) {
      const found = object[property];
      if (typeof found === primitive) continue;
      trail.at(property);
      // What is inherited from Object.prototype is not the upstream's; GraphQL would call it.
      if (typeof found === 'function') object[property] = null;
      else if (found !== null && found !== undefined) {
        const mended = mend(found, trail, long);
        if (mended !== found) object[property] = mended;
      }
    }
    trail.leave();
    return object;
  };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Number);
}
