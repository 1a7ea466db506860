interface MomentProps {
  readonly at: string;
}

/** A date and time in the user's locale. */
export function Moment({ at }: MomentProps) {
  return (
    <time dateTime={at}>{new Date(at).toLocaleString([], { dateStyle: 'medium', timeStyle: 'medium' })}</time>
  );
}

/** A date; its tooltip shows the time. */
export function Day({ at }: MomentProps) {
  const moment = new Date(at);
  return (
    <time dateTime={at} title={moment.toLocaleString()}>
      {moment.toLocaleDateString([], { dateStyle: 'medium' })}
    </time>
  );
}
