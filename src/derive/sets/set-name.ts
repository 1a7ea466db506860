import { foldedName, pascalCase, singularOf, words } from '../../model/names.ts';
import type { EntityPath } from '../edm-types/entity-plan.ts';
import type { Derivation } from '../operations/derivation.ts';
import type { DocumentOperation, PathSegment } from '../operations/document-operation.ts';
import { templateOf } from './entity-set-plan.ts';

/** Segments that say of which version or kind an API is, and nothing of what is there. */
const PREFIX = /^(?:v?\d+(?:[.-]\d+)*|v\d+\w*|api|apis|rest|latest|odata|public)$/i;

/**
 * The number of leading segments without a meaning in all paths: literals that are followed by different
 * literals. A segment before a parameter is a collection.
 */
export function commonPrefix(operations: readonly DocumentOperation[]): number {
  const paths = operations.map(({ segments }) => segments);
  const [first = []] = paths;
  if (new Set(operations.map(({ path }) => path)).size < 2) return 0;
  const end = first.findIndex((segment, index) => !isPrefix(segment, paths, index));
  return Math.max(end, 0);
}

function isPrefix(segment: PathSegment, paths: readonly (readonly PathSegment[])[], index: number): boolean {
  if (segment.kind !== 'literal') return false;
  return paths.every((segments) => {
    const own = segments[index];
    return own?.kind === 'literal' && own.text === segment.text && segments[index + 1]?.kind === 'literal';
  });
}

/**
 * Names for the resource of a path, best first: the schema's, if the path ends with its plural; else the
 * words of the path, with its parameters if needed to distinguish two paths.
 */
export function pathNames(
  segments: readonly PathSegment[],
  prefix: number,
  schemaName: string | undefined,
): readonly string[] {
  const own = ownSegments(segments, prefix);
  const literals = own.flatMap((segment) => (segment.kind === 'literal' ? [segment.text] : []));
  const isSingular = schemaName !== undefined && singularTails(literals).has(foldedName(schemaName));
  const by = segmentWords(own);
  const all = segments.filter(({ kind }) => kind === 'literal');
  const names = [
    isSingular ? schemaName : undefined,
    ...[literals.join(' '), by.join(' ')],
    ...[segmentWords(all), segmentWords(segments)].map((each) => each.join(' ')),
  ];
  return [...new Set(names.flatMap((name) => (name && pascalCase(name)) ?? []))];
}

function segmentWords(segments: readonly PathSegment[]): readonly string[] {
  return segments.map((segment) => (segment.kind === 'literal' ? segment.text : `by ${segment.name}`));
}

/** The location of entities at a path, read with the parameters among the following segments. */
export function entityPath(
  derivation: Derivation,
  segments: readonly PathSegment[],
  behind: readonly PathSegment[],
): EntityPath {
  const last = segments.findLast(({ kind }) => kind === 'literal');
  return {
    parameters: parameterNames(behind),
    above: parameterNames(segments),
    collection: last?.kind === 'literal' ? last.text : undefined,
    changedBy: changeParameters(derivation).get(templateOf(segments)),
    typeName: entityName(segments, derivation.pathPrefix),
  };
}

const CHANGE_PARAMETERS = new WeakMap<Derivation, ReadonlyMap<string, string>>();

/** The last parameters of the paths that entities are changed and deleted at, by what stands before these. */
function changeParameters(derivation: Derivation): ReadonlyMap<string, string> {
  const known = CHANGE_PARAMETERS.get(derivation);
  if (known !== undefined) return known;
  const changes = derivation.operations.filter(({ method }) => ['put', 'patch', 'delete'].includes(method));
  const found = new Map(
    changes.flatMap(({ segments }) => {
      const last = segments.at(-1);
      return last?.kind === 'parameter' ? [[templateOf(segments.slice(0, -1)), last.name] as const] : [];
    }),
  );
  CHANGE_PARAMETERS.set(derivation, found);
  return found;
}

function parameterNames(segments: readonly PathSegment[]): readonly string[] {
  return segments.flatMap((segment) => (segment.kind === 'parameter' ? [segment.name] : []));
}

/** The words of the entities at the end of a path, in the singular: `AccessRequest` for `/access_requests`. */
function entityName(segments: readonly PathSegment[], prefix: number): string | undefined {
  const literals = ownSegments(segments, prefix).flatMap((segment) =>
    segment.kind === 'literal' ? [segment.text] : [],
  );
  const name = [...literals.slice(0, -1).map(singularOf), ...literals.slice(-1).map(singularOf)].join(' ');
  return name === '' ? undefined : pascalCase(name);
}

function ownSegments(segments: readonly PathSegment[], prefix: number): readonly PathSegment[] {
  const own = segments.slice(prefix);
  const first = own.findIndex((segment) => segment.kind === 'parameter' || !PREFIX.test(segment.text));
  const left = first < 0 ? own.slice(-1) : own.slice(first);
  return left.length === 0 ? segments.slice(-1) : left;
}

/** The endings of a path in the singular, in any style: `order` and `salesorder` for `/sales/orders`. */
function singularTails(literals: readonly string[]): ReadonlySet<string> {
  const all = literals.flatMap(words);
  const last = singularOf(all.at(-1) ?? '');
  return new Set(
    all.flatMap((_, index) => {
      const before = all.slice(index, -1);
      return [[...before, last].join(''), [...before.map(singularOf), last].join('')].map(foldedName);
    }),
  );
}
