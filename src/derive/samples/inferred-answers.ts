import { isAboutAnswer, isHolder } from '../../model/answer-words.ts';
import { foldedName, singularOf } from '../../model/names.ts';
import {
  type DocumentNode,
  isObjectNode,
  items,
  member,
  members,
  text,
} from '../../openapi/document/document-node.ts';
import { type DocumentSource, resolve } from '../../openapi/document/document-source.ts';
import { bodyKind } from '../operations/body-content.ts';
import {
  type DocumentParameter,
  pathParameters,
  templatePath,
  type UnnamedOperation,
} from '../operations/document-operation.ts';
import { inferSchema } from './infer-schema.ts';

/**
 * The operations, with schemas for the answers of GETs of which the document says nothing, or nothing but an envelope:
 * those of their examples, else of the entity that other operations at the same paths answer with or take. A strict
 * document means what it says.
 */
export function withInferredAnswers(
  source: DocumentSource,
  operations: readonly UnnamedOperation[],
): readonly UnnamedOperation[] {
  if (source.strict) return operations;
  const byPath = Map.groupBy(operations, templatePath);
  const inference: Inference = { source, byPath };
  return operations.map((operation) => {
    const gap = operation.method === 'get' ? gapOf(source, operation) : undefined;
    if (gap === undefined) return operation;
    const example = exampleSchema(source, operation, gap);
    const found = example ?? relatedSchema(inference, operation, gap);
    if (example === undefined) reportSilence(inference, operation, gap, found?.from);
    if (found === undefined) return operation;
    const { schema, shape = 'known' } = found;
    const { pointer } = operation.answer ?? {
      pointer: `${operation.node.pointer}/responses/200/content/application~1json/schema`,
    };
    const answer = { value: filled(gap, schema), pointer };
    return { ...operation, answer, ...(shape === 'unknown' && { isOfUnknownShape: true as const }) };
  });
}

/** The rules of findings about reads whose answers have no schema: lists by their paths, and others. */
export const SILENT_LIST = 'list-without-schema';
export const SILENT_READ = 'read-without-schema';

function reportSilence(
  inference: Inference,
  operation: UnnamedOperation,
  gap: Gap,
  from: string | undefined,
): void {
  const isList = gap.kind === 'items' || isListByPath(inference, operation);
  const message = `The document does not say what it answers with${isList ? ', and it looks like a list' : ''}`;
  const taken = from === undefined ? '' : `: its type is taken from ${from}`;
  inference.source.report(
    'info',
    operation.node.pointer,
    `${message}${taken}; duogate learn asks the API, or a schema in an overlay says it`,
    isList ? SILENT_LIST : SILENT_READ,
  );
}

function isListByPath({ byPath }: Inference, operation: UnnamedOperation): boolean {
  return (
    isCollection(operation, byPath.get(`${templatePath(operation)}/{}`) ?? []) || endsInPlural(operation)
  );
}

function endsInPlural({ segments }: UnnamedOperation): boolean {
  const last = segments.at(-1);
  return last?.kind === 'literal' && singularOf(last.text) !== last.text;
}

interface Inference {
  readonly source: DocumentSource;
  readonly byPath: ReadonlyMap<string, readonly UnnamedOperation[]>;
}

/** The part of an answer that the document says nothing of. */
type Gap =
  /** All of it. */
  | { readonly kind: 'whole' }
  /** The items of the list that it is. */
  | { readonly kind: 'items' }
  /** The value of a member of the object, or each item of it. */
  | {
      readonly kind: 'member';
      readonly name: string;
      readonly isList: boolean;
      readonly envelope: DocumentNode;
    };

function gapOf(source: DocumentSource, { answer, response, node }: UnnamedOperation): Gap | undefined {
  const statuses = members(member(node, 'responses')).map(([status]) => status);
  if (answer === undefined && statuses.includes('204') && !statuses.includes('200')) return undefined;
  if (answer === undefined) {
    const media = members(member(response, 'content')).map(([name]) => name);
    return media.length === 0 || media.some((name) => bodyKind(name) === 'json') ? WHOLE : undefined;
  }
  const schema = resolve(source, answer);
  if (schema === undefined) return undefined;
  if (isSilent(source, schema)) return WHOLE;
  const item = member(schema, 'items');
  if (item !== undefined) return isSilent(source, item) ? { kind: 'items' } : undefined;
  const properties = members(member(schema, 'properties'));
  const [held, ...others] = properties.filter(([name]) => isHolder(name));
  if (held === undefined || others.length > 0) return undefined;
  if (!properties.every(([name]) => name === held[0] || isAboutAnswer(foldedName(name)))) return undefined;
  const value = resolve(source, held[1]);
  const inner = member(value, 'items');
  const isGap =
    value !== undefined && (inner === undefined ? isSilent(source, value) : isSilent(source, inner));
  return isGap ? { kind: 'member', name: held[0], isList: inner !== undefined, envelope: schema } : undefined;
}

const WHOLE: Gap = { kind: 'whole' };

/** Keywords that say what a value is. */
const SAYING = [
  'properties',
  'patternProperties',
  'items',
  'allOf',
  'anyOf',
  'oneOf',
  'enum',
  'const',
  'format',
  'not',
];

/** Whether a schema says nothing of its values but that they are objects, if that. */
function isSilent(source: DocumentSource, node: DocumentNode): boolean {
  const schema = resolve(source, node);
  if (schema === undefined || schema.value === false || member(schema, 'x-odata') !== undefined) return false;
  if (SAYING.some((name) => member(schema, name) !== undefined)) return false;
  const additional = member(schema, 'additionalProperties');
  const isMap = additional !== undefined && isObjectNode(additional) && members(additional).length > 0;
  const type = text(member(schema, 'type'));
  return !isMap && (type === undefined || type === 'object') && additional?.value !== false;
}

interface Found {
  readonly schema: unknown;
  readonly from: string;
  /** Unknown: only the answer itself shows whether it is nested in an object. */
  readonly shape?: 'unknown';
}

function exampleSchema(source: DocumentSource, { response }: UnnamedOperation, gap: Gap): Found | undefined {
  const media = members(member(response, 'content')).find(([name]) => bodyKind(name) === 'json')?.[1];
  const schema = resolve(source, member(media, 'schema'));
  const written = [
    member(media, 'example'),
    ...members(member(media, 'examples')).map(([, example]) => member(resolve(source, example), 'value')),
    member(schema, 'example'),
    ...items(member(schema, 'examples')),
  ];
  const values = written.flatMap((node) => (node === undefined ? [] : [node.value]));
  const shown = values.flatMap((value) => shownIn(gap, value));
  const isData = shown.length > 0 && shown.every((value) => typeof value === 'object' && value !== null);
  return isData ? { schema: inferSchema(shown), from: 'its example' } : undefined;
}

/** The values in an example of an answer at the place that has no schema. */
function shownIn(gap: Gap, value: unknown): readonly unknown[] {
  if (gap.kind === 'whole') return [value];
  if (gap.kind === 'items') return Array.isArray(value) ? value : [];
  const held = typeof value === 'object' && value !== null ? Reflect.get(value, gap.name) : undefined;
  if (!gap.isList) return held === undefined ? [] : [held];
  return Array.isArray(held) ? held : [];
}

/** The schema of the entity that other operations at the path of an operation have, as that answers with it. */
function relatedSchema(inference: Inference, operation: UnnamedOperation, gap: Gap): Found | undefined {
  const { byPath } = inference;
  const path = templatePath(operation);
  const parameter = operation.segments.at(-1);
  const isItem = parameter?.kind === 'parameter';
  const listPath = isItem ? path.replace(/\/\{\}$/, '') : path;
  const atList = byPath.get(listPath) ?? [];
  const atItem = byPath.get(`${listPath}/{}`) ?? [];
  const isOwnList = isItem ? atList.length > 0 : isCollection(operation, atItem);
  if (!isOwnList) return undefined;
  const answered = answeredEntity(
    inference,
    isItem ? [...atList, ...atItem] : [...atItem, ...atList],
    operation,
  );
  const taken = answered === undefined ? takenEntity(inference.source, atList, atItem) : undefined;
  const entity = answered ?? taken;
  if (entity === undefined) return undefined;
  const isList = !isItem && !(gap.kind === 'items' || (gap.kind === 'member' && gap.isList));
  const shape = gap.kind === 'whole' ? ({ shape: 'unknown' } as const) : {};
  const from = answered === undefined ? 'what is sent to its path' : 'the other reads at its path';
  return { schema: isList ? { type: 'array', items: entity } : entity, from, ...shape };
}

/** Whether a path is that of a collection: others are below it, by a parameter, and it ends in a plural or is posted to. */
function isCollection(operation: UnnamedOperation, atItem: readonly UnnamedOperation[]): boolean {
  if (operation.segments.at(-1)?.kind !== 'literal') return false;
  return atItem.length > 0 && (operation.siblings.includes('post') || endsInPlural(operation));
}

/** The entity that one of the operations answers with, bare, as the items of a list, or in an envelope. */
function answeredEntity(
  { source }: Inference,
  operations: readonly UnnamedOperation[],
  asking: UnnamedOperation,
): unknown {
  for (const { answer, method } of operations) {
    if (answer === undefined || method === 'delete' || answer === asking.answer) continue;
    const found = entityNode(source, answer, 0);
    if (found !== undefined) return found.value;
  }
  return undefined;
}

/** The schema of the entity that an answer has, as it is written there. */
function entityNode(source: DocumentSource, node: DocumentNode, depth: number): DocumentNode | undefined {
  const schema = resolve(source, node);
  if (schema === undefined || depth > 2) return undefined;
  const item = member(schema, 'items');
  if (item !== undefined) return entityNode(source, item, depth + 1);
  const properties = members(member(schema, 'properties'));
  const held = properties.find(([name]) => isHolder(name));
  const isEnvelope =
    held !== undefined && properties.every(([name]) => name === held[0] || isAboutAnswer(foldedName(name)));
  if (isEnvelope) return entityNode(source, held[1], depth + 1);
  const isEntity = properties.length > 1 || member(schema, 'allOf') !== undefined;
  return isEntity ? node : undefined;
}

/** The entity that is created and changed at those paths: the properties of the bodies, and the key of the item's path. */
function takenEntity(
  source: DocumentSource,
  atList: readonly UnnamedOperation[],
  atItem: readonly UnnamedOperation[],
): unknown {
  const sent = [
    ...atList.filter(({ method }) => method === 'post'),
    ...atItem.filter(({ method }) => method === 'put' || method === 'patch'),
  ].flatMap(({ body }) => (body?.schema === undefined ? [] : [body.schema]));
  const objects = sent.filter((node) => members(member(resolve(source, node), 'properties')).length > 0);
  if (objects.length === 0) return undefined;
  const parts = [...new Map(objects.map((node) => [JSON.stringify(node.value), node.value])).values()];
  const names = new Set(
    objects.flatMap((node) => members(member(resolve(source, node), 'properties')).map(([name]) => name)),
  );
  const [key] = atItem.flatMap((operation) => pathParameters(operation).slice(-1));
  const own = key === undefined ? {} : keyProperty(key, names);
  // What must be sent need not come back.
  return {
    type: 'object',
    properties: { ...own, ...Object.assign({}, ...parts.map((part) => propertiesOf(source, part))) },
  };
}

function propertiesOf(source: DocumentSource, value: unknown): object {
  const node = resolve(source, { value, pointer: '' });
  return Object.fromEntries(members(member(node, 'properties')).map(([name, each]) => [name, each.value]));
}

/** `id` for `{id}` and `{task_id}`, unless what is sent has a property of the parameter's own name. */
function keyProperty({ name, schema }: DocumentParameter, sent: ReadonlySet<string>): object {
  const isSent = [...sent].some((each) => foldedName(each) === foldedName(name));
  if (isSent || sent.has('id')) return {};
  const word = /(id|uuid|guid|slug|code)$/i.exec(name)?.[1]?.toLowerCase() ?? 'id';
  return { [word]: { ...(schema?.value as object | undefined), title: undefined } };
}

/** The schema of the whole answer, with what was found in the place of what the document says nothing of. */
function filled(gap: Gap, schema: unknown): unknown {
  if (gap.kind === 'whole') return schema;
  if (gap.kind === 'items') return { type: 'array', items: schema };
  const { envelope, name, isList } = gap;
  const properties = members(member(envelope, 'properties')).map(
    ([each, node]) => [each, node.value] as const,
  );
  const held = isList ? { type: 'array', items: schema } : schema;
  return { type: 'object', properties: Object.fromEntries([...properties, [name, held]]) };
}
