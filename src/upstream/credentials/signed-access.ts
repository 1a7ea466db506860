import { LRUCache } from 'lru-cache';
import type { CredentialVault } from '../../contract/credential-vault.ts';
import type { CallContext, StreamBody } from '../../contract/exchange.ts';
import type { DigestCredential, SigningCredential, SigningKey } from '../../contract/source-credential.ts';
import { entryLimit } from '../../core/entry-limit.ts';
import { Secret } from '../../core/secret.ts';
import { awsSigner } from './aws-signature.ts';
import { DigestAuthentication } from './digest-authentication.ts';
import { messageSigner } from './message-signature.ts';
import {
  type CallCredential,
  type FindCredential,
  forbidden,
  ownerOf,
  storedKey,
} from './upstream-access.ts';

/** Maximum number of users whose challenges are kept. */
const MOST_CHALLENGED = 4_000;

/** Signs the requests of a source, with the gateway's key or with the one that the user has stored. */
export function signedAccess(
  source: string,
  credential: SigningCredential,
  vault: CredentialVault,
): FindCredential {
  const sign = credential.kind === 'digest' ? digestOf() : signerOf(credential);
  if (credential.key !== undefined) {
    const { key } = credential;
    return () => sign(key, '');
  }
  return async (call: CallContext) => {
    const { user, text } = await storedKey(source, call, vault);
    return sign(signingKey(source, credential.kind, text), ownerOf(user, text));
  };
}

/** The credential of a key, for the owner of the responses. */
type SignWith = (key: SigningKey, owner: string) => CallCredential;

const NOTHING_SENT = { headers: {}, query: '', isAuthorized: true } as const;

function signerOf(credential: Exclude<SigningCredential, DigestCredential>): SignWith {
  if (credential.kind === 'messageSignature') {
    return (key, owner) => ({
      ...NOTHING_SENT,
      owner,
      sign: messageSigner(credential, key),
      holdsBody: () => true,
    });
  }
  const { service, payload } = credential;
  // S3 takes unsigned bodies, but only with a length.
  const holdsBody = ({ length }: StreamBody): boolean =>
    service === 's3' ? length === undefined : payload === 'signed';
  return (key, owner) => ({ ...NOTHING_SENT, owner, sign: awsSigner(credential, key), holdsBody });
}

function digestOf(): SignWith {
  const users = new LRUCache<string, DigestAuthentication>(entryLimit(MOST_CHALLENGED));
  return (key, owner) => {
    const user = users.get(owner) ?? new DigestAuthentication(key);
    users.set(owner, user);
    let hadCredential = false;
    const credential: CallCredential = {
      ...NOTHING_SENT,
      owner,
      sign(request) {
        hadCredential = user.isChallenged;
        return user.sign(request);
      },
      instead: async ({ headers }) => (user.challenge(headers, hadCredential) ? credential : undefined),
      needsChallenge: () => !user.isChallenged,
    };
    return credential;
  };
}

/** The parts of a stored key. The secret may contain colons, unless a session token follows it. */
function signingKey(source: string, kind: SigningCredential['kind'], text: string): SigningKey {
  const isAws = kind === 'awsSignature';
  const [id = '', secret = '', token] = isAws ? text.split(':') : text.split(/:(.*)/s);
  const isSendable = kind === 'digest' || /^[\x20-\x7e]+$/.test(isAws ? text : id);
  if (id === '' || secret === '' || !isSendable) {
    const form = isAws ? 'accessKeyId:secretAccessKey' : 'name:secret';
    throw forbidden(
      `${source} needs a key of the form ${form}: store it by PUT /api/auth/upstream-keys/${source}.`,
    );
  }
  return { id, secret: new Secret(secret), sessionToken: isAws && token ? new Secret(token) : undefined };
}
