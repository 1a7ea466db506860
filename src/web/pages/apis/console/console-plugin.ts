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

interface LayoutProps {
  readonly getComponent: (name: string, isContainer?: boolean) => ComponentType;
}

/** The name of the layout: errors and operations, as the page around them says the rest. */
export const CONSOLE_LAYOUT = 'ConsoleLayout';

/** Puts what the gateway tells of a request into the place of what Swagger UI thinks of it. */
export function consolePlugin(trials: Trials) {
  return ({ React: { createElement: h } }: System) => ({
    components: {
      [CONSOLE_LAYOUT]: ({ getComponent }: LayoutProps) =>
        h('div', { className: 'swagger-ui' }, ...PARTS.map((name) => h(getComponent(name, true)))),
      curl: ({ request }: CurlProps) =>
        describeTrial(h, trials, trialKey(request.get('method'), request.get('url'))),
    },
    // The gateway has the credentials.
    wrapComponents: { authorizeOperationBtn: () => () => null },
  });
}

const PARTS = ['SvgAssets', 'errors', 'operations'];

function describeTrial(h: typeof createElement, trials: Trials, key: string): ReactNode {
  if (!trials.has(key)) return null;
  const trial = trials.get(key);
  if (trial === undefined) {
    return h('p', { className: 'trial' }, 'The API gave no answer: this one is the gateway’s own.');
  }
  return h(
    'div',
    { className: 'trial' },
    h('h5', null, 'Request'),
    h('pre', null, requestText(trial)),
    h('h5', null, 'For a shell'),
    h('pre', null, trial.curl),
    h('p', null, `Answered with ${trial.status} in ${trial.milliseconds} ms.`),
    trial.truncated && h('p', null, 'The answer is longer than what is shown.'),
  );
}

function requestText({ request: { method, path, headers } }: Trial): string {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${path}`, ...fields].join('\n');
}
