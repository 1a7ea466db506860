import { parseDocument, stringify, YAMLSeq } from 'yaml';
import { GatewayError } from '../contract/gateway-error.ts';
import type { OpenApiDescription } from '../document/openapi-description.ts';
import { own } from '../document/openapi-version.ts';
import type { Model } from '../model/edm.ts';
import { member, members } from '../model/from-openapi/document/document-node.ts';
import { documentSource } from '../model/from-openapi/document/document-source.ts';
import { pascalCase } from '../model/from-openapi/names.ts';
import { jsonPathOf } from './suggestion/json-path-text.ts';

/** What a role may do from now on with an entity set or a singleton, or with all that has no grants of its own. */
export interface Grant {
  readonly role: string;
  /** A name of the model, or `*`. */
  readonly entity: string;
  readonly rights: readonly string[];
}

/**
 * The text of an overlay, or of a new one, with a grant in the place of what the role had there. The document of
 * the API itself is not changed. Throws NotFound where the entity has no schema of its own that could be granted.
 */
export function overlayWithGrant(
  { original }: OpenApiDescription,
  model: Model,
  overlay: string | undefined,
  grant: Grant,
): string {
  const { target, node } = placeOf(original.document, model, grant.entity);
  const text = overlay ?? stringify({ overlay: '1.0.0', info: { title: 'Who may do what', version: '1' } });
  const yaml = parseDocument(text);
  const actions = yaml.get('actions');
  const list = actions instanceof YAMLSeq ? actions : new YAMLSeq();
  const removal = `${target}['x-odata'].grants['${grant.role}']`;
  list.items = list.items.filter((item) => !isEarlier(toPlain(item), target, removal, grant.role));
  const { role, rights } = grant;
  // An update would add to what the document grants already; a removal has to find something.
  if (own(own(own(node, 'x-odata'), 'grants'), role) !== undefined) {
    list.add(yaml.createNode({ target: removal, remove: true }));
  }
  if (rights.length > 0) {
    list.add(yaml.createNode({ target, update: { 'x-odata': { grants: { [role]: [...rights] } } } }));
  }
  // An overlay must do something.
  if (list.items.length === 0) list.add(yaml.createNode({ target: '$', update: {} }));
  yaml.set('actions', list);
  return yaml.toString({ lineWidth: 0 });
}

function toPlain(item: unknown): unknown {
  return typeof item === 'object' && item !== null && 'toJSON' in item && typeof item.toJSON === 'function'
    ? item.toJSON()
    : item;
}

/** Whether an action is one of an earlier grant of the same, and says nothing else. */
function isEarlier(action: unknown, target: string, removal: string, role: string): boolean {
  const at = own(action, 'target');
  if (at === removal) return own(action, 'remove') === true;
  if (at !== target) return false;
  const update = own(action, 'update');
  const grants = own(own(update, 'x-odata'), 'grants');
  return isOnly(update, 'x-odata') && isOnly(own(update, 'x-odata'), 'grants') && isOnly(grants, role);
}

function isOnly(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).join() === name;
}

/** Where the grants of an entity stand, as a JSONPath query and as what is there. */
function placeOf(document: unknown, model: Model, entity: string): { target: string; node: unknown } {
  if (entity === '*') return { target: '$', node: document };
  const found = model.entitySets.get(entity) ?? model.singletons.get(entity);
  if (found === undefined) {
    const known = [...model.entitySets.keys(), ...model.singletons.keys()].slice(0, 20).join(', ');
    throw new GatewayError('NotFound', `There is no entity ${JSON.stringify(entity)}: known are ${known}.`);
  }
  const { root } = documentSource('Api', document);
  const schemas = [
    ...members(member(member(root, 'components'), 'schemas')),
    ...members(member(root, 'definitions')),
  ];
  const schema = schemas.find(([name]) => (pascalCase(name) ?? name) === found.entityType.name);
  if (schema !== undefined) {
    return { target: jsonPathOf(document, schema[1].pointer), node: schema[1].value };
  }
  throw new GatewayError(
    'NotFound',
    `${entity} has no schema of its own in the document: grant it with x-odata.grants on its path in the overlay.`,
  );
}
