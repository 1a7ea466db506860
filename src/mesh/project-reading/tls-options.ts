import type { SecureContextOptions } from 'node:tls';
import type { ClientCertificate } from './source-credential.ts';

/** What of TLS a connection by a client certificate needs. */
export type ClientTls = Pick<SecureContextOptions, 'cert' | 'key' | 'passphrase' | 'ca'>;

export function tlsOptions({ cert, key, passphrase, ca }: ClientCertificate): ClientTls {
  return {
    cert,
    key: key.reveal(),
    ...(passphrase && { passphrase: passphrase.reveal() }),
    ...(ca !== undefined && { ca }),
  };
}
