import type { WrittenMaxAge } from '../../contract/api-report.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import { modelFromOpenApi } from '../../derive/model-from-openapi.ts';
import { readMaxAge } from '../../derive/vocabulary/times.ts';
import { nodeAt, rootNode } from '../../openapi/document/document-node.ts';
import { type DescriptionTexts, readDescription } from '../../openapi/openapi-description.ts';
import { own } from '../../openapi/parse/openapi-version.ts';
import { openOverlay } from '../overlay/open-overlay.ts';
import { jsonPathOf } from '../suggestion/json-path-of.ts';
import { grantingPlaces } from './describe-access.ts';
import { isKeywordAction } from './keyword-action.ts';

/**
 * Returns the overlay with `x-odata.maxAge` of the document and of resources; an empty one is removed. Throws BadRequest for
 * another text, and NotFound for a resource without a position for it.
 */
export function overlayWithMaxAges(texts: DescriptionTexts, ages: readonly WrittenMaxAge[]): string {
  const { original, document } = readDescription(texts);
  const { model } = modelFromOpenApi([{ name: 'Api', document }]);
  const places = grantingPlaces(original.document, document, model);
  const targets = ages.flatMap(({ name, maxAge }) => {
    if (maxAge !== '' && readMaxAge(maxAge) === undefined)
      throw new GatewayError('BadRequest', `${name}: expected a time such as 30s, 5m, 1h or 1d, or api.`);
    const pointers = places.get(name);
    if (pointers === undefined)
      throw new GatewayError(
        'NotFound',
        `There is no entity set ${JSON.stringify(name)} with a maxAge of its own.`,
      );
    return pointers.map((pointer) => ({ pointer, maxAge, target: jsonPathOf(original.document, pointer) }));
  });
  const known = new Set(targets.map(({ target }) => target));
  const overlay = openOverlay(texts, 'How long answers are kept', (action) =>
    isKeywordAction(action, 'maxAge', known),
  );
  for (const { target, pointer, maxAge } of targets) {
    const node = nodeAt(rootNode(overlay.describe().original.document), pointer);
    if (maxAge !== '') overlay.add({ target, update: { 'x-odata': { maxAge } } });
    else if (own(own(node?.value, 'x-odata'), 'maxAge') !== undefined)
      overlay.add({ target: `${target}['x-odata'].maxAge`, remove: true });
  }
  return overlay.text();
}
