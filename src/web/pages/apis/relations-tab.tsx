import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ActionButton } from '../../controls/inputs.tsx';
import { Section } from '../../controls/section.tsx';
import { Table } from '../../controls/table.tsx';
import {
  checkRelations,
  decideRelations,
  type RelationDecision,
  type RelationOutcome,
  type RelationReport,
  readRelations,
} from '../../service/registry.ts';
import { FormFailure } from '../../state/failure.tsx';
import { Loaded } from '../../state/loaded.tsx';
import { LoadingRows } from '../../state/loading.tsx';
import { Notice } from '../../state/notice.tsx';
import { ChangeStatus } from './document-progress.tsx';
import { type TabProps, useApiChange } from './use-api.ts';

const POLL_MS = 1_500;

/** The relations between entity sets that are served and suggested, and what data has shown of them. */
export function RelationsTab({ api: { name, state }, isWritable }: TabProps) {
  const client = useQueryClient();
  const queryKey = ['relations', name];
  const isServed = state !== 'registered';
  const known = useQuery({
    queryKey,
    queryFn: ({ signal }) => readRelations(name, signal),
    refetchInterval: ({ state: { data } }) => (data?.isRunning === true ? POLL_MS : false),
  });
  const checking = useMutation({
    mutationFn: () => checkRelations(name),
    onSuccess: () => client.invalidateQueries({ queryKey }),
  });
  const deciding = useApiChange((decision: RelationDecision, progressId) =>
    decideRelations(name, [decision], progressId),
  );
  const isRunning = checking.isPending || known.data?.isRunning === true;
  return (
    <Section title="Relations">
      <p>
        Relations that a name or a schema shows without doubt are served. Others are suggested: accept those
        that are right. A check looks up to 20 values of each relation in the entity set that it refers to,
        with at most 5 calls. Accepting and refusing changes the overlay of the API.
      </p>
      <FormFailure error={checking.error ?? deciding.error} />
      <ChangeStatus
        change={deciding}
        isServed={isServed}
        otherwise="Changing the overlay …"
        done={undefined}
      />
      <Loaded query={known} what="list of relations" pending={<LoadingRows />}>
        {(report) =>
          report.relations.length === 0 ? (
            <Notice title="No relations">No property looks like the key of an entity of a set.</Notice>
          ) : (
            <>
              {isServed && (
                <div className="buttons parameter-actions">
                  <ActionButton
                    label="Check with data"
                    doing="Checking …"
                    isPending={isRunning}
                    act={() => checking.mutate()}
                  />
                </div>
              )}
              <Progress report={report} />
              <Relations
                title="Suggested"
                relations={report.relations.filter(({ state: own }) => own === 'suggested')}
                decide={isWritable ? deciding.mutate : undefined}
                isPending={deciding.isPending}
              />
              <Relations
                title="Served"
                relations={report.relations.filter(isServedRelation)}
                decide={isWritable ? deciding.mutate : undefined}
                isPending={deciding.isPending}
              />
              <Relations
                title="Refused"
                relations={report.relations.filter(({ state: own }) => own === 'refused')}
                decide={isWritable ? deciding.mutate : undefined}
                isPending={deciding.isPending}
              />
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

function isServedRelation({ state }: RelationOutcome): boolean {
  return state === 'declared' || state === 'derived';
}

function Progress({ report: { relations, isRunning } }: { readonly report: RelationReport }) {
  const all = relations.filter(({ state }) => state !== 'refused');
  const checked = all.filter(({ verdict }) => verdict !== 'open').length;
  return (
    <p role="status" className="hint">
      {isRunning
        ? `Checking: ${checked} of ${all.length} so far.`
        : `${checked} of ${all.length} have been checked.`}
    </p>
  );
}

interface RelationsProps {
  readonly title: string;
  readonly relations: readonly RelationOutcome[];
  /** Undefined if APIs are read-only. */
  readonly decide: ((decision: RelationDecision) => void) | undefined;
  readonly isPending: boolean;
}

function Relations({ title, relations, decide, isPending }: RelationsProps) {
  if (relations.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <Table
        caption={`${title} relations`}
        className="relations"
        columns={['Property', 'Refers to', 'Found by', 'Data', 'Decision']}
      >
        {relations.map((relation) => {
          const { entityType, property, target, foundBy } = relation;
          return (
            <tr key={`${entityType}/${property} ${target}`}>
              <th scope="row">
                {entityType}/{property}
              </th>
              <td>{target}</td>
              <td>{foundBy}</td>
              <td>
                <Outcome relation={relation} />
              </td>
              <td>
                {decide !== undefined && relation.isChangeable && (
                  <Decision relation={relation} decide={decide} isPending={isPending} />
                )}
              </td>
            </tr>
          );
        })}
      </Table>
    </>
  );
}

function Decision({
  relation,
  decide,
  isPending,
}: Required<Pick<RelationsProps, 'isPending'>> & {
  readonly relation: RelationOutcome;
  readonly decide: (decision: RelationDecision) => void;
}) {
  const { entityType, property, target, alternatives } = relation;
  const place = { entityType, property };
  const targets = isServedRelation(relation) ? [] : [target, ...alternatives];
  return (
    <div className="buttons">
      {targets.map((each) => (
        <button
          key={each}
          type="button"
          disabled={isPending}
          aria-label={
            targets.length === 1
              ? `Accept ${entityType}/${property}`
              : `Accept ${each} for ${entityType}/${property}`
          }
          onClick={() => decide({ ...place, target: each })}
        >
          {targets.length === 1 ? 'Accept' : `Accept ${each}`}
        </button>
      ))}
      {relation.state !== 'refused' && (
        <button
          type="button"
          disabled={isPending}
          aria-label={`Refuse ${entityType}/${property}`}
          onClick={() => decide({ ...place, target: null })}
        >
          Refuse
        </button>
      )}
    </div>
  );
}

function Outcome({ relation }: { readonly relation: RelationOutcome }) {
  const { verdict, resolved, tested, fits, typedBy } = relation;
  const counts = `${resolved} of ${tested} found`;
  switch (verdict) {
    case 'resolved':
      return <span className="mark view">{counts}</span>;
    case 'partly':
      return <span className="hint">{counts}</span>;
    case 'contradicted':
      return <span className="mark delete">Contradicted: {counts}</span>;
    case 'ambiguous':
      return (
        <span className="hint">
          Ambiguous: {counts}
          {fits.length > 0 && `, also in ${fits.join(', ')}`}
          {typedBy !== null && `, ${typedBy} names a type`}
        </span>
      );
    case 'undecided':
      return <span className="hint">No value could be looked up</span>;
    case 'unread':
      return <span className="hint">The list cannot be read</span>;
    case 'open':
      return <span className="hint">Not checked</span>;
  }
}
