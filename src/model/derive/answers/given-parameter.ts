import { isTrue, number, text } from '../../../openapi/document/document-node.ts';
import { jsonTypes, keyword, type Schema, valueNodes } from '../../../openapi/schemas/schema.ts';
import type { GivenParameter } from '../../paging.ts';
import type { ValueBounds } from '../../value-bounds.ts';
import { meshName } from '../names/mesh-name.ts';
import type { Derivation } from '../operations/derivation.ts';
import type { DocumentParameter } from '../operations/document-parameter.ts';

/** A parameter that the gateway gives a value to, with what the document allows for it. */
export function givenParameter(derivation: Derivation, parameter: DocumentParameter): GivenParameter {
  const schema = parameterSchema(derivation, parameter);
  return {
    name: meshName(parameter.name),
    required: parameter.required,
    values: schema === undefined ? {} : boundsOf(schema),
  };
}

/** The number that a parameter has where nobody gives one; undefined where the document does not say. */
export function defaultNumber(derivation: Derivation, parameter: DocumentParameter): number | undefined {
  const schema = parameterSchema(derivation, parameter);
  return schema && number(keyword(schema, 'default'));
}

function parameterSchema({ read }: Derivation, { schema }: DocumentParameter): Schema | undefined {
  return schema && read(schema);
}

function boundsOf(schema: Schema): ValueBounds {
  const values = valueNodes(schema).flatMap(({ value }) => (value === null ? [] : String(value)));
  return {
    type: numericType(schema),
    minimum: bound(schema, 'minimum', 'exclusiveMinimum', 1),
    maximum: bound(schema, 'maximum', 'exclusiveMaximum', -1),
    multipleOf: number(keyword(schema, 'multipleOf')),
    minLength: number(keyword(schema, 'minLength')),
    maxLength: number(keyword(schema, 'maxLength')),
    pattern: text(keyword(schema, 'pattern')),
    values: values.length === 0 ? undefined : values,
  };
}

function numericType(schema: Schema): ValueBounds['type'] {
  const [only, ...others] = jsonTypes(schema);
  const isKnown = only === 'integer' || only === 'number' || only === 'boolean';
  return isKnown && others.length === 0 ? only : undefined;
}

/** OpenAPI 3.0 has `exclusiveMinimum: true` beside `minimum`, JSON Schema 2020-12 a number of its own. Inside by one. */
function bound(schema: Schema, name: string, exclusive: string, inside: 1 | -1): number | undefined {
  const inclusive = number(keyword(schema, name));
  const node = keyword(schema, exclusive);
  const outside = isTrue(node) ? inclusive : number(node);
  return outside === undefined ? inclusive : outside + inside;
}
