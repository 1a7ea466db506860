import { Secret } from '../core/secret.ts';
import type { Variables } from './variables.ts';

/** The mail server and the sender. */
export interface MailConfig {
  /** The mail server, such as `smtps://user:password@mail.example.com`. */
  readonly url: Secret;
  /** The sender, such as `Duogate <duogate@example.com>`. */
  readonly from: string;
}

/**
 * Reads the settings for mail; undefined if the gateway sends none. Links in messages need the public URL,
 * because clients can forge the host of a request.
 */
export function readMail(variables: Variables, baseUrl: string | undefined): MailConfig | undefined {
  const url = variables.get('SMTP_URL');
  const from = variables.get('MAIL_FROM');
  if (url === undefined) {
    if (from !== undefined) variables.reject('MAIL_FROM needs SMTP_URL, which is missing');
    return undefined;
  }
  // Messages never quote the value, because it may contain a password.
  if (!isSmtpUrl(url)) variables.reject('SMTP_URL must be an smtp:// or smtps:// URL with a host');
  if (from === undefined || !isSender(from))
    variables.reject('MAIL_FROM must be an e-mail address, such as Duogate <duogate@example.com>');
  if (baseUrl === undefined)
    variables.reject('SMTP_URL needs BASE_URL, which the links in messages start with');
  return { url: new Secret(url), from: from ?? '' };
}

function isSmtpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, search, hash } = new URL(text);
  return (protocol === 'smtp:' || protocol === 'smtps:') && hostname !== '' && search === '' && hash === '';
}

/**
 * An address, optionally with a name before it; rejects line breaks, which would start another header field.
 */
function isSender(text: string): boolean {
  const [, bracketed] = /^[^<>\p{C}]*<([^<>]+)>$/u.exec(text) ?? [];
  return /^[^\s@<>\p{C}]+@[^\s@<>\p{C}]+$/u.test(bracketed ?? text) && text.length <= 320;
}
