import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLSchema,
  getArgumentValues,
  getNamedType,
  getNullableType,
  getVariableValues,
  isLeafType,
  isNullableType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
} from 'graphql';
import type { AnswerMemory } from '../../contract/answer-memory.ts';
import type { WholeResponse } from '../../contract/exchange.ts';
import { demandEntity, loadCollection } from '../../engine/load/load.ts';
import { answerVersion } from '../../engine/read/prepare-query.ts';
import { collectionOf } from '../../engine/resource/entity-set-resource.ts';
import type { Loading } from '../../engine/resource/loading.ts';
import { entityByKey as entityWith } from '../../engine/resource/place.ts';
import { memberOf } from '../context/face.ts';
import type { GraphQLContext, QueryService } from '../context/graphql-context.ts';
import { permit } from '../context/permit.ts';
import type { Input, Questions } from '../context/questions.ts';
import { listOptions, shownOptions } from '../query/entity-options.ts';
import { keyOf } from '../query/key.ts';
import { prepareList, prepareOne, rowsOf } from '../query/read.ts';
import type { AskedField } from '../query/selection.ts';
import { type RootRead, rootReadOf } from '../schema/root-read.ts';
import { type PlainField, Unplain, writeRow, writeRows } from './plain-rows.ts';

/** What plain reads are of. */
export interface PlainSite {
  readonly schema: GraphQLSchema;
  readonly service: QueryService;
  readonly questions: Omit<Questions, 'asked'>;
  /** Answers over data that has not changed. */
  readonly answers: AnswerMemory;
}

/**
 * A query of nothing but values of the entities of one set, or of one of them. It is one query of the engine, and its
 * answer is written straight from the rows: there is nothing in it for an executor to find out.
 */
export interface PlainRead {
  /** JSON of the whole answer. Throws what reading throws, and {@link Unplain} where executing has to tell what is wrong. */
  answer(context: GraphQLContext, variables: Input): Promise<WholeResponse>;
}

/** Of a document that is valid, and its text; undefined where it asks for anything else. */
export function plainRead(site: PlainSite, document: DocumentNode, text: string): PlainRead | undefined {
  const operation = onlyQuery(document);
  const root = operation && onlyField(operation.selectionSet.selections);
  const field = root && site.schema.getQueryType()?.getFields()[root.name.value];
  const read = field && rootReadOf(field);
  if (operation === undefined || root === undefined || field === undefined || read === undefined)
    return undefined;
  const asked = plainFields(field, root);
  if (asked === undefined) return undefined;
  const answerOf = read.kind === 'list' ? listAnswer : oneAnswer;
  const parts: PlainParts = { site, read, root, field, asked };
  let constant: Answer | undefined;
  const isConstant = (operation.variableDefinitions ?? []).length === 0;
  return {
    async answer(context, variables) {
      permit(context, read.set.name, 'View');
      const ask = constant ?? answerOf(parts, coerced(site.schema, operation, variables));
      if (isConstant) constant = ask;
      const { version, write } = await ask({ service: context.service, context: context.call });
      const key = isConstant ? text : `${text}\n${JSON.stringify(variables)}`;
      return site.answers.answer(version, key, async () => ({
        status: 200,
        headers: {},
        body: await write(),
      }));
    },
  };
}

/** Loads what an answer is made of. */
type Answer = (loading: Loading) => Promise<LoadedAnswer>;

interface LoadedAnswer {
  /** That of the data, where the answer depends on nothing else. */
  readonly version: number | undefined;
  readonly write: () => Promise<Uint8Array>;
}

interface PlainParts {
  readonly site: PlainSite;
  readonly read: RootRead;
  readonly root: FieldNode;
  readonly field: GraphQLField<unknown, unknown>;
  readonly asked: readonly AskedPlain[];
}

interface AskedPlain extends AskedField {
  readonly shown: PlainField;
}

function listAnswer(parts: PlainParts, variables: Input): Answer {
  const { site, read, asked } = parts;
  const collection = collectionOf(read.set);
  const args = argumentsOf(parts, variables);
  const options = listOptions(questionsOf(site, variables), collection.entityType, args, asked);
  const fields = asked.map(({ shown }) => shown);
  const name = responseName(parts.root);
  const query = prepareList(site.service, collection, options);
  return async (loading) => {
    const loaded = await loadCollection(loading, collection, query.wanted);
    return {
      version: answerVersion(query, loaded),
      async write() {
        const { budget } = loading.context;
        return budget.run(writeRows(name, fields, await rowsOf(loading, query, loaded), budget));
      },
    };
  };
}

function oneAnswer(parts: PlainParts, variables: Input): Answer {
  const { site, read, asked } = parts;
  const { entityType } = read.set;
  const { face } = site.questions;
  const entity = entityWith(collectionOf(read.set), keyOf(face, entityType, argumentsOf(parts, variables)));
  const options = shownOptions(questionsOf(site, variables), entityType, asked);
  const fields = asked.map(({ shown }) => shown);
  const name = responseName(parts.root);
  const query = prepareOne(site.service, entity, options);
  return async (loading) => {
    const loaded = await demandEntity(loading, entity, query.wanted);
    const write = async () => writeRow(name, fields, await query.run(loading, loaded.data));
    return { version: answerVersion(query, loaded), write };
  };
}

function questionsOf({ schema, questions }: PlainSite, variableValues: Input): Questions {
  return { ...questions, asked: { schema, fragments: {}, variableValues } };
}

function argumentsOf({ field, root }: PlainParts, variables: Input): Input {
  return getArgumentValues(field, root, variables);
}

function coerced(schema: GraphQLSchema, operation: OperationDefinitionNode, variables: Input): Input {
  const { coerced: values } = getVariableValues(schema, operation.variableDefinitions ?? [], variables);
  if (values === undefined) throw new Unplain();
  return values;
}

function onlyQuery({ definitions }: DocumentNode): OperationDefinitionNode | undefined {
  const [operation] = definitions;
  if (definitions.length !== 1 || operation?.kind !== Kind.OPERATION_DEFINITION) return undefined;
  const isQuery = operation.operation === 'query' && isBare(operation);
  return isQuery ? operation : undefined;
}

function onlyField(selections: readonly SelectionNode[]): FieldNode | undefined {
  const [root] = selections;
  return selections.length === 1 && root?.kind === Kind.FIELD && isBare(root) ? root : undefined;
}

/** The fields below the root; undefined where one of them is more than a value, or comes twice. */
function plainFields(
  { type }: GraphQLField<unknown, unknown>,
  { selectionSet }: FieldNode,
): readonly AskedPlain[] | undefined {
  const object = getNamedType(type);
  if (!isObjectType(object)) return undefined;
  const fields = object.getFields();
  const asked = (selectionSet?.selections ?? []).map((node) =>
    node.kind === Kind.FIELD ? plainField(fields[node.name.value], node) : undefined,
  );
  const found = asked.filter((each) => each !== undefined);
  const names = new Set(found.map(({ shown }) => shown.responseName));
  return found.length === asked.length && names.size === asked.length ? found : undefined;
}

function plainField(
  field: GraphQLField<unknown, unknown> | undefined,
  node: FieldNode,
): AskedPlain | undefined {
  const member = field && memberOf(field);
  if (field === undefined || member?.kind !== 'property' || !isBare(node)) return undefined;
  const type = getNullableType(field.type);
  const name = responseName(node);
  // Of an object of JavaScript, it is no member like others.
  if (!isLeafType(type) || name === '__proto__') return undefined;
  const { property } = member;
  const nullable = isNullableType(field.type);
  return { field, node, args: {}, shown: { responseName: name, property: property.name, type, nullable } };
}

function isBare({ directives = [] }: { readonly directives?: readonly unknown[] | undefined }): boolean {
  return directives.length === 0;
}

function responseName({ alias, name }: FieldNode): string {
  return (alias ?? name).value;
}
