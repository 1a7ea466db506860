import { GatewayError } from '../../contract/gateway-error.ts';
import type { PathExpression, SystemQueryOptions } from '../tree/query-tree.ts';

type OptionName = Exclude<keyof SystemQueryOptions, 'aliases'>;

const TARGETS: Readonly<Record<OptionName, string>> = {
  filter: '$filter',
  orderBy: '$orderby',
  select: '$select',
  expand: '$expand',
  search: '$search',
  compute: '$compute',
  apply: '$apply',
  top: '$top',
  skip: '$skip',
  count: '$count',
  index: '$index',
  format: '$format',
  skipToken: '$skiptoken',
  deltaToken: '$deltatoken',
  schemaVersion: '$schemaversion',
  id: '$id',
};

/** What has a meaning for collections only. */
export const COLLECTION_OPTIONS = [
  'filter',
  'orderBy',
  'search',
  'top',
  'skip',
  'count',
  'apply',
  'index',
  'id',
  'skipToken',
  'deltaToken',
] as const;

/** A 501 for the options that the standard has and that are not there yet (Part 1, 9.3.1). */
export function assertSupported(
  options: SystemQueryOptions,
  names: readonly OptionName[],
  place?: string,
): void {
  for (const name of given(options, names)) {
    const target = TARGETS[name];
    const what = place === undefined ? target : `${target} of ${place}`;
    throw new GatewayError('NotImplemented', `${what} is not implemented`, { target });
  }
}

/** A 400 for the options that have no meaning for what is asked for (Part 2, 5.1). */
export function assertNoneMisplaced(
  options: SystemQueryOptions,
  names: readonly OptionName[],
  place: string,
): void {
  for (const name of given(options, names)) {
    const target = TARGETS[name];
    throw new GatewayError('BadRequest', `${target} does not apply to ${place}`, { target });
  }
}

/** Refuses every option but those that are allowed. */
export function assertOnlyOptions(
  options: SystemQueryOptions,
  allowed: readonly OptionName[],
  place: string,
): void {
  const names = (Object.keys(TARGETS) as OptionName[]).filter((name) => !allowed.includes(name));
  assertNoneMisplaced(options, names, place);
}

function given(options: SystemQueryOptions, names: readonly OptionName[]): readonly OptionName[] {
  return names.filter((name) => options[name] !== undefined);
}

/** Whether a path anywhere within starts at `root`. */
export function readsFrom(root: NonNullable<PathExpression['root']>, node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false;
  if ('root' in node && node.root === root) return true;
  const within = node instanceof Map ? [...node.values()] : Object.values(node);
  return within.some((each) => readsFrom(root, each));
}
