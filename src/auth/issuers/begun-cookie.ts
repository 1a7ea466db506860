import { Secret } from '../../contract/secret.ts';
import type { TextSeal } from '../database/sealed-text.ts';
import type { Begun } from './issuer-client.ts';

/** A sign-in that has begun: what it is held against, and what it is for. */
export interface BegunSignIn extends Begun {
  /** The page that is shown then, such as `/app/account`. */
  readonly returnTo: string;
  readonly invitation: string | undefined;
  /** Whose account is to be signed in to by the issuer from then on; undefined where somebody signs in. */
  readonly connects: string | undefined;
}

/**
 * Keeps what has begun in the browser that has begun it, which nobody else can end it in. The text is sealed, so that
 * it cannot be made up, and good for ten minutes and one issuer. Nothing is stored for people who never come back.
 */
export interface BegunCookies {
  /** The field Set-Cookie. */
  write(path: string, begun: BegunSignIn): string;
  /** Undefined where there is none, or no longer. */
  read(path: string, cookies: string | undefined): BegunSignIn | undefined;
  /** The field Set-Cookie that removes it. */
  readonly removal: string;
}

const LIFE_S = 600;

export function createBegunCookies(seal: TextSeal, isSecure: boolean): BegunCookies {
  // A name with this prefix no other host and no page on http can set (RFC 6265bis, 4.1.3.2).
  const name = isSecure ? '__Host-duogate.sign_in' : 'duogate.sign_in';
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return {
    write(path, begun) {
      const text = JSON.stringify({ ...begun, until: Date.now() + LIFE_S * 1000 });
      return `${name}=${seal.seal(new Secret(text), path)}; Max-Age=${LIFE_S}; ${attributes}`;
    },
    read(path, cookies = '') {
      const cookie = cookies
        .split(';')
        .map((each) => each.trim())
        .find((each) => each.startsWith(`${name}=`));
      const opened = cookie && seal.open(cookie.slice(name.length + 1), path);
      if (!opened) return undefined;
      const { until, ...begun } = JSON.parse(opened.reveal());
      return until > Date.now() ? begun : undefined;
    },
    removal: `${name}=; Max-Age=0; ${attributes}`,
  };
}
