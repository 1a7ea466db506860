import type { Literal } from '../../src/engine/tree/query-tree.ts';
import type { RequestTarget } from '../../src/odata/url/request-target.ts';
import type { RuleEntry } from './abnf-rules.ts';

const INTEGERS = ['Edm.Int32', 'Edm.Int64'];
const NUMBERS = [...INTEGERS, 'Edm.Decimal', 'Edm.Double'];

// A string represents a duration or enumeration members if it has their form (Part 2, 5.1.1.14.1).
const DURATION = /^[+-]?P(\d+D)?(T(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?$/i;
const MEMBERS = /^[\p{L}\d_+-]+(,[\p{L}\d_+-]+)*$/u;

/** ABNF, section 7: `x` and `xLiteral` are forms in a URL, `xValue` is the one in a body. */
const RULES: Readonly<Record<string, RuleEntry>> = {
  primitiveLiteral: literal(() => true),
  null: literal(ofType('null')),
  boolean: literal(ofType('Edm.Boolean')),
  binary: literal(ofType('Edm.Binary')),
  string: literal(ofType('Edm.String')),
  date: literal(ofType('Edm.Date')),
  dateTimeOffset: literal(ofType('Edm.DateTimeOffset')),
  timeOfDay: literal(ofType('Edm.TimeOfDay')),
  guid: literal(ofType('Edm.Guid')),
  duration: literal(
    ({ type, text }) => type === 'Edm.Duration' || (type === 'Edm.String' && DURATION.test(text)),
  ),
  enum: literal(({ type, text }) => type === 'qualified' || (type === 'Edm.String' && MEMBERS.test(text))),
  byte: number(INTEGERS, 0, 255),
  sbyte: number(INTEGERS, -128, 127),
  int16: number(INTEGERS, -32768, 32767),
  int32: number(INTEGERS, -(2 ** 31), 2 ** 31 - 1),
  int64: number(INTEGERS, -(2 ** 63), 2 ** 63),
  decimal: number(NUMBERS, -Infinity, Infinity),
  double: number(NUMBERS, -Infinity, Infinity),
  single: number(NUMBERS, -Infinity, Infinity),
  nanInfinity: literal(({ text }) => /^(NaN|-?INF)$/.test(text)),
};

/** Values that have no form of their own in a URL, but one within quotes. */
const QUOTED: Readonly<Record<string, RuleEntry>> = {
  binary: quoted('binary', 'Edm.Binary'),
  duration: quoted('duration', 'Edm.Duration'),
  enum: quoted('Model.Pattern', 'qualified'),
};

const VALUES = [
  'decimal',
  'boolean',
  'date',
  'dateTimeOffset',
  'timeOfDay',
  'guid',
  'duration',
  'binary',
  'enum',
];

/** The readers for a literal or value; empty for rules outside of section 7. */
export function literalEntries(rule: string): readonly RuleEntry[] {
  if (rule === 'primitiveValue') return [...VALUES.flatMap((name) => valueEntries(name)), geoValue('\\w+')];
  const [, name = '', form] = /^(.+?)(Literal|Value|)$/.exec(rule) ?? [];
  if (form === 'Value') return valueEntries(name);
  const entry = RULES[rule] ?? RULES[name];
  return entry === undefined ? geoEntries(rule) : [entry];
}

function valueEntries(name: string): readonly RuleEntry[] {
  if (name === 'boolean') return [{ before: '/Products?$count=', encode: true }];
  if (name === 'enumMember') return literalEntries('int64Value');
  const entry = QUOTED[name === 'singleEnum' ? 'enum' : name] ?? RULES[name];
  return entry === undefined ? [] : [{ ...entry, encode: true }];
}

/** geographyPoint, fullPointLiteral, pointLiteral and pointData: with prefix, with SRID, and bare. */
function geoEntries(rule: string): readonly RuleEntry[] {
  const [, kind, shape] = /^(geography|geometry|full|)(\w*?)(?:Literal|)$/i.exec(rule) ?? [];
  if (shape === undefined || !/^(multi)?(point|lineString|polygon)$|^(geo|collection)$/i.test(shape))
    return [];
  const name = shape === 'geo' ? '\\w+' : shape;
  if (kind === 'full') return [geoValue(name)];
  if (kind === '') return [{ ...geoValue(name), before: "/Products?$filter=geography'SRID=0;" }];
  const type = `Edm.G${kind?.slice(1)}`;
  return [literal((found) => found.type === type && isShape(found.text, name))];
}

function geoValue(shape: string): RuleEntry {
  return { ...quoted('geography', 'Edm.Geography'), check: checking(({ text }) => isShape(text, shape)) };
}

function isShape(text: string, shape: string): boolean {
  return new RegExp(`^SRID=\\d+;(?:Geometry)?${shape}\\(`, 'i').test(text);
}

function number(types: readonly string[], least: number, most: number): RuleEntry {
  return literal(({ type, text }) => types.includes(type) && inRange(text, least, most));
}

function inRange(text: string, least: number, most: number): boolean {
  const value = Number(text.replace('INF', 'Infinity'));
  return Number.isNaN(value) || (value >= least && value <= most);
}

function quoted(prefix: string, type: string): RuleEntry {
  return { ...literal(ofType(type)), before: `/Products?$filter=${prefix}'`, after: "'", encode: true };
}

function literal(check: (literal: Literal) => boolean): RuleEntry {
  return { before: '/Products?$filter=', narrow: true, check: checking(check) };
}

function ofType(type: string): (literal: Literal) => boolean {
  return (found) => found.type === type;
}

function checking(check: (literal: Literal) => boolean): (target: RequestTarget) => boolean {
  return ({ options: { filter } }) => filter?.kind === 'literal' && check(filter);
}
