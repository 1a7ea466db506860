import type { Row, Value } from '../../contract/entity-source.ts';
import type { EntitySet, PrimitiveTypeName } from '../../model/edm.ts';
import { comparableType } from '../../model/readable-property.ts';

/**
 * The canonical URL of an entity relative to the service root (Part 2, 4.3.1): one key property without
 * its name, several with theirs in the order of the model.
 */
export function entityUrl(entitySet: EntitySet, row: Row): string {
  const { key, structuralProperties } = entitySet.entityType;
  const literal = (name: string): string =>
    encodeURIComponent(
      keyLiteral(comparableType(structuralProperties.get(name)) ?? 'Edm.String', row[name] ?? null),
    );
  const [first] = key;
  const predicate =
    key.length === 1 && first !== undefined
      ? literal(first)
      : key.map((name) => `${name}=${literal(name)}`).join(',');
  return `${entitySet.name}(${predicate})`;
}

function keyLiteral(type: PrimitiveTypeName, value: Value): string {
  return type === 'Edm.String' ? `'${String(value).replaceAll("'", "''")}'` : String(value);
}
