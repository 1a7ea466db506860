import { createTransport } from 'nodemailer';
import type { Log } from '../../contract/log.ts';
import type { Secret } from '../../core/secret.ts';

/** The mail server and the sender's address. */
export interface MailAccount {
  readonly url: Secret;
  readonly from: string;
}

export interface Message {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Sends messages one after the other, and retries if the server rejects one temporarily. */
export interface Mailer {
  /**
   * Returns at once, so that responses neither wait for mail nor reveal by their duration whether any is
   * sent.
   */
  send(message: Message): void;
  /** Waits briefly for mail being sent; logs what is dropped. */
  close(): Promise<void>;
}

const MOST_WAITING = 1_000;
const CONNECTIONS = 2;
const TIMEOUT_MS = 10_000;
/** Pauses before the retries. */
const PAUSES_MS: readonly number[] = [2_000, 30_000, 300_000];
const CLOSING_MS = 3_000;

interface Waiting {
  readonly message: Message;
  readonly attempt: number;
}

export function createMailer({ url, from }: MailAccount, log: Log): Mailer {
  const transport = createTransport({ ...transportOptions(new URL(url.reveal())), pool: true });
  const waiting: Waiting[] = [];
  const pauses = new Set<NodeJS.Timeout>();
  const sending = new Set<Promise<void>>();
  let isClosed = false;

  const handIn = async ({ message, attempt }: Waiting): Promise<void> => {
    try {
      const { to, subject, text } = message;
      // An address given as an object is never parsed as a list or as a name with an address.
      await transport.sendMail({ from, to: { name: '', address: to }, subject, text });
    } catch (error) {
      fail({ message, attempt }, error);
    }
  };
  const next = (): void => {
    while (sending.size < CONNECTIONS && !isClosed) {
      const first = waiting.shift();
      if (first === undefined) return;
      const work = handIn(first).finally(() => {
        sending.delete(work);
        next();
      });
      sending.add(work);
    }
  };
  const add = (one: Waiting): void => {
    if (waiting.length + pauses.size >= MOST_WAITING) {
      log.warn({ subject: one.message.subject }, 'a message was not sent: too many are waiting');
      return;
    }
    waiting.push(one);
    next();
  };
  const fail = (one: Waiting, error: unknown): void => {
    const pause = isFinal(error) || isClosed ? undefined : PAUSES_MS[one.attempt];
    const logFields = { subject: one.message.subject, ...reasonOf(error) };
    if (pause === undefined) {
      log.error(logFields, 'a message could not be sent');
      return;
    }
    log.warn({ ...logFields, pause }, 'a message was not accepted, and will be tried again');
    const timer = setTimeout(() => {
      pauses.delete(timer);
      add({ message: one.message, attempt: one.attempt + 1 });
    }, pause);
    pauses.add(timer);
    timer.unref();
  };
  return {
    send: (message) => add({ message, attempt: 0 }),
    async close() {
      isClosed = true;
      await Promise.race([
        Promise.all(sending),
        new Promise((resolve) => setTimeout(resolve, CLOSING_MS).unref()),
      ]);
      const lost = waiting.length + pauses.size;
      for (const timer of pauses) clearTimeout(timer);
      if (lost > 0) log.warn({ lost }, 'messages were not sent before shutdown');
      transport.close();
    },
  };
}

/** Sends one message and waits for it; returns why it failed, or undefined. */
export async function deliver(
  { url, from }: MailAccount,
  { to, subject, text }: Message,
): Promise<string | undefined> {
  const transport = createTransport(transportOptions(new URL(url.reveal())));
  try {
    await transport.sendMail({ from, to: { name: '', address: to }, subject, text });
    return undefined;
  } catch (error) {
    const { code, responseCode } = reasonOf(error);
    return [code, responseCode].filter((part) => part !== undefined).join(' ') || 'no reason was given';
  } finally {
    transport.close();
  }
}

/** Requires TLS for a password, unless the server is on this machine. */
function transportOptions({ protocol, hostname, port, username, password }: URL) {
  const isSecure = protocol === 'smtps:';
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    ...(port !== '' && { port: Number(port) }),
    secure: isSecure,
    requireTLS: !isSecure && !isLocal && username !== '',
    ...(username !== '' && {
      auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    }),
    maxConnections: CONNECTIONS,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** Whether the server rejected the message permanently (RFC 5321, 4.2.1). */
function isFinal(error: unknown): boolean {
  const { responseCode } = reasonOf(error);
  return responseCode !== undefined && responseCode >= 500;
}

/** Omits the server's own text, which may repeat what was sent. */
function reasonOf(error: unknown): { readonly code?: string; readonly responseCode?: number } {
  if (typeof error !== 'object' || error === null) return {};
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  const status =
    'responseCode' in error && typeof error.responseCode === 'number'
      ? { responseCode: error.responseCode }
      : {};
  return { ...code, ...status };
}
