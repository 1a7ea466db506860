/**
 * The weak form of a tag: responses with equal tags are equivalent, but not necessarily byte for byte (RFC
 * 9110, 8.8.1).
 */
export function weakTag(tag: string | undefined): string | undefined {
  return tag === undefined || tag.startsWith('W/') ? tag : `W/${tag}`;
}
