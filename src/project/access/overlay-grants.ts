import { isDeepStrictEqual } from 'node:util';
import type { WrittenGrants } from '../../contract/api-report.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import { modelFromOpenApi } from '../../derive/model-from-openapi.ts';
import type { Model } from '../../model/model.ts';
import type { Grants } from '../../model/permission.ts';
import { resourceGrants } from '../../model/resource-grants.ts';
import { nodeAt, rootNode } from '../../openapi/document/document-node.ts';
import {
  type DescriptionTexts,
  type OpenApiDescription,
  readDescription,
} from '../../openapi/openapi-description.ts';
import { own } from '../../openapi/parse/openapi-version.ts';
import { openOverlay } from '../overlay/open-overlay.ts';
import { jsonPathOf } from '../suggestion/json-path-of.ts';
import { ALL_ENTITIES, grantingPlaces } from './describe-access.ts';
import { isKeywordAction } from './keyword-action.ts';

/** The new permissions of a role on a resource, or on everything without grants of its own. */
export interface Grant {
  readonly role: string;
  /** A name in the model, or `*`. */
  readonly entity: string;
  readonly rights: readonly string[];
}

/** The text of an overlay, and the resulting grants. */
interface GrantingOverlay {
  readonly text: string;
  readonly granted: ReadonlyMap<string, Grants>;
}

/**
 * The overlay with the given grants, which replace all others for these resources. The document itself is not
 * changed. Throws NotFound for a resource that does not exist or has no position for grants, and Conflict if
 * the overlay would not have the intended effect.
 */
export function overlayWithGrants(
  texts: DescriptionTexts,
  rows: readonly Pick<WrittenGrants, 'name' | 'grants'>[],
): GrantingOverlay {
  const targets = targetsOf(readDescription(texts), rows);
  const places = new Set(targets.map(({ target }) => target));
  const overlay = openOverlay(texts, 'Who may do what', (action) =>
    isKeywordAction(action, 'grants', places),
  );
  for (const { target, pointer, row } of targets) {
    const isGranting = Object.values(row.grants).some((rights) => rights.length > 0);
    // The removal also applies to grants in later versions of the document, so it needs a match now.
    if (isGranting && !hasGrants(overlay.describe(), pointer))
      overlay.add({ target, update: { 'x-odata': { grants: {} } } });
    if (isGranting || hasGrants(overlay.describe(), pointer))
      overlay.add({ target: grantsAt(target), remove: true });
  }
  const granted = resourceGrants(modelOf(overlay.describe()));
  for (const { target, row } of targets) {
    const grants = Object.fromEntries(Object.entries(row.grants).filter(([, rights]) => rights.length > 0));
    // An empty object is needed to override grants on an outer level.
    const isNeeded = Object.keys(grants).length > 0 || isGranted(granted.get(row.name));
    if (isNeeded) overlay.add({ target, update: { 'x-odata': { grants } } });
  }
  const after = resourceGrants(modelOf(overlay.describe()));
  for (const row of rows) assertNoOtherGrants(row, after.get(row.name));
  return { text: overlay.text(), granted: after };
}

/** Like {@link overlayWithGrants}, for one role; the permissions of other roles are kept. */
export function overlayWithGrant(texts: DescriptionTexts, { role, entity, rights }: Grant): GrantingOverlay {
  const description = readDescription(texts);
  const earlier = entity === ALL_ENTITIES ? documentGrants(description) : entityGrants(description, entity);
  const grants = Object.fromEntries([...earlier, [role, rights]]) as WrittenGrants['grants'];
  return overlayWithGrants(texts, [{ name: entity, grants }]);
}

function documentGrants({ original }: OpenApiDescription): readonly (readonly [string, unknown])[] {
  return Object.entries(own(own(original.document, 'x-odata'), 'grants') ?? {});
}

function entityGrants(
  description: OpenApiDescription,
  entity: string,
): readonly (readonly [string, unknown])[] {
  const grants = resourceGrants(modelOf(description)).get(entity) ?? new Map();
  return [...grants].map(([role, rights]) => [role, [...rights]]);
}

function modelOf({ document }: OpenApiDescription): Model {
  return modelFromOpenApi([{ name: 'Api', document }]).model;
}

interface Target {
  readonly row: WrittenGrants;
  readonly pointer: string;
  /** The JSONPath query (RFC 9535) for the pointer. */
  readonly target: string;
}

function targetsOf(description: OpenApiDescription, rows: readonly WrittenGrants[]): readonly Target[] {
  const { document } = description.original;
  const model = modelOf(description);
  const places = grantingPlaces(document, description.document, model);
  return rows.flatMap((row) => {
    const pointers = places.get(row.name) ?? throwUnknownName(row.name, [...places.keys()], model);
    return pointers.map((pointer) => ({ row, pointer, target: jsonPathOf(document, pointer) }));
  });
}

function throwUnknownName(name: string, known: readonly string[], model: Model): never {
  if (resourceGrants(model).has(name)) {
    const message = `${name} cannot be granted by itself: the grants of its schema decide who may use it.`;
    throw new GatewayError('NotFound', message);
  }
  const named = known.filter((each) => each !== ALL_ENTITIES).slice(0, 20);
  const message = `There is no entity ${JSON.stringify(name)}: known are ${named.join(', ')}.`;
  throw new GatewayError('NotFound', message);
}

function grantsAt(target: string): string {
  return `${target}['x-odata'].grants`;
}

function hasGrants({ original }: OpenApiDescription, pointer: string): boolean {
  const node = nodeAt(rootNode(original.document), pointer);
  return own(own(node?.value, 'x-odata'), 'grants') !== undefined;
}

function isGranted(grants: Grants | undefined): boolean {
  return [...(grants?.values() ?? [])].some((rights) => rights.size > 0);
}

/** Throws Conflict if grants would not have the effect that they describe. */
function assertNoOtherGrants({ name, grants }: WrittenGrants, held: Grants | undefined): void {
  if (name === ALL_ENTITIES) return;
  const roles = new Set([...Object.keys(grants), ...(held?.keys() ?? [])]);
  for (const role of roles) {
    const meant = new Set(Object.hasOwn(grants, role) ? grants[role] : []);
    const found = held?.get(role) ?? new Set();
    if (isDeepStrictEqual(meant, found)) continue;
    const rights = [...found].join(', ') || 'nothing';
    const message = `The overlay is left as it is: grants of the document or its overlay at other places would let ${role} do ${rights} with ${name}.`;
    throw new GatewayError('Conflict', message);
  }
}
