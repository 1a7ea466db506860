import { type DocumentNode, isTrue, member, text } from '../../../openapi/document/document-node.ts';
import {
  isObjectSchema,
  keyword,
  requiredNames,
  type Schema,
  schemaProperties,
} from '../../../openapi/schemas/schema.ts';
import type { DescribedCallableParameter } from '../../description.ts';
import { freeName, pascalCase } from '../../names.ts';
import { defaultValue } from '../edm-types/default-value.ts';
import { schemaUse } from '../edm-types/schema-use.ts';
import { sentObject } from '../edm-types/sent-type.ts';
import { givenName, namedProperties } from '../edm-types/structural-property.ts';
import { meshName } from '../names/mesh-name.ts';
import type { DocumentOperation } from '../operations/document-operation.ts';
import type { DocumentParameter } from '../operations/document-parameter.ts';
import type { CallableContext } from './callable-context.ts';
import { valueUse } from './callable-result.ts';

/** The parameters of a function or action. Undefined, and a finding, where one that must be given has no type. */
export function parametersOf(
  context: CallableContext,
  operation: DocumentOperation,
  name: string,
  filled: ReadonlySet<string>,
): readonly DescribedCallableParameter[] | undefined {
  const taken = new Set<string>();
  const written = [
    ...operation.parameters
      .filter((parameter) => isAsked(parameter) && !filled.has(meshName(parameter.name)))
      .map(urlParameter),
    ...bodyParameters(context, operation),
  ];
  const parameters: DescribedCallableParameter[] = [];
  for (const parameter of written) {
    const made = callableParameter(context, name, parameter, taken);
    if (made !== undefined) parameters.push(made);
    else if (!parameter.optional) return undefined;
  }
  // Core.OptionalParameter: what may be left out comes last.
  return parameters.toSorted((a, b) => Number(a.optional) - Number(b.optional));
}

/** Headers and cookies that need not be sent are the upstream's own affair. */
function isAsked({ in: place, required }: DocumentParameter): boolean {
  return place === 'path' || place === 'query' || (place === 'header' && required);
}

interface WrittenParameter {
  /** In the document; empty for a body that is one value. */
  readonly writtenName: string;
  readonly upstreamName: string;
  readonly in: DescribedCallableParameter['in'];
  readonly optional: boolean;
  readonly schema: DocumentNode | undefined;
  readonly node: DocumentNode;
}

function urlParameter({ name, in: place, required, schema, node }: DocumentParameter): WrittenParameter {
  const where = place === 'query' || place === 'header' ? place : 'path';
  const optional = !required && place !== 'path';
  return { writtenName: name, upstreamName: meshName(name), in: where, optional, schema, node };
}

/** The properties of an object that is sent, or the one value that is. */
function bodyParameters(
  { derivation }: CallableContext,
  operation: DocumentOperation,
): readonly WrittenParameter[] {
  const body = operation.requestBody ?? operation.form;
  const schema = body && derivation.read(body);
  if (body === undefined || schema === undefined || operation.method === 'get') return [];
  if (!isDeclared(schema)) {
    const optional = isObjectSchema(schema) && schema.alternatives.length === 0;
    return [{ writtenName: '', upstreamName: '', in: 'body', optional, schema: body, node: body }];
  }
  const required = requiredNames(schema);
  return namedProperties(derivation, schema)
    .filter((property) => !isTrue(keyword(property.schema, 'readOnly')))
    .map(({ upstreamName, node }) => ({
      writtenName: upstreamName,
      upstreamName,
      in: 'body',
      optional: !required.has(upstreamName),
      schema: node,
      node,
    }));
}

/** Whether it is an object of which all properties are known: one of several objects, or any object, is not. */
function isDeclared(schema: Schema): boolean {
  const isSingle = isObjectSchema(schema) && schema.alternatives.length === 0;
  return isSingle && schemaProperties(schema).size > 0;
}

function callableParameter(
  { derivation, types }: CallableContext,
  callable: string,
  { writtenName, upstreamName, in: place, optional, schema: node, node: at }: WrittenParameter,
  taken: Set<string>,
): DescribedCallableParameter | undefined {
  const schema = node && derivation.read(node);
  const said = schema && givenName(derivation.source, schema);
  const wanted = said ?? (writtenName === '' ? 'Value' : pascalCase(writtenName));
  if (wanted === undefined || schema === undefined || schema.hidden) {
    derivation.source.report('warning', at.pointer, 'The parameter is left out: it has no name or no schema');
    return undefined;
  }
  const mapped = schemaUse(derivation, types, schema, `${callable} ${wanted}`);
  const use = valueUse(mapped);
  if (use === undefined) {
    const reason = mapped.kind === 'unmapped' ? mapped.reason : '';
    derivation.source.report('warning', at.pointer, `The parameter of ${callable} is left out: ${reason}`);
    return undefined;
  }
  if (mapped.kind === 'structural' && mapped.untyped !== undefined) {
    const message = `The parameter of ${callable} is of type Edm.Untyped: ${mapped.untyped}`;
    derivation.source.report('info', at.pointer, message);
  }
  const name = freeName(wanted, taken);
  taken.add(name);
  const description = text(member(at, 'description')) ?? text(keyword(schema, 'description'));
  return {
    ...use,
    nullable: use.nullable || (optional && !use.collection),
    name,
    upstreamName,
    in: place,
    sent: sentObject(derivation, schema),
    optional,
    defaultValue: optional ? defaultValue(derivation, schema, use) : undefined,
    description,
  };
}
