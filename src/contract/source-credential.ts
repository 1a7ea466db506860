import type { SecureContextOptions } from 'node:tls';
import type { Secret } from '../core/secret.ts';

/** The credentials of a source apart from its headers and query parameters. */
export interface SourceAccess {
  /** The only endpoint that it is meant for; undefined where it goes to whichever the source has. */
  readonly endpoint: string | undefined;
  readonly credential: SourceCredential | undefined;
  readonly certificate: ClientCertificate | undefined;
}

/** A source as its credentials need it. */
export interface AccessedSource {
  readonly name: string;
  /** Absolute URL, without a slash at its end. */
  readonly endpoint: string;
  readonly access?: SourceAccess | undefined;
}

/** The credential of the gateway for the upstream of a source. */
export type SourceCredential =
  | ClientCredentials
  | RefreshTokenCredential
  | ForwardedToken
  | TokenExchange
  | UserKey
  | SigningCredential;

/** A scheme that signs each request. */
export type SigningCredential = AwsSignature | MessageSignature | DigestCredential;

/** AWS Signature Version 4. */
export interface AwsSignature extends SigningKeys {
  readonly kind: 'awsSignature';
  readonly region: string;
  readonly service: string;
  /** `unsigned`: signatures leave out the body, which is declared as `UNSIGNED-PAYLOAD`. */
  readonly payload: SignedPayload;
}

export const SIGNED_PAYLOADS = ['signed', 'unsigned'] as const;
export type SignedPayload = (typeof SIGNED_PAYLOADS)[number];

/** HTTP Message Signatures with a shared secret (RFC 9421, 3.3.3). */
export interface MessageSignature extends SigningKeys {
  readonly kind: 'messageSignature';
  /** The signed components (RFC 9421, 2), in lower case; header fields that a request lacks are left out. */
  readonly components: readonly string[];
  readonly secretEncoding: SecretEncoding;
}

export const SECRET_ENCODINGS = ['text', 'base64', 'hex'] as const;
export type SecretEncoding = (typeof SECRET_ENCODINGS)[number];

/** HTTP Digest access authentication (RFC 7616). */
export interface DigestCredential extends SigningKeys {
  readonly kind: 'digest';
}

export interface SigningKeys {
  /** The gateway's key; undefined if each user stores their own, as `id:secret`. */
  readonly key: SigningKey | undefined;
}

/** An access key, a shared secret with its id, or a user with a password. */
export interface SigningKey {
  readonly id: string;
  readonly secret: Secret;
  /** Of temporary AWS keys. */
  readonly sessionToken: Secret | undefined;
}

/** Whether the credential signs requests, rather than being sent with them. */
function isSigning(credential: SourceCredential | undefined): credential is SigningCredential {
  return credential !== undefined && 'key' in credential;
}

/** Whether users store keys of their own for the API. */
export function hasUserKeys(credential: SourceCredential | undefined): boolean {
  return credential?.kind === 'userKey' || (isSigning(credential) && credential.key === undefined);
}

/** Whether each user is let in by a credential of their own. */
export function isPersonal(credential: SourceCredential | undefined): boolean {
  const kind = credential?.kind;
  return hasUserKeys(credential) || kind === 'forwardedToken' || kind === 'tokenExchange';
}

/** Whether the credential needs accounts: for its users, or to be stored. */
export function needsAccounts(credential: SourceCredential | undefined): boolean {
  return isPersonal(credential) || credential?.kind === 'refreshToken';
}

/** The client credentials grant (RFC 6749, 4.4). */
export interface ClientCredentials extends OAuthClient {
  readonly kind: 'clientCredentials';
}

/** The refresh token grant (RFC 6749, 6). */
export interface RefreshTokenCredential extends OAuthClient {
  readonly kind: 'refreshToken';
  /** The first one; the authorization server may give others in its place. */
  readonly token: Secret;
}

/** The caller's own token is handed on, where that issuer has made it for that audience. */
export interface ForwardedToken {
  readonly kind: 'forwardedToken';
  readonly issuer: string;
  readonly audience: string;
}

/** The caller's own token is exchanged for one of the upstream's (RFC 8693, 2.1). */
export interface TokenExchange extends OAuthClient {
  readonly kind: 'tokenExchange';
  /** Of the tokens that are shown to the authorization server; no other's are. */
  readonly issuer: string;
}

/** Each user has a key of the upstream's, and has stored it here. */
export interface UserKey {
  readonly kind: 'userKey';
  readonly section: 'operationHeaders' | 'queryParams';
  /** The header field, in lower case, or the query parameter. */
  readonly name: string;
  /** Stands in front of the key, such as `Bearer `. */
  readonly prefix: string;
}

/** An OAuth client and its authorization server. */
export interface OAuthClient {
  /** Undefined leaves it to the document. */
  readonly tokenUrl: string | undefined;
  readonly clientId: string;
  /** Undefined for a public client (RFC 6749, 2.1). */
  readonly clientSecret: Secret | undefined;
  /** The client authentication (RFC 6749, 2.3.1; RFC 8705, 2.1). */
  readonly authentication: ClientAuthentication;
  /** Undefined leaves them to the document, or to the authorization server. */
  readonly scopes: readonly string[] | undefined;
  /** Further parameters of the request, such as `audience`. */
  readonly parameters: Readonly<Record<string, string>>;
}

export const CLIENT_AUTHENTICATIONS = ['basic', 'post', 'certificate'] as const;
export type ClientAuthentication = (typeof CLIENT_AUTHENTICATIONS)[number];

/** The certificate by which a connection says who the gateway is (RFC 8446, 4.4.2); each part in PEM. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: Secret;
  readonly passphrase: Secret | undefined;
  /** The trusted certificate authorities; undefined for the default ones. */
  readonly ca: string | undefined;
}

export type OAuthCredential = Extract<SourceCredential, OAuthClient>;

/** The token endpoint of a source and its parameters. */
export interface TokenTarget {
  readonly url: string;
  /** As the parameter of a request (RFC 6749, 3.3); empty to leave it out. */
  readonly scope: Readonly<Record<string, string>>;
}

export function isOAuth(credential: SourceCredential | undefined): credential is OAuthCredential {
  return credential !== undefined && 'tokenUrl' in credential;
}

/** The headers and query parameters for a credential, with the text before the secret. */
export interface CredentialPlaces {
  readonly operationHeaders: Readonly<Record<string, string>>;
  readonly queryParams: Readonly<Record<string, string>>;
}

export function credentialPlaces(credential: SourceCredential | undefined): CredentialPlaces {
  switch (credential?.kind) {
    case undefined:
      return { operationHeaders: {}, queryParams: {} };
    case 'userKey': {
      const { section, name, prefix } = credential;
      return { operationHeaders: {}, queryParams: {}, [section]: { [name]: prefix } };
    }
    case 'awsSignature':
      return { operationHeaders: { authorization: 'AWS4-HMAC-SHA256 ' }, queryParams: {} };
    case 'digest':
      return { operationHeaders: { authorization: 'Digest ' }, queryParams: {} };
    case 'messageSignature':
      return { operationHeaders: { signature: '', 'signature-input': '' }, queryParams: {} };
    default:
      return { operationHeaders: { authorization: 'Bearer ' }, queryParams: {} };
  }
}

/** The TLS options for a client certificate. */
export type ClientTls = Pick<SecureContextOptions, 'cert' | 'key' | 'passphrase' | 'ca'>;

export function tlsOptions({ cert, key, passphrase, ca }: ClientCertificate): ClientTls {
  return {
    cert,
    key: key.reveal(),
    ...(passphrase && { passphrase: passphrase.reveal() }),
    ...(ca !== undefined && { ca }),
  };
}
