import {
  BaseResolver,
  createConfig,
  getLineColLocation,
  lintFromString,
  type NormalizedProblem,
  type RuleConfig,
  Source,
} from '@redocly/openapi-core';
import { type DocumentFinding, EXTERNAL_REFERENCE } from '../contract/api-report.ts';
import type { DescriptionTexts, OpenApiDescription, PlacedDocument } from './openapi-description.ts';
import { shownPlace, type WrittenPlace } from './written-place.ts';

/** Documents can have as many mistakes as they have lines; nobody reads more than these. */
const MOST_FINDINGS = 500;

/**
 * What Redocly's linter says of an OpenAPI document as it was before it was converted, the errors first.
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
  });
  const placed = problems.slice().sort((a, b) => a.severity.localeCompare(b.severity));
  return unique(placed.slice(0, MOST_FINDINGS).map((problem) => findingOf(problem, find))).toSorted(byPlace);
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

function findingOf(
  { severity, ruleId, message, location: [place] }: NormalizedProblem,
  find: ReturnType<typeof placeFinder>,
): DocumentFinding {
  const pointer = place?.pointer?.replace(/^#\/?/, '/').replace(/^\/$/, '');
  return {
    severity: severity === 'error' ? 'error' : 'warning',
    rule: message.endsWith(NOT_READ) ? EXTERNAL_REFERENCE : ruleId,
    message: clip(
      message.replace(/^Can't resolve \$ref(?:: )?/, 'The reference ').replace(/ $/, ' leads to nothing'),
    ),
    ...(pointer === undefined
      ? { line: 0, column: 0, pointer: '' }
      : find(pointer, place?.reportOnKey ?? false)),
  };
}

function byPlace(a: DocumentFinding, b: DocumentFinding): number {
  return a.severity.localeCompare(b.severity) || a.line - b.line || a.column - b.column;
}

const LONGEST_MESSAGE = 500;

function clip(text: string): string {
  return text.length > LONGEST_MESSAGE ? `${text.slice(0, LONGEST_MESSAGE - 1)}…` : text;
}

/** The linter passes by some places more than once. */
function unique(findings: readonly DocumentFinding[]): readonly DocumentFinding[] {
  return [
    ...new Map(findings.map((each) => [`${each.rule} ${each.pointer} ${each.message}`, each])).values(),
  ];
}
