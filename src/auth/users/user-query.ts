import { GatewayError } from '../../contract/gateway-error.ts';
import { USER_STATES, type UserQuery, type UserState } from './users.ts';

const AT_ONCE = 50;
/** No e-mail address and no name is longer. */
const LONGEST = 254;

/** The query of a request target, such as `?search=anna&state=active&after=ben@example.com`. */
export function readUserQuery(target: string): UserQuery {
  const { searchParams } = new URL(target, 'http://localhost');
  return {
    search: textOf(searchParams, 'search'),
    state: stateOf(searchParams.get('state')),
    after: textOf(searchParams, 'after'),
    most: AT_ONCE,
  };
}

function textOf(parameters: URLSearchParams, name: string): string | undefined {
  const text = parameters.get(name)?.trim() ?? '';
  if (text.length > LONGEST)
    throw new GatewayError('BadRequest', `${name} must have at most ${LONGEST} characters.`, {
      target: name,
    });
  return text === '' ? undefined : text;
}

function stateOf(text: string | null): UserState | undefined {
  if (text === null || text === '') return undefined;
  const state = USER_STATES.find((each) => each === text);
  if (state !== undefined) return state;
  const expected = `${USER_STATES.slice(0, -1).join(', ')} or ${USER_STATES.at(-1)}`;
  throw new GatewayError('BadRequest', `state must be ${expected}.`, { target: 'state' });
}
