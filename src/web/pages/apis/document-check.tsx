import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { newProgressId } from '../../service/progress.ts';
import { type Check, checkDocument, isServable } from '../../service/registry.ts';
import type { ChosenFile } from './document-file.tsx';
import { DocumentProgress } from './document-progress.tsx';
import { ModelReportView } from './model-report.tsx';
import { ValidationReport } from './validation-report.tsx';

interface DocumentCheckProps {
  readonly file: ChosenFile;
}

/** Says what the gateway finds in a file, before it is stored. */
export function DocumentCheck({ file }: DocumentCheckProps) {
  const [progressId] = useState(newProgressId);
  const check = useQuery<Check>({
    queryKey: ['check', file.name, file.text],
    queryFn: () => checkDocument({ fileName: file.name, document: file.text }, progressId),
    gcTime: 0,
  });
  return (
    <section
      className="checked"
      aria-label="What the file is"
      aria-live="polite"
      aria-busy={check.isFetching}
    >
      {check.isPending && (
        <DocumentProgress
          id={progressId}
          steps={['reading', 'checking', 'deriving']}
          otherwise="Sending the file …"
        />
      )}
      {check.isError && (
        <p className="banner bad" role="alert">
          {check.error.message}
        </p>
      )}
      {check.isSuccess && (
        <>
          <ValidationReport report={check.data.report} />
          {isServable(check.data.report) && (
            <details className="findings">
              <summary>
                <h2 className="summed-up">What it becomes</h2>
              </summary>
              <ModelReportView model={check.data.model} />
            </details>
          )}
        </>
      )}
    </section>
  );
}
