import { placeBelow, pointerNames, type WrittenPlace } from '../document/written-place.ts';
import type { Effort } from './effort.ts';
import type { Location } from './json-path.ts';

type Container = object;
type Name = string | number;

/** Where members and items of a container are written that it has not always had. */
type Places = Map<Name, WrittenPlace>;

const ROOT: WrittenPlace = { file: 'document', pointer: '' };

/**
 * A document while an overlay changes it.
 *
 * What is changed is copied first, once, with what leads to it: the document that was read stays as it is, and
 * objects that stand at several places, as YAML's aliases make them, change at one. All else is shared, also what
 * is put into many places. Each value is known to be from the document or from the overlay.
 */
export class OverlaidDocument {
  readonly #effort: Effort;
  #root: unknown;
  /** Containers made here, each of which stands at one place. */
  #own = new WeakSet<Container>();
  readonly #places = new WeakMap<Container, Places>();

  constructor(document: unknown, effort: Effort) {
    this.#root = document;
    this.#effort = effort;
  }

  get root(): unknown {
    return this.#root;
  }

  valueAt(location: Location): unknown {
    return location.reduce<unknown>(childOf, this.#root);
  }

  /** Where it is written what stands at a location. */
  placeAt(location: Location): WrittenPlace {
    let [container, place]: [unknown, WrittenPlace] = [this.#root, ROOT];
    for (const name of location) {
      place = this.#placeIn(container, place, name);
      container = childOf(container, name);
    }
    return place;
  }

  /** Where it is written what a JSON pointer leads to; also one that leads on to what is not there. */
  placeOf(pointer: string): WrittenPlace {
    return this.placeAt(pointerNames(pointer));
  }

  /** Puts a value in the place of one below the root, or at the end of a list. */
  put(location: Location, value: unknown, place: WrittenPlace): void {
    const { container, name } = this.#openParent(location);
    define(container, name, value);
    this.#placesOf(container).set(name, place);
  }

  /** Takes away what stands below the root; what comes after it in a list moves up. */
  remove(location: Location): void {
    const parent = this.placeAt(location.slice(0, -1));
    const { container, name } = this.#openParent(location);
    if (Array.isArray(container)) this.#removeItem(container, Number(name), parent);
    else Reflect.deleteProperty(container, name);
  }

  /** What was made for one place may stand at several from now on. */
  share(): void {
    this.#own = new WeakSet();
  }

  #removeItem(list: unknown[], index: number, parent: WrittenPlace): void {
    const later = list.slice(index + 1).map((_, at) => this.#placeIn(list, parent, index + 1 + at));
    this.#effort.spend(later.length);
    list.splice(index, 1);
    const places = this.#placesOf(list);
    places.delete(list.length);
    for (const [at, place] of later.entries()) places.set(index + at, place);
  }

  #placeIn(container: unknown, place: WrittenPlace, name: Name): WrittenPlace {
    const known = isContainer(container) ? this.#places.get(container) : undefined;
    return known?.get(nameIn(container, name)) ?? placeBelow(place, name);
  }

  #placesOf(container: Container): Places {
    const places = this.#places.get(container) ?? new Map();
    this.#places.set(container, places);
    return places;
  }

  #openParent(location: Location): { readonly container: Container; readonly name: Name } {
    const name = location.at(-1);
    if (name === undefined) throw new Error('the root of a document is in nothing');
    return { container: this.#open(location.slice(0, -1)), name };
  }

  /** The container there, which may be changed from then on. */
  #open(location: Location): Container {
    this.#effort.spend(location.length + 1);
    let container = this.#owned(this.#root);
    this.#root = container;
    for (const name of location) {
      const child = this.#owned(childOf(container, name));
      define(container, name, child);
      container = child;
    }
    return container;
  }

  #owned(value: unknown): Container {
    if (!isContainer(value)) throw new Error('a scalar has no members');
    if (this.#own.has(value)) return value;
    const copy: Container = Array.isArray(value) ? value.slice() : { ...value };
    const places = this.#places.get(value);
    this.#effort.spend(Object.keys(copy).length + (places?.size ?? 0));
    if (places !== undefined) this.#places.set(copy, new Map(places));
    this.#own.add(copy);
    return copy;
  }
}

export function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

function nameIn(container: unknown, name: Name): Name {
  return Array.isArray(container) ? Number(name) : name;
}

function childOf(container: unknown, name: Name): unknown {
  if (!isContainer(container) || !Object.hasOwn(container, name)) return undefined;
  return Reflect.get(container, name);
}

/** As a member of its own, whatever it is called: `__proto__` is a name like any other. */
function define(container: Container, name: Name, value: unknown): void {
  Object.defineProperty(container, name, { value, writable: true, enumerable: true, configurable: true });
}
