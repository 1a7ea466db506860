import { member, members } from '../../../openapi/document/document-node.ts';
import type { Schema } from '../../../openapi/schemas/schema.ts';
import type { DescribedTypeUse } from '../../description.ts';
import type { AnswerPath } from '../../paging.ts';
import { answerSchema, isListWrapper, type ListAnswer, listAnswer } from '../answers/list-answer.ts';
import { type SchemaUse, schemaUse } from '../edm-types/schema-use.ts';
import type { DocumentOperation } from '../operations/document-operation.ts';
import type { CallableContext } from './callable-context.ts';

/** What a function or action answers with. */
export interface Result {
  readonly use: DescribedTypeUse;
  readonly wrappedIn: AnswerPath | undefined;
  readonly schema: Schema | undefined;
  /** The list that it is. */
  readonly list?: ListAnswer | undefined;
}

/** What the operation answers with; the entities of a wrapped list without what they are wrapped in. */
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

/** What is not JSON is answered as it is (Part 1, 11.5.4.1). */
function isStreamed({ answer, response }: DocumentOperation): boolean {
  return (
    answer === undefined && members(member(response, 'content')).some(([media]) => !/json|\*/i.test(media))
  );
}

/** The use as a value: entities stand in it as they are. */
export function valueUse(use: SchemaUse): DescribedTypeUse | undefined {
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
