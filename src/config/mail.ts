import { Secret } from '../core/secret.ts';
import type { Variables } from './variables.ts';

/** Where mail is handed in, and whom it comes from. */
export interface MailConfig {
  /** The mail server, such as `smtps://user:password@mail.example.com`. */
  readonly url: Secret;
  /** The sender, such as `Duogate <duogate@example.com>`. */
  readonly from: string;
}

/**
 * The settings for mail; undefined where nobody is written to. Messages lead to the public URL, which no request may
 * name.
 */
export function readMail(variables: Variables, baseUrl: string | undefined): MailConfig | undefined {
  const url = variables.get('SMTP_URL');
  const from = variables.get('MAIL_FROM');
  if (url === undefined) {
    if (from !== undefined) variables.reject('MAIL_FROM needs SMTP_URL, which is missing');
    return undefined;
  }
  // The messages repeat none of it, because it may hold a password.
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

/** An address, or a name and an address in angle brackets; nothing that would begin another header field. */
function isSender(text: string): boolean {
  const [, bracketed] = /^[^<>\p{C}]*<([^<>]+)>$/u.exec(text) ?? [];
  return /^[^\s@<>\p{C}]+@[^\s@<>\p{C}]+$/u.test(bracketed ?? text) && text.length <= 320;
}
