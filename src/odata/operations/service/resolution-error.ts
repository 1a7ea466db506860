import type { BudgetedRequest } from '../../../contract/exchange.ts';
import { GatewayError } from '../../../contract/gateway-error.ts';
import type { Model } from '../../../model/model.ts';
import { nearName } from '../../../model/names.ts';
import { parseRequestTarget } from '../../url/request-target.ts';
import type { Service } from './service.ts';

type Prepare = (service: Service, request: BudgetedRequest) => unknown;

/**
 * What a client is told of a URL whose names mean nothing, or not what the client does with them. Where the mistake
 * is in the use of what the client may not know of, it is told that alone: the right names could be found out else.
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

/** What is wrong to whoever knows less of the model. */
function mistakeIn(seen: Service, request: BudgetedRequest, prepare: Prepare): GatewayError | undefined {
  try {
    prepare(seen, request);
  } catch (error) {
    if (error instanceof GatewayError) return error;
  }
  return undefined;
}

/** The message without the name that may be meant, which is one that the client may know of. */
function reasonOf({ message }: GatewayError): string {
  return message.replace(/(?:: is "[^"]*" meant\?|\.)$/, '');
}

function hidden(): GatewayError {
  return new GatewayError('Forbidden', 'Your role may not view everything that this request reads.');
}

/** Names are case-sensitive (Part 2, 4), and easily mistyped. */
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

/** What a path may begin with that is nearly named like that; undefined for what is there. */
export function nearResource(model: Model, name: string): string | undefined {
  return nearName(name, rootNames(model));
}

/** What a path may begin with. */
function rootNames({ entitySets, singletons, imports }: Model): readonly string[] {
  return [...entitySets.keys(), ...singletons.keys(), ...imports.keys()];
}
