import type { Arguments } from '../../../contract/entity-source.ts';
import type { GatewayRequest } from '../../../contract/exchange.ts';
import { GatewayError } from '../../../contract/gateway-error.ts';
import type { Value } from '../../../contract/row.ts';
import { duplicateNames } from '../../../engine/input/duplicate-names.ts';
import type { EntityInput } from '../../../engine/input/entity-input.ts';
import type { InputObject } from '../../../engine/input/input-value.ts';
import { Mistakes, quote } from '../../../engine/input/mistakes.ts';
import { type InputOptions, readEntityInput, readParameters } from '../../../engine/input/read-input.ts';
import { readUse } from '../../../engine/input/structured-input.ts';
import type { Callable, EntityType } from '../../../model/edm.ts';
import type { Model } from '../../../model/model.ts';
import type { TakenValue } from '../../../model/sent-type.ts';
import { demandNoCoding } from '../negotiation/content-coding.ts';
import { parseMediaRange } from '../negotiation/media-range.ts';
import { decodeBody, parseObject } from './body-json.ts';
import { textReader } from './text-reader.ts';
import { checkVerbatim } from './verbatim-check.ts';

/** Checks that a request's body is JSON by its Content-Type, in UTF-8 and not coded (Part 1, 8.1.1 and 8.1.2). */
export function demandJsonContent(headers: GatewayRequest['headers']): void {
  const { type, parameters } = parseMediaRange(headers['content-type'] ?? '');
  const charset = parameters.get('charset')?.toLowerCase() ?? 'utf-8';
  if (type !== 'application/json' || (charset !== 'utf-8' && charset !== 'utf8')) {
    throw new GatewayError('UnsupportedMediaType', 'Content-Type: expected application/json in UTF-8.', {
      target: 'Content-Type',
    });
  }
  demandNoCoding(headers);
}

/** How a body is read. */
interface BodyOptions extends InputOptions {
  /**
   * The upstream gets the client's bytes as they are: names may be the upstream's in any case, others are
   * passed on, and only what is surely wrong is refused.
   */
  readonly verbatim: boolean;
  /** They say how values are written. */
  readonly headers: GatewayRequest['headers'];
}

/**
 * What the body of a request says of an entity. All mistakes are told together: a BadRequest with a detail
 * for each.
 */
export function readEntityBody(
  model: Model,
  entityType: EntityType,
  body: Uint8Array | undefined,
  { verbatim, headers, ...options }: BodyOptions,
): EntityInput {
  if (verbatim) return readVerbatim(model, entityType, body);
  const mistakes = new Mistakes();
  const object = readOnce(body, mistakes);
  return readEntityInput(model, entityType, object, { ...options, ofText: textReader(headers) }, mistakes);
}

/** The parameters of an action by the model's names (Part 1, 11.5.5.1); those left out are absent. */
export function readActionParameters(
  model: Model,
  action: Pick<Callable, 'parameters'>,
  body: Uint8Array | undefined,
  headers: GatewayRequest['headers'],
): Arguments {
  const mistakes = new Mistakes();
  const object = body === undefined || body.length === 0 ? {} : readOnce(body, mistakes);
  return readParameters(model, action, object, textReader(headers), mistakes);
}

/**
 * The new value of a property (Part 1, 11.4.9): `{"value": …}`, or the members of a complex value, of which
 * an update has some and a replacement all.
 */
export function readPropertyValue(
  model: Model,
  { use, sent }: TakenValue,
  body: Uint8Array | undefined,
  kind: 'update' | 'replace',
  headers: GatewayRequest['headers'],
): Value {
  const mistakes = new Mistakes();
  const object = readOnce(body, mistakes);
  const isWhole = use.type.kind === 'complex' && !use.collection && !Object.hasOwn(object, 'value');
  if (!isWhole && !Object.hasOwn(object, 'value')) mistakes.add('value', 'a value', 'none');
  const given = isWhole ? object : (object['value'] ?? null);
  const value = readUse(
    { model, kind, mistakes, ofText: textReader(headers), sent },
    use,
    given,
    isWhole ? '' : 'value',
  );
  mistakes.refuseAny();
  return value;
}

function readVerbatim(model: Model, entityType: EntityType, body: Uint8Array | undefined): EntityInput {
  const bytes = body ?? new Uint8Array();
  const mistakes = new Mistakes();
  checkVerbatim(model, entityType, parseObject(decodeBody(bytes, true)), '', mistakes);
  mistakes.refuseAny();
  return { verbatim: bytes, entityType, values: {}, bindings: [], nested: [], changes: [] };
}

/** RFC 8259, section 4: of names that come twice, nobody could say which is meant. */
function readOnce(body: Uint8Array | undefined, mistakes: Mistakes): InputObject {
  const text = decodeBody(body, false);
  const object = parseObject(text);
  for (const { name, path } of duplicateNames(text)) {
    mistakes.add(path, 'each name once', `${quote(name)} twice`);
  }
  return object;
}
