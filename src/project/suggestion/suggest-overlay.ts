import { stringify } from 'yaml';
import type { Finding, ListReport } from '../../derive/model-from-openapi.ts';
import type { FoundRelation } from '../../model/found-relation.ts';
import type { Model } from '../../model/model.ts';
import { grantedRoles } from '../../model/resource-grants.ts';
import type { OpenApiDescription } from '../../openapi/openapi-description.ts';
import { own } from '../../openapi/parse/openapi-version.ts';
import { findProposals, type Proposal } from './find-proposals.ts';
import { targetOf } from './json-path-of.ts';

/**
 * Writes an OpenAPI Overlay with the results of the conventions for a document: names and keys of entity
 * sets. Doubtful suggestions, and lists that are not tables, are comments.
 *
 * The overlay does not change the model: names and keys that would change it are omitted. `outcomeOf` returns what data
 * has shown of a relation, in words; empty if nothing is known.
 */
export function suggestOverlay(
  description: OpenApiDescription,
  file: string | undefined,
  outcomeOf: (relation: FoundRelation) => string = () => '',
): string {
  const { document } = description;
  const { model, report, lists, relations, found, doubtful } = findProposals(description, outcomeOf);
  return [
    ...headLines(document, file),
    'actions:',
    ...grantLines(model),
    ...(found.length === 0 ? ['  - target: $', '    update: {}'] : []),
    ...found.flatMap((each) => actionLines(actionOf(description, each))),
    ...doubtful.flatMap((each) => [comment(each.note), ...commented(actionOf(description, each))]),
    ...servedRelationLines(relations, outcomeOf),
    ...remarkLines(description, lists, report),
    '',
  ].join('\n');
}

function actionOf(description: OpenApiDescription, { pointer, update }: Proposal) {
  return { target: targetOf(description, pointer), update };
}

/** A comment line; texts of the document lose their line breaks. */
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

/** Missing grants come first. */
function grantLines(model: Model): readonly string[] {
  if (grantedRoles(model).length > 0) return [];
  const action = { target: '$', update: { 'x-odata': { grants: { User: ['View'], Admin: ALL } } } };
  return [comment('Nobody may use anything yet: say which role may do what.'), ...commented(action)];
}

const ALL = ['View', 'Insert', 'Update', 'Delete', 'Call'];

function actionLines(action: object): readonly string[] {
  return stringify([action], { lineWidth: 0, flowCollectionPadding: true })
    .trimEnd()
    .split('\n')
    .map((line) => `  ${line}`);
}

function commented(action: object): readonly string[] {
  return actionLines(action).map((line) => line.replace(/^ {2}/, '  # '));
}

/** Rules of findings that the overlay shows otherwise. */
const SHOWN_OTHERWISE: ReadonlySet<string> = new Set([
  'nobody-may-use',
  'nobody-may-call',
  'reference-suggested',
]);

function servedRelationLines(
  relations: readonly FoundRelation[],
  outcomeOf: (relation: FoundRelation) => string,
): readonly string[] {
  const served = relations.filter(({ state }) => state === 'declared' || state === 'derived');
  if (served.length === 0) return [];
  const lines = served.map((relation) => {
    const { entityType, property, target, foundBy } = relation;
    const reasons = [foundBy, outcomeOf(relation)].filter((each) => each !== '');
    return comment(`${entityType}/${property} refers to ${target}: ${reasons.join('; ')}`);
  });
  return [comment('Relations that are served:'), ...lines];
}

function remarkLines(
  { placeOf }: OpenApiDescription,
  lists: readonly ListReport[],
  report: readonly Finding[],
): readonly string[] {
  const lost = lists.filter(({ became }) => became === 'function' || became === 'nothing');
  const decided = report.filter(({ rule }) => rule !== undefined && !SHOWN_OTHERWISE.has(rule));
  return [
    ...(lost.length === 0 ? [] : [comment('Lists that are not served as tables:')]),
    ...lost.map(({ path, message = '', hint = '' }) =>
      comment(`${path}: ${[message, hint].filter(Boolean).join('; ')}`),
    ),
    ...(decided.length === 0 ? [] : [comment('Decisions to look at:')]),
    ...decided.map(({ pointer, message }) => comment(`${placeOf(pointer).pointer}: ${message}`)),
  ];
}
