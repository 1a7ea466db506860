import { useMutation } from '@tanstack/react-query';
import { gatewayUrl } from '../service/base.ts';
import type { LandingLink } from '../service/landing.ts';

interface QueryRunnerProps {
  readonly queries: readonly LandingLink[];
}

interface Run {
  readonly href: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly text: string;
}

/** Sample queries, and the answer to the one that was clicked. */
export function QueryRunner({ queries }: QueryRunnerProps) {
  const run = useMutation({ mutationFn: runQuery });
  return (
    <div className="runner card">
      <ul className="queries">
        {queries.map(({ title, href }) => (
          <li key={href}>
            <button type="button" aria-pressed={run.variables === href} onClick={() => run.mutate(href)}>
              <span className="query-title">{title}</span>
              <code className="query-address">{readable(href)}</code>
            </button>
          </li>
        ))}
      </ul>
      <div className="answer" aria-live="polite" aria-busy={run.isPending}>
        {run.data !== undefined && <Answer run={run.data} />}
        {run.isError && <p className="problem">The gateway cannot be reached.</p>}
        {run.isIdle && <p className="hint">Choose a query to see its answer here.</p>}
      </div>
    </div>
  );
}

function Answer({ run }: { readonly run: Run }) {
  return (
    <>
      <p className="answer-head">
        <span className={run.status < 400 ? 'mark view' : 'mark wrong'}>{run.status}</span>
        <span>{run.milliseconds} ms</span>
        <a href={gatewayUrl(run.href)}>Open the address</a>
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard. */}
      <section className="answer-text" tabIndex={0} aria-label="The answer">
        <pre>{run.text}</pre>
      </section>
    </>
  );
}

async function runQuery(href: string): Promise<Run> {
  const start = performance.now();
  const response = await fetch(gatewayUrl(href), { headers: { Accept: 'application/json' } });
  const text = await response.text();
  const milliseconds = Math.round(performance.now() - start);
  return { href, status: response.status, milliseconds, text: indent(text) };
}

function indent(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function readable(href: string): string {
  return `/${decodeURIComponent(href)}`;
}
