import { isObject } from '../../core/json-object.ts';
import { freeChoice, pascalCase } from '../../model/names.ts';
import type { DocumentNode } from '../../openapi/document/document-node.ts';
import type { DocumentSource } from '../../openapi/document/document-source.ts';
import { componentName, type Schema } from '../../openapi/schemas/schema.ts';
import type { NameChoice } from '../names/unique-name.ts';
import type { NamedRule } from './key-rules.ts';
import type { NamedProperty } from './structural-property.ts';

/** The key of rows without an identifying property, which the gateway computes from their values. */
export const KEY_OF_ROWS: NamedRule = { id: 'row', section: 'Rows without a key' };

const ROW_KEYS = ['RowId', 'RowKey', 'RowDigest', 'DuogateRowId'] as const;

/** The key property of rows without an identifying property. */
export function rowKey(properties: readonly NamedProperty[], { pointer }: DocumentNode): NamedProperty {
  const taken = new Set(properties.map(({ name }) => name));
  const name = freeChoice([ROW_KEYS[0], ...ROW_KEYS.slice(1)], taken);
  const value = {
    type: 'string',
    readOnly: true,
    description: 'Made of the values of the row. Equal rows are numbered. No read takes it.',
  };
  const node = { value, pointer };
  const schema: Schema = {
    identity: `${pointer}/rowId`,
    layers: [node],
    nullable: false,
    parts: [],
    alternatives: [],
    discriminated: false,
    hidden: false,
  };
  return { name, upstreamName: name, node, schema, required: true, argument: true, isRowKey: true };
}

/**
 * Names for the type of such rows, the best first: that of their schema where nothing else refers to it, since a complex
 * type has it otherwise; else that of their path.
 */
export function rowTypeNames(
  source: DocumentSource,
  item: Schema,
  typeName: string | undefined,
  isTaken: (name: string) => boolean,
): NameChoice {
  const component = componentName(item);
  const own = component === undefined ? undefined : pascalCase(component);
  const isOnlyHere = component !== undefined && (referenceCounts(source).get(component) ?? 0) <= 1;
  const byPath = typeName === undefined || isTaken(typeName) ? undefined : typeName;
  const row = `${own ?? typeName ?? ''}Row`;
  const [first = row, ...others] = [isOnlyHere ? own : undefined, byPath, row].filter(
    (name) => name !== undefined,
  );
  return [first, ...others];
}

const REFERENCE_COUNTS = new WeakMap<DocumentSource, ReadonlyMap<string, number>>();

/** The number of references to each component schema; all media types of one content count once. */
function referenceCounts(source: DocumentSource): ReadonlyMap<string, number> {
  const known = REFERENCE_COUNTS.get(source);
  if (known !== undefined) return known;
  const counts = new Map<string, number>();
  const seen = new Set<unknown>();
  const queue: unknown[] = [source.root.value];
  for (let value = queue.pop(); queue.length > 0 || value !== undefined; value = queue.pop()) {
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    seen.add(value);
    for (const [name, inner] of Object.entries(value)) {
      const component =
        name === '$ref' && typeof inner === 'string' ? COMPONENT.exec(inner)?.groups?.name : undefined;
      if (component !== undefined) counts.set(component, (counts.get(component) ?? 0) + 1);
      queue.push(...(name === 'content' ? distinctMedia(inner) : [inner]));
    }
  }
  REFERENCE_COUNTS.set(source, counts);
  return counts;
}

const COMPONENT = /^#\/components\/schemas\/(?<name>.+)$/;

function distinctMedia(content: unknown): readonly unknown[] {
  if (typeof content !== 'object' || content === null) return [];
  return [
    ...new Map(
      Object.values(content).map((media) => [isObject(media) ? JSON.stringify(media.schema) : media, media]),
    ).values(),
  ];
}
