import type { Finding } from '../model/from-openapi.ts';
import type {
  CallableReport,
  Capability,
  ModelReport,
  NavigationReport,
  Operations,
  ResourceReport,
} from './model-report.ts';
import type { OperationReport } from './operation-report.ts';

type Place = Omit<Finding, 'source'>;

/** Writes the report as plain text for people: sections, each of blocks that are aligned in themselves. */
export function writeReport(report: ModelReport): string {
  const sections = [
    section('Entity sets', report.entitySets, entitySetLines),
    section('Singletons', report.singletons, singletonLines),
    section('Navigation', report.navigation, navigationLines),
    section('Functions', report.functions, callableLines),
    section('Actions', report.actions, callableLines),
  ];
  const none = sections.filter(({ lines }) => lines.length === 0).map(({ title }) => title.toLowerCase());
  return writeLines([
    ...heading(report),
    ...sections.flatMap(({ lines }) => lines),
    ...(none.length === 0 ? [] : ['', `None: ${none.join(', ')}`]),
    ...findingLines(report.findings),
  ]);
}

/** Writes findings by themselves; nothing where there are none. */
export function writeFindings(findings: readonly Place[]): string {
  return findings.length === 0 ? '' : writeLines(findingLines(findings).slice(1));
}

/** What a document says must not steer a terminal. */
const CONTROL = /\p{Cc}/gu;

function writeLines(lines: readonly string[]): string {
  return lines.map((line) => `${line.replace(CONTROL, '\u{FFFD}').trimEnd()}\n`).join('');
}

function heading({
  file,
  openapi,
  title,
  version,
  namespace,
  container,
  types,
}: ModelReport): readonly string[] {
  const name = [title ?? 'without a title', version].filter((part) => part !== undefined).join(' ');
  return table([
    ['File', file],
    ['Document', `${name} (OpenAPI ${openapi})`],
    ['Namespace', namespace],
    ['Container', container],
    ['Types', `entity ${types.entity}, complex ${types.complex}, enumeration ${types.enumeration}`],
  ]);
}

interface Section {
  readonly title: string;
  readonly lines: readonly string[];
}

/** A section of blocks with a blank line before each; no lines where there are no blocks. */
function section<Part>(
  title: string,
  parts: readonly Part[],
  lines: (part: Part) => readonly string[],
): Section {
  if (parts.length === 0) return { title, lines: [] };
  const blocks = parts.flatMap((part) => ['', ...indent(lines(part))]);
  return { title, lines: ['', `${title}: ${parts.length}`, ...blocks] };
}

const WORDS: Readonly<Record<Capability, string>> = {
  list: 'read list',
  read: 'read by key',
  insert: 'insert',
  update: 'update',
  delete: 'delete',
  page: 'read page',
  changes: 'read changes',
};
const SINGLETON_WORDS = { ...WORDS, read: 'read' };

function entitySetLines({ name, entityType, key, operations }: ResourceReport): readonly string[] {
  const properties = key.map((property) => `${property.name} ${property.type}`).join(', ');
  const expected = ['list', 'read', 'insert', 'update', 'delete'] as const;
  return [
    `${name}(${properties})${differingType(name, entityType)}`,
    ...indent(operationLines(operations, expected)),
  ];
}

function singletonLines({ name, entityType, operations }: ResourceReport): readonly string[] {
  const lines = operationLines(operations, ['read', 'update'], SINGLETON_WORDS);
  return [`${name}${differingType(name, entityType)}`, ...indent(lines)];
}

function differingType(name: string, entityType: string): string {
  return name === entityType ? '' : `  type ${entityType}`;
}

function navigationLines({ path, type, operations }: NavigationReport): readonly string[] {
  return [`${path}  ${type}`, ...indent(operationLines(operations, []))];
}

/** What the service can do, and what of the expected it cannot. */
function operationLines(
  operations: Operations,
  expected: readonly Capability[],
  words: Readonly<Record<Capability, string>> = WORDS,
): readonly string[] {
  const all = Object.keys(words) as readonly Capability[];
  return table(
    all.flatMap((capability) => {
      const operation = operations[capability];
      if (operation !== undefined) return [[words[capability], ...operationCells(operation)]];
      return expected.includes(capability) ? [[words[capability], '–']] : [];
    }),
  );
}

function operationCells({ operationId, method, path }: OperationReport): readonly string[] {
  return [operationId, `${method} ${path}`];
}

function callableLines({ name, boundTo, parameters, returns, calls }: CallableReport): readonly string[] {
  const list = parameters.map((each) => `${each.name}${each.optional ? '?' : ''} ${each.type}`);
  return [
    name,
    ...indent(
      table([
        ...(boundTo === undefined ? [] : [['bound to', boundTo]]),
        ...wrap(list).map((line, index) => [index === 0 ? 'takes' : '', line]),
        ...(returns === undefined ? [] : [['returns', returns]]),
        ...calls.map((operation) => ['calls', operationCells(operation).join('  ')]),
      ]),
    ),
  ];
}

const LIST_WIDTH = 90;

/** A list in lines that are no longer than wanted, unless a single item is. */
function wrap(list: readonly string[]): readonly string[] {
  const lines: string[] = [];
  for (const [index, item] of list.entries()) {
    const written = index === list.length - 1 ? item : `${item},`;
    const last = lines.at(-1);
    const isRoomy = last !== undefined && last.length + 1 + written.length <= LIST_WIDTH;
    if (isRoomy) lines[lines.length - 1] = `${last} ${written}`;
    else lines.push(written);
  }
  return lines;
}

const GROUPS: readonly (readonly [Finding['severity'], string])[] = [
  ['error', 'Errors in the document'],
  ['warning', 'Left out or limited'],
  ['info', 'Notes'],
];

function findingLines(findings: readonly Place[]): readonly string[] {
  if (findings.length === 0) return ['', 'There is nothing to report about the document.'];
  return GROUPS.flatMap(([severity, title]) => {
    const group = findings.filter((finding) => finding.severity === severity);
    return section(title, group, placeLines).lines;
  });
}

/** An empty pointer is the document itself. */
function placeLines({ pointer, message }: Place): readonly string[] {
  return [pointer === '' ? 'the document' : pointer, ...indent([message])];
}

/** Rows of cells, each column as wide as its widest cell. */
function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows.reduce<readonly number[]>(
    (widest, row) =>
      Array.from({ length: Math.max(widest.length, row.length) }, (_, column) =>
        Math.max(widest[column] ?? 0, row[column]?.length ?? 0),
      ),
    [],
  );
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
}

function indent(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`);
}
