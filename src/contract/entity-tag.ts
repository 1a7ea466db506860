/** The tag as a weak one, which says that two answers mean the same and not that they are the same bytes (RFC 9110, 8.8.1). */
export function weakTag(tag: string | undefined): string | undefined {
  return tag === undefined || tag.startsWith('W/') ? tag : `W/${tag}`;
}
