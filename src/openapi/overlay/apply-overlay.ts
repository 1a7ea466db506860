import { isObject } from '../../core/json-object.ts';
import { pointerNames } from '../document/document-node.ts';
import { quote } from '../document/document-source.ts';
import { type PlaceFinder, placeBelow, type WrittenPlace } from '../document/written-place.ts';
import { type Extents, validateExtent } from '../parse/document-nesting.ts';
import type { OpenApiDocument } from '../parse/openapi-version.ts';
import {
  type JsonPath,
  JsonPathMistake,
  type Location,
  type StepLimit,
  StepLimitExceeded,
  stepLimit,
} from './json-path.ts';
import type { Action, Change, OverlayFault } from './overlay-document.ts';

/** A document with its overlay, or the faults. */
export type OverlayResult =
  | { readonly kind: 'document'; readonly document: OpenApiDocument; readonly placeOf: PlaceFinder }
  | { readonly kind: 'faults'; readonly faults: readonly OverlayFault[] };

/** Limit of evaluation steps: several queries over the largest public documents, and at most two seconds. */
const MOST_STEPS = 10_000_000;

/**
 * Applies actions to a document in order (Overlay 1.1, section 4.4.3).
 *
 * Unlike in the standard, an action without a match is a fault: the overlay was written for another version
 * of the document. The document itself is not changed.
 */
export function applyOverlay(document: OpenApiDocument, actions: readonly Action[]): OverlayResult {
  const limit = stepLimit(MOST_STEPS);
  const application: Application = {
    overlaid: new OverlaidDocument(document, limit),
    limit,
    extents: new WeakMap(),
  };
  const { overlaid } = application;
  const faults: OverlayFault[] = [];
  for (const action of actions) {
    const fault = attempt(application, action);
    if (fault !== undefined) faults.push(fault);
    if (fault?.isLast) break;
  }
  const { root } = overlaid;
  const reason = faults.length === 0 ? validateExtent(root) : undefined;
  if (reason !== undefined) faults.push({ pointer: '', message: withoutStop(reason) });
  // Merging with an object yields an object.
  if (faults.length > 0 || !isObject(root)) return { kind: 'faults', faults };
  return { kind: 'document', document: root, placeOf: (pointer) => overlaid.placeOf(pointer) };
}

/** The shared state of the actions of an overlay. */
interface Application {
  readonly overlaid: OverlaidDocument;
  readonly limit: StepLimit;
  readonly extents: Extents;
}

/** The fault of an action; after the last one, further actions are not tried. */
type ActionFault = OverlayFault & { readonly isLast: boolean };

/** A fault with its position in the overlay. */
class ActionMistake extends Error {
  readonly pointer: string;

  constructor(pointer: string, message: string) {
    super(message);
    this.pointer = pointer;
  }
}

function attempt(application: Application, action: Action): ActionFault | undefined {
  try {
    applyAction(application, action);
    return undefined;
  } catch (error) {
    if (error instanceof ActionMistake)
      return { pointer: error.pointer, message: error.message, isLast: false };
    if (!(error instanceof StepLimitExceeded)) throw error;
    return {
      pointer: action.pointer,
      message: 'It takes too long to apply the overlay up to here',
      isLast: true,
    };
  }
}

function applyAction(application: Application, { pointer, target, query, change }: Action): void {
  const targets = find(application, target, query, `${pointer}/target`);
  if (targets.length === 0) {
    throw new ActionMistake(`${pointer}/target`, `${quote(query)} matches nothing in the document`);
  }
  if (change.kind === 'remove') {
    removeAll(application, targets, pointer);
    return;
  }
  const valuePointer = `${pointer}/${change.kind}`;
  const written =
    change.kind === 'copy' ? copied(application, change, valuePointer) : updated(change, valuePointer);
  for (const location of targets) merge(application, location, written, valuePointer);
}

function find(
  { overlaid, limit }: Application,
  path: JsonPath,
  query: string,
  pointer: string,
): readonly Location[] {
  try {
    return path(overlaid.root, limit);
  } catch (error) {
    if (!(error instanceof JsonPathMistake)) throw error;
    throw new ActionMistake(pointer, `${quote(query)} cannot be evaluated: ${error.message}`);
  }
}

/** A value with its source position. */
interface Written {
  readonly value: unknown;
  readonly place: WrittenPlace;
}

function updated({ value }: Change & { kind: 'update' }, said: string): Written {
  return { value, place: { file: 'overlay', pointer: said } };
}

function copied(application: Application, { from, query }: Change & { kind: 'copy' }, said: string): Written {
  const { overlaid, extents } = application;
  const [only, ...others] = find(application, from, query, said);
  if (only === undefined || others.length > 0) {
    const found = only === undefined ? 'nothing' : `${others.length + 1} values`;
    throw new ActionMistake(said, `${quote(query)} matches ${found}, and one value can be copied`);
  }
  overlaid.share();
  const value = overlaid.valueAt(only);
  const reason = validateExtent(value, extents);
  if (reason !== undefined) throw new ActionMistake(said, withoutStop(reason));
  return { value, place: overlaid.placeAt(only) };
}

/** Removes the deepest targets and the last items first, so that the other locations remain valid. */
function removeAll({ overlaid }: Application, targets: readonly Location[], pointer: string): void {
  const ordered = targets.toSorted((a, b) => b.length - a.length || Number(b.at(-1)) - Number(a.at(-1)) || 0);
  for (const target of ordered) {
    if (target.length === 0)
      throw new ActionMistake(`${pointer}/target`, 'The whole document cannot be removed');
    overlaid.remove(target);
  }
}

/** Merges objects with objects, appends to lists, and replaces scalars by scalars. */
function merge(application: Application, at: Location, { value, place }: Written, said: string): void {
  const { overlaid, limit } = application;
  const known = overlaid.valueAt(at);
  limit.spend(1 + at.length);
  if (Array.isArray(known)) {
    const end = known.length;
    const added = Array.isArray(value) ? itemsOf(value, place) : [{ value, place }];
    limit.spend(added.length);
    for (const [index, item] of added.entries()) overlaid.put([...at, end + index], item.value, item.place);
  } else if (isObject(known) && isObject(value)) {
    for (const [name, inner] of Object.entries(value)) {
      const written = { value: inner, place: placeBelow(place, name) };
      if (Object.hasOwn(known, name)) merge(application, [...at, name], written, said);
      else overlaid.put([...at, name], written.value, written.place);
    }
  } else if (!isContainer(known) && !isContainer(value)) {
    overlaid.put(at, value, place);
  } else {
    const message = `${kindOf(value)} cannot be merged with ${kindOf(known)} at ${pointerOf(at)}: remove that first`;
    throw new ActionMistake(place.file === 'overlay' ? place.pointer : said, message);
  }
}

function itemsOf(list: readonly unknown[], place: WrittenPlace): readonly Written[] {
  return list.map((value, index) => ({ value, place: placeBelow(place, index) }));
}

function withoutStop(sentence: string): string {
  return sentence.replace(/\.$/, '');
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return isContainer(value) ? 'an object' : quote(value);
}

function pointerOf(location: Location): string {
  const { pointer } = location.reduce<WrittenPlace>(placeBelow, { file: 'document', pointer: '' });
  return pointer === '' ? 'the root' : pointer;
}

type Container = object;
type Name = string | number;

/** The source positions of members and items that a container did not have originally. */
type Places = Map<Name, WrittenPlace>;

const ROOT: WrittenPlace = { file: 'document', pointer: '' };

/**
 * A document while an overlay changes it.
 *
 * Changed objects and their ancestors are copied once, so that the original document is not changed, and an
 * object at several places, from a YAML alias, changes at one place only. Everything else is shared. The
 * source position of each value is known.
 */
class OverlaidDocument {
  readonly #limit: StepLimit;
  #root: unknown;
  /** Containers created here, each at one place. */
  #own = new WeakSet<Container>();
  readonly #places = new WeakMap<Container, Places>();

  constructor(document: unknown, limit: StepLimit) {
    this.#root = document;
    this.#limit = limit;
  }

  get root(): unknown {
    return this.#root;
  }

  valueAt(location: Location): unknown {
    return location.reduce<unknown>(childOf, this.#root);
  }

  /** The source position of a location. */
  placeAt(location: Location): WrittenPlace {
    let [container, place]: [unknown, WrittenPlace] = [this.#root, ROOT];
    for (const name of location) {
      place = this.#placeIn(container, place, name);
      container = childOf(container, name);
    }
    return place;
  }

  /** The source position of a JSON pointer, which may lead beyond existing nodes. */
  placeOf(pointer: string): WrittenPlace {
    return this.placeAt(pointerNames(pointer));
  }

  /** Replaces a value below the root, or appends to a list. */
  put(location: Location, value: unknown, place: WrittenPlace): void {
    const { container, name } = this.#openParent(location);
    define(container, name, value);
    this.#placesOf(container).set(name, place);
  }

  /** Removes a value below the root; later items of a list move up. */
  remove(location: Location): void {
    const parent = this.placeAt(location.slice(0, -1));
    const { container, name } = this.#openParent(location);
    if (Array.isArray(container)) this.#removeItem(container, Number(name), parent);
    else Reflect.deleteProperty(container, name);
  }

  /** Declares that values created here may be at several places from now on. */
  share(): void {
    this.#own = new WeakSet();
  }

  #removeItem(list: unknown[], index: number, parent: WrittenPlace): void {
    const later = list.slice(index + 1).map((_, at) => this.#placeIn(list, parent, index + 1 + at));
    this.#limit.spend(later.length);
    list.splice(index, 1);
    const places = this.#placesOf(list);
    places.delete(list.length);
    for (const [at, place] of later.entries()) places.set(index + at, place);
  }

  #placeIn(container: unknown, place: WrittenPlace, name: Name): WrittenPlace {
    const known = isContainer(container) ? this.#places.get(container) : undefined;
    return known?.get(Array.isArray(container) ? Number(name) : name) ?? placeBelow(place, name);
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

  /** The container at a location, copied if necessary, for changes. */
  #open(location: Location): Container {
    this.#limit.spend(location.length + 1);
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
    this.#limit.spend(Object.keys(copy).length + (places?.size ?? 0));
    if (places !== undefined) this.#places.set(copy, new Map(places));
    this.#own.add(copy);
    return copy;
  }
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

function childOf(container: unknown, name: Name): unknown {
  if (!isContainer(container) || !Object.hasOwn(container, name)) return undefined;
  return Reflect.get(container, name);
}

/** Defines an own member, even `__proto__`. */
function define(container: Container, name: Name, value: unknown): void {
  Object.defineProperty(container, name, { value, writable: true, enumerable: true, configurable: true });
}
