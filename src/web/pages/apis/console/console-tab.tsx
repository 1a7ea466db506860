import type { TryItResult } from '../../../../contract/api-report.ts';
import { Section } from '../../../controls/section.tsx';
import { isEntity } from '../../../service/entity.ts';
import { type ApiDetail, registryUrl } from '../../../service/registry.ts';
import { postJson, RequestFailure, requestJson } from '../../../service/request.ts';
import { Loaded } from '../../../state/loaded.tsx';
import { LoadingFields } from '../../../state/loading.tsx';
import './console.css';
import { useQuery } from '@tanstack/react-query';
import { type ComponentType, type createElement, type ReactNode, useEffect, useRef } from 'react';
import SwaggerUI, { type SwaggerRequest } from 'swagger-ui-dist/swagger-ui-es-bundle.js';
import 'swagger-ui-dist/swagger-ui.css';

/** Tries operations of an API through the gateway's own client. */
export default function ConsoleTab({ api: { name } }: { readonly api: ApiDetail }) {
  const document = useQuery({
    queryKey: ['document', name],
    queryFn: ({ signal }) => requestJson(registryUrl(name, 'document'), { signal }),
  });
  return (
    <Loaded query={document} what="document" pending={<LoadingFields count={4} />}>
      {(text) => <Console name={name} document={text} />}
    </Loaded>
  );
}

interface ConsoleProps {
  readonly name: string;
  readonly document: unknown;
}

function Console({ name, document }: ConsoleProps) {
  const place = useRef<HTMLDivElement>(null);
  useDarkMode();
  useEffect(() => {
    const domNode = place.current;
    if (domNode === null) return;
    const stopMending = mendAccess(domNode);
    showConsole(domNode, name, document);
    return () => {
      stopMending();
      domNode.replaceChildren();
    };
  }, [name, document]);
  return (
    <Section title="Test console">
      <p className="hint">Requests go through the gateway, with its identifiers, credentials and limits.</p>
      <div ref={place} className="console" />
    </Section>
  );
}

function showConsole(domNode: HTMLElement, name: string, document: unknown): void {
  const trials: Trials = new Map();
  SwaggerUI({
    domNode,
    spec: { ...(isEntity(document) ? document : {}), servers: [{ url: registryUrl(name, 'try') }] },
    presets: [SwaggerUI.presets.apis],
    plugins: [consolePlugin(trials)],
    layout: CONSOLE_LAYOUT,
    tryItOutEnabled: true,
    defaultModelsExpandDepth: -1,
    validatorUrl: null,
    syntaxHighlight: false,
    requestInterceptor: (request) => {
      request.userFetch = (_, sent) => tryOperation(name, sent, trials);
      return request;
    },
  });
}

/** The API of Swagger UI for plugins, which includes its own React. */
interface System {
  readonly React: { readonly createElement: typeof createElement };
}

interface CurlProps {
  /** An immutable map. */
  readonly request: { get(name: string): unknown };
}

interface LayoutProps {
  readonly getComponent: (name: string, isContainer?: boolean) => ComponentType;
}

/** The name of the layout, which omits what the page shows already. */
const CONSOLE_LAYOUT = 'ConsoleLayout';

/** Replaces Swagger UI's curl command and errors by the gateway's. */
function consolePlugin(trials: Trials) {
  return ({ React: { createElement: h } }: System) => ({
    components: {
      [CONSOLE_LAYOUT]: ({ getComponent }: LayoutProps) =>
        h('div', { className: 'swagger-ui' }, ...PARTS.map((name) => h(getComponent(name, true)))),
      curl: ({ request }: CurlProps) =>
        describeTrial(h, trials, trialKey(request.get('method'), request.get('url'))),
    },
    // The gateway adds the credentials.
    wrapComponents: { authorizeOperationBtn: () => () => null },
  });
}

const PARTS = ['SvgAssets', 'errors', 'operations'];

function describeTrial(h: typeof createElement, trials: Trials, key: string): ReactNode {
  if (!trials.has(key)) return null;
  const trial = trials.get(key);
  if (trial === undefined) {
    return h('p', { className: 'trial' }, 'The API did not answer. This answer is the gateway’s own.');
  }
  return h(
    'div',
    { className: 'trial' },
    h('h5', null, 'Request'),
    h('pre', null, requestText(trial)),
    h('h5', null, 'As a curl command'),
    h('pre', null, trial.curl),
    h('p', null, `Answered with ${trial.status} in ${trial.milliseconds} ms.`),
    trial.truncated && h('p', null, 'The answer is longer than what is shown.'),
  );
}

function requestText({ request: { method, path, headers } }: TryItResult): string {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${path}`, ...fields].join('\n');
}

type Trials = Map<string, TryItResult | undefined>;

function trialKey(method: unknown, url: unknown): string {
  return `${String(method).toUpperCase()} ${String(url)}`;
}

/** Sends a request of the console through the gateway, and returns the response to the console. */
async function tryOperation(name: string, request: SwaggerRequest, trials: Trials): Promise<Response> {
  const { method = 'GET', headers = {}, body, url } = request;
  if (body !== undefined && typeof body !== 'string') throw new Error('The console sends no files.');
  trials.delete(trialKey(method, url));
  try {
    const order = { method, path: pathOf(name, url), headers, body };
    const trial = await postJson<TryItResult>(registryUrl(name, 'try'), order);
    trials.set(trialKey(method, url), trial);
    return responseOf(trial);
  } catch (error) {
    if (!(error instanceof RequestFailure) || error.status === 0) throw error;
    trials.set(trialKey(method, url), undefined);
    return new Response(error.message, { status: error.status, headers: { 'content-type': 'text/plain' } });
  }
}

/** The path below the service URL, which the console takes for the gateway's URL. */
function pathOf(name: string, url: string): string {
  const { pathname, search } = new URL(url, document.baseURI);
  const base = new URL(registryUrl(name, 'try'), document.baseURI).pathname;
  return (pathname.startsWith(base) ? pathname.slice(base.length) : pathname) + search;
}

/** Browsers reject a body for statuses without one. */
function responseOf({ status, headers, body, encoding }: TryItResult): Response {
  const isEmpty = status === 204 || status === 205 || status === 304;
  const content = encoding === 'base64' ? bytesOf(body) : body;
  return new Response(isEmpty ? null : content, { status, headers });
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

/**
 * Adds accessible names and keyboard access that Swagger UI lacks, now and after each rendering. Returns the
 * function that stops it.
 */
function mendAccess(root: HTMLElement): () => void {
  const mend = (): void => {
    for (const text of root.querySelectorAll('pre:not([tabindex])')) text.setAttribute('tabindex', '0');
    for (const choice of root.querySelectorAll('select:not([aria-label], [id])')) {
      choice.setAttribute('aria-label', 'Examples');
    }
  };
  const observer = new MutationObserver(mend);
  observer.observe(root, { childList: true, subtree: true });
  mend();
  return () => observer.disconnect();
}

/** Swagger UI's class for dark mode. */
const DARK = 'dark-mode';

/** Applies the page's colour scheme to the console. */
function useDarkMode(): void {
  useEffect(() => {
    const dark = window.matchMedia('(prefers-color-scheme: dark)');
    const { classList } = document.documentElement;
    const follow = (): void => void classList.toggle(DARK, dark.matches);
    follow();
    dark.addEventListener('change', follow);
    return () => {
      dark.removeEventListener('change', follow);
      classList.remove(DARK);
    };
  }, []);
}
