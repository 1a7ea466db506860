import type { DescribedCallableParameter, DescribedTypeUse } from '../../model/description.ts';
import { meshName } from '../../model/mesh-name.ts';
import { freeName, pascalCase } from '../../model/names.ts';
import type { AnswerPath } from '../../model/operation.ts';
import { type DocumentNode, isTrue, member, members, prose } from '../../openapi/document/document-node.ts';
import {
  isArraySchema,
  isObjectSchema,
  keyword,
  requiredNames,
  type Schema,
  schemaProperties,
} from '../../openapi/schemas/schema.ts';
import { answerSchema, isListWrapper, type ListAnswer, listAnswer } from '../answers/list-answer.ts';
import type { EntityPlanner } from '../edm-types/entity-plan.ts';
import { type SchemaUse, schemaUse, type TypeNames } from '../edm-types/schema-use.ts';
import { sentObject } from '../edm-types/sent-type.ts';
import { defaultValue, givenName, namedProperties } from '../edm-types/structural-property.ts';
import type { Derivation } from '../operations/derivation.ts';
import type { DocumentOperation, DocumentParameter } from '../operations/document-operation.ts';
import { fileNames } from '../operations/request-body.ts';
import type { Place } from '../sets/model-operation.ts';
import type { CallableRegistry } from './callable-registry.ts';

/** The parameters of a function or action. Undefined, and a finding, if a required parameter has no type. */
export function parametersOf(
  context: CallableContext,
  operation: DocumentOperation,
  name: string,
  filled: ReadonlySet<string>,
): readonly DescribedCallableParameter[] | undefined {
  const taken = new Set<string>();
  const written = [
    ...operation.parameters
      .filter((parameter) => isClientParameter(parameter) && !filled.has(meshName(parameter.name)))
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
function isClientParameter({ in: place, required }: DocumentParameter): boolean {
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
  /** True for a file of a multipart form, or a list of files. */
  readonly isFilePart?: boolean;
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
  const body = operation.body?.schema;
  const schema = body && derivation.read(body);
  if (body === undefined || schema === undefined || operation.method === 'get') return [];
  if (!isDeclared(schema)) {
    const optional = isObjectSchema(schema) && schema.alternatives.length === 0;
    return [{ writtenName: '', upstreamName: '', in: 'body', optional, schema: body, node: body }];
  }
  const required = requiredNames(schema);
  const files = fileNames(derivation, operation);
  return namedProperties(derivation, schema)
    .filter((property) => !isTrue(keyword(property.schema, 'readOnly')))
    .map(({ upstreamName, node }) => ({
      writtenName: upstreamName,
      upstreamName,
      in: 'body',
      optional: !required.has(upstreamName),
      schema: node,
      node,
      isFilePart: files.has(upstreamName),
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
  { writtenName, upstreamName, in: place, optional, schema: node, node: at, isFilePart }: WrittenParameter,
  taken: Set<string>,
): DescribedCallableParameter | undefined {
  const schema = node && derivation.read(node);
  const declared = schema && givenName(derivation.source, schema);
  const wanted = declared ?? (writtenName === '' ? 'Value' : pascalCase(writtenName));
  if (wanted === undefined || schema === undefined || schema.hidden) {
    derivation.source.report('warning', at.pointer, 'The parameter is left out: it has no name or no schema');
    return undefined;
  }
  const mapped = schemaUse(derivation, types, schema, `${callable} ${wanted}`);
  const use = isFilePart === true ? fileUse(schema) : valueUse(mapped);
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
  const description = prose(member(at, 'description')) ?? prose(keyword(schema, 'description'));
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

/** The result of a function or action. */
export interface Result {
  readonly use: DescribedTypeUse;
  readonly wrappedIn: AnswerPath | undefined;
  readonly schema: Schema | undefined;
  /** The list that it is. */
  readonly list?: ListAnswer | undefined;
}

/** The result of an operation; a wrapped list without its wrapper. */
export function resultOf(
  context: CallableContext,
  operation: DocumentOperation,
  name: string,
): Result | undefined {
  const { derivation, types, planner } = context;
  if (isStreamed(operation)) return { use: STREAM, wrappedIn: undefined, schema: undefined };
  const schema = answerSchema(derivation, operation);
  if (schema === undefined || schema.hidden) return undefined;
  const list = listAnswer(derivation, operation);
  if (list !== undefined && isListWrapper(derivation, list) && planner.plans.has(list.item.identity)) {
    const use = valueUse(schemaUse(derivation, types, list.item, name));
    return use && { use: { ...use, collection: true }, wrappedIn: list.wrappedIn, schema: list.item, list };
  }
  const use = valueUse(schemaUse(derivation, types, schema, `${name} Result`));
  const bare = list?.wrappedIn === undefined ? list : undefined;
  return use && { use, wrappedIn: undefined, schema: bare?.item ?? schema, list: bare };
}

const STREAM: DescribedTypeUse = {
  type: { kind: 'primitive', name: 'Edm.Stream' },
  collection: false,
  nullable: false,
  facets: {},
};

/** Responses other than JSON are streamed (Part 1, 11.5.4.1). */
function isStreamed({ answer, response }: DocumentOperation): boolean {
  return (
    answer === undefined && members(member(response, 'content')).some(([media]) => !/json|\*/i.test(media))
  );
}

function fileUse(schema: Schema): DescribedTypeUse {
  const type = { kind: 'primitive', name: 'Edm.Binary' } as const;
  return { type, collection: isArraySchema(schema), nullable: schema.nullable, facets: {} };
}

/** The type use of a value; entities in it are not replaced by references. */
function valueUse(use: SchemaUse): DescribedTypeUse | undefined {
  switch (use.kind) {
    case 'structural':
      return use.use;
    case 'embedded':
      return {
        type: { kind: 'entity', name: use.entityType },
        collection: use.collection,
        nullable: use.nullable,
        facets: {},
      };
    case 'unmapped':
      return undefined;
  }
}

/** The context for deriving functions and actions. */
export interface CallableContext {
  readonly derivation: Derivation;
  readonly types: TypeNames;
  readonly planner: EntityPlanner;
  readonly places: readonly Place[];
  /** The entity set of an entity type, by the identity of its schema. */
  readonly setOf: ReadonlyMap<string, string>;
  readonly registry: CallableRegistry;
}
