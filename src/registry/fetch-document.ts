import { posix } from 'node:path';
import { Agent, request } from 'undici';
import { GatewayError } from '../contract/gateway-error.ts';
import { fetchReferenced } from '../openapi/files/referenced-files.ts';
import type { DescriptionTexts } from '../openapi/openapi-description.ts';
import { DocumentMistake } from '../openapi/parse/document-mistake.ts';
import { type AddressGuard, type HostList, hostOf } from './address/address-guard.ts';
import { LARGEST_DOCUMENT, tooLarge } from './assert-document.ts';

export interface FetchOptions {
  /** The only allowed hosts. */
  readonly hosts: HostList;
  readonly guard: AddressGuard;
}

const DEADLINE_MS = 10_000;
const CONNECT_MS = 2_000;

/** The reason why no document may be fetched from the URL, as a sentence. */
function validateFetchUrl(url: string, hosts: HostList): string | undefined {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return 'The URL must be an http or https URL.';
  if (parsed.username !== '' || parsed.password !== '') return 'The URL must not hold credentials.';
  if (hosts(hostOf(url)) !== 'none') return undefined;
  return `The operator does not allow ${hostOf(url)}: documents are fetched from the hosts of REGISTRY_HOSTS.`;
}

/** Fetches the text of a document, without following redirects or sending the client's headers. */
export async function fetchDocument(
  url: string,
  { hosts, guard }: FetchOptions,
  signal: AbortSignal,
): Promise<string> {
  const reason = validateFetchUrl(url, hosts) ?? (await guard.refusalOf(url));
  if (reason !== undefined) throw new GatewayError('Forbidden', reason, { target: 'url' });
  const agent = new Agent({ connect: guard.connector(CONNECT_MS) });
  try {
    return await read(url, agent, AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]));
  } catch (cause) {
    if (cause instanceof GatewayError) throw cause;
    throw new GatewayError('UpstreamUnavailable', 'The document cannot be fetched from the URL.', {
      target: 'url',
      cause,
    });
  } finally {
    await agent.destroy();
  }
}

/** Maximum number of files that a document at a URL may refer to. */
const MOST_FILES = 100;

/** Fetches a document, and the files below the URL's origin that it refers to by relative paths. */
export async function fetchFiles(
  url: string,
  options: FetchOptions,
  signal: AbortSignal,
): Promise<DescriptionTexts> {
  const document = await fetchDocument(url, options, signal);
  const file = posix.basename(new URL(url).pathname) || 'openapi.yaml';
  let [count, size] = [0, document.length];
  const referenced = await fetchReferenced(document, file, async (name) => {
    count += 1;
    if (count > MOST_FILES) throw new DocumentMistake(`is one of more than ${MOST_FILES} files`);
    const target = new URL(name.split('/').map(encodeURIComponent).join('/'), url);
    if (target.origin !== new URL(url).origin) throw new DocumentMistake('leaves the origin of the URL');
    const text = await fetchDocument(target.href, options, signal).catch((error: unknown) => {
      if (error instanceof GatewayError) throw new DocumentMistake('cannot be fetched');
      throw error;
    });
    size += text.length;
    if (size > LARGEST_DOCUMENT) throw tooLarge('url');
    return text;
  });
  return { document, file, referenced };
}

const HEADERS = {
  accept: 'application/yaml, application/json, text/yaml, text/plain;q=0.9, */*;q=0.5',
  'accept-encoding': 'identity',
  'user-agent': 'duogate',
};

async function read(url: string, dispatcher: Agent, signal: AbortSignal): Promise<string> {
  const { statusCode, body } = await request(url, { dispatcher, signal, headers: HEADERS });
  if (statusCode !== 200) {
    const message = `The document cannot be fetched: the URL answers with status ${statusCode}.`;
    throw new GatewayError('UpstreamBadResponse', message, { target: 'url' });
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > LARGEST_DOCUMENT) throw tooLarge('url');
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}
