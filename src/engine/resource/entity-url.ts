import { plainDigits } from '../../contract/plain-digits.ts';
import type { Row, Value } from '../../contract/row.ts';
import type { EntityType, ValueType } from '../../model/edm.ts';

/** Compiles the canonical URL of entities relative to the service root (Part 2, 4.3.1), percent-encoded. */
export function entityUrl(entitySet: string, entityType: EntityType): (row: Row) => string {
  return predicateWriter(entityType, entitySet);
}

/**
 * The key of an entity in parentheses, percent-encoded: one property without its name, several with theirs
 * in the order of the model.
 */
export function keyPredicate(entityType: EntityType, row: Row): string {
  return predicateWriter(entityType, '')(row);
}

function predicateWriter(entityType: EntityType, path: string): (row: Row) => string {
  const { key } = entityType;
  const [first] = key;
  if (first !== undefined && key.length === 1) return keyLiteral(entityType, first, `${path}(`, ')');
  const parts = key.map((name) => keyLiteral(entityType, name, `${name}=`, ''));
  return (row) => `${path}(${parts.map((part) => part(row)).join(',')})`;
}

/** The literal between two texts, which a plain string is joined to at once together with its quotes. */
function keyLiteral(
  { structuralProperties, namespace }: EntityType,
  name: string,
  before: string,
  after: string,
): (row: Row) => string {
  const type = structuralProperties.get(name)?.type;
  if (type === undefined) return () => `${before}null${after}`;
  const isString = type.name === 'Edm.String';
  const opened = `${before}'`;
  const closed = `'${after}`;
  return (row) => {
    const value = row[name] ?? null;
    if (isString && typeof value === 'string' && isUnreserved(value)) return opened + value + closed;
    const literal = primitiveLiteral(namespace, type, value);
    // No URL has half a surrogate pair: encoding it would throw.
    return before + (isUnreserved(literal) ? literal : encodeURIComponent(literal.toWellFormed())) + after;
  };
}

/** Whether all of it stands in a URL as it is: most keys do, and are too short for a regular expression to pay. */
function isUnreserved(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    if (UNRESERVED[text.charCodeAt(index)] !== true) return false;
  }
  return true;
}

/** Without the apostrophe, which ends a string. */
const UNRESERVED: readonly boolean[] = Array.from({ length: 128 }, (_, code) =>
  /[\w.-]/.test(String.fromCharCode(code)),
);

/**
 * primitiveLiteral of the ABNF, in the form that 4.0 knows, too: with prefixes and quotes where it demands
 * them. The namespace is that of enumeration types.
 */
export function primitiveLiteral(namespace: string, type: ValueType, value: Value): string {
  if (value === null) return 'null';
  if (type.kind === 'enumeration') return `${namespace}.${type.name}'${String(value)}'`;
  switch (type.name) {
    case 'Edm.String':
      return quoted(String(value));
    case 'Edm.Duration':
      return `duration'${String(value)}'`;
    case 'Edm.Binary':
      return `binary'${String(value)}'`;
    case 'Edm.Decimal':
    case 'Edm.Int64':
      return plainDigits(String(value));
    case 'Edm.Double':
    case 'Edm.Single':
      return floatingLiteral(Number(value));
    default:
      return String(value);
  }
}

function quoted(text: string): string {
  return text.includes("'") ? `'${text.replaceAll("'", "''")}'` : `'${text}'`;
}

function floatingLiteral(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? 'INF' : '-INF';
}
