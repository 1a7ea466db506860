import { AsyncLocalStorage } from 'node:async_hooks';
import type { Mailer, Message } from './mailer.ts';

/**
 * A recipient. Messages never contain the name that users give themselves: anyone could use it to send texts
 * to strangers.
 */
interface Addressee {
  readonly email: string;
}

/** The messages to users about their accounts. */
export interface AccountMail {
  confirmation(to: Addressee, token: string): void;
  /** For a sign-up with an address that already has an account. */
  alreadySignedUp(to: Addressee): void;
  passwordReset(to: Addressee, token: string): void;
  /** For a reset of an account without a password. */
  noPassword(to: Addressee): void;
  invitation(to: Addressee, url: string): void;
  approval(to: Addressee): void;
}

const muted = new AsyncLocalStorage<true>();

/** Runs the work without sending its messages. */
export function withoutMail<Result>(work: () => Promise<Result>): Promise<Result> {
  return muted.run(true, work);
}

/** Links start with this URL, whatever host the request named. */
export function createAccountMail({ send }: Pick<Mailer, 'send'>, baseUrl: string): AccountMail {
  const page = (name: string): string => `${baseUrl}/app/${name}`;
  const write = (to: Addressee, subject: string, ...paragraphs: readonly string[]): void => {
    if (muted.getStore() !== true) send(message(to, baseUrl, subject, paragraphs));
  };
  return {
    confirmation: (to, token) =>
      write(
        to,
        'Confirm your address',
        `An account was created for this address at ${baseUrl}. To confirm that it is yours, follow this link within a day:`,
        link(page('confirm'), token),
        'If you did not sign up, ignore this message: the account cannot be used without this confirmation.',
      ),
    alreadySignedUp: (to) =>
      write(
        to,
        'You already have an account',
        `Someone tried to sign up at ${baseUrl} with this address, which already has an account. If it was you, sign in:`,
        page('sign-in'),
        'If you have forgotten your password, ask for a new one here:',
        page('forgot-password'),
        'If it was not you, ignore this message.',
      ),
    passwordReset: (to, token) =>
      write(
        to,
        'Choose a new password',
        `A new password was requested for your account at ${baseUrl}. To choose it, follow this link within an hour:`,
        link(page('reset-password'), token),
        'If you did not request it, ignore this message: your password stays the same.',
      ),
    noPassword: (to) =>
      write(
        to,
        'Your account has no password',
        `A new password was requested for your account at ${baseUrl}. It has no password: sign in the way you always do.`,
        page('sign-in'),
      ),
    invitation: (to, url) => send(invitationMessage(to, url, baseUrl)),
    approval: (to) =>
      write(to, 'Your account is approved', `You can now sign in at ${baseUrl}:`, page('sign-in')),
  };
}

export function invitationMessage(to: Addressee, url: string, baseUrl: string): Message {
  return message(to, baseUrl, 'You are invited', [
    `You are invited to sign up at ${baseUrl}. Follow this link, which works for this address only:`,
    url,
  ]);
}

/** Browsers send no fragment to servers, so no log contains the token. */
function link(page: string, token: string): string {
  return `${page}#${new URLSearchParams({ token })}`;
}

function message(
  { email }: Addressee,
  baseUrl: string,
  subject: string,
  paragraphs: readonly string[],
): Message {
  const text = `${paragraphs.join('\n\n')}\n`;
  return { to: email, subject: `${subject} (${new URL(baseUrl).host})`, text };
}
