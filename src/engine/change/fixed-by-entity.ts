import type { Arguments, InsertedContent } from '../../contract/entity-source.ts';
import { GatewayError } from '../../contract/gateway-error.ts';
import type { Row, Value } from '../../contract/row.ts';
import type { InsertOperation } from '../../model/operation.ts';

/** What a create is asked for by properties of the new entity itself; whoever does not say them is told so. */
export function fixedByEntity({ fixed = [] }: InsertOperation, values: Row): Arguments {
  const given = fixed.map(({ name, property }): [string, Value] => {
    const value = values[property] ?? null;
    if (value === null) throw missingValue(property);
    return [name, value];
  });
  return Object.fromEntries(given);
}

/** What is left of the content for the body. Bytes that are forwarded verbatim stay as they are. */
export function sentContent({ unsent = [] }: InsertOperation, content: InsertedContent): InsertedContent {
  if (content.kind === 'verbatim' || unsent.length === 0) return content;
  const values = Object.entries(content.values).filter(([name]) => !unsent.includes(name));
  return { ...content, values: Object.assign(Object.fromEntries(values), signsOf(content.values)) };
}

/** What a row says of itself under symbols. */
function signsOf(row: Row): object {
  return Object.fromEntries(
    Object.getOwnPropertySymbols(row).map((sign) => [sign, Reflect.get(row, sign)] as const),
  );
}

function missingValue(property: string): GatewayError {
  const message = `${property}: expected a value, found none: it says where the entity is created`;
  return new GatewayError('BadRequest', message, { target: property });
}
