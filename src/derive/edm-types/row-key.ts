import { isObject } from '../../core/json-object.ts';
import { freeChoice, pascalCase } from '../../model/names.ts';
import { type DocumentNode, member } from '../../openapi/document/document-node.ts';
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
 * Names for the type of such rows, in order of preference: the name of their schema if it has no other
 * references (otherwise a complex type has this name), then the name of their path.
 */
export function rowTypeNames(
  source: DocumentSource,
  item: Schema,
  { typeName, isReturned, isTaken }: RowPath,
): NameChoice {
  const component = componentName(item);
  const own = component === undefined ? undefined : pascalCase(component);
  const isOnlyHere = component !== undefined && !isReturned && isUsedOnce(referencesOf(source), component);
  const byPath = typeName === undefined || isTaken(typeName) ? undefined : typeName;
  const row = `${own ?? typeName ?? ''}Row`;
  const [first = row, ...others] = [isOnlyHere ? own : undefined, byPath, row].filter(
    (name) => name !== undefined,
  );
  return [first, ...others];
}

/** The place of rows without a key. */
interface RowPath {
  /** The name of its entities, if the path has one. */
  readonly typeName: string | undefined;
  /** A function returns them, too. */
  readonly isReturned: boolean;
  /** Whether a schema of the document has the name. */
  readonly isTaken: (name: string) => boolean;
}

/** The references to a component schema. */
interface References {
  readonly count: number;
  /** The component that has the last one of them; undefined for other parts of the document. */
  readonly owner: string | undefined;
}

type AllReferences = ReadonlyMap<string, References>;

/** Whether one place alone uses a component, by way of whatever other components. */
function isUsedOnce(references: AllReferences, component: string): boolean {
  const seen = new Set<string>();
  for (let name: string | undefined = component; name !== undefined; name = references.get(name)?.owner) {
    if (seen.has(name) || (references.get(name)?.count ?? 0) > 1) return false;
    seen.add(name);
  }
  return true;
}

const REFERENCES = new WeakMap<DocumentSource, AllReferences>();

/** The references to each component schema; all media types of one content count once. */
function referencesOf(source: DocumentSource): AllReferences {
  const known = REFERENCES.get(source);
  if (known !== undefined) return known;
  const schemas = member(member(source.root, 'components'), 'schemas')?.value;
  const found = new Map<string, References>();
  const seen = new Set<unknown>();
  const queue: { readonly value: unknown; readonly owner?: string | undefined }[] = [
    { value: source.root.value },
  ];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const { value, owner } = next;
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    seen.add(value);
    for (const [name, inner] of Object.entries(value)) {
      const component =
        name === '$ref' && typeof inner === 'string' ? COMPONENT.exec(inner)?.groups?.name : undefined;
      if (component !== undefined) {
        found.set(component, { count: (found.get(component)?.count ?? 0) + 1, owner });
      }
      const holder = value === schemas ? name : owner;
      for (const each of name === 'content' ? distinctMedia(inner) : [inner]) {
        queue.push({ value: each, owner: holder });
      }
    }
  }
  REFERENCES.set(source, found);
  return found;
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
