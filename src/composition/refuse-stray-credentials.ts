import { isOAuth } from '../mesh/credentials/token-target.ts';
import type { ProjectSource } from '../mesh/project-reading/project-source.ts';
import { projectError, type ServedPlan } from '../project/plan/plan.ts';

/** What decides where credentials may go. */
export interface CredentialContext {
  readonly hasAccounts: boolean;
  /** Whether the endpoint of a source came over the network. */
  readonly isGuarded: (source: ProjectSource) => boolean;
  /** Whether the document of a source may have come over the network. */
  readonly isFromNetwork: (name: string) => boolean;
}

/**
 * Throws where credentials would go to where nobody but somebody on the network has said, or have no place to be
 * kept at: whoever may register an API may not have the operator's credentials sent to it.
 */
export function refuseStrayCredentials({ project }: ServedPlan, ground: CredentialContext): void {
  const mistakes = project.sources.flatMap((source) =>
    mistakesOf(source, ground).map((mistake) => `${source.name}: ${mistake}`),
  );
  if (mistakes.length > 0) throw projectError(mistakes);
}

function mistakesOf(source: ProjectSource, ground: CredentialContext): readonly string[] {
  const { name, endpoint, access } = source;
  if (access === undefined) return [];
  const { credential } = access;
  const mistakes: string[] = [];
  if (ground.isGuarded(source) && access.endpoint === undefined) {
    mistakes.push(
      `its endpoint was given over the network: its credentials must say "endpoint: ${endpoint}"`,
    );
  }
  if (ground.isFromNetwork(name) && isOAuth(credential) && credential.tokenUrl === undefined) {
    mistakes.push(`its document came over the network: ${credential.kind} must say the tokenUrl`);
  }
  if (!ground.hasAccounts && NEEDING_ACCOUNTS.has(credential?.kind)) {
    mistakes.push(`${credential?.kind} needs accounts: it is not possible with AUTH=off`);
  }
  return mistakes;
}

const NEEDING_ACCOUNTS: ReadonlySet<string | undefined> = new Set([
  'refreshToken',
  'forwardedToken',
  'tokenExchange',
  'userKey',
]);
