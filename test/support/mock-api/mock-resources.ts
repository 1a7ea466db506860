import type { ApiDocument, Operation } from './api-document.ts';
import { createFinder, type ItemResource, type ListResource, type MockResource } from './find-resource.ts';
import { generate, hash, type Seed } from './generated-value.ts';
import { isObject, type JsonObject } from './json.ts';
import type { PageGround } from './page.ts';
import { plainWord } from './plain-word.ts';
import { keyValue, type RowKey, withValue } from './row-key.ts';
import { createViewer, type Viewer } from './schema-view.ts';

/** The values of a path's parameters, and of others that a request must have. */
export type GivenValues = Readonly<Record<string, string>>;

/** All that a document's operations answer with, each resource found once. */
export interface MockResources {
  readonly view: Viewer;
  /** The number of rows of most lists. */
  readonly rows: number;
  resourceOf(operation: Operation): MockResource;
  /** The row of a list with that number. */
  rowOf(resource: ListResource, operation: Operation, row: number, values: GivenValues): unknown;
  /** The response of an operation for one row; undefined for an unknown key. */
  itemOf(resource: ItemResource, operation: Operation, values: GivenValues): unknown;
  /** The answer of an operation that gives neither. */
  answerOf(operation: Operation, row: number, values: GivenValues): unknown;
  groundOf(resource: ListResource, total: number): PageGround;
  /** Values that an operation's parameters may have, where it has to have them. */
  valuesFor(operation: Operation): GivenValues;
  /** The number of rows of a list: fewer if its key has too few possible values. */
  sizeOf(resource: ListResource): number;
}

/** A row that no list lacks. */
const SAMPLE_ROW = 1;
const SAMPLE: Seed = { row: SAMPLE_ROW, salt: '' };

export function createResources(document: ApiDocument, rows: number): MockResources {
  const view = createViewer(document);
  const resourceOf = createFinder(view, document.operations);
  const numbers = new WeakMap<ListResource, ReadonlyMap<string, number>>();
  const numbersOf = (resource: ListResource): ReadonlyMap<string, number> => {
    const known = numbers.get(resource) ?? numbersByKey(view, resource.key, rows);
    numbers.set(resource, known);
    return known;
  };
  const groundOf = (resource: ListResource, total: number): PageGround => {
    const { key } = resource;
    return {
      view,
      total,
      rowOf: (text) => numbersOf(resource).get(text) ?? (total > rows ? numberAfter(text, rows) : undefined),
      keyOf: (row) => (key === undefined ? String(row) : String(keyValue(view, key, row))),
    };
  };
  const answerOf = (operation: Operation, row: number, values: GivenValues): unknown => {
    if (operation.answer === undefined) return undefined;
    const made = generate(view, operation.answer, seedOf(row, values), singular(operation.path));
    return isObject(made) ? withGivenValues(view, withoutAsides(made), operation.answer, values) : made;
  };
  return {
    view,
    rows,
    resourceOf,
    groundOf,
    valuesFor(operation) {
      const resource = resourceOf(operation);
      const needed = operation.parameters.filter(
        (one) => one.in === 'path' || (one.in === 'query' && one.required),
      );
      const values = needed.map(({ name, schema }) => {
        const isKey = resource.kind === 'item' && resource.parameter.name === name;
        const key = isKey ? resource.of?.key : undefined;
        return [name, String(key ? keyValue(view, key, SAMPLE_ROW) : generate(view, schema, SAMPLE, name))];
      });
      return Object.fromEntries(values);
    },
    sizeOf: ({ key }) => (key === undefined ? rows : valuesOf(view, key, rows)),
    answerOf,
    rowOf({ list, key }, operation, row, values) {
      const made = generate(view, list.answer.items, seedOf(row, values), singular(operation.path));
      if (!isObject(made)) return made;
      const placed = withGivenValues(view, made, list.answer.items, values);
      return key === undefined ? placed : withValue(placed, key.place, keyValue(view, key, row));
    },
    itemOf({ parameter, keyed, of }, operation, values) {
      const text = values[parameter.name] ?? '';
      const { [parameter.name]: _, ...parents } = values;
      // Without a list above, every key exists.
      const row = of === undefined ? hash(text) + 1 : groundOf(of, rows).rowOf(text);
      const made = row === undefined ? undefined : answerOf(operation, row, parents);
      if (!isObject(made)) return made;
      return keyed.reduce((answer, { name, schema, key }) => {
        const found = name === undefined ? answer : answer[name];
        const given = withGivenValues(view, isObject(found) ? found : {}, schema, parents);
        const object = withValue(given, key.place, typedValue(view, key.schema, text) ?? text);
        return name === undefined ? object : withValue(answer, [name], object);
      }, made);
    },
  };
}

function singular(path: string): string {
  const literals = path.split('/').filter((segment) => segment !== '' && !segment.includes('{'));
  return (literals.at(-1) ?? 'row').replace(/\.json$/, '').replace(/s$/, '');
}

/** Rows differ by what they lie below. */
function seedOf(row: number, values: GivenValues): Seed {
  const parents = Object.values(values).join('/');
  return { row, salt: parents === '' ? '' : `p${hash(parents)}` };
}

/** A property that is called like a parameter has its value. */
function withGivenValues(view: Viewer, row: JsonObject, schema: JsonObject, values: GivenValues): JsonObject {
  const properties = [...view(schema).properties];
  const given = Object.entries(values).flatMap(([name, value]) => {
    const property = properties.find(([candidate]) => plainWord(candidate) === plainWord(name));
    const typed = property && typedValue(view, property[1], value);
    return property === undefined || typed === undefined ? [] : [[property[0], typed] as const];
  });
  return { ...row, ...Object.fromEntries(given) };
}

/** Undefined where a property of that type cannot have the value. */
function typedValue(view: Viewer, schema: JsonObject, text: string): unknown {
  switch (view(schema).kind) {
    case 'string':
    case 'any':
      return text;
    case 'integer':
    case 'number':
      return Number.isNaN(Number(text)) ? undefined : Number(text);
    default:
      return undefined;
  }
}

/** An answer that went well has neither errors nor warnings. */
function withoutAsides(answer: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(answer).filter(([name]) => !/^(errors?|warnings?)$/i.test(name)));
}

/** Of a list that does not end: the number that its keys end with. */
function numberAfter(key: string, last: number): number | undefined {
  const number = Number(/\d+$/.exec(key)?.[0]);
  return number > last ? number : undefined;
}

/** The number of values of an enumeration key. */
function valuesOf(view: Viewer, { schema }: RowKey, most: number): number {
  const values = view(schema).words['enum'];
  return Array.isArray(values) ? Math.min(most, values.filter((value) => value !== null).length) : most;
}

/** If keys are not distinct, the first row wins. */
function numbersByKey(view: Viewer, key: RowKey | undefined, rows: number): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  for (let row = rows; row >= 1; row--) {
    numbers.set(key === undefined ? String(row) : String(keyValue(view, key, row)), row);
  }
  return numbers;
}
