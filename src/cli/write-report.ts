import type { Model } from '../model/model.ts';
import { PERMISSIONS } from '../model/permission.ts';
import { grantedRoles, resourceGrants } from '../model/resource-grants.ts';
import type { CredentialReport } from '../project/plan/credentials.ts';
import { groupFindings } from '../project/plan/group-findings.ts';
import type {
  CallableReport,
  Capability,
  FindingReport,
  ModelReport,
  NavigationReport,
  OperationReport,
  Operations,
  ResourceReport,
  SourceReport,
} from './model-report.ts';
import { count, indent, section, table, wrap, writeLines } from './text-table.ts';

/** Writes the report as plain text: a summary and sections of aligned blocks. */
export function writeReport(report: ModelReport): string {
  return writeLines([
    ...table([...sourceRows(report.sources), ...summaryRows(report)]),
    ...counted('Entity sets', report.entitySets, entitySetLines),
    ...counted('Singletons', report.singletons, singletonLines),
    ...counted('Navigation', report.navigation, navigationLines),
    ...counted('Functions', report.functions, callableLines),
    ...counted('Actions', report.actions, callableLines),
    ...credentialLines(report.sources),
    ...findingLines(report.findings),
  ]);
}

type Rows = readonly (readonly string[])[];

function sourceRows(sources: readonly SourceReport[]): Rows {
  return sources.flatMap(({ name, file, openapi, title = 'without a title', version = '' }) => [
    ['File', sources.length === 1 ? file : `${file} as ${name}`],
    ['Document', `${`${title} ${version}`.trimEnd()} (OpenAPI ${openapi})`],
  ]);
}

function summaryRows(report: ModelReport): Rows {
  const { namespaces, container, types, entitySets, singletons, navigation, functions, actions } = report;
  return [
    [namespaces.length === 1 ? 'Namespace' : 'Namespaces', namespaces.join(', ')],
    ['Container', container],
    [
      'Types',
      `${types.entity} entity, ${types.complex} complex, ${types.enumeration} enumeration, ${types.definition} defined`,
    ],
    [
      'Served',
      [
        count(entitySets.length, 'entity set'),
        count(singletons.length, 'singleton'),
        count(navigation.length, 'navigation path'),
        count(functions.length, 'function'),
        count(actions.length, 'action'),
      ].join(', '),
    ],
    ['Credentials', credentialSummary(report)],
    ['Findings', findingSummary(report)],
  ];
}

function credentialSummary({ sources }: ModelReport): string {
  const asking = sources.reduce((sum, each) => sum + each.asking, 0);
  const unmet = sources.reduce((sum, each) => sum + each.unmet, 0);
  return asking === 0 ? 'none needed' : `needed by ${count(asking, 'operation')}, given to ${asking - unmet}`;
}

function findingSummary({ findings }: ModelReport): string {
  const number = (severity: string): number => findings.filter((each) => each.severity === severity).length;
  return [
    count(number('error'), 'error'),
    `${number('warning')} left out or limited`,
    count(number('info'), 'note'),
  ].join(', ');
}

function counted<Part>(
  title: string,
  parts: readonly Part[],
  lines: (part: Part) => readonly string[],
): readonly string[] {
  return section(`${title}: ${parts.length}`, parts, lines);
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
/** Labels for single entities. */
const SINGLE_WORDS = { ...WORDS, read: 'read' };

function entitySetLines({ name, entityType, key, keyRule, operations }: ResourceReport): readonly string[] {
  const properties = key.map((property) => `${property.name} ${property.type}`).join(', ');
  const expected = ['list', 'read', 'insert', 'update', 'delete'] as const;
  return [
    `${name}(${properties})${differingType(name, entityType)}${isPlainRule(keyRule) ? '' : `  key by ${keyRule}`}`,
    ...indent(operationLines(operations, expected)),
  ];
}

/** Whether a key needs no explanation. */
function isPlainRule(rule: string | undefined): boolean {
  return rule === undefined || rule === 'parameter' || rule === 'identifier' || rule === 'x-odata.key';
}

function singletonLines({ name, entityType, operations }: ResourceReport): readonly string[] {
  const lines = operationLines(operations, ['read', 'update'], SINGLE_WORDS);
  return [`${name}${differingType(name, entityType)}`, ...indent(lines)];
}

function differingType(name: string, entityType: string): string {
  return name === entityType ? '' : `  type ${entityType}`;
}

function navigationLines({ path, type, collection, by, operations }: NavigationReport): readonly string[] {
  const words = collection ? WORDS : SINGLE_WORDS;
  const found = by === undefined ? [] : [`by ${by}`];
  return [`${path}  ${type}`, ...indent([...found, ...operationLines(operations, [], words)])];
}

/** The supported operations, and expected ones that are missing. */
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

function operationCells({ operationId, method, path, source }: OperationReport): readonly string[] {
  return [operationId, `${method} ${path}`, ...(source === undefined ? [] : [source])];
}

function callableLines({ name, boundTo, parameters, returns, calls }: CallableReport): readonly string[] {
  const list = parameters.map(({ name, optional, type }) => `${name}${optional ? '?' : ''} ${type}`);
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

/** The credentials that documents require, and the setting for each. */
function credentialLines(sources: readonly SourceReport[]): readonly string[] {
  const several = sources.length > 1;
  const credentials = sources.flatMap(({ name, credentials }) =>
    credentials.map((credential) => ({
      credential,
      title: several ? `${name}: ${credential.name}` : credential.name,
    })),
  );
  return section(`Credentials: ${credentials.length}`, credentials, ({ credential, title }) => [
    title,
    ...indent(table(rowsOf(credential))),
  ]);
}

const ELSEWHERE = 'nothing: no setting of a source can give it; see docs/upstream-credentials.md';

function rowsOf({
  asksFor,
  operations,
  isGiven,
  isInFile,
  setting,
}: CredentialReport): readonly (readonly string[])[] {
  const rows = [
    ['is', asksFor],
    ['lets in', count(operations, 'operation')],
  ];
  if (isInFile) return [...rows, ['given', 'by the file of credentials']];
  if (setting === undefined) return [...rows, ['write', ELSEWHERE]];
  const { section, name, value, note } = setting;
  if (isGiven) return [...rows, ['given', `by ${section}.${name}`]];
  return [
    ...rows,
    ['write', `${section}: { ${JSON.stringify(name)}: ${JSON.stringify(value)} }`],
    ...(note === undefined ? [] : [['with', note]]),
  ];
}

type Severity = FindingReport['severity'];

const GROUPS: readonly (readonly [Severity, string])[] = [
  ['error', 'Errors in the document'],
  ['warning', 'Left out or limited'],
  ['info', 'Notes'],
];

/** Writes findings alone; empty without findings. */
export function writeFindings(findings: readonly FindingReport[]): string {
  return writeLines(findingLines(findings).slice(1));
}

function findingLines(findings: readonly FindingReport[]): readonly string[] {
  return GROUPS.flatMap(([severity, title]) => {
    const group = findings.filter((finding) => finding.severity === severity);
    return section(`${title}: ${group.length}`, groupFindings(group), kindLines);
  });
}

/**
 * Equal messages are written once with all positions; messages that differ in names with the first position.
 */
function kindLines([first, ...others]: readonly [FindingReport, ...FindingReport[]]): readonly string[] {
  const isSame = others.every(({ message }) => message === first.message);
  if (isSame) return [first.message, ...indent([first, ...others].map(writePlace))];
  return [first.message, ...indent([`${writePlace(first)}  and ${count(others.length, 'other place')}`])];
}

/** A URL reference with the pointer as fragment, if there are several files. */
function writePlace({ file, pointer }: FindingReport): string {
  if (file === undefined) return pointer === '' ? 'the document' : pointer;
  return pointer === '' ? file : `${file}#${pointer}`;
}

/** The permissions of roles on each resource with grants of its own. */
export function writeGrants(model: Model): string {
  const resources = [...resourceGrants(model)];
  const roles = grantedRoles(model);
  if (roles.length === 0) return 'No role may do anything: grants in x-odata say who may do what.\n';
  const rows = resources.map(([name, grants]) => [
    name,
    ...roles.map(
      (role) => PERMISSIONS.filter((permission) => grants.get(role)?.has(permission)).join(' ') || '-',
    ),
  ]);
  return writeLines(table([['', ...roles], ...rows]));
}
