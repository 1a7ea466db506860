/** The table of keys, in the words of better-auth's migrations. */
export const apiKeySchema = {
  apiKey: {
    fields: {
      userId: {
        type: 'string',
        required: true,
        index: true,
        references: { model: 'user', field: 'id', onDelete: 'cascade' },
      },
      name: { type: 'string', required: true },
      start: { type: 'string', required: true },
      hash: { type: 'string', required: true, unique: true },
      createdAt: { type: 'date', required: true },
      expiresAt: { type: 'date', required: false },
      /** Null where the key may do all that its user may do. */
      scope: { type: 'string', required: false },
      lastUsedAt: { type: 'date', required: false },
    },
  },
} as const;

export const API_KEYS = 'apiKey';

export interface StoredKey {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  readonly start: string;
  readonly hash: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly scope: string | null;
  readonly lastUsedAt: Date | null;
}
