import type { BudgetedRequest } from '../../../contract/exchange.ts';
import { GatewayError } from '../../../contract/gateway-error.ts';
import type { Model } from '../../../model/model.ts';
import { nearName } from '../../../model/names.ts';
import { parseRequestTarget } from '../../url/request-target.ts';
import type { Service } from './service.ts';

type Prepare = (service: Service, request: BudgetedRequest) => unknown;

/**
 * The error for a URL with unknown or wrongly used names. If the URL uses a hidden part of the model wrongly,
 * the error is the same as for an unknown name: otherwise clients could find out hidden names.
 */
export function explainUnresolved(
  service: Service,
  request: BudgetedRequest,
  mistake: unknown,
  prepare: Prepare,
): unknown {
  if (!(mistake instanceof GatewayError) || !OF_NAMES.has(mistake.code)) return mistake;
  const seen = { ...service, model: service.visibleTo(request.principal) };
  const own = seen.model === service.model ? mistake : (mistakeIn(seen, request, prepare) ?? mistake);
  if (reasonOf(own) !== reasonOf(mistake)) return hidden();
  return own.code === 'NotFound' ? withNearName(seen, request, own) : own;
}

const OF_NAMES: ReadonlySet<string> = new Set(['BadRequest', 'NotFound', 'NotImplemented']);

/** The error that the request causes with the visible model. */
function mistakeIn(seen: Service, request: BudgetedRequest, prepare: Prepare): GatewayError | undefined {
  try {
    prepare(seen, request);
  } catch (error) {
    if (error instanceof GatewayError) return error;
  }
  return undefined;
}

/** The message without a suggestion, which could reveal a hidden name. */
function reasonOf({ message }: GatewayError): string {
  return message.replace(/(?:: is "[^"]*" meant\?|\.)$/, '');
}

function hidden(): GatewayError {
  return new GatewayError('Forbidden', 'Your role may not view everything that this request reads.');
}

/** Adds a suggestion, because names are case-sensitive (Part 2, 4) and easily mistyped. */
function withNearName(
  { model, limits }: Service,
  { target }: BudgetedRequest,
  mistake: GatewayError,
): GatewayError {
  const { path } = parseRequestTarget(target, limits.url);
  const [first] = path.kind === 'resource' ? path.segments : [];
  const near = first?.kind === 'name' ? nearResource(model, first.name) : undefined;
  if (first?.kind !== 'name' || near === undefined) return mistake;
  return new GatewayError('NotFound', `There is no resource "${first.name}" here: is "${near}" meant?`);
}

/** A similar first segment of a path; undefined if the name exists. */
export function nearResource(model: Model, name: string): string | undefined {
  return nearName(name, [...model.entitySets.keys(), ...model.singletons.keys(), ...model.imports.keys()]);
}
