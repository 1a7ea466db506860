import { posix } from 'node:path';
import { isObject } from '../../core/json-object.ts';
import { pointerNames } from '../document/document-node.ts';
import { decodeFragment } from '../document/document-source.ts';
import type { PlaceFinder } from '../document/written-place.ts';
import { DocumentMistake } from '../parse/document-mistake.ts';
import { validateExtent } from '../parse/document-nesting.ts';
import type { NamedText } from '../parse/file-text.ts';
import type { OpenApiDocument } from '../parse/openapi-version.ts';
import { parseText } from '../parse/parse-text.ts';
import { type Kind, kindBelow, sectionOf } from './object-kinds.ts';
import { isPlainReference, referredFile } from './referred-file.ts';

/** One document made of several files. */
export interface Bundle {
  readonly document: OpenApiDocument;
  /** Finds the file and the pointer in it. */
  readonly placeOf: PlaceFinder;
}

/**
 * Makes one document of a root document, whose name is `rootName`, and the files that it refers to; their names are
 * relative to its folder.
 *
 * Referenced objects become components of the document; path items and parts that OpenAPI has no components for are put in
 * the place of their references (OpenAPI 3.1, 4.6). References that lead nowhere stay. The root document is changed.
 */
export function bundleFiles(root: OpenApiDocument, rootName: string, files: readonly NamedText[]): Bundle {
  const bundling = new Bundling(root, rootName, files);
  bundling.run();
  const reason = validateExtent(root);
  if (reason !== undefined) throw new DocumentMistake(reason);
  return { document: root, placeOf: (pointer) => bundling.placeOf(pointer) };
}

/** A position in one of the files. */
interface Place {
  readonly file: string;
  readonly pointer: string;
}

interface Located extends Place {
  readonly value: unknown;
}

/** A value that is still to be visited, and the file that its references are relative to. */
interface Visit {
  readonly value: unknown;
  readonly kind: Kind;
  readonly file: string;
}

/** Maximum number of references in a chain. */
const LONGEST_CHAIN = 32;

class Bundling {
  readonly #root: OpenApiDocument;
  readonly #rootName: string;
  readonly #trees = new Map<string, unknown>();
  /** The places of values that stand elsewhere in the document than in their files. */
  readonly #places = new WeakMap<object, Place>();
  /** References to values that have become components, by file and pointer. */
  readonly #lifted = new Map<string, string>();
  readonly #seen = new WeakSet<object>();
  readonly #waiting: Visit[] = [];
  #identified: ReadonlyMap<string, Located> | undefined;

  constructor(root: OpenApiDocument, rootName: string, files: readonly NamedText[]) {
    this.#root = root;
    this.#rootName = rootName;
    this.#trees.set(rootName, root);
    for (const { file, text } of files) this.#trees.set(file, parseText(text));
  }

  run(): void {
    this.#adoptComponents();
    this.#waiting.push({ value: this.#root, kind: 'root', file: this.#rootName });
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) this.#visit(next);
  }

  placeOf(pointer: string): { readonly file: string; readonly pointer: string } {
    let node: unknown = this.#root;
    let place: Place = { file: this.#rootName, pointer: '' };
    for (const name of pointerNames(pointer)) {
      node = childOf(node, name);
      const own = typeof node === 'object' && node !== null ? this.#places.get(node) : undefined;
      place = own ?? { file: place.file, pointer: `${place.pointer}/${escaped(name)}` };
    }
    return { ...place, file: place.file === this.#rootName ? 'document' : place.file };
  }

  /** Components that are references to files are the components of what they refer to. */
  #adoptComponents(): void {
    const isSwagger = Object.hasOwn(this.#root, 'swagger');
    const holder = isSwagger ? this.#root : this.#root['components'];
    if (!isObject(holder)) return;
    const sections = isSwagger ? ['definitions', 'parameters', 'responses'] : Object.keys(holder);
    for (const section of sections) {
      const file = this.#settle(holder, section, this.#rootName);
      const components = holder[section];
      if (!isObject(components)) continue;
      const { pointer } = this.#places.get(components) ?? { pointer: '' };
      for (const [name, value] of Object.entries(components)) {
        const written = `#/${isSwagger ? '' : 'components/'}${section}/${escaped(name)}`;
        if (!isPlainReference(value)) {
          if (file !== this.#rootName) this.#lifted.set(`${file}#${pointer}/${escaped(name)}`, written);
          continue;
        }
        const target = this.#locate(file, value.$ref);
        if (target === undefined || target.file === this.#rootName) continue;
        const key = keyOf(target);
        if (this.#lifted.has(key)) continue;
        this.#lifted.set(key, written);
        this.#put(components, name, target);
        const kind = kindBelow(kindBelow(isSwagger ? 'root' : 'components', section, section), name, name);
        this.#waiting.push({ value: target.value, kind, file: target.file });
      }
    }
  }

  /** Replaces a member that is a reference by what it refers to; returns the file of the member then. */
  #settle(holder: Readonly<Record<string, unknown>>, name: string, file: string): string {
    const value = Object.hasOwn(holder, name) ? holder[name] : undefined;
    if (!isObject(value) || typeof value['$ref'] !== 'string') return file;
    const target = this.#locate(file, value['$ref']);
    if (target === undefined || (file === this.#rootName && target.file === file)) return file;
    const { $ref: _, ...siblings } = value;
    const isAlone = Object.keys(siblings).length === 0 || !isObject(target.value);
    const settled = isAlone ? target.value : { ...target.value, ...siblings };
    this.#put(holder, name, { ...target, value: settled });
    return target.file;
  }

  #put(holder: object, name: string, { value, file, pointer }: Located): void {
    // An assignment to `__proto__` would set the prototype.
    Reflect.defineProperty(holder, name, { value, writable: true, enumerable: true, configurable: true });
    if (typeof value === 'object' && value !== null) this.#places.set(value, { file, pointer });
  }

  #visit({ value, kind, file: holder }: Visit): void {
    if (typeof value !== 'object' || value === null || kind === 'data' || this.#seen.has(value)) return;
    this.#seen.add(value);
    // A value that was put here has its references relative to its own file.
    const file = this.#places.get(value)?.file ?? holder;
    if (kind === 'schema' && isObject(value)) this.#visitMapping(value, file);
    for (const name of Object.keys(value)) {
      const below = Array.isArray(value) ? kindBelow(kind, undefined, name) : kindBelow(kind, name, name);
      this.#visitMember(value as Readonly<Record<string, unknown>>, name, below, file);
    }
  }

  #visitMember(holder: Readonly<Record<string, unknown>>, name: string, kind: Kind, file: string): void {
    const value = holder[name];
    if (kind === 'data' || typeof value !== 'object' || value === null) return;
    const reference = isObject(value) && Object.hasOwn(value, '$ref') ? value['$ref'] : undefined;
    if (typeof reference !== 'string') {
      this.#waiting.push({ value, kind, file });
      return;
    }
    const section = sectionOf(kind);
    if (section === undefined) {
      const settledIn = this.#settle(holder, name, file);
      this.#waiting.push({ value: holder[name], kind, file: settledIn });
      return;
    }
    // Siblings of a reference, such as a description, stay beside it.
    this.#waiting.push({ value, kind, file });
    const written = this.#referenceTo(file, reference, section, kind);
    if (written !== undefined) Object.assign(value, { $ref: written });
  }

  /** The reference within the document; undefined if the written one stays. */
  #referenceTo(file: string, reference: string, section: string, kind: Kind): string | undefined {
    const isLocal = reference.startsWith('#');
    if (isLocal && file === this.#rootName) return undefined;
    const target = this.#locate(file, reference);
    if (target === undefined) return isLocal ? undefined : referredFile(file, reference)?.reference;
    if (target.file === this.#rootName) return `#${encoded(target.pointer)}`;
    // The first name on the way is the one that the author gave it for others.
    const name = componentNameOf(this.#findTarget(file, reference, 0) ?? target);
    return this.#lift(target, section, kind, name);
  }

  /** The values of a discriminator's mapping are references, or names of schemas (OpenAPI 3.1, 4.8.25). */
  #visitMapping(schema: Readonly<Record<string, unknown>>, file: string): void {
    const { discriminator } = schema;
    const mapping = isObject(discriminator) ? discriminator['mapping'] : undefined;
    if (!isObject(mapping)) return;
    for (const [name, value] of Object.entries(mapping)) {
      if (typeof value !== 'string' || this.#locate(file, value) === undefined) continue;
      const written = this.#referenceTo(file, value, 'schemas', 'schema');
      if (written !== undefined) this.#put(mapping, name, { value: written, file, pointer: '' });
    }
  }

  #lift(target: Located, section: string, kind: Kind, wanted: string): string {
    const key = keyOf(target);
    const known = this.#lifted.get(key);
    if (known !== undefined) return known;
    const isSwagger = Object.hasOwn(this.#root, 'swagger');
    const place = isSwagger ? [section === 'schemas' ? 'definitions' : section] : ['components', section];
    let holder: Readonly<Record<string, unknown>> = this.#root;
    for (const name of place) {
      if (!Object.hasOwn(holder, name) || !isObject(holder[name]))
        this.#put(holder, name, { value: {}, file: this.#rootName, pointer: '' });
      holder = holder[name] as Readonly<Record<string, unknown>>;
    }
    const name = freeName(holder, wanted);
    const written = `#/${[...place, name].map(escaped).join('/')}`;
    this.#lifted.set(key, written);
    this.#put(holder, name, target);
    this.#waiting.push({ value: target.value, kind, file: target.file });
    return written;
  }

  /** The target of a reference, at the end of a chain of references; undefined if it leads nowhere. */
  #locate(file: string, reference: string, depth = 0): Located | undefined {
    if (depth > LONGEST_CHAIN) return undefined;
    const found = this.#findTarget(file, reference, depth);
    if (found === undefined || !isPlainReference(found.value)) return found;
    return this.#locate(found.file, found.value.$ref, depth + 1);
  }

  #findTarget(file: string, reference: string, depth: number): Located | undefined {
    const [path = '', fragment = ''] = reference.split('#', 2);
    const base = path === '' ? undefined : this.#identify(path);
    const name = path === '' ? file : referredFile(file, path)?.name;
    const tree = name === undefined ? undefined : this.#trees.get(name);
    const start =
      base ??
      (name === undefined || tree === undefined ? undefined : { file: name, pointer: '', value: tree });
    if (start === undefined || fragment === '') return start;
    if (!fragment.startsWith('/')) return this.#identify(`${start.file}#${fragment}`);
    return pointerNames(decodeFragment(fragment)).reduce<Located | undefined>(
      (at, step) => at && this.#step(at, step, depth),
      start,
    );
  }

  /** A pointer may lead through a reference. */
  #step(at: Located, name: string, depth: number): Located | undefined {
    const direct = childOf(at.value, name);
    if (direct !== undefined)
      return { file: at.file, pointer: `${at.pointer}/${escaped(name)}`, value: direct };
    const reference = childOf(at.value, '$ref');
    const next = typeof reference === 'string' ? this.#locate(at.file, reference, depth + 1) : undefined;
    return next && this.#step(next, name, depth + 1);
  }

  /** The schemas with an `$id`, and those with an `$anchor` as `file#anchor` (JSON Schema 2020-12, 8.2). */
  #identify(id: string): Located | undefined {
    this.#identified ??= identifiedIn(this.#trees);
    return this.#identified.get(id);
  }
}

function identifiedIn(trees: ReadonlyMap<string, unknown>): ReadonlyMap<string, Located> {
  const found = new Map<string, Located>();
  for (const [file, value] of trees) {
    const waiting: Located[] = [{ file, pointer: '', value }];
    const seen = new Set<object>();
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      if (typeof at.value !== 'object' || at.value === null || seen.has(at.value)) continue;
      seen.add(at.value);
      const [id, anchor] = [childOf(at.value, '$id'), childOf(at.value, '$anchor')];
      if (typeof id === 'string' && !found.has(id)) found.set(id, at);
      if (typeof anchor === 'string') found.set(`${file}#${anchor}`, at);
      for (const [name, inner] of Object.entries(at.value))
        waiting.push({ file, pointer: `${at.pointer}/${escaped(name)}`, value: inner });
    }
  }
  return found;
}

function keyOf({ file, pointer }: Place): string {
  return `${file}#${pointer}`;
}

/** The last name of the pointer, or that of the file. */
function componentNameOf({ file, pointer }: Place): string {
  const last = pointerNames(pointer).at(-1);
  const stem = posix.basename(file, posix.extname(file));
  const ofFile = stem === 'index' || stem === '_index' ? posix.basename(posix.dirname(file)) : stem;
  const name = (last ?? ofFile).replace(/[^\w.-]+/g, '_');
  return name === '' || name === '__proto__' ? 'Part' : name;
}

function freeName(holder: object, wanted: string): string {
  if (!Object.hasOwn(holder, wanted)) return wanted;
  for (let number = 2; ; number += 1) {
    if (!Object.hasOwn(holder, `${wanted}_${number}`)) return `${wanted}_${number}`;
  }
}

function childOf(node: unknown, name: string): unknown {
  return typeof node === 'object' && node !== null && Object.hasOwn(node, name)
    ? (node as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** A pointer as a fragment of a URI (RFC 6901, 6). */
function encoded(pointer: string): string {
  return pointer.split('/').map(encodeURIComponent).join('/').replaceAll('%7E', '~').replaceAll('%24', '$');
}
