/** Says why APIs can be looked at, but not changed. */
export function ReadOnlyReason({ reason }: { readonly reason: string | null }) {
  return reason === null ? null : <p className="banner plain">{reason}</p>;
}
