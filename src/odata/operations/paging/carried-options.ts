import { findOptionRule } from '../../url/system-options.ts';

/** A resource path relative to the service root, and its query options, percent-encoded. */
export interface WrittenQuery {
  readonly path: string;
  readonly options: readonly string[];
}

/** The options of a request that are not about the resource alone: formats, parameter aliases, custom options. */
export function carriedOptions(target: string): readonly string[] {
  const mark = target.indexOf('?');
  const options = mark < 0 ? [] : target.slice(mark + 1).split('&');
  return options.filter((option) => option !== '' && isCarried(nameOf(option)));
}

function isCarried(name: string): boolean {
  const { property } = findOptionRule(name) ?? {};
  return property === undefined || property === 'format' || property === 'schemaVersion';
}

/** The decoded name of a query option. */
export function nameOf(option: string): string {
  const [name = ''] = option.split('=', 1);
  return decodeURIComponent(name);
}

/** `$filter=Name eq 'x'` as it stands in a URL. No client encodes anew what is left as it is. */
export function encodeOption(option: string): string {
  return encodeURIComponent(option.toWellFormed())
    .replaceAll("'", '%27')
    .replace(/%(?:24|2C|2F|3A|3D|40)/g, decodeURIComponent);
}
