import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { modelFromOpenApi } from '../../../src/derive/model-from-openapi.ts';
import { writeCsdlJson } from '../../../src/odata/payload/csdl/csdl-json.ts';
import { MEMBERS, RECORDS, TERMS } from './vocabularies.ts';

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** An annotation, on a model element or on another annotation. */
interface Found {
  readonly on: string;
  readonly term: string;
  readonly value: Json;
}

function isObject(value: Json | undefined): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The annotations of an element and of what is in it (CSDL JSON 4.01, 14.2). */
function annotationsOf(element: Json, kind: string): readonly Found[] {
  if (Array.isArray(element)) return element.flatMap((each) => annotationsOf(each, kindOf(each, kind)));
  if (!isObject(element)) return [];
  return Object.entries(element).flatMap(([name, value]): readonly Found[] => {
    const terms = /@([\w.]+)(?:#\w+)?(@[\w.]+)?$/.exec(name);
    if (terms !== null) {
      const [, term = '', inner] = terms;
      const member = name.startsWith('@') ? kind : 'Member';
      return [
        inner === undefined ? { on: member, term, value } : { on: 'Annotation', term: inner.slice(1), value },
      ];
    }
    if (name === '$Parameter') return annotationsOf(value, 'Parameter');
    if (name === '$ReturnType') return annotationsOf(value, 'ReturnType');
    return name.startsWith('$') ? [] : annotationsOf(value, kindOf(value, childKind(kind, value)));
  });
}

function kindOf(element: Json, otherwise: string): string {
  return isObject(element) && typeof element['$Kind'] === 'string' ? element['$Kind'] : otherwise;
}

/** The kind of a child element without a `$Kind` (CSDL JSON 4.01, 5, 6 and 13). */
function childKind(kind: string, child: Json): string {
  if (kind === 'Document') return 'Schema';
  if (kind !== 'EntityContainer' || !isObject(child)) return 'Property';
  if ('$Action' in child || '$Function' in child) return 'Import';
  return '$Collection' in child ? 'EntitySet' : 'Singleton';
}

/** The mistakes in a value, with their paths. */
function mistakes(type: string, value: Json, path: string): readonly string[] {
  if (type.startsWith('[]')) {
    if (!Array.isArray(value)) return [`${path}: no collection`];
    return value.flatMap((item, index) => mistakes(type.slice(2), item, `${path}/${index}`));
  }
  const record = RECORDS[type];
  if (record !== undefined) {
    if (!isObject(value)) return [`${path}: no record`];
    return Object.entries(value).flatMap(([name, inner]) => {
      const property = record[name];
      return property === undefined
        ? [`${path}/${name}: unknown`]
        : mistakes(property, inner, `${path}/${name}`);
    });
  }
  const members = MEMBERS[type];
  if (members !== undefined) {
    const unknown = String(value)
      .split(',')
      .filter((member) => !members.includes(member));
    return unknown.map((member) => `${path}: no member ${member}`);
  }
  const isPrimitive =
    typeof value !== 'object' && (type === 'Primitive' || typeof value === type.toLowerCase());
  return isPrimitive ? [] : [`${path}: no ${type}`];
}

describe.each([
  '../../../openapi/posts.yaml',
  '../../../examples/library/openapi/library.yaml',
  './csdl-shop.yaml',
  './zoo.yaml',
])('the annotations of %s', (file) => {
  const document: unknown = parse(readFileSync(new URL(file, import.meta.url), 'utf8'));
  const { model } = modelFromOpenApi([{ name: 'Source', document }]);
  const found = annotationsOf(JSON.parse(writeCsdlJson(model)), 'Document');
  const used = [...new Set(found.map(({ term }) => term))];

  it('are of terms that there are, where they apply', () => {
    expect(used.length).toBeGreaterThan(5);
    const misplaced = found.filter(({ term, on }) => {
      const { on: kinds = [] } = TERMS[term] ?? {};
      return !kinds.includes('*') && !kinds.includes(on);
    });
    expect(misplaced).toStrictEqual([]);
  });

  it('have values of the terms’ types', () => {
    expect(found.flatMap(({ term, value }) => mistakes(TERMS[term]?.type ?? '', value, term))).toStrictEqual(
      [],
    );
  });
});
