import { createProjectAccounts } from './accounts-project.ts';
import { atEndOfFile } from './end-of-file.ts';
import { CLIENT, type SignInProvider, startSignInProvider } from './sign-in-provider.ts';
import {
  createProject,
  documentOf,
  type ProjectGateway,
  serveProject,
  sourceOf,
} from './temporary-project.ts';

/** The account that an operator has made. */
export const ADMIN = 'ada@example.com';

/** A gateway before a provider of its own. */
export interface Site {
  readonly provider: SignInProvider;
  readonly served: ProjectGateway;
  readonly url: string;
  /** The segment of the provider in paths. */
  readonly path: string;
  fetch(
    path: string,
    init?: RequestInit,
  ): Promise<{ readonly status: number; readonly headers: Headers; readonly text: string }>;
}

interface SiteOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly isEmailTrusted?: boolean;
  /** Whether people sign in by passwords, too. */
  readonly hasPasswords?: boolean;
  /** Whether the client has no secret. */
  readonly isPublic?: boolean;
}

export async function startSite({
  environment = {},
  isEmailTrusted = false,
  hasPasswords = true,
  isPublic = false,
}: SiteOptions = {}): Promise<Site> {
  const provider = await startSignInProvider({ isPublic });
  atEndOfFile(() => provider.close());
  const project = createProject(
    {
      'notes.yaml': documentOf('Note'),
      '.meshrc.yaml': `sources:\n${sourceOf('Notes', './notes.yaml', 'http://127.0.0.1:9')}`,
      'client-secret': `${CLIENT.secret}\n`,
    },
    atEndOfFile,
  );
  const accounts = await createProjectAccounts(project, { [ADMIN]: ['User', 'Admin'] });
  const served = await serveProject(
    project,
    {
      ...accounts,
      MESH_CONFIG: project.path('.meshrc.yaml'),
      OIDC_ISSUERS: provider.url,
      OIDC_CLIENT_IDS: CLIENT.id,
      OIDC_CLIENT_SECRET_FILES: isPublic ? '-' : project.path('client-secret'),
      OIDC_TRUSTED_EMAIL: isEmailTrusted ? provider.url : '',
      OIDC_NAMES: 'Example',
      PASSWORD_SIGN_IN: hasPasswords ? 'on' : 'off',
      ...environment,
    },
    atEndOfFile,
  );
  const { url } = served.gateway;
  const path = new URL(provider.url).host.replace(':', '-');
  provider.register(`${url}/api/auth/issuers/${path}/callback`);
  return {
    provider,
    served,
    url,
    path,
    async fetch(target, init) {
      const response = await fetch(`${url}${target}`, init);
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
  };
}
