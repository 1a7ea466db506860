import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ActionButton } from '../../controls/inputs.tsx';
import { Section } from '../../controls/section.tsx';
import { Table } from '../../controls/table.tsx';
import {
  checkParameters,
  forgetParameters,
  type ParameterOutcome,
  type ParameterReport,
  readParameters,
} from '../../service/registry.ts';
import { FormFailure } from '../../state/failure.tsx';
import { Loaded } from '../../state/loaded.tsx';
import { LoadingRows } from '../../state/loading.tsx';
import { Notice } from '../../state/notice.tsx';
import type { TabProps } from './use-api.ts';

const POLL_MS = 1_500;

/** The parameters by which the API narrows and sorts its lists, and which of them are used. */
export function ParametersTab({ api: { name, state } }: TabProps) {
  const client = useQueryClient();
  const queryKey = ['parameters', name];
  const isServed = state !== 'registered';
  const known = useQuery({
    queryKey,
    queryFn: ({ signal }) => readParameters(name, signal),
    refetchInterval: ({ state: { data } }) => (data?.isRunning === true ? POLL_MS : false),
    enabled: isServed,
  });
  const reread = () => client.invalidateQueries({ queryKey });
  const checking = useMutation({ mutationFn: () => checkParameters(name), onSuccess: reread });
  const forgetting = useMutation({ mutationFn: () => forgetParameters(name), onSuccess: reread });
  if (!isServed)
    return <Notice title="Not served">Add the API to the project to check what it can do.</Notice>;
  const isRunning = checking.isPending || known.data?.isRunning === true;
  return (
    <Section title="Parameters of lists">
      <p>
        Conditions and orders of a query are sent to the API by parameters that have shown what they do. A
        parameter is tried out when a query first needs it, or here, by reading pages of the lists. Results
        are kept for a day.
      </p>
      <FormFailure error={checking.error ?? forgetting.error} />
      <Loaded query={known} what="list of parameters" pending={<LoadingRows />}>
        {(report) => (
          <>
            {report.parameters.length > 0 && (
              <div className="buttons parameter-actions">
                <ActionButton
                  label="Check what the API can do"
                  doing="Checking …"
                  isPending={isRunning}
                  act={() => checking.mutate()}
                />
                <button type="button" disabled={forgetting.isPending} onClick={() => forgetting.mutate()}>
                  Forget the results
                </button>
              </div>
            )}
            <Outcomes report={report} />
          </>
        )}
      </Loaded>
    </Section>
  );
}

const VERDICTS: Readonly<Record<ParameterOutcome['verdict'], string>> = {
  proved: 'Used',
  refuted: 'Not used: it does something else',
  unsafe: 'Not used: no row could show what it does',
  open: 'Not tried',
};

function Outcomes({ report: { parameters, isRunning } }: { readonly report: ParameterReport }) {
  if (parameters.length === 0)
    return <Notice title="No parameters">No list has a parameter that may narrow or sort it.</Notice>;
  const tried = parameters.filter(({ verdict }) => verdict !== 'open').length;
  return (
    <>
      <p role="status" className="hint">
        {isRunning
          ? `Checking: ${tried} of ${parameters.length} so far.`
          : `${tried} of ${parameters.length} have been tried.`}
      </p>
      <Table
        caption="Parameters"
        className="parameters"
        columns={['Entity set', 'Parameter', 'Condition', 'Result']}
      >
        {parameters.map(({ entitySet, parameter, use, verdict }) => (
          <tr key={`${entitySet} ${parameter} ${use}`}>
            <th scope="row">{entitySet}</th>
            <td>
              <code>{parameter}</code>
            </td>
            <td>{use}</td>
            <td>
              <span className={verdict === 'proved' ? 'mark view' : 'hint'}>{VERDICTS[verdict]}</span>
            </td>
          </tr>
        ))}
      </Table>
    </>
  );
}
