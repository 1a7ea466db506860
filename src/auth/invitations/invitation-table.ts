/** The table of invitations, in the words of better-auth's migrations. */
export const invitationSchema = {
  invitation: {
    fields: {
      email: { type: 'string', required: true, unique: true },
      hash: { type: 'string', required: true },
      roles: { type: 'string[]', required: true },
      invitedBy: { type: 'string', required: false },
      createdAt: { type: 'date', required: true },
      expiresAt: { type: 'date', required: true },
    },
  },
} as const;

/** Its rows, as the databases give them. */
export type InvitationTables = {
  readonly invitation: {
    readonly id: string;
    readonly email: string;
    readonly hash: string;
    readonly roles: unknown;
    readonly invitedBy: string | null;
    readonly createdAt: unknown;
    readonly expiresAt: unknown;
  };
};
