import type { BoundExpand } from '../../../engine/expand/bind-expand.ts';
import type { CompiledRelated } from '../../../engine/expand/expander.ts';
import { readsFrom } from '../../../engine/load/reads-from.ts';
import type { EntityResource } from '../../../engine/resource/resource.ts';
import type { ExpandItem } from '../../../engine/tree/options-tree.ts';
import { canonicalUrl } from '../shape/entity-shape.ts';
import { encodeOption, type WrittenQuery } from './carried-options.ts';

/** The query that asks for an expanded collection alone; undefined where the owner has no URL. */
export type NestedQueryOf = (owner: EntityResource) => WrittenQuery | undefined;

/** Undefined where nothing else can ask for it: at its own URL, `$it` would be each of the related entities. */
export function nestedQuery({
  bound,
  deeper,
  aliases,
}: Pick<CompiledRelated, 'bound' | 'deeper' | 'aliases'>): NestedQueryOf | undefined {
  const { item, type, isCast, navigation } = bound;
  if (item.form === 'count' || readsFrom('$it', item) || readsFrom('$it', aliases)) return undefined;
  const segments = [
    encodeURIComponent(navigation.name),
    ...(isCast ? [`${type.namespace}.${type.name}`] : []),
    ...(item.form === 'ref' ? ['$ref'] : []),
  ];
  const options = withLevels(item.written ?? [], deeper).map(encodeOption);
  return (owner) => {
    const url = ownerUrl(owner, bound);
    return url === undefined ? undefined : { path: `/${[url, ...segments].join('/')}`, options };
  };
}

const LEVELS = /^\$?levels=/i;
const EXPAND = /^\$?expand=/i;

/** What `$levels` stands for below the collection is expanded beside what else is. */
function withLevels(written: readonly string[], deeper: readonly ExpandItem[]): readonly string[] {
  const others = written.filter((option) => !LEVELS.test(option));
  if (deeper.length === 0) return others;
  const again = deeper.map(
    ({ path, levels = 1 }) => `${path.join('/')}(${[...others, `$levels=${levels}`].join(';')})`,
  );
  const expand = others.find((option) => EXPAND.test(option));
  const items = [...(expand === undefined ? [] : [expand.replace(EXPAND, '')]), ...again];
  return [...others.filter((option) => option !== expand), `$expand=${items.join(',')}`];
}

/** Of the place where the navigation property leads on from: its set's, or else the one that the path has met. */
function ownerUrl(owner: EntityResource, { navigation, owner: type }: BoundExpand): string | undefined {
  const { entitySet, entityType, known, type: own } = owner;
  const canonical = canonicalUrl(owner);
  if (canonical === undefined || !isNamed(owner)) return undefined;
  const isOfSet = entitySet !== undefined && hasPlace(navigation, entitySet.name);
  const url = isOfSet ? canonical(known) : owner.url;
  const declared = isOfSet ? entityType : own;
  return declared.navigationProperties.has(navigation.name) ? url : `${url}/${type.namespace}.${type.name}`;
}

/** Whether its key is there, and tells it from the others. */
function isNamed({ entityType: { key }, origin, known }: EntityResource): boolean {
  const isMember = origin.kind === 'member';
  return !(isMember && key.length === 0) && key.every((name) => (known[name] ?? null) !== null);
}

function hasPlace({ origin, name }: BoundExpand['navigation'], set: string): boolean {
  return origin.kind !== 'path' || origin.places.some(({ path }) => path === `${set}/${name}`);
}
