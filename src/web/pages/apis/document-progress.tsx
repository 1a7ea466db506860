import { useQuery } from '@tanstack/react-query';
import { type ProgressStep, readProgress } from '../../service/progress.ts';

interface DocumentProgressProps {
  /** The id of the request that is being waited for. */
  readonly id: string;
  /** What it comes to, in their order. */
  readonly steps: readonly ProgressStep[];
  /** What is said until the gateway says more. */
  readonly otherwise: string;
}

const WORDS: Readonly<Record<ProgressStep, string>> = {
  waiting: 'Waiting for other documents',
  reading: 'Reading the document',
  checking: 'Checking it against the OpenAPI schema',
  deriving: 'Deriving the tables',
  serving: 'Starting to serve it',
};

const ASKED_EVERY_MS = 400;

/** Says what the gateway is doing with a document, as long as it does. */
export function DocumentProgress({ id, steps, otherwise }: DocumentProgressProps) {
  const { data: step } = useQuery({
    queryKey: ['progress', id],
    queryFn: ({ signal }) => readProgress(id, signal),
    refetchInterval: ASKED_EVERY_MS,
    // What a lost answer would have said is old soon enough.
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
