import { describe, expect, it } from 'vitest';
import { strayVariables } from '../../src/config/stray-variables.ts';

describe('a variable that no setting has the name of', () => {
  it.each([
    ['REGISTRY_HOST', 'REGISTRY_HOSTS'],
    ['AUTH_SECRTE', 'AUTH_SECRET'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['TRUSTED_PROXY', 'TRUSTED_PROXIES'],
    ['DUOGATE_PORT', 'PORT'],
    ['DUOGATE_COLOUR', undefined],
  ])('%s is told of, with the nearest: %s', (name, nearest) => {
    expect(strayVariables({ [name]: 'x' })).toStrictEqual([{ name, nearest }]);
  });

  it.each(['HOME', 'HOSTNAME', 'PATH', 'PWD', 'NODE_ENV', 'HTTPS_PROXY', 'LIBRARY_TOKEN', 'npm_config_port'])(
    '%s is somebody else’s',
    (name) => expect(strayVariables({ [name]: 'x' })).toStrictEqual([]),
  );

  it('is none that is read', () => {
    const names = ['PORT', 'HOST', 'AUTH', 'AUTH_SECRET', 'DATABASE_URL', 'UPSTREAM_URL', 'APPLICATION_NAME'];
    expect(strayVariables(Object.fromEntries(names.map((name) => [name, 'x'])))).toStrictEqual([]);
  });
});
