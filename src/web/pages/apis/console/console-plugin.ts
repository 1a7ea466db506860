import type { ComponentType, createElement, ReactNode } from 'react';
import { type Trial, type Trials, trialKey } from './try-operation.ts';

/** What Swagger UI gives its plugins: its own React, among others. */
interface System {
  readonly React: { readonly createElement: typeof createElement };
}

interface CurlProps {
  /** An immutable map. */
  readonly request: { get(name: string): unknown };
}

const NOTHING = () => () => null;

/**
 * Puts what the gateway tells of a request into the place of what Swagger UI thinks of it, and leaves out what
 * the page around it says already.
 */
export function consolePlugin(trials: Trials) {
  return ({ React: { createElement: h } }: System) => ({
    components: {
      curl: ({ request }: CurlProps) =>
        describeTrial(h, trials, trialKey(request.get('method'), request.get('url'))),
    },
    wrapComponents: {
      InfoContainer: NOTHING,
      ServersContainer: NOTHING,
      SchemesContainer: NOTHING,
      authorizeBtn: NOTHING,
      authorizeOperationBtn: NOTHING,
    } satisfies Record<string, (original: ComponentType) => ComponentType>,
  });
}

function describeTrial(h: typeof createElement, trials: Trials, key: string): ReactNode {
  if (!trials.has(key)) return null;
  const trial = trials.get(key);
  if (trial === undefined)
    return h('p', { className: 'trial' }, 'The API gave no answer: this is the gateway’s own.');
  return h(
    'div',
    { className: 'trial' },
    h('h4', null, 'Request'),
    h('pre', { tabIndex: 0 }, requestText(trial)),
    h('h4', null, 'For a shell'),
    h('pre', { tabIndex: 0 }, trial.curl),
    h('p', null, `Answered with ${trial.status} in ${trial.milliseconds} ms.`),
    trial.truncated && h('p', null, 'The answer is longer than what is shown.'),
  );
}

function requestText({ request: { method, path, headers } }: Trial): string {
  return [`${method} ${path}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)].join(
    '\n',
  );
}
