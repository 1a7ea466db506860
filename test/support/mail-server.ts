import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

/** A message as the server was given it. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  /** The body, decoded, with `\n` at the ends of lines. */
  readonly body: string;
  /** The link that it has, if any. */
  readonly link: string | undefined;
}

/** A mail server that keeps what it is given, on 127.0.0.1. */
export interface MailServer {
  /** With the user and the password that it takes. */
  readonly url: string;
  readonly received: readonly ReceivedMail[];
  /** Answers so to the recipient of each message; undefined takes them all. */
  refusal: { readonly status: number; readonly times: number } | undefined;
  /** The next message, to this address if one is said, that has not been waited for. */
  next(address?: string): Promise<ReceivedMail>;
  close(): Promise<void>;
}

/** A pending wait for a message. */
interface Waiter {
  readonly address: string | undefined;
  readonly take: (mail: ReceivedMail) => void;
}

export const MAIL_USER = { name: 'duogate', password: 'p@ss/word' };

export async function startMailServer(): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const unread: ReceivedMail[] = [];
  const waiting = new Set<Waiter>();
  const offer = (): void => {
    for (const waiter of waiting) {
      const { address, take } = waiter;
      const place = unread.findIndex(({ to }) => address === undefined || to.includes(address));
      const [mail] = place === -1 ? [] : unread.splice(place, 1);
      if (mail === undefined) continue;
      waiting.delete(waiter);
      take(mail);
    }
  };
  const server = new SMTPServer({
    hideSTARTTLS: true,
    authMethods: ['PLAIN'],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _, answer) =>
      username === MAIL_USER.name && password === MAIL_USER.password
        ? answer(null, { user: username })
        : answer(new Error('Invalid username or password')),
    onRcptTo(_address, _session, answer) {
      const { refusal } = mail;
      if (refusal === undefined || refusal.times === 0) return answer();
      mail.refusal = { ...refusal, times: refusal.times - 1 };
      answer(Object.assign(new Error('Not now, or never'), { responseCode: refusal.status }));
    },
    onData(stream, { envelope: { mailFrom, rcptTo } }, answer) {
      text(stream).then((written) => {
        const from = mailFrom === false ? '' : mailFrom.address;
        const mail = { from, to: rcptTo.map(({ address }) => address), ...readMessage(written) };
        received.push(mail);
        unread.push(mail);
        offer();
        answer();
      }, answer);
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  const login = [MAIL_USER.name, MAIL_USER.password].map(encodeURIComponent).join(':');
  const mail: MailServer = {
    url: `smtp://${login}@127.0.0.1:${port}`,
    received,
    refusal: undefined,
    next: (address) =>
      new Promise((take) => {
        waiting.add({ address, take });
        offer();
      }),
    close: () => new Promise((resolve) => server.close(resolve)),
  };
  return mail;
}

/** Of RFC 5322 and RFC 2045, what our messages have: one part of text, in quoted-printable where lines are long. */
function readMessage(written: string): Pick<ReceivedMail, 'subject' | 'body' | 'link'> {
  const [head = '', ...rest] = written.split('\r\n\r\n');
  const fields = head.replaceAll(/\r\n[ \t]+/g, ' ');
  const subject = /^Subject: (.*)$/im.exec(fields)?.[1] ?? '';
  const isQuoted = /^Content-Transfer-Encoding: quoted-printable/im.test(fields);
  const raw = rest.join('\r\n\r\n').replaceAll('\r\n', '\n');
  const body = isQuoted ? unquoted(raw) : raw;
  return { subject, body, link: /https?:\/\/\S+#\S+|https?:\/\/\S+invitation=\S+/.exec(body)?.[0] };
}

function unquoted(raw: string): string {
  return raw
    .replaceAll('=\n', '')
    .replaceAll(/=([\dA-F]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
}
