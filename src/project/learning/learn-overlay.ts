import { isDeepStrictEqual } from 'node:util';
import { isMap, isSeq, parseDocument, stringify } from 'yaml';
import type { AnswerSample, LearnableRead, OverlayAction } from '../../contract/improvements.ts';
import { isObject } from '../../core/json-object.ts';
import type { DocumentOperation } from '../../derive/operations/document-operation.ts';
import { type InferredSchema, inferSchema, widenSchema } from '../../derive/samples/infer-schema.ts';
import { SILENT_LIST, SILENT_READ } from '../../derive/samples/inferred-answers.ts';
import { namedOperations } from '../../derive/samples/operation-names.ts';
import { pascalCase, singularOf } from '../../model/names.ts';
import type { AnswerPath } from '../../model/operation.ts';
import { member, members } from '../../openapi/document/document-node.ts';
import { documentSource, type SuppliedParameters } from '../../openapi/document/document-source.ts';
import type { OpenApiDescription } from '../../openapi/openapi-description.ts';
import { targetOf } from '../suggestion/json-path-of.ts';

type Update = OverlayAction['update'];

/** An action of an overlay that was learnt. */
export interface LearntAction extends OverlayAction {
  /** The update that the action replaces, if any. */
  readonly before: Update | undefined;
}

const LEARNT = 'Learnt from answers: ';

/** A learnable read with its operation in the document. */
interface FoundRead extends LearnableRead {
  readonly operation: DocumentOperation;
}

/**
 * The reads of which a document does not say what they answer with, and those that an overlay has learnt already: GETs
 * that need nothing but what the project gives, and one parameter at the end of the path.
 */
export function learnableReads(
  description: OpenApiDescription,
  overlay: string | undefined,
  supplied: SuppliedParameters | undefined,
): readonly LearnableRead[] {
  return findReads(description, overlay, supplied).map(({ operation: _, ...read }) => read);
}

function findReads(
  description: OpenApiDescription,
  overlay: string | undefined,
  supplied: SuppliedParameters | undefined,
): readonly FoundRead[] {
  const source = documentSource('Api', description.document, supplied);
  const operations = namedOperations([source]).get(source) ?? [];
  const silent = new Map(source.findings().map(({ rule, pointer }) => [pointer, rule]));
  const learnt = new Set(learntActions(overlay).map(({ target }) => target));
  return operations.flatMap((operation) => {
    const { pointer } = operation.node;
    if (operation.method !== 'get') return [];
    const target = targetOf(description, pointer);
    const rule = silent.get(pointer);
    const [isLearnt, looksLikeList] = [learnt.has(target), rule === SILENT_LIST];
    if (!isLearnt && !looksLikeList && rule !== SILENT_READ) return [];
    if (operation.parameters.some(({ required, in: place }) => required && place !== 'path')) return [];
    const names = operation.segments.flatMap((each) => (each.kind === 'parameter' ? [each.name] : []));
    const last = operation.segments.at(-1);
    const isOne = names.length === 0 || (names.length === 1 && last?.kind === 'parameter');
    if (!isOne) return [];
    const { writtenPath: path, operationId = operation.id } = operation;
    const parameter = names[0] ?? null;
    return [{ operation, target, path, operationId, parameter, looksLikeList, isLearnt }];
  });
}

/** The form of an answer; `path` leads to its rows or to the entity. No value of the answer is in it. */
export function sampleAnswer(
  target: string,
  answer: unknown,
  path: AnswerPath,
  isList: boolean,
): AnswerSample {
  const around = path.map((name, depth) => {
    const holder = valueAt(answer, path.slice(0, depth));
    const others = isObject(holder) ? Object.entries(holder).filter(([each]) => each !== name) : [];
    return inferSchema([Object.fromEntries(others)]);
  });
  return { target, path, isList, entity: inferSchema(rowsAt(answer, path)), around };
}

/**
 * The actions of an overlay for these answers. Schemas that it has learnt before become wider and never narrower; no
 * value of an answer is in them.
 */
export function learnActions(
  description: OpenApiDescription,
  overlay: string | undefined,
  supplied: SuppliedParameters | undefined,
  samples: readonly AnswerSample[],
): readonly LearntAction[] {
  const { original } = description;
  const isSwagger = isObject(original.document) && 'swagger' in original.document;
  const isOld = isSwagger || String(Reflect.get(original.document as object, 'openapi')).startsWith('3.0');
  const earlier = learntActions(overlay);
  const beforeOf = (text: string) => earlier.find((each) => each.description === text)?.update;
  const sampled = new Map(samples.map((sample) => [sample.target, sample]));
  const answered = findReads(description, overlay, supplied).flatMap((read) => {
    const sample = sampled.get(read.target);
    return sample === undefined ? [] : [{ read, sample }];
  });
  const named = Map.groupBy(answered, ({ read: { operation } }) => entityName(operation));
  return [...named].flatMap(([name, reads]): readonly LearntAction[] => {
    const title = `${LEARNT}${name}`;
    const known = beforeOf(title);
    const place = isSwagger ? ['definitions', name] : ['components', 'schemas', name];
    const seen = reads
      .map(({ sample }): InferredSchema => sample.entity)
      .reduce(widenSchema, readSchema(valueAt(known, place)));
    // What the answers lack, and creates and changes take, stays.
    const taken = isSwagger ? {} : Object.assign({}, ...reads.map(({ read }) => inferredProperties(read)));
    const learnt =
      seen.properties === undefined ? seen : { ...seen, properties: { ...taken, ...seen.properties } };
    const reference = { $ref: `#/${place.join('/')}` };
    const entity: LearntAction = {
      target: '$',
      description: title,
      update: place.reduceRight<unknown>(
        (inner, each) => ({ [each]: inner }),
        written(learnt, isOld),
      ) as Update,
      before: known,
    };
    const calls = reads.map(({ read, sample }): LearntAction => {
      const ofCall = `${LEARNT}GET ${read.path}`;
      const schema = answerSchema(sample, reference, isOld);
      const before = beforeOf(ofCall);
      const update = answerUpdate(read.operation, schema, isSwagger, before);
      return { target: read.target, description: ofCall, update, before };
    });
    return [entity, ...calls];
  });
}

/** The overlay's text with these actions in the place of those that they replace; a new overlay if it is missing. */
export function withActions(
  overlay: string | undefined,
  file: string,
  actions: readonly OverlayAction[],
): string {
  const document = parseDocument(
    overlay ??
      stringify({
        overlay: '1.0.0',
        info: { title: 'What Duogate has learnt', version: '1' },
        extends: file,
        actions: [],
      }),
  );
  const all = document.get('actions');
  if (!isSeq(all)) return document.toString({ lineWidth: 0 });
  all.flow = false;
  for (const { target, description, update } of actions) {
    const index = all.items.findIndex((item) => isMap(item) && item.get('description') === description);
    const node = document.createNode({ target, description, update });
    if (index < 0) all.add(node);
    else all.set(index, node);
  }
  return document.toString({ lineWidth: 0 });
}

/** The lines that an overlay gains by an action, and those that it loses. */
export function differenceLines({ target, description, update, before }: LearntAction): readonly string[] {
  if (before !== undefined && isDeepStrictEqual(before, update)) return [`  ${description}: as it was`];
  const lines = (sign: string, value: Update) =>
    stringify([{ target, description, update: value }], { lineWidth: 0 })
      .trimEnd()
      .split('\n')
      .map((line) => `${sign} ${line}`);
  return [...(before === undefined ? [] : lines('-', before)), ...lines('+', update)];
}

/** The updates that an overlay has, by the descriptions of its actions. */
export function writtenActions(overlay: string | undefined): readonly OverlayAction[] {
  const value: unknown = overlay === undefined ? undefined : parseDocument(overlay).toJS();
  const actions = isObject(value) && Array.isArray(value['actions']) ? value['actions'] : [];
  return actions.flatMap((action: unknown): readonly OverlayAction[] => {
    if (!isObject(action)) return [];
    const { target, description, update } = action;
    const isRead = typeof description === 'string' && typeof target === 'string' && isObject(update);
    return isRead ? [{ target, description, update }] : [];
  });
}

function learntActions(overlay: string | undefined): readonly OverlayAction[] {
  return writtenActions(overlay).filter(({ description }) => description.startsWith(LEARNT));
}

/** The name of the entities that a path is of: `User` for `/api/users` and `/api/users/{id}`. */
function entityName({ segments, id }: DocumentOperation): string {
  const last = segments.findLast(({ kind }) => kind === 'literal');
  return (
    (last?.kind === 'literal' ? pascalCase(singularOf(last.text)) : undefined) ?? pascalCase(id) ?? 'Answer'
  );
}

function valueAt(value: unknown, path: AnswerPath): unknown {
  return path.reduce<unknown>(
    (inner, name) => (isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined),
    value,
  );
}

function rowsAt(answer: unknown, path: AnswerPath): readonly unknown[] {
  const found = valueAt(answer, path);
  return Array.isArray(found) ? found : [found];
}

/** The schema of the whole answer, with a reference in the place of the entities. */
function answerSchema({ path, isList, around }: AnswerSample, reference: object, isOld: boolean): object {
  const held = isList ? { type: 'array', items: reference } : reference;
  return path.reduceRight<object>((inner, name, depth) => {
    const { properties } = written(around[depth] ?? {}, isOld) as { readonly properties?: object };
    return { type: 'object', properties: { ...properties, [name]: inner } };
  }, held);
}

/** The properties that creates and changes take, as the document shows them for the entities of an answer. */
function inferredProperties({ operation, isLearnt }: FoundRead): InferredSchema['properties'] {
  const { answer, isOfUnknownShape } = operation;
  const { items, properties } = isLearnt || !isOfUnknownShape || !isObject(answer?.value) ? {} : answer.value;
  const shown = isObject(items) ? items['properties'] : properties;
  if (!isObject(shown)) return {};
  // The key is a guess from the path, and the answers show the true one.
  const sent = Object.entries(shown).filter(([name]) => !GUESSED_KEY.test(name));
  return readSchema({ type: 'object', properties: Object.fromEntries(sent) }).properties;
}

const GUESSED_KEY = /^(?:id|uuid|guid|slug|code)$/;

function answerUpdate(
  { node }: DocumentOperation,
  schema: unknown,
  isSwagger: boolean,
  before: Update | undefined,
): Update {
  const responses = members(member(node, 'responses'));
  const [status = '200', response] = responses.find(([each]) => /^2/.test(each)) ?? [];
  const isOurs = typeof valueAt(before, ['responses', status, 'description']) === 'string';
  const description = isOurs || member(response, 'description') === undefined ? { description: '' } : {};
  if (isSwagger) return { responses: { [status]: { ...description, schema } } };
  const written = members(member(response, 'content')).map(([media]) => media);
  const media = written.find((each) => /json/.test(each)) ?? written[0] ?? 'application/json';
  return { responses: { [status]: { ...description, content: { [media]: { schema } } } } };
}

/** A schema as documents of its version have it: in OpenAPI 3.0, `nullable` says what a type of null says in 3.1. */
function written(schema: InferredSchema, isOld: boolean): object {
  const { type, properties, items, additionalProperties, ...others } = schema;
  const types = type === undefined ? [] : typeof type === 'string' ? [type] : type;
  const kinds = types.filter((each) => each !== 'null');
  const isNullable = types.includes('null');
  const [only] = kinds;
  const own = isOld
    ? { ...(kinds.length === 1 && { type: only }), ...(isNullable && { nullable: true }) }
    : { ...(types.length > 0 && { type: types.length === 1 ? types[0] : types }) };
  return {
    ...own,
    ...others,
    ...(items && { items: written(items, isOld) }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, each]) => [name, written(each, isOld)]),
      ),
    }),
    ...(typeof additionalProperties === 'object' && {
      additionalProperties: written(additionalProperties, isOld),
    }),
  };
}

/** An earlier schema in one notation; one without a type if it is missing. */
function readSchema(value: unknown): InferredSchema {
  if (!isObject(value)) return { type: [] };
  const { type, nullable, format, properties, items, additionalProperties, $ref } = value;
  if (typeof $ref === 'string') return { $ref };
  const types = [type ?? []].flat().filter((each): each is string => typeof each === 'string');
  const all = nullable === true && !types.includes('null') ? [...types, 'null'] : types;
  if (all.length === 0) return {};
  return {
    type: all.length === 1 ? (all[0] ?? 'null') : all,
    ...(typeof format === 'string' && { format }),
    ...(isObject(items) && { items: readSchema(items) }),
    ...(isObject(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, each]) => [name, readSchema(each)]),
      ),
    }),
    ...(isObject(additionalProperties) && { additionalProperties: readSchema(additionalProperties) }),
  };
}
