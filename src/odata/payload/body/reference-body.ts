import { GatewayError } from '../../../contract/gateway-error.ts';
import { readReference } from '../../../engine/input/binding-input.ts';
import type { WrittenLink } from '../../../engine/input/entity-input.ts';
import { decodeBody, parseObject } from './body-json.ts';

/** The one entity reference that the body of a change of links has (Part 1, 11.4.6.1 and 11.4.6.3). */
export function readReferenceBody(body: Uint8Array | undefined): WrittenLink {
  const object = parseObject(decodeBody(body, false));
  const [url] = readReference(object);
  const target = Object.hasOwn(object, '@id') ? '@id' : '@odata.id';
  const extra = Object.keys(object).find((name) => !name.startsWith('@'));
  if (url === undefined) throw wrong(target, 'the URL of an entity', 'none');
  if (extra !== undefined) throw wrong(extra.slice(0, 100), 'nothing but an entity reference', 'a property');
  return { url, target };
}

function wrong(target: string, expected: string, found: string): GatewayError {
  return new GatewayError('BadRequest', `${target}: expected ${expected}, found ${found}.`, { target });
}
