import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { DialogButton } from '../../controls/dialog-button.tsx';
import { ActionButton } from '../../controls/inputs.tsx';
import { quantity } from '../../controls/quantity.ts';
import { Section } from '../../controls/section.tsx';
import { type LearnableRead, type LearnResult, learnAnswers, readLearnable } from '../../service/registry.ts';
import { FormFailure } from '../../state/failure.tsx';
import { Loaded } from '../../state/loaded.tsx';
import { LoadingRows } from '../../state/loading.tsx';
import { Notice } from '../../state/notice.tsx';
import { ImprovementView } from './improvement-view.tsx';
import type { TabProps } from './use-api.ts';

/** The reads that the document has no schema for, and what is learnt from their answers. */
export function LearnTab({ api, isWritable }: TabProps) {
  const known = useQuery({
    queryKey: ['learnable', api.name],
    queryFn: ({ signal }) => readLearnable(api.name, signal),
  });
  return (
    <Section title="Learn from an answer">
      <Loaded query={known} what="list of reads" pending={<LoadingRows />}>
        {(reads) =>
          reads.length === 0 ? (
            <Notice title="Nothing to learn">The document says what all reads answer with.</Notice>
          ) : (
            <LearnForm api={api} isWritable={isWritable} reads={reads} />
          )
        }
      </Loaded>
    </Section>
  );
}

function LearnForm({ api, isWritable, reads }: TabProps & { readonly reads: readonly LearnableRead[] }) {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const chosen = reads.filter(({ target }) => !left.has(target));
  const learning = useMutation({
    mutationFn: () =>
      learnAnswers(
        api.name,
        chosen.map(({ target }) => target),
      ),
  });
  const toggle = (target: string): void =>
    setLeft((known) =>
      known.has(target) ? new Set([...known].filter((each) => each !== target)) : new Set([...known, target]),
    );
  const outcomes = new Map(learning.data?.reads.map(({ path, outcome }) => [path, outcome]));
  return (
    <>
      <p>
        {describeReads(reads)} The API can be asked: a schema is made from the form of up to 200 rows of each
        answer. It has names and types, and no values.
      </p>
      <ul className="items" aria-label="Reads to learn from">
        {reads.map(({ target, path, looksLikeList, isLearnt }) => (
          <li key={target} className="item learnable">
            <label className="check">
              <input type="checkbox" checked={!left.has(target)} onChange={() => toggle(target)} />
              <code>GET {path}</code>
            </label>
            <span className="hint">
              {outcomes.get(path) ?? (isLearnt ? 'Learnt before' : looksLikeList ? 'Looks like a list' : '')}
            </span>
          </li>
        ))}
      </ul>
      {isWritable && chosen.length > 0 && (
        <div className="buttons parameter-actions">
          <DialogButton label="Learn from the answers" title={`Call ${api.name}?`}>
            {(close) => (
              <>
                <p>
                  {quantity(chosen.length, 'GET request')} will be sent to {api.serviceUrl} with the
                  credentials of the project. Nothing is stored until you accept the result.
                </p>
                <div className="buttons">
                  <button type="button" onClick={close}>
                    Cancel
                  </button>
                  <ActionButton
                    label={`Send ${quantity(chosen.length, 'request')}`}
                    doing="Calling …"
                    isPending={learning.isPending}
                    act={() => {
                      close();
                      learning.mutate();
                    }}
                  />
                </div>
              </>
            )}
          </DialogButton>
        </div>
      )}
      {learning.isPending && <p role="status">Calling the API …</p>}
      <FormFailure error={learning.error} />
      {learning.isSuccess && (
        <Result key={learning.submittedAt} api={api.name} result={learning.data} done={learning.reset} />
      )}
    </>
  );
}

function describeReads(reads: readonly LearnableRead[]): string {
  const silent = reads.filter(({ isLearnt }) => !isLearnt);
  const lists = silent.filter(({ looksLikeList }) => looksLikeList).length;
  if (silent.length === 0) return 'The answers of these reads have been learnt.';
  const say = silent.length === 1 ? 'does not say what it answers with' : 'do not say what they answer with';
  return `${quantity(silent.length, 'read')} ${say}; ${lists === 1 ? '1 looks like a list' : `${lists} look like lists`}.`;
}

interface ResultProps {
  readonly api: string;
  readonly result: LearnResult;
  readonly done: () => void;
}

function Result({ api, result, done }: ResultProps) {
  const learnt = result.reads.filter(({ outcome }) => outcome === 'learnt').length;
  return (
    <Section title="Result">
      <p role="status">
        {learnt} of {quantity(result.reads.length, 'answer')} could be read.
        {result.actions.length === 0 && ' Nothing is new.'}
      </p>
      {result.actions.length > 0 && <ImprovementView api={api} improvement={result} onAccepted={done} />}
    </Section>
  );
}
