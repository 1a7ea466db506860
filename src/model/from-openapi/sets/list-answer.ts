import type { AnswerPath } from '../../operation.ts';
import type { Derivation } from '../derivation.ts';
import { member, text } from '../document/document-node.ts';
import type { DocumentOperation } from '../document/document-operation.ts';
import { styleless } from '../names.ts';
import { isArraySchema, isObjectSchema, itemNode, type Schema, schemaProperties } from '../schemas/schema.ts';

/** A GET that answers with a list: bare, or as one property of an object. */
export interface ListAnswer {
  readonly operation: DocumentOperation;
  /** The schema of the items. */
  readonly item: Schema;
  /** Where the answer holds the list; undefined for a bare list. */
  readonly wrappedIn: AnswerPath | undefined;
}

/** The schema that an operation answers with. */
export function answerSchema({ read }: Derivation, operation: DocumentOperation): Schema | undefined {
  return operation.answer === undefined ? undefined : read(operation.answer);
}

/**
 * The list that a GET answers with, or undefined where it answers with something else: an array, or an
 * object that has one array of objects, or the array that `x-odata.items` names.
 */
export function listAnswer(derivation: Derivation, operation: DocumentOperation): ListAnswer | undefined {
  const schema = answerSchema(derivation, operation);
  if (schema === undefined) return undefined;
  const bare = itemSchema(derivation, schema);
  if (bare !== undefined) return { operation, item: bare, wrappedIn: undefined };
  const said = text(member(member(operation.node, 'x-odata'), 'items'));
  const lists = isObjectSchema(schema) ? wrappedLists(derivation, schema) : [];
  const [only] = said === undefined ? lists : lists.filter(({ name }) => name === said);
  if (only === undefined || (said === undefined && lists.length > 1)) return undefined;
  return { operation, item: only.item, wrappedIn: [only.name] };
}

interface WrappedList {
  readonly name: string;
  readonly item: Schema;
}

function wrappedLists(derivation: Derivation, schema: Schema): readonly WrappedList[] {
  return [...schemaProperties(schema)].flatMap(([name, node]) => {
    const property = derivation.read(node);
    const item = property && itemSchema(derivation, property);
    return item !== undefined && isRecord(derivation, item) ? [{ name, item }] : [];
  });
}

function isRecord({ inheritance }: Derivation, schema: Schema): boolean {
  return isObjectSchema(schema) || inheritance.isUnion(schema);
}

function itemSchema({ read }: Derivation, schema: Schema): Schema | undefined {
  const item = isArraySchema(schema) ? itemNode(schema) : undefined;
  return item === undefined ? undefined : read(item);
}

const ABOUT_PAGES =
  /total|count|page|paging|pagination|limit|offset|size|next|prev|cursor|more|links|meta|self|skip|top/;

/** Whether an answer is a list and what is said of its pages, and nothing else. */
export function isListWrapper(derivation: Derivation, { operation, wrappedIn }: ListAnswer): boolean {
  const schema = answerSchema(derivation, operation);
  if (schema === undefined || wrappedIn === undefined) return false;
  const others = [...schemaProperties(schema).keys()].filter((name) => name !== wrappedIn[0]);
  return others.every(isAboutPages);
}

/** Whether a property of an answer tells of its pages, by its name. */
export function isAboutPages(name: string): boolean {
  return ABOUT_PAGES.test(styleless(name));
}

/**
 * Whether nothing but the path must be given: a required query parameter or header has no place in a read.
 * Nor has a parameter that is a part of a segment, as in `/posts.{format}`, which no key could fill.
 */
export function isCallable({ parameters, segments }: DocumentOperation): boolean {
  if (segments.some((segment) => segment.kind === 'literal' && /[{}]/.test(segment.text))) return false;
  return !parameters.some(({ in: place, required, schema }) => {
    return required && place !== 'path' && member(schema, 'default') === undefined;
  });
}

/** Whether `x-odata` says that it is a function or an action. */
export function isCalledByName({ node }: DocumentOperation): boolean {
  const settings = member(node, 'x-odata');
  return (member(settings, 'function') ?? member(settings, 'action')) !== undefined;
}
