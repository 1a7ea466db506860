import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ESTree, parseSync } from 'rolldown/utils';
import { describe, expect, it } from 'vitest';

const SOURCE = join(import.meta.dirname, '../src');

/** Functions of fewer nodes say too little for one of them to serve in the place of another. */
const LEAST_NODES = 16;

/** Fewer would mean that the reading has gone blind. */
const LEAST_FUNCTIONS = 3000;

/**
 * Private functions of at most eight lines that are called once: most of them are read more easily in their place. Lower
 * the bound when there are fewer. A function earns its name by hiding a difficulty, or because the standard has it.
 */
const SHORT_LINES = 8;
const MOST_SHORT = 1_275;

/** Parts of the syntax tree that do not affect behaviour: positions and types. */
const NOT_COMPARED: ReadonlySet<string> = new Set([
  ...['start', 'end', 'range', 'loc', 'raw', 'parent'],
  ...['typeAnnotation', 'returnType', 'typeParameters', 'typeArguments'],
]);

interface FunctionText {
  readonly place: string;
  /** The same for functions that differ in nothing but the names of what they declare. */
  readonly shape: string;
  readonly nodes: number;
}

/** The functions of a file that have a name, those within others included. */
function functionsOf(path: string, text: string): readonly FunctionText[] {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const found: FunctionText[] = [];
  everyNode(program, (node) => {
    if (node.type !== 'FunctionDeclaration') return;
    const line = text.slice(0, node.start).split('\n').length;
    found.push({ place: `${path}:${line}`, ...shapeOf(node) });
  });
  return found;
}

function everyNode(value: unknown, visit: (node: ESTree.Node) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if (isNode(value)) visit(value);
  for (const [name, child] of Object.entries(value)) if (name !== 'parent') everyNode(child, visit);
}

function isNode(value: object): value is ESTree.Node {
  return 'type' in value && typeof value.type === 'string';
}

function shapeOf(node: ESTree.Node): Pick<FunctionText, 'shape' | 'nodes'> {
  const declared = declaredNames(node);
  const numbers = new Map<string, number>();
  let nodes = 0;
  const shape = JSON.stringify(node, function write(this: unknown, name: string, value: unknown) {
    if (NOT_COMPARED.has(name) || (name === 'id' && this === node)) return undefined;
    if (typeof value === 'bigint') return `${value}n`;
    if (typeof value !== 'object' || value === null || !isNode(value)) return value;
    nodes += 1;
    if (value.type === 'TSAsExpression' || value.type === 'TSSatisfiesExpression') return value.expression;
    if (value.type !== 'Identifier' || isMemberName(this, name) || !declared.has(value.name)) return value;
    if (!numbers.has(value.name)) numbers.set(value.name, numbers.size);
    return numbers.get(value.name);
  });
  return { shape, nodes };
}

/** Names of members are declared elsewhere. */
function isMemberName(parent: unknown, name: string): boolean {
  if (name !== 'property' && name !== 'key') return false;
  return typeof parent === 'object' && parent !== null && 'computed' in parent && parent.computed === false;
}

/** The names of a function's own parameters and constants, of functions within it, too. */
function declaredNames(node: ESTree.Node): ReadonlySet<string> {
  const names = new Set<string>();
  const declare = (pattern: unknown): void =>
    everyNode(pattern, (part) => {
      if (part.type === 'Identifier') names.add(part.name);
    });
  everyNode(node, (part) => {
    if (part.type === 'VariableDeclarator') declare(part.id);
    if ('params' in part) declare(part.params);
  });
  return names;
}

/** The private functions of a file that are short and named only once more, where they are called. */
function shortFunctions(path: string, text: string): readonly string[] {
  return parseSync(path, text).program.body.flatMap((node) => {
    if (node.type !== 'FunctionDeclaration' || node.id === null) return [];
    const lines = text.slice(node.start, node.end).split('\n').length;
    const uses = text.match(new RegExp(`(?<![\\w$.])${node.id.name}(?![\\w$])`, 'g'))?.length ?? 0;
    return lines <= SHORT_LINES && uses === 2 ? [`${path}: ${node.id.name}`] : [];
  });
}

/** The places of what is written more than once, those of each function in a line. */
function repeated(functions: readonly FunctionText[]): readonly string[] {
  const large = functions.filter(({ nodes }) => nodes >= LEAST_NODES);
  return [...Map.groupBy(large, ({ shape }) => shape).values()]
    .filter(({ length }) => length > 1)
    .map((alike) => alike.map(({ place }) => place).join(' ~ '));
}

describe('the functions', () => {
  it('are each written once', () => {
    // The screens know nothing that runs in the server, and the sample APIs nothing of what is served.
    const paths = globSync('**/*.{ts,tsx}', { cwd: SOURCE, exclude: ['web', 'demo', '**/node_modules'] });
    const functions = paths
      .sort()
      .flatMap((path) => functionsOf(path, readFileSync(join(SOURCE, path), 'utf8')));
    expect(functions.length).toBeGreaterThanOrEqual(LEAST_FUNCTIONS);
    expect(repeated(functions)).toStrictEqual([]);
  });

  it('are not cut up into ever smaller ones', () => {
    const paths = globSync('**/*.{ts,tsx}', { cwd: SOURCE, exclude: ['**/node_modules'] });
    const short = paths.flatMap((path) => shortFunctions(path, readFileSync(join(SOURCE, path), 'utf8')));
    expect(short.length).toBeLessThanOrEqual(MOST_SHORT);
  });

  it('are told apart by what they do, not by what they call things', () => {
    const text = `
      function one(rows: readonly Row[]) { return rows.filter((row) => row.id !== wanted).map(({ id }) => id + 1); }
      function two(items) { return items.filter((item) => item.id !== wanted).map(({ id }) => id + 1); }
      function three(rows) { return rows.filter((row) => row.id !== other).map(({ id }) => id + 1); }
      function four(rows) { return rows.filter((row) => row.name !== wanted).map(({ id }) => id + 1); }
    `;
    expect(repeated(functionsOf('x.ts', text))).toStrictEqual(['x.ts:2 ~ x.ts:3']);
  });
});
