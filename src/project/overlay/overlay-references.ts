import type { RelationDecision } from '../../contract/api-report.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import { modelFromOpenApi } from '../../derive/model-from-openapi.ts';
import type { FoundRelation } from '../../model/found-relation.ts';
import {
  type DescriptionTexts,
  type OpenApiDescription,
  readDescription,
} from '../../openapi/openapi-description.ts';
import { own } from '../../openapi/parse/openapi-version.ts';
import { jsonPathOf } from '../suggestion/json-path-of.ts';
import { openOverlay } from './open-overlay.ts';

/**
 * The text of the overlay with the decisions about relations, as `x-odata.references` on the schemas that have the
 * properties. `source` is the name that the document is served under. Throws NotFound for a relation that the document does
 * not have, and Conflict if the overlay would not have the intended effect.
 */
export function overlayWithReferences(
  texts: DescriptionTexts,
  source: string,
  decisions: readonly RelationDecision[],
): string {
  const description = readDescription(texts);
  const relations = relationsOf(description, source);
  const targets = decisions.map((decision) => targetOf(description, relations, decision));
  const overlay = openOverlay(texts, 'How entities are related', (action) =>
    targets.some(({ target, written }) => isReference(action, target, written)),
  );
  for (const { target, written, decision } of targets) {
    const references = { [written]: decision.target ?? false };
    overlay.add({ target, update: { 'x-odata': { references } } });
  }
  const after = relationsOf(overlay.describe(), source);
  for (const decision of decisions) assertDecided(decision, after);
  return overlay.text();
}

function relationsOf({ document }: OpenApiDescription, name: string): readonly FoundRelation[] {
  return modelFromOpenApi([{ name, document }]).relations;
}

function isOf({ entityType, property }: RelationDecision) {
  return (each: FoundRelation): boolean => each.entityType === entityType && each.property === property;
}

interface DecidedPlace {
  readonly decision: RelationDecision;
  readonly written: string;
  /** The JSONPath query (RFC 9535) for the schema. */
  readonly target: string;
}

function targetOf(
  { original, placeOf }: OpenApiDescription,
  relations: readonly FoundRelation[],
  decision: RelationDecision,
): DecidedPlace {
  const found = relations.find((each) => isOf(decision)(each) && each.written !== undefined);
  if (found?.written === undefined) {
    const message = `${decision.entityType}/${decision.property} is no relation that can be accepted or refused.`;
    throw new GatewayError('NotFound', message);
  }
  const target = jsonPathOf(original.document, placeOf(found.schema).pointer);
  return { decision, written: found.written, target };
}

/** Whether an action of the overlay says nothing but what one property at the target refers to. */
function isReference(action: unknown, target: string, written: string): boolean {
  const update = own(action, 'update');
  const references = own(own(update, 'x-odata'), 'references');
  const isAlone = [update, own(update, 'x-odata'), references].every(
    (each) => Object.keys(each ?? {}).length === 1,
  );
  return own(action, 'target') === target && isAlone && own(references, written) !== undefined;
}

function assertDecided(decision: RelationDecision, after: readonly FoundRelation[]): void {
  const found = after.filter(isOf(decision));
  const isMet =
    decision.target === null
      ? found.every(({ state }) => state === 'refused')
      : found.some(({ state, target }) => state === 'declared' && target === decision.target);
  if (isMet) return;
  const { entityType, property, target } = decision;
  const what = target === null ? 'be no relation' : `refer to ${target}`;
  throw new GatewayError(
    'Conflict',
    `The overlay is left as it is: ${entityType}/${property} would not ${what}.`,
  );
}
