import type { RequestTarget } from '../../src/odata/url/request-target.ts';

/** The names that each rule of the grammar may match, by rule. */
export type Constraints = Readonly<Record<string, readonly string[]>>;

type Json = { readonly [key: string]: unknown };

/**
 * What the grammar cannot say without a model: says which name is wrong, or undefined.
 *
 * The standard's grammar has names of a model as rules (`entitySetName`); our trees have names.
 */
export function findWrongName(target: RequestTarget, constraints: Constraints): string | undefined {
  return (
    findUnknownName(target, constraints) ??
    findAfterStream(target, constraints) ??
    findInTransformations(target.options.apply, constraints)
  );
}

/** A name that no rule may match; a rule without constraints matches any. */
function findUnknownName(target: RequestTarget, constraints: Constraints): string | undefined {
  const known = new Set([...Object.values(constraints).flat(), ...BUILT_IN].map(normalize));
  const unknown = (name: string) => !known.has(name) && !name.split('.').every((part) => known.has(part));
  return [...namesIn(target, NO_VARIABLES, constraints)].map(normalize).find(unknown);
}

const BUILT_IN = ['Edm', '*', '$all'];
const NO_VARIABLES: ReadonlySet<string> = new Set();

function normalize(name: string): string {
  return decodeURIComponent(name).replace(/^@/, '').replace(/#.*$/, '');
}

/** All names of the tree that the model must know; `variables` are those of the lambdas around. */
function* namesIn(
  node: unknown,
  variables: ReadonlySet<string>,
  constraints: Constraints,
): Generator<string> {
  if (node instanceof Map) {
    yield* namesIn([...node.values()], variables, constraints);
  } else if (Array.isArray(node)) {
    for (const item of node) yield* namesIn(item, variables, constraints);
  } else if (typeof node === 'object' && node !== null) {
    yield* ownNames(node as Json, variables, constraints);
    const variable = (node as Json)['variable'];
    const inner = typeof variable === 'string' ? new Set([...variables, variable]) : variables;
    yield* namesIn(Object.values(node), inner, constraints);
  }
}

function* ownNames(node: Json, variables: ReadonlySet<string>, constraints: Constraints): Generator<string> {
  for (const key of ['path', 'property']) {
    if (Array.isArray(node[key]))
      yield* node[key].filter((name) => typeof name === 'string').map(namespaceOfTerm);
  }
  if (Array.isArray(node['paths']) && !isNamedHierarchy(node)) yield* node['paths'].flat();
  if (Array.isArray(node['segments'])) yield* segmentNames(node, variables, constraints);
  if (node['type'] === 'qualified')
    yield* String(node['text'])
      .split(',')
      .filter((member) => !/^[+-]?\d+$/.test(member));
}

/** `rollup(Name)`: a leveled hierarchy, which has no rule of its own. */
function isNamedHierarchy(node: Json): boolean {
  return node['rollup'] === true && Array.isArray(node['paths']) && node['paths'].flat().length === 1;
}

/** The names in a path. What stands first may be a lambda variable or a function import. */
function* segmentNames(
  node: Json,
  variables: ReadonlySet<string>,
  constraints: Constraints,
): Generator<string> {
  const free =
    constraints[node['kind'] === 'path' ? 'lambdaVariableExpr' : 'primitiveFunctionImport'] === undefined;
  for (const [index, { kind, name, term }] of (node['segments'] as readonly Json[]).entries()) {
    if (kind === 'annotation') yield namespaceOfTerm(`@${term}`);
    if (kind !== 'name' || /^-?\d+$/.test(String(name))) continue;
    if (index > 0 || !(free || variables.has(String(name)))) yield String(name);
  }
}

/** Any term may be asked for, but of a known vocabulary only. */
function namespaceOfTerm(name: string): string {
  if (!name.startsWith('@')) return name;
  return name.includes('.') ? name.slice(0, name.lastIndexOf('.')) : '*';
}

/** A stream has no $value: it is one. */
function findAfterStream({ path }: RequestTarget, constraints: Constraints): string | undefined {
  if (path.kind !== 'resource') return undefined;
  const [before, last] = path.segments.slice(-2);
  if (before?.kind !== 'name' || last?.kind !== 'system' || last.name !== 'value') return undefined;
  return constraints['streamProperty']?.includes(before.name) ? '$value' : undefined;
}

/** Names of the wrong kind in $apply: what needs a method, leads through a collection, or is none. */
function findInTransformations(node: unknown, constraints: Constraints): string | undefined {
  if (typeof node !== 'object' || node === null) return undefined;
  const { kind, items, path } = node as { kind?: string; items?: readonly Json[]; path?: readonly string[] };
  const own =
    (kind === 'aggregate' && items ? findWithoutMethod(items, constraints) : undefined) ??
    (kind === 'groupby' && items ? findThroughCollection(items, constraints) : undefined) ??
    ((kind === 'join' || kind === 'outerjoin') && path ? findNoCollection(path, constraints) : undefined);
  if (own !== undefined) return own;
  for (const value of Object.values(node)) {
    const found = findInTransformations(value, constraints);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Only a custom aggregate does without a method. */
function findWithoutMethod(items: readonly Json[], constraints: Constraints): string | undefined {
  for (const { expression, method } of items) {
    const { segments } = (expression ?? {}) as { segments?: readonly { kind: string; name?: string }[] };
    const last = segments?.at(-1);
    if (method !== undefined || last?.kind !== 'name') continue;
    if (!constraints['customAggregate']?.includes(last.name ?? '')) return last.name;
  }
  return undefined;
}

/** A grouping property has one value for each instance. */
function findThroughCollection(items: readonly Json[], constraints: Constraints): string | undefined {
  const paths = items.flatMap(({ paths }) => paths as readonly (readonly string[])[]);
  return paths.flatMap((path) => path.slice(0, -1)).find((name) => isCollection(name, constraints));
}

function findNoCollection(path: readonly string[], constraints: Constraints): string | undefined {
  const last = path.at(-1) ?? '';
  return isCollection(last, constraints) ? undefined : last;
}

function isCollection(name: string, constraints: Constraints): boolean {
  return ['entityColNavigationProperty', 'complexColProperty'].some((rule) =>
    constraints[rule]?.includes(name),
  );
}
