/** A name without what names differ by that mean the same: `page[size]`, `pageSize`, `page_size`. */
export function plainWord(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}
