import { type ESTree, parseSync } from 'rolldown/utils';

/** One small change of a source: the text between two offsets, and what stands there instead. */
export interface Mutant {
  /** From the root of the repository. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly operator: Operator;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** The smallest enclosing expression or statement that a switch can replace. */
  readonly around: Range;
  readonly kind: 'expression' | 'statement';
  /** Runs when the module is loaded, in no function. */
  readonly isStatic: boolean;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

export type Operator =
  | 'comparison'
  | 'boolean'
  | 'arithmetic'
  | 'text'
  | 'removed statement'
  | 'early return'
  | 'condition'
  | 'method'
  | 'off by one'
  | 'cache key'
  | 'default';

const BINARY: Readonly<Record<string, readonly (readonly [Operator, string])[]>> = {
  '===': [['comparison', '!==']],
  '!==': [['comparison', '===']],
  '<': [
    ['comparison', '<='],
    ['comparison', '>='],
  ],
  '<=': [
    ['comparison', '<'],
    ['comparison', '>'],
  ],
  '>': [
    ['comparison', '>='],
    ['comparison', '<='],
  ],
  '>=': [
    ['comparison', '>'],
    ['comparison', '<'],
  ],
  '+': [['arithmetic', '-']],
  '-': [['arithmetic', '+']],
  '*': [['arithmetic', '/']],
  '/': [['arithmetic', '*']],
  '%': [['arithmetic', '*']],
};

const LOGICAL: Readonly<Record<string, string>> = { '&&': '||', '||': '&&' };

/** Another method with the same arguments; an empty name leaves the call out. */
const METHODS: ReadonlyMap<string, string> = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['find', 'findLast'],
  ['findLast', 'find'],
  ['findIndex', 'findLastIndex'],
  ['indexOf', 'lastIndexOf'],
  ['lastIndexOf', 'indexOf'],
  ['push', 'unshift'],
  ['unshift', 'push'],
  ['startsWith', 'endsWith'],
  ['endsWith', 'startsWith'],
  ['toLowerCase', 'toUpperCase'],
  ['toUpperCase', 'toLowerCase'],
  ['min', 'max'],
  ['max', 'min'],
  ['floor', 'ceil'],
  ['ceil', 'floor'],
  ['filter', ''],
  ['toSorted', ''],
  ['toReversed', ''],
  ['slice', ''],
  ['trim', ''],
]);

const KEY_NAME = /key|cache|digest|fingerprint|signature/i;

/** Nodes without an effect at run time, and nodes that cannot be replaced. */
const LEFT_OUT = new Set([
  'ImportDeclaration',
  'ImportExpression',
  'ExportAllDeclaration',
  'ThisExpression',
  'Super',
]);
const WITH_EXPRESSION = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression']);
const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

type Any = ESTree.Node & Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Any =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value;

/** All mutants of a file of TypeScript, in the order of the text. */
export function mutantsOf(file: string, text: string): readonly Mutant[] {
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const found = new Map<string, Mutant>();
  const lineStarts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const lineOf = (offset: number): number => lineStarts.findLastIndex((start) => start <= offset) + 1;
  const textOf = ({ start, end }: Range): string => text.slice(start, end);

  walk(program as unknown as Any, []);
  return [...found.values()].toSorted((one, other) => one.start - other.start);

  function walk(node: Any, parents: readonly Any[]): void {
    if (LEFT_OUT.has(node.type)) return;
    if (node.type.startsWith('TS')) {
      if (WITH_EXPRESSION.has(node.type)) walk(node['expression'] as Any, [...parents, node]);
      return;
    }
    mutate(node, parents);
    for (const [name, value] of Object.entries(node)) {
      if ((name === 'key' && node['computed'] !== true) || name === 'source') continue;
      for (const child of Array.isArray(value) ? value : [value]) {
        if (isNode(child)) walk(child, [...parents, node]);
      }
    }
  }

  function mutate(node: Any, parents: readonly Any[]): void {
    const around = wholeChain(node, parents);
    const isStatic = !parents.some(
      ({ type, ...rest }) =>
        FUNCTIONS.has(type) || (type === 'PropertyDefinition' && rest['static'] !== true),
    );
    const add = (operator: Operator, start: number, end: number, replacement: string): void =>
      put({ operator, start, end, replacement, around, kind: 'expression', isStatic });
    const statement = (operator: Operator, range: Range, end: number, replacement: string): void =>
      put({
        operator,
        start: range.start,
        end,
        replacement,
        around: { ...range, end },
        kind: 'statement',
        isStatic,
      });
    const condition = (test: Any): void => {
      for (const value of ['true', 'false']) {
        put({
          operator: 'condition',
          ...rangeOf(test),
          replacement: value,
          around: test,
          kind: 'expression',
          isStatic,
        });
      }
    };
    switch (node.type) {
      case 'BinaryExpression': {
        const { left, right } = node;
        const at = text.indexOf(node.operator, left.end);
        const isText = [left, right].some(
          (side) =>
            side.type === 'TemplateLiteral' || (side.type === 'Literal' && typeof side.value === 'string'),
        );
        if (at === -1 || at >= right.start || (node.operator === '+' && isText)) return;
        for (const [operator, replacement] of BINARY[node.operator] ?? []) {
          add(operator, at, at + node.operator.length, replacement);
        }
        return;
      }
      case 'LogicalExpression': {
        const at = text.indexOf(node.operator, node.left.end);
        const other = LOGICAL[node.operator];
        if (other !== undefined && at < node.right.start) add('boolean', at, at + 2, other);
        if (node.operator === '??') add('default', node.start, node.end, textOf(node.right));
        return;
      }
      case 'UnaryExpression':
        if (node.operator === '!') add('boolean', node.start, node.start + 1, '');
        if (node.operator === '-') add('arithmetic', node.start, node.start + 1, '');
        return;
      case 'Literal':
        if (typeof node.value === 'boolean') add('boolean', node.start, node.end, String(!node.value));
        else if (typeof node.value === 'number')
          add('off by one', node.start, node.end, String(node.value + 1));
        else if (typeof node.value === 'string') {
          add('text', node.start, node.end, node.value === '' ? "'mutant'" : "''");
        }
        return;
      case 'TemplateLiteral':
        if (parents.at(-1)?.type !== 'TaggedTemplateExpression') add('text', node.start, node.end, '``');
        return;
      case 'ExpressionStatement':
        if (node['directive'] == null) statement('removed statement', node, node.end, ';');
        return;
      case 'IfStatement':
      case 'ConditionalExpression':
        condition(node['test'] as Any);
        return;
      case 'WhileStatement':
        put({
          operator: 'condition',
          ...rangeOf(node.test),
          replacement: 'false',
          around: node.test,
          kind: 'expression',
          isStatic,
        });
        return;
      case 'VariableDeclarator':
        keyParts(textOf(node.id), node.init, isStatic);
        return;
      case 'Property':
        keyParts(textOf(node.key), node.value, isStatic);
        return;
      case 'AssignmentExpression':
        keyParts(textOf(node.left), node.right, isStatic);
        return;
      case 'CallExpression': {
        const { callee } = node;
        if (callee.type !== 'MemberExpression' || callee.computed) {
          for (const argument of node.arguments) keyParts(textOf(callee), argument, isStatic);
          return;
        }
        const other = METHODS.get(textOf(callee.property));
        if (other === '') add('method', callee.object.end, node.end, '');
        else if (other !== undefined) add('method', callee.property.start, callee.property.end, other);
        return;
      }
      case 'FunctionDeclaration':
      case 'FunctionExpression':
      case 'ArrowFunctionExpression': {
        const { body, returnType } = node;
        if (body?.type !== 'BlockStatement' || returnType == null || !/void>?$/.test(textOf(returnType)))
          return;
        const [first] = body.body;
        if (first !== undefined) {
          put({
            operator: 'early return',
            start: first.start,
            end: first.start,
            replacement: 'return; ',
            around: { start: first.start, end: first.start },
            kind: 'statement',
            isStatic: false,
          });
        }
        return;
      }
      default:
    }
  }

  /** The parts of what is a key by its name: of a template, and of a list. */
  function keyParts(name: string, value: unknown, isStatic: boolean): void {
    if (!KEY_NAME.test(name) || !isNode(value)) return;
    if (value.type === 'TemplateLiteral') {
      for (const part of value.expressions) {
        const [start, end] = [text.lastIndexOf('${', part.start), text.indexOf('}', part.end) + 1];
        put({
          operator: 'cache key',
          start,
          end,
          replacement: '',
          around: value,
          kind: 'expression',
          isStatic,
        });
      }
    }
    for (const element of listIn(value)) {
      put({
        operator: 'cache key',
        ...rangeOf(element),
        replacement: 'null',
        around: element,
        kind: 'expression',
        isStatic,
      });
    }
  }

  function put(mutant: Omit<Mutant, 'file' | 'line'>): void {
    const { start, end, replacement } = mutant;
    if (text.slice(start, end) === replacement) return;
    found.set(`${start} ${end} ${replacement}`, { ...mutant, file, line: lineOf(start) });
  }
}

const rangeOf = ({ start, end }: Range): Range => ({ start, end });

/** A link of `a?.b.c` cannot be replaced alone: the whole chain. */
function wholeChain(node: Any, parents: readonly Any[]): Range {
  let top = node;
  for (const parent of parents.toReversed()) {
    const isLink =
      (parent.type === 'MemberExpression' && parent.object === top) ||
      (parent.type === 'CallExpression' && parent.callee === top) ||
      (parent.type === 'TSNonNullExpression' && parent.expression === top) ||
      (parent.type === 'ChainExpression' && parent.expression === top);
    if (!isLink) break;
    top = parent;
    if (parent.type === 'ChainExpression') return rangeOf(parent);
  }
  return rangeOf(node);
}

/** The elements of a list that has more than one, such as those of `JSON.stringify([user, role])`. */
function listIn(node: Any): readonly Range[] {
  if (node.type === 'ArrayExpression') {
    const elements = node.elements.filter((element) => element !== null && element.type !== 'SpreadElement');
    return node.elements.length > 1 ? (elements as readonly Range[]) : [];
  }
  if (node.type === 'CallExpression')
    return node.arguments.flatMap((argument) => listIn(argument as unknown as Any));
  return node.type === 'ArrowFunctionExpression' ? listIn(node.body as unknown as Any) : [];
}

/** The name of the global variable that says which mutant is in effect. */
const CHOSEN = 'globalThis.chosenMutant';

/** The text of a file with a switch for each of its mutants, by their numbers. */
export function withSwitches(text: string, mutants: readonly (readonly [number, Mutant])[]): string {
  const inOrder = mutants.toSorted(
    ([, { around: one }], [, { around: other }]) =>
      one.start - other.start ||
      // What is put before a statement stands in no other one.
      Number(other.start === other.end) - Number(one.start === one.end) ||
      other.end - one.end,
  );
  return rendered(0, text.length, inOrder);

  function rendered(from: number, to: number, list: readonly (readonly [number, Mutant])[]): string {
    const [outer, ...others] = list;
    if (outer === undefined) return text.slice(from, to);
    const [number, { around, start, end, replacement, kind }] = outer;
    const isInside = ([, mutant]: readonly [number, Mutant]): boolean => mutant.around.start < around.end;
    const original = rendered(around.start, around.end, others.filter(isInside));
    const mutated = text.slice(around.start, start) + replacement + text.slice(end, around.end);
    const isChosen = `${CHOSEN} === ${number}`;
    const before = text.slice(from, around.start);
    const after = rendered(
      around.end,
      to,
      others.filter((other) => !isInside(other)),
    );
    if (kind === 'expression') return `${before}(${isChosen} ? (${mutated}) : (${original}))${after}`;
    if (original === '') return `${before}if (${isChosen}) { ${mutated} }${after}`;
    return `${before}if (${isChosen}) { ${mutated} } else { ${original} }${after}`;
  }
}
