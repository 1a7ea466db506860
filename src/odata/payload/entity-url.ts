import type { Row, Value } from '../../contract/entity-source.ts';
import type { EntityType } from '../../model/edm.ts';
import type { TypeName } from '../../model/type-use.ts';
import { plainDigits } from './json/plain-digits.ts';

/** The canonical URL of an entity relative to the service root (Part 2, 4.3.1), percent-encoded. */
export function entityUrl(entitySet: string, entityType: EntityType, row: Row): string {
  return entitySet + keyPredicate(entityType, row);
}

/**
 * The key of an entity in parentheses, percent-encoded: one property without its name, several with theirs
 * in the order of the model.
 */
export function keyPredicate(entityType: EntityType, row: Row): string {
  const { key } = entityType;
  const [first] = key;
  if (first !== undefined && key.length === 1) return `(${keyLiteral(entityType, row, first)})`;
  return `(${key.map((name) => `${name}=${keyLiteral(entityType, row, name)}`).join(',')})`;
}

function keyLiteral({ structuralProperties, namespace }: EntityType, row: Row, name: string): string {
  const type = structuralProperties.get(name)?.type;
  const literal = type === undefined ? 'null' : primitiveLiteral(namespace, type, row[name] ?? null);
  return UNRESERVED.test(literal) ? literal : encodeURIComponent(literal);
}

/** What stands in a URL as it is: most keys do. */
const UNRESERVED = /^[\w'.-]*$/;

/**
 * primitiveLiteral of the ABNF, in the form that 4.0 knows, too: with prefixes and quotes where it demands
 * them. The namespace is that of enumeration types.
 */
export function primitiveLiteral(namespace: string, type: TypeName, value: Value): string {
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
