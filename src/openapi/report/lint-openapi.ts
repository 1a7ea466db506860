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
import { shownPlace } from '../document/written-place.ts';
import { referredFile } from '../files/referred-file.ts';
import type { DescriptionTexts, OpenApiDescription, PlacedDocument } from '../openapi-description.ts';
import { lacksSlash } from '../parse/slashed-references.ts';
import { byCost } from './by-cost.ts';

/** Maximum number of findings, because a document may have a mistake in every line. */
const MOST_FINDINGS = 500;

/** The rules whose violations lose a part of the API; the others are about style. */
const LOSING: ReadonlySet<string> = new Set(['no-unresolved-refs', 'operation-operationId-unique']);

/**
 * The findings of Redocly's linter on an OpenAPI document before conversion, the most costly first.
 *
 * Only the texts are read: no configuration, no plug-ins, and no referenced files or URLs. The document must
 * have no circular references.
 */
export async function lintOpenApi(
  texts: DescriptionTexts,
  description: OpenApiDescription,
): Promise<readonly DocumentFinding[]> {
  const { original, overlay } = description;
  const isWritten = overlay === undefined && (texts.referenced?.files.length ?? 0) === 0;
  const find = placeFinder(texts, original);
  const config = await createConfig({ extends: ['recommended'], rules: RULES });
  const problems = await lintFromString({
    source: isWritten ? texts.document : JSON.stringify(original.document),
    absoluteRef: NAME,
    config,
    externalRefResolver: selfContained(texts.referenced?.unread ?? new Map()),
  }).catch(() => undefined);
  if (problems === undefined) return [NOT_LINTED];
  const kinds = [...Map.groupBy(unique(problems), kindOf).values()];
  // Equal findings are merged, except for errors, each of which has to be corrected.
  const distinct = kinds.flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    if (severityOf(first) === 'error') return [first, ...others].map((problem) => ({ problem, others: 0 }));
    return [{ problem: first, others: others.length }];
  });
  const ranked = distinct.toSorted((a, b) => severityOf(a.problem).localeCompare(severityOf(b.problem)));
  return ranked
    .slice(0, MOST_FINDINGS)
    .map(({ problem, others }) => ({ ...findingOf(problem, find), ...(others > 0 ? { others } : {}) }))
    .toSorted((one, other) => byCost(one, other) || one.line - other.line || one.column - other.column);
}

/** Reported for documents with a member that hides a method which the linter's rules call. */
const NOT_LINTED: DocumentFinding = {
  severity: 'warning',
  rule: 'linter',
  message: 'The linter failed on the document, so it was not checked against the OpenAPI schema',
  line: 0,
  column: 0,
  pointer: '',
};

/** Problems of one kind have the same rule and the same words, apart from names. */
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

/** The reference of a problem that is only its missing slash, which is tolerated. */
function slashless({ message }: NormalizedProblem): string | undefined {
  const [reference] = /#[^\s"'`]+/.exec(message) ?? [];
  return reference !== undefined && lacksSlash(reference) ? reference : undefined;
}

type FoundPlace = Pick<DocumentFinding, 'line' | 'column' | 'pointer' | 'file'>;

/** Finds the source position of a JSON pointer into the document, or of the name at its end. */
export function placeFinder(
  { document, overlay, referenced }: DescriptionTexts,
  { placeOf }: PlacedDocument,
): (pointer: string, reportOnKey?: boolean) => FoundPlace {
  const sources = new Map<string, Source>([
    ...(referenced?.files ?? []).map(({ file, text }) => [file, new Source(file, text)] as const),
    ['document', new Source(NAME, document)],
    ['overlay', new Source('overlay', overlay?.text ?? '')],
  ]);
  return (read, reportOnKey = false) => {
    const { file, pointer } = placeOf(read);
    const { start } = getLineColLocation({
      source: sources.get(file) ?? new Source(file, ''),
      pointer: `#${pointer || '/'}`,
      reportOnKey,
    });
    return { line: start.line, column: start.col, ...shownPlace({ file, pointer }) };
  };
}

/** The linter's name of the document. */
const NAME = 'document';

/**
 * Redocly's recommended rules, without those that do not matter to users of the API. Rules of style are
 * warnings or off; values of examples are not checked, because that would compile schemas to code.
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

const NOT_READ = ': it is not read';

/** The resolver that refuses all files and URLs, with the reasons for files that were not read. */
function selfContained(unread: ReadonlyMap<string, string>): BaseResolver {
  const resolver = new BaseResolver();
  resolver.resolveExternalRef = (_, reference) => reference;
  resolver.loadExternalRef = (reference) => {
    const reason = unread.get(referredFile('', reference)?.name ?? '') ?? 'leaves the document';
    return Promise.reject(new Error(`${clip(reference)} ${reason}${NOT_READ}`));
  };
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

const LONGEST_MESSAGE = 500;

function clip(text: string): string {
  return text.length > LONGEST_MESSAGE ? `${text.slice(0, LONGEST_MESSAGE - 1)}…` : text;
}

/** The linter reports some positions more than once. */
function unique(problems: readonly NormalizedProblem[]): readonly NormalizedProblem[] {
  const placed = problems.map((problem) => {
    const [place] = problem.location;
    return [`${problem.ruleId} ${place?.pointer} ${place?.reportOnKey} ${problem.message}`, problem] as const;
  });
  return [...new Map(placed).values()];
}
