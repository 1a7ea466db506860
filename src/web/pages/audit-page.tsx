import { useInfiniteQuery } from '@tanstack/react-query';
import { MoreItems } from '../controls/list/more-items.tsx';
import { Moment } from '../controls/moment.tsx';
import { Table } from '../controls/table.tsx';
import { type AuditEvent, readAudit } from '../service/audit.ts';
import { Page } from '../shell/page.tsx';
import { Failure } from '../state/failure.tsx';

/** Sign-ins and changes of all users, newest first: for administrators. */
export function AuditPage() {
  const events = useInfiniteQuery({
    queryKey: ['audit'],
    queryFn: ({ pageParam, signal }) => readAudit(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
  });
  return (
    <Page title="Audit">
      <p>Who has signed in, or tried to, and who has changed accounts, keys and APIs.</p>
      {events.isError && events.data === undefined && (
        <Failure error={events.error} retry={() => events.refetch()} what="audit" />
      )}
      {events.data !== undefined && <Events events={events.data.pages.flatMap((page) => page.events)} />}
      {events.data !== undefined && <MoreItems pages={events} />}
    </Page>
  );
}

function Events({ events }: { readonly events: readonly AuditEvent[] }) {
  if (events.length === 0) return <p>There is no activity yet.</p>;
  return (
    <Table caption="Activity" className="audit" columns={['When', 'Who', 'What', 'From']}>
      {events.map((event) => (
        <EventRow key={`${event.at} ${event.request} ${event.action}`} event={event} />
      ))}
    </Table>
  );
}

function EventRow({ event }: { readonly event: AuditEvent }) {
  const { at, actor, action, subject, refused, address, request } = event;
  return (
    <tr title={request === null ? undefined : `Request ${request}`}>
      <td>
        <Moment at={at} />
      </td>
      <td>{actor ?? 'somebody'}</td>
      <td>
        {action}
        {subject !== null && <> · {subject}</>} {refused && <span className="badge">refused</span>}
      </td>
      <td>{address ?? ''}</td>
    </tr>
  );
}
