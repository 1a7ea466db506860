import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type ProgressStep, readProgress } from '../../service/progress.ts';

interface DocumentProgressProps {
  readonly id: string;
  /** True if the document will be served. */
  readonly isServed?: boolean | undefined;
  /** Shown until the gateway reports a step. */
  readonly otherwise: string;
}

const WORDS: Readonly<Record<ProgressStep, string>> = {
  waiting: 'Waiting for other documents',
  reading: 'Reading the document',
  checking: 'Checking it against the OpenAPI schema',
  deriving: 'Deriving the tables',
  serving: 'Starting to serve it',
};

const EXAMINATION: readonly ProgressStep[] = ['reading', 'checking', 'deriving'];
const POLL_INTERVAL_MS = 400;

interface ChangeStatusProps {
  readonly change: { readonly isPending: boolean; readonly progressId: string };
  readonly isServed?: boolean | undefined;
  readonly otherwise: string;
  /** The message of success, if any. */
  readonly done?: string | false | undefined;
  /** Further results. */
  readonly children?: ReactNode;
}

/** Shows the progress of a change and its result, and announces both to screen readers. */
export function ChangeStatus({ change, isServed, otherwise, done, children }: ChangeStatusProps) {
  return (
    <div className="told" role="status">
      {change.isPending && (
        <DocumentProgress id={change.progressId} isServed={isServed} otherwise={otherwise} />
      )}
      {done && <p className="banner good">{done}</p>}
      {children}
    </div>
  );
}

/** Shows the progress of a request with a document. */
export function DocumentProgress({ id, isServed = false, otherwise }: DocumentProgressProps) {
  const steps = isServed ? [...EXAMINATION, 'serving' as const] : EXAMINATION;
  const { data: step } = useQuery({
    queryKey: ['progress', id],
    queryFn: ({ signal }) => readProgress(id, signal),
    refetchInterval: POLL_INTERVAL_MS,
    // Progress is polled again soon anyway.
    retry: false,
    gcTime: 0,
  });
  if (step === undefined || step === null) return <p className="hint working">{otherwise}</p>;
  const at = steps.indexOf(step);
  return (
    <ol className="steps" aria-label="Progress">
      {steps.map((each, index) => (
        <li
          key={each}
          className={index < at ? 'done' : index === at ? 'working' : undefined}
          aria-current={index === at ? 'step' : undefined}
        >
          {WORDS[each]}
        </li>
      ))}
      {at < 0 && <li className="working">{WORDS[step]}</li>}
    </ol>
  );
}
