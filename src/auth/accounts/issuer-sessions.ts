import { createAuthEndpoint } from 'better-auth/api';
import { setSessionCookie } from 'better-auth/cookies';

/** Has the library start a session of whoever an issuer has signed in; no request from outside leads here. */
export const issuerSessions = {
  id: 'issuer-sessions' as const,
  endpoints: {
    startIssuerSession: createAuthEndpoint.serverOnly(
      { method: 'POST', metadata: { $Infer: { body: {} as { readonly userId: string } } } },
      async (context) => {
        const { internalAdapter } = context.context;
        const user = await internalAdapter.findUserById(context.body.userId);
        const session = user && (await internalAdapter.createSession(user.id));
        if (!session) return context.json({ isStarted: false });
        await setSessionCookie(context, { session, user }, false);
        return context.json({ isStarted: true });
      },
    ),
  },
};
