import { GatewayError } from '../../../contract/gateway-error.ts';
import type { Value } from '../../../contract/row.ts';
import { type ArgumentReader, argumentOfText, argumentValue } from '../../../engine/bind/argument-value.ts';
import type { ImpliedParameters } from '../../../engine/resource/bind-callable.ts';
import type { Expression } from '../../../engine/tree/expression-tree.ts';
import type { CallableParameter } from '../../../model/edm.ts';
import { DEFAULT_URL_LIMITS } from '../../url/limits.ts';
import { parseQueryOptions } from '../../url/query-options.ts';

/** The parameters whose names are query options, with or without the sign of an alias (Part 1, 11.5.4.1.1). */
export function impliedParameters(
  reader: ArgumentReader,
  custom: ReadonlyMap<string, string>,
): ImpliedParameters {
  return {
    names: [...reader.aliases.keys(), ...custom.keys()],
    valueOf(parameter, subject) {
      const written = reader.aliases.get(parameter.name);
      if (written !== undefined) return argumentValue(reader, parameter, written, subject);
      const text = custom.get(parameter.name);
      return text === undefined ? undefined : impliedValue(reader, parameter, text, subject);
    },
  };
}

/**
 * The value of a parameter whose name is a query option, as that of an alias without its sign (Part 2, 5.3). Many
 * clients leave out the quotes: text that is no such value is taken as it is.
 */
function impliedValue(
  reader: ArgumentReader,
  parameter: CallableParameter,
  text: string,
  subject: string,
): Value {
  const written = text === '' ? undefined : parsedValue(text);
  const value = written && fittingValue(reader, parameter, written, subject);
  return value === undefined ? argumentOfText(reader, parameter, text, subject) : value;
}

function parsedValue(text: string): Expression | undefined {
  const alias = `@value=${encodeURIComponent(text)}`;
  return unlessRefused(() => parseQueryOptions(alias, DEFAULT_URL_LIMITS).aliases.get('value'));
}

function fittingValue(
  reader: ArgumentReader,
  parameter: CallableParameter,
  written: Expression,
  subject: string,
): Value | undefined {
  return unlessRefused(() => argumentValue(reader, parameter, written, subject));
}

function unlessRefused<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}
