import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'yaml';
import { type Finding, type ListReport, modelFromOpenApi } from '../../model/derive/model-from-openapi.ts';
import type { Model } from '../../model/model.ts';
import { grantedRoles } from '../../model/resource-grants.ts';
import { documentSource } from '../../openapi/document/document-source.ts';
import { type OpenApiDescription, overlayDescription } from '../../openapi/openapi-description.ts';
import { own } from '../../openapi/parse/openapi-version.ts';
import { entitySuggestions } from './entity-suggestions.ts';
import { jsonPathOf } from './json-path-text.ts';
import { listSuggestions } from './list-suggestions.ts';
import type { Suggestion } from './suggestion.ts';

const SOURCE = 'Api';

/**
 * The text of an OpenAPI Overlay that says what the conventions find in a document: the names and keys of its
 * entity sets. What is up to somebody who knows the API, and what no table is made of, is in comments.
 *
 * With the overlay, the document gives the model that it gives without: what would change it is a comment, too.
 */
export function suggestOverlay(description: OpenApiDescription, file: string | undefined): string {
  const { document } = description;
  const { model, report, lists } = derive(document);
  const source = documentSource(SOURCE, document);
  const found = entitySuggestions(source, model);
  const kept = new Set(keepUnchanging(description, model, found));
  const doubtful = [
    ...found
      .filter((each) => !kept.has(each))
      .map((each) => ({ ...each, note: 'This would change what is served.', isDoubtful: true })),
    ...listSuggestions(source, model),
  ];
  const said = [...found.filter((each) => kept.has(each)), ...doubtful];
  return [
    ...headLines(document, file),
    'actions:',
    ...grantLines(model),
    ...(kept.size === 0 ? ['  - target: $', '    update: {}'] : []),
    ...said.flatMap((suggestion) => suggestionLines(description, suggestion)),
    ...remarkLines(description, lists, report),
    '',
  ].join('\n');
}

function derive(document: unknown) {
  return modelFromOpenApi([{ name: SOURCE, document }]);
}

/** As many as leave the model as it is, all of them together. */
function keepUnchanging(
  description: OpenApiDescription,
  model: Model,
  suggestions: readonly Suggestion[],
): readonly Suggestion[] {
  const isUnchanged = (some: readonly Suggestion[]): boolean => {
    const overlay = { overlay: '1.0.0', actions: some.map((each) => actionOf(description, each)) };
    const overlaid = overlayDescription(description.original, overlay);
    return overlaid !== undefined && isDeepStrictEqual(derive(overlaid).model.description, model.description);
  };
  const grow = (kept: readonly Suggestion[], some: readonly Suggestion[]): readonly Suggestion[] => {
    if (some.length === 0 || isUnchanged([...kept, ...some])) return [...kept, ...some];
    if (some.length === 1) return kept;
    const middle = Math.ceil(some.length / 2);
    return grow(grow(kept, some.slice(0, middle)), some.slice(middle));
  };
  return grow([], suggestions);
}

function actionOf({ original, placeOf }: OpenApiDescription, { pointer, words }: Suggestion) {
  const target = jsonPathOf(original.document, placeOf(pointer).pointer);
  return { target, update: { 'x-odata': words } };
}

/** What a document says has no line breaks in a comment. */
function comment(text: string): string {
  return `  # ${text.replace(/\p{Cc}+/gu, ' ')}`;
}

function headLines(document: unknown, file: string | undefined): readonly string[] {
  const title = own(own(document, 'info'), 'title');
  const head = {
    overlay: '1.0.0',
    info: {
      title: `What Duogate reads in ${typeof title === 'string' ? title : 'the document'}`,
      version: '1',
    },
    ...(file === undefined ? {} : { extends: file }),
  };
  return stringify(head, { lineWidth: 0 }).trimEnd().split('\n');
}

/** Where nobody may do anything, that is the first to be said. */
function grantLines(model: Model): readonly string[] {
  if (grantedRoles(model).length > 0) return [];
  const action = { target: '$', update: { 'x-odata': { grants: { User: ['View'], Admin: ALL } } } };
  return [comment('Nobody may use anything yet: say which role may do what.'), ...commented(action)];
}

const ALL = ['View', 'Insert', 'Update', 'Delete', 'Call'];

function suggestionLines(description: OpenApiDescription, suggestion: Suggestion): readonly string[] {
  const action = actionOf(description, suggestion);
  const lines = suggestion.isDoubtful ? commented(action) : actionLines(action);
  return suggestion.note === '' ? lines : [comment(suggestion.note), ...lines];
}

function actionLines(action: object): readonly string[] {
  return stringify([action], { lineWidth: 0, flowCollectionPadding: true })
    .trimEnd()
    .split('\n')
    .map((line) => `  ${line}`);
}

function commented(action: object): readonly string[] {
  return actionLines(action).map((line) => line.replace(/^ {2}/, '  # '));
}

/** Rules of findings that are no decisions of a convention: what is granted is said at the beginning. */
const ABOUT_GRANTS: ReadonlySet<string> = new Set(['nobody-may-use', 'nobody-may-call']);

function remarkLines(
  { placeOf }: OpenApiDescription,
  lists: readonly ListReport[],
  report: readonly Finding[],
): readonly string[] {
  const lost = lists.filter(({ became }) => became === 'function' || became === 'nothing');
  const decided = report.filter(({ rule }) => rule !== undefined && !ABOUT_GRANTS.has(rule));
  return [
    ...(lost.length === 0 ? [] : [comment('Lists that are not served as tables:')]),
    ...lost.map(({ path, message = '', hint = '' }) =>
      comment(`${path}: ${[message, hint].filter(Boolean).join('; ')}`),
    ),
    ...(decided.length === 0 ? [] : [comment('Decisions to look at:')]),
    ...decided.map(({ pointer, message }) => comment(`${placeOf(pointer).pointer}: ${message}`)),
  ];
}
