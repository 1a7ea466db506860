import { type ErrorDetail, GatewayError } from '../../contract/gateway-error.ts';
import { fieldName } from '../context/graphql-name.ts';

export function inputMistake(target: string, expected: string, found: string): GatewayError {
  const message = `${target}: expected ${expected}, found ${found}.`;
  return new GatewayError('BadRequest', message, { target });
}

/** Mistakes of an input, which go by the model's names, by the places where the client has written it: all of them. */
export function byInput(
  error: GatewayError,
  places: ReadonlyMap<string, string>,
  root: string,
): GatewayError {
  const { code, message, target, details, headers, cause, limit } = error;
  const first: readonly ErrorDetail[] = target === undefined ? [] : [{ code, message, target }];
  const told = [...first, ...details].map((detail) => byPlace(detail, places, root));
  return new GatewayError(code, first.length === 0 ? message : (told[0]?.message ?? message), {
    details: told,
    headers,
    cause,
    ...(limit !== undefined && { limit }),
  });
}

function byPlace(detail: ErrorDetail, places: ReadonlyMap<string, string>, root: string): ErrorDetail {
  const { target, message } = detail;
  if (target === undefined) return detail;
  const place = places.get(target) ?? placeOf(target, places, root);
  const isNamed = message.startsWith(`${target}: `);
  return { ...detail, target: place, message: isNamed ? place + message.slice(target.length) : message };
}

/** Of what the input does not say: behind the nearest place that it does. */
function placeOf(target: string, places: ReadonlyMap<string, string>, root: string): string {
  const names = target.split('/');
  const known = names.findLastIndex((_, index) => places.has(names.slice(0, index).join('/')));
  const place = known < 0 ? root : places.get(names.slice(0, known).join('/'));
  const rest = names.slice(Math.max(known, 0)).map((name) => (/^\d+$/.test(name) ? name : fieldName(name)));
  return [place, ...rest].filter((part) => part !== '').join('.');
}
