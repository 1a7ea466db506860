import {
  BaseResolver,
  createConfig,
  getLineColLocation,
  lintFromString,
  type NormalizedProblem,
  type RuleConfig,
  Source,
} from '@redocly/openapi-core';
import { type DocumentFinding, EXTERNAL_REFERENCE } from '../../contract/api-report.ts';
import { shownPlace, type WrittenPlace } from '../document/written-place.ts';
import type { DescriptionTexts, OpenApiDescription, PlacedDocument } from '../openapi-description.ts';
import { lacksSlash } from '../parse/slashed-references.ts';
import { byCost } from './by-cost.ts';

/** Documents can have as many mistakes as they have lines; nobody reads more than these, of whatever kind. */
const MOST_FINDINGS = 500;

/** The rules whose findings say that something is lost; the others are about how the document is written. */
const LOSING: ReadonlySet<string> = new Set(['no-unresolved-refs', 'operation-operationId-unique']);

/**
 * What Redocly's linter says of an OpenAPI document as it was before it was converted, what costs most first.
 *
 * Nothing beside the texts is read: neither a configuration nor plug-ins, and a reference to a file or a URL is
 * refused. No references of the document lead in circles.
 */
export async function lintOpenApi(
  texts: DescriptionTexts,
  description: OpenApiDescription,
): Promise<readonly DocumentFinding[]> {
  const { original, overlay } = description;
  const find = placeFinder(texts, original);
  const config = await createConfig({ extends: ['recommended'], rules: RULES });
  const problems = await lintFromString({
    source: overlay === undefined ? texts.document : JSON.stringify(original.document),
    absoluteRef: NAME,
    config,
    externalRefResolver: selfContained(),
  }).catch(() => undefined);
  if (problems === undefined) return [NOT_LINTED];
  const kinds = [...Map.groupBy(unique(problems), kindOf).values()];
  // Those that say the same are told once, but for errors: each of these must be mended.
  const told = kinds.flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    if (severityOf(first) === 'error') return [first, ...others].map((problem) => ({ problem, others: 0 }));
    return [{ problem: first, others: others.length }];
  });
  const ranked = told.toSorted((a, b) => severityOf(a.problem).localeCompare(severityOf(b.problem)));
  return ranked
    .slice(0, MOST_FINDINGS)
    .map(({ problem, others }) => ({ ...findingOf(problem, find), ...(others > 0 ? { others } : {}) }))
    .toSorted((one, other) => byCost(one, other) || byPlace(one, other));
}

/** Its rules ask objects of the document for methods, which a member of the name hides. */
const NOT_LINTED: DocumentFinding = {
  severity: 'warning',
  rule: 'linter',
  message: 'The linter failed on the document, so it was not checked against the OpenAPI schema',
  line: 0,
  column: 0,
  pointer: '',
};

/** Problems of one kind have the same rule and the same words, whatever names stand in them. */
function kindOf(problem: NormalizedProblem): string {
  const { ruleId, message } = problem;
  if (slashless(problem) !== undefined) return SLASHLESS;
  return `${ruleId} ${message.replace(/[`"'][^`"']*[`"']/g, '')}`;
}

function severityOf(problem: NormalizedProblem): DocumentFinding['severity'] {
  if (slashless(problem) !== undefined) return 'warning';
  return LOSING.has(problem.ruleId) ? 'error' : 'info';
}

const SLASHLESS = 'reference-without-slash';

/** The reference of a problem that is only that it lacks its slash: it is read as if it had it. */
function slashless({ message }: NormalizedProblem): string | undefined {
  const [reference] = /#[^\s"'`]+/.exec(message) ?? [];
  return reference !== undefined && lacksSlash(reference) ? reference : undefined;
}

type FoundPlace = Pick<DocumentFinding, 'line' | 'column' | 'pointer' | 'file'>;

/** Finds where it is written in the texts what a JSON pointer into the document leads to, or the name of that. */
export function placeFinder(
  { document, overlay }: DescriptionTexts,
  { placeOf }: PlacedDocument,
): (pointer: string, reportOnKey?: boolean) => FoundPlace {
  const sources: Readonly<Record<WrittenPlace['file'], Source>> = {
    document: new Source(NAME, document),
    overlay: new Source('overlay', overlay?.text ?? ''),
  };
  return (read, reportOnKey = false) => {
    const { file, pointer } = placeOf(read);
    const { start } = getLineColLocation({
      source: sources[file],
      pointer: `#${pointer || '/'}`,
      reportOnKey,
    });
    return { line: start.line, column: start.col, ...shownPlace({ file, pointer }) };
  };
}

/** What the linter calls the document. */
const NAME = 'document';

/**
 * Of Redocly's recommended rules, those that matter to whoever serves the API are left. What is a matter of
 * taste is a warning, or not looked at; the values of examples are not, because that compiles the document's schemas
 * to code.
 */
const RULES: Readonly<Record<string, RuleConfig>> = {
  'info-license': 'off',
  'info-license-strict': 'off',
  'no-empty-servers': 'off',
  'no-invalid-media-type-examples': 'off',
  'no-invalid-parameter-examples': 'off',
  'no-invalid-schema-examples': 'off',
  'no-path-trailing-slash': 'warn',
  'no-server-example.com': 'off',
  'no-server-trailing-slash': 'off',
  'no-unsafe-markdown': 'off',
  'no-unused-components': 'off',
  'operation-2xx-response': 'off',
  'operation-4xx-response': 'off',
  'operation-operationId-url-safe': 'warn',
  'operation-summary': 'off',
  'security-defined': 'off',
  'tag-description': 'off',
};

const NOT_READ = 'leaves the document: it is not read';

function selfContained(): BaseResolver {
  const resolver = new BaseResolver();
  resolver.resolveExternalRef = (_, reference) => reference;
  resolver.loadExternalRef = (reference) => Promise.reject(new Error(`${clip(reference)} ${NOT_READ}`));
  return resolver;
}

function findingOf(problem: NormalizedProblem, find: ReturnType<typeof placeFinder>): DocumentFinding {
  const {
    ruleId,
    message,
    location: [place],
  } = problem;
  const pointer = place?.pointer?.replace(/^#\/?/, '/').replace(/^\/$/, '');
  const reference = slashless(problem);
  const unread = message.endsWith(NOT_READ) ? EXTERNAL_REFERENCE : ruleId;
  return {
    severity: severityOf(problem),
    rule: reference === undefined ? unread : SLASHLESS,
    message: clip(
      reference === undefined
        ? message.replace(/^Can't resolve \$ref(?:: )?/, 'The reference ').replace(/ $/, ' leads to nothing')
        : `The reference ${reference} lacks the slash behind #: it is read as if it had it`,
    ),
    ...(pointer === undefined
      ? { line: 0, column: 0, pointer: '' }
      : find(pointer, place?.reportOnKey ?? false)),
  };
}

function byPlace(a: DocumentFinding, b: DocumentFinding): number {
  return a.line - b.line || a.column - b.column;
}

const LONGEST_MESSAGE = 500;

function clip(text: string): string {
  return text.length > LONGEST_MESSAGE ? `${text.slice(0, LONGEST_MESSAGE - 1)}…` : text;
}

/** The linter passes by some places more than once. */
function unique(problems: readonly NormalizedProblem[]): readonly NormalizedProblem[] {
  const placed = problems.map((problem) => {
    const [place] = problem.location;
    return [`${problem.ruleId} ${place?.pointer} ${place?.reportOnKey} ${problem.message}`, problem] as const;
  });
  return [...new Map(placed).values()];
}
