import { useMutation, useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { returnAddress } from '../service/addresses.ts';
import { type Issuer, type Landing, landingQuery } from '../service/landing.ts';
import { goToIssuer } from '../service/session.ts';
import { FormFailure } from '../state/failure.tsx';

interface IssuerButtonsProps {
  readonly issuers: readonly Issuer[] | undefined;
  /** True if another way to sign in follows below. */
  readonly hasOther: boolean;
}

/** Buttons for signing in or up with an issuer. */
export function IssuerButtons({ issuers = [], hasOther }: IssuerButtonsProps) {
  const [parameters] = useSearchParams();
  const going = useMutation({
    mutationFn: (issuer: Issuer) =>
      goToIssuer(issuer, 'sign-in', {
        returnTo: returnAddress(parameters),
        invitation: parameters.get('invitation') ?? undefined,
      }),
  });
  if (issuers.length === 0) return null;
  return (
    <div className="narrow issuers">
      <FormFailure error={going.error} />
      {issuers.map((issuer) => (
        <button
          key={issuer.path}
          type="button"
          disabled={going.isPending}
          onClick={() => going.mutate(issuer)}
        >
          Continue with {issuer.name}
        </button>
      ))}
      {hasOther && <p className="or">or</p>}
    </div>
  );
}

/** The outcome of a sign-in with an issuer, from the page's URL. */
export function IssuerOutcome() {
  const [parameters] = useSearchParams();
  const { data: landing } = useQuery(landingQuery);
  const refused = parameters.get('refused');
  const connected = parameters.get('connected');
  if (refused === null && connected === null) return null;
  const issuer = landing?.issuers?.find(({ path }) => path === (connected ?? parameters.get('by')));
  const name = issuer?.name ?? 'the provider';
  if (refused === null) {
    return (
      <p className="banner good outcome" role="status">
        You can now sign in with {name}.
      </p>
    );
  }
  const isGood = refused === 'waiting';
  return (
    <p className={`banner ${isGood ? 'good' : 'bad'} outcome`} role={isGood ? 'status' : 'alert'}>
      {(SENTENCES.get(refused) ?? failed)(name, landing)}
    </p>
  );
}

type Sentence = (name: string, landing: Landing | undefined) => string;

const failed: Sentence = (name) =>
  `Signing in with ${name} did not work. Try again, and ask the operator of this service if it still fails.`;

/** Messages for the reasons of a refusal. */
const SENTENCES: ReadonlyMap<string, Sentence> = new Map<string, Sentence>([
  ['denied', (name) => `You cancelled signing in with ${name}.`],
  ['expired', () => 'The sign-in took too long, or was started in another window. Try again.'],
  ['failed', failed],
  ['unavailable', (name) => `${sentenceCase(name)} cannot be reached at the moment. Try again later.`],
  ['often', () => 'Too many accounts have been created from your network. Try again later.'],
  ['closed', () => 'You have no account here. Accounts for this service are created by an administrator.'],
  [
    'invitation',
    (name) => `You need an invitation to sign up. Open the link in it, and continue with ${name} from there.`,
  ],
  [
    'waiting',
    () => 'Your account has been created. You can sign in as soon as an administrator has approved it.',
  ],
  ['disabled', () => 'Your account is disabled. Ask an administrator to enable it.'],
  [
    'taken',
    (name, landing) =>
      landing?.passwords === 'off'
        ? 'There is already an account with your e-mail address. Ask an administrator.'
        : `There is already an account with your e-mail address. Sign in with its password, then connect ${name} on your account page.`,
  ],
  ['connected', (name) => `Another account here is already connected to your account at ${name}.`],
  [
    'email',
    (name) => `${sentenceCase(name)} did not share your e-mail address, which an account here needs.`,
  ],
]);

function sentenceCase(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
