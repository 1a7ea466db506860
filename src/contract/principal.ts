/** Who is asking. */
export type Principal =
  /** Nobody has shown a credential. */
  | { readonly kind: 'anonymous' }
  /** Access control is switched off (`AUTH=off`): everybody may do everything. */
  | { readonly kind: 'unrestricted' }
  | { readonly kind: 'user'; readonly id: string; readonly roles: readonly string[] };

export const ANONYMOUS: Principal = { kind: 'anonymous' };
export const UNRESTRICTED: Principal = { kind: 'unrestricted' };
