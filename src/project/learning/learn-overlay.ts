import { isDeepStrictEqual } from 'node:util';
import { isMap, isSeq, parseDocument, stringify } from 'yaml';
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
import { jsonPathOf } from '../suggestion/suggest-overlay.ts';

/** A read whose answer can be learnt. */
export interface LearnableRead {
  readonly operation: DocumentOperation;
  /** The target of its actions in the overlay. */
  readonly target: string;
}

/** The answer of a read: the JSON, and the place of the rows or of the entity in it. */
export interface LearntAnswer extends LearnableRead {
  readonly answer: unknown;
  readonly path: AnswerPath;
}

/** An action of an overlay that was learnt. */
export interface LearntAction {
  readonly target: string;
  readonly description: string;
  readonly update: object;
  /** The update that the action replaces, if any. */
  readonly before: object | undefined;
}

const LEARNT = 'Learnt from answers: ';

/**
 * The reads of which a document does not say what they answer with, and those that an overlay has learnt already: GETs
 * that need nothing but what the project gives, and one parameter at the end of the path.
 */
export function learnableReads(
  description: OpenApiDescription,
  overlay: string | undefined,
  supplied: SuppliedParameters | undefined,
): readonly LearnableRead[] {
  const source = documentSource('Api', description.document, supplied);
  const operations = namedOperations([source]).get(source) ?? [];
  const silent = new Set(
    source
      .findings()
      .flatMap(({ rule, pointer }) => (rule === SILENT_LIST || rule === SILENT_READ ? [pointer] : [])),
  );
  const learnt = new Set(learntActions(overlay).map(({ target }) => target));
  return operations.flatMap((operation) => {
    const { pointer } = operation.node;
    const target = jsonPathOf(description.original.document, description.placeOf(pointer).pointer);
    const isWanted = operation.method === 'get' && (silent.has(pointer) || learnt.has(target));
    const isAskable = operation.parameters.every(({ required, in: place }) => !required || place === 'path');
    const names = operation.segments.flatMap((segment) =>
      segment.kind === 'parameter' ? [segment.name] : [],
    );
    const isOne =
      names.length === 0 || (names.length === 1 && operation.segments.at(-1)?.kind === 'parameter');
    return isWanted && isAskable && isOne ? [{ operation, target }] : [];
  });
}

/**
 * The actions of an overlay for these answers. Schemas that it has learnt before become wider and never narrower; no
 * value of an answer is in them.
 */
export function learnActions(
  { original }: OpenApiDescription,
  overlay: string | undefined,
  answers: readonly LearntAnswer[],
): readonly LearntAction[] {
  const isSwagger = isObject(original.document) && 'swagger' in original.document;
  const isOld = isSwagger || String(Reflect.get(original.document as object, 'openapi')).startsWith('3.0');
  const earlier = learntActions(overlay);
  const beforeOf = (description: string) => earlier.find((each) => each.description === description);
  const named = Map.groupBy(answers, ({ operation }) => entityName(operation));
  return [...named].flatMap(([name, reads]): readonly LearntAction[] => {
    const description = `${LEARNT}${name}`;
    const known = beforeOf(description);
    const place = isSwagger ? ['definitions', name] : ['components', 'schemas', name];
    const learnt = reads
      .map(({ answer, path }) => inferSchema(rowsAt(answer, path)))
      .reduce(widenSchema, readSchema(valueAt(known?.update, place)));
    const reference = { $ref: `#/${place.join('/')}` };
    const entity: LearntAction = {
      target: '$',
      description,
      update: place.reduceRight<unknown>(
        (inner, each) => ({ [each]: inner }),
        written(learnt, isOld),
      ) as object,
      before: known?.update,
    };
    const calls = reads.map((read): LearntAction => {
      const ofCall = `${LEARNT}GET ${read.operation.writtenPath}`;
      const schema = answerSchema(read, reference, isOld);
      return {
        target: read.target,
        description: ofCall,
        update: answerUpdate(read.operation, schema, isSwagger),
        before: beforeOf(ofCall)?.update,
      };
    });
    return [entity, ...calls];
  });
}

/** The overlay's text with these actions in the place of those that they replace; a new overlay if it is missing. */
export function withActions(
  overlay: string | undefined,
  file: string,
  actions: readonly LearntAction[],
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
  const lines = (sign: string, value: object) =>
    stringify([{ target, description, update: value }], { lineWidth: 0 })
      .trimEnd()
      .split('\n')
      .map((line) => `${sign} ${line}`);
  return [...(before === undefined ? [] : lines('-', before)), ...lines('+', update)];
}

interface EarlierAction {
  readonly target: string;
  readonly description: string;
  readonly update: object;
}

function learntActions(overlay: string | undefined): readonly EarlierAction[] {
  const value: unknown = overlay === undefined ? undefined : parseDocument(overlay).toJS();
  const actions = isObject(value) && Array.isArray(value.actions) ? value.actions : [];
  return actions.flatMap((action: unknown): readonly EarlierAction[] => {
    if (!isObject(action)) return [];
    const { target, description, update } = action;
    const isLearnt = typeof description === 'string' && description.startsWith(LEARNT);
    return isLearnt && typeof target === 'string' && isObject(update)
      ? [{ target, description, update }]
      : [];
  });
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
function answerSchema(
  { answer, path }: Pick<LearntAnswer, 'answer' | 'path'>,
  reference: object,
  isOld: boolean,
): unknown {
  const found = valueAt(answer, path);
  const held = Array.isArray(found) ? { type: 'array', items: reference } : reference;
  const [name, ...deeper] = path;
  if (name === undefined || !isObject(answer)) return held;
  const others = Object.fromEntries(Object.entries(answer).filter(([each]) => each !== name));
  const around = written(inferSchema([others]), isOld) as { readonly properties?: object };
  const inner = answerSchema({ answer: answer[name], path: deeper }, reference, isOld);
  return { type: 'object', properties: { ...around.properties, [name]: inner } };
}

function answerUpdate({ node }: DocumentOperation, schema: unknown, isSwagger: boolean): object {
  const responses = members(member(node, 'responses'));
  const [status = '200', response] = responses.find(([each]) => /^2/.test(each)) ?? [];
  const description = member(response, 'description') === undefined ? { description: '' } : {};
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
  const { type, nullable, format, properties, items, additionalProperties } = value;
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

/** The first value that a list has for the parameter of its items' path: that of its name, or the identifier. */
export function itemValue(rows: readonly unknown[], parameter: string): string | undefined {
  const [row] = rows;
  if (!isObject(row)) return undefined;
  const names = [parameter, 'id', '_id', 'uuid', 'slug', 'code'];
  const value = names
    .map((name) => (Object.hasOwn(row, name) ? row[name] : undefined))
    .find((each) => each !== undefined);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}
