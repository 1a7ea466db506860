import type { Environment } from '../../src/config/config.ts';

const SECRET = 'a-secret-of-at-least-32-characters';

interface MistakenCase {
  readonly name: string;
  readonly environment: Environment;
  readonly mistakes: readonly string[];
}

export const MISTAKEN: readonly MistakenCase[] = [
  {
    name: 'a missing secret',
    environment: {},
    mistakes: ['AUTH_SECRET is missing: give at least 32 random characters'],
  },
  {
    name: 'an empty secret',
    environment: { AUTH_SECRET: '' },
    mistakes: ['AUTH_SECRET is missing: give at least 32 random characters'],
  },
  {
    name: 'a short secret, which is not repeated',
    environment: { AUTH_SECRET: 'hunter2' },
    mistakes: ['AUTH_SECRET must have at least 32 characters'],
  },
  ...['65536', '-1', '1e3', '80.5', ' 80', 'http', '0x50'].map((port) => ({
    name: `the port ${JSON.stringify(port)}`,
    environment: { AUTH_SECRET: SECRET, PORT: port },
    mistakes: [`PORT must be a whole number from 0 to 65535, but is ${JSON.stringify(port)}`],
  })),
  ...['a b', '-x', 'x:80', '[::1]', 'http://x', '../x'].map((host) => ({
    name: `the host ${JSON.stringify(host)}`,
    environment: { AUTH_SECRET: SECRET, HOST: host },
    mistakes: [`HOST must be an IP address or a host name, but is ${JSON.stringify(host)}`],
  })),
  ...['BASE_URL', 'UPSTREAM_URL'].flatMap((name) => [
    ...['posts', 'ftp://x', 'http:', 'http:x', 'javascript:alert(1)', 'http://x:99999'].map((url) => ({
      name: `${name}=${url}`,
      environment: { AUTH_SECRET: SECRET, [name]: url },
      mistakes: [`${name} must be an http or https URL`],
    })),
    ...['http://user:pw@x', 'http://user@x'].map((url) => ({
      name: `${name}=${url}, without repeating it`,
      environment: { AUTH_SECRET: SECRET, [name]: url },
      mistakes: [`${name} must not hold a user name or password`],
    })),
    ...['http://x?', 'http://x/y?z=1', 'http://x#', 'http://x/#y'].map((url) => ({
      name: `${name}=${url}`,
      environment: { AUTH_SECRET: SECRET, [name]: url },
      mistakes: [`${name} must not have a query or a fragment`],
    })),
  ]),
  ...['APPLICATION_NAME', 'GATEWAY_API_NAME'].flatMap((name) =>
    ['a\r\nx-admin: 1', 'a\nb', 'a\0', 'ключ', '\x7f', '\x85', ' a', 'a'.repeat(257)].map((value) => ({
      name: `${name}=${JSON.stringify(value).slice(0, 20)}`,
      environment: { AUTH_SECRET: SECRET, [name]: value },
      mistakes: [`${name} must be 1 to 256 printable latin-1 characters without spaces around them`],
    })),
  ),
  {
    name: 'an AUTH that is neither',
    environment: { AUTH_SECRET: SECRET, AUTH: 'OFF' },
    mistakes: ['AUTH must be one of required, off, but is "OFF"'],
  },
  ...[
    '0.0.0.0',
    '::',
    '10.0.0.1',
    'example.org',
    '2130706433',
    '127.0.0.1.example.org',
    '::ffff:10.0.0.1',
  ].map((host) => ({
    name: `AUTH=off on ${host}`,
    environment: { AUTH: 'off', HOST: host },
    mistakes: [
      `AUTH=off needs a loopback address as HOST, such as 127.0.0.1, but HOST is ${JSON.stringify(host)}`,
    ],
  })),
  {
    name: 'an unknown log level',
    environment: { AUTH_SECRET: SECRET, LOG_LEVEL: 'verbose' },
    mistakes: ['LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent, but is "verbose"'],
  },
  ...['mysql://x/y', 'sqlite:///x', 'postgres:x', 'https://x', 'a\0b'].map((url) => ({
    name: `the database ${JSON.stringify(url)}`,
    environment: { AUTH_SECRET: SECRET, DATABASE_URL: url },
    mistakes: ['DATABASE_URL must be the path of a SQLite file or a postgres:// URL'],
  })),
  ...['missing.yaml', '.'].map((path) => ({
    name: `the mesh configuration ${path}`,
    environment: { AUTH_SECRET: SECRET, MESH_CONFIG: `/nowhere/${path}` },
    mistakes: [
      `MESH_CONFIG must be a readable file, but is "/nowhere${path === '.' ? '' : '/missing.yaml'}"`,
    ],
  })),
  {
    name: 'limits out of range',
    environment: { AUTH_SECRET: SECRET, UPSTREAM_TIMEOUT_MS: '0', MEMORY_MIB: '1.5', URL_LENGTH: '255' },
    mistakes: [
      'UPSTREAM_TIMEOUT_MS must be a whole number from 1 to 600000, but is "0"',
      'MEMORY_MIB must be a whole number from 0 to 16384, but is "1.5"',
      'URL_LENGTH must be a whole number from 256 to 65536, but is "255"',
    ],
  },
  ...['http://login.example', 'login.example', 'https://a:b@login.example', 'https://x?y'].map((issuer) => ({
    name: `the issuer ${issuer}`,
    environment: { AUTH_SECRET: SECRET, OIDC_ISSUERS: `https://x,${issuer}`, OIDC_AUDIENCE: 'a' },
    mistakes: [`OIDC_ISSUERS must be https URLs without credentials separated by commas, but item 2 is not`],
  })),
  {
    name: 'issuers whose tokens may be meant for anybody',
    environment: { AUTH_SECRET: SECRET, OIDC_ISSUERS: 'https://x' },
    mistakes: ['OIDC_AUDIENCE is missing: it says which tokens of OIDC_ISSUERS are accepted'],
  },
  {
    name: 'clients of issuers that are not named, and a secret that is not there',
    environment: {
      AUTH_SECRET: SECRET,
      OIDC_ISSUERS: 'https://x',
      OIDC_CLIENT_IDS: 'a,b',
      OIDC_CLIENT_SECRET_FILES: 'no/such/file',
      OIDC_TRUSTED_EMAIL: 'https://y',
    },
    mistakes: [
      'OIDC_CLIENT_IDS must be in the order of OIDC_ISSUERS, and have no more items: expected at most 1, but found 2',
      'OIDC_TRUSTED_EMAIL must be issuers of OIDC_ISSUERS separated by commas, but item 1 is not',
      'OIDC_CLIENT_SECRET_FILES must be readable files that are not empty, but item 1 is not',
    ],
  },
  {
    name: 'issuers that have the same path here',
    environment: { AUTH_SECRET: SECRET, OIDC_ISSUERS: 'https://x/a-b,https://x/a/b', OIDC_CLIENT_IDS: 'a,b' },
    mistakes: ['OIDC_ISSUERS must not name issuers twice, or by hosts and paths that are almost the same'],
  },
  {
    name: 'passwords off, and nothing in their place',
    environment: { AUTH_SECRET: SECRET, PASSWORD_SIGN_IN: 'off' },
    mistakes: ['PASSWORD_SIGN_IN=off needs a provider to sign in with, but OIDC_CLIENT_IDS is missing'],
  },
  {
    name: 'mail without a sender and a public URL',
    environment: { AUTH_SECRET: SECRET, SMTP_URL: 'smtp://mail.example.com' },
    mistakes: [
      'MAIL_FROM must be an e-mail address, such as Duogate <duogate@example.com>',
      'SMTP_URL needs BASE_URL, which the links in messages start with',
    ],
  },
  {
    name: 'a sender without a mail server',
    environment: { AUTH_SECRET: SECRET, MAIL_FROM: 'duogate@example.com' },
    mistakes: ['MAIL_FROM needs SMTP_URL, which is missing'],
  },
  ...['https://mail.example.com', 'smtp://', 'mail.example.com:25', 'smtp://mail.example.com?x=s3cret'].map(
    (url) => ({
      name: `the mail server ${url}`,
      environment: {
        AUTH_SECRET: SECRET,
        BASE_URL: 'https://x',
        MAIL_FROM: 'duogate@example.com',
        SMTP_URL: url,
      },
      mistakes: ['SMTP_URL must be an smtp:// or smtps:// URL with a host'],
    }),
  ),
  ...['duogate', 'a@b\r\nBcc: c@d', 'a@b, c@d', 'Duogate <a@b> <c@d>'].map((sender) => ({
    name: `the sender ${JSON.stringify(sender)}`,
    environment: {
      AUTH_SECRET: SECRET,
      BASE_URL: 'https://x',
      MAIL_FROM: sender,
      SMTP_URL: 'smtp://mail.example.com',
    },
    mistakes: ['MAIL_FROM must be an e-mail address, such as Duogate <duogate@example.com>'],
  })),
  {
    name: 'a role without its name here',
    environment: { AUTH_SECRET: SECRET, OIDC_ROLES: 'editor=User,chief' },
    mistakes: ['OIDC_ROLES must be pairs such as editor=User separated by commas, but item 2 is not'],
  },
  ...['10.0.0.0/33', '10.0.0', 'proxy.example', '10.0.0.0/8/8'].map((network) => ({
    name: `the proxy ${network}`,
    environment: { AUTH_SECRET: SECRET, TRUSTED_PROXIES: network },
    mistakes: [
      'TRUSTED_PROXIES must be IP addresses or networks such as 10.0.0.0/8 separated by commas, but item 1 is not',
    ],
  })),
  ...['$key', 'a b', '1', 'a='].map((name) => ({
    name: `the parameter ${name}`,
    environment: { AUTH_SECRET: SECRET, API_KEY_PARAMETER: name },
    mistakes: [
      `API_KEY_PARAMETER must be 1 to 64 letters, digits, _, . or -, beginning with a letter or _, but is "${name}"`,
    ],
  })),
  ...['missing.json', 'README.md', 'biome.json', 'test'].map((file) => ({
    name: `the documents in ${file}`,
    environment: { AUTH_SECRET: SECRET, GRAPHQL_DOCUMENTS: file },
    mistakes: [
      `GRAPHQL_DOCUMENTS must be a JSON file with an object of GraphQL documents by their ids, but is "${file}"`,
    ],
  })),
  ...['https://a.example', 'a.example:8080', 'a b', '*', '*.', 'a*.example', '[x]'].map((host) => ({
    name: `the host ${host}`,
    environment: { AUTH_SECRET: SECRET, REGISTRY_HOSTS: host },
    mistakes: [
      'REGISTRY_HOSTS must be host names, IP addresses or patterns such as *.example.com separated by commas, but item 1 is not',
    ],
  })),
  ...[
    'https://ui.example.com/',
    'HTTPS://ui.example.com',
    'https://ui.example.com:443',
    'ui.example.com',
    'null',
    'file://x',
  ].map((origin) => ({
    name: `the origin ${origin}`,
    environment: { AUTH_SECRET: SECRET, CORS_ORIGINS: origin },
    mistakes: [
      'CORS_ORIGINS must be origins such as https://ui.example.com, or *, separated by commas, but item 1 is not',
    ],
  })),
  {
    name: 'all origins and one more',
    environment: { AUTH_SECRET: SECRET, CORS_ORIGINS: '*,https://ui.example.com' },
    mistakes: ['CORS_ORIGINS must be * alone or a list of origins'],
  },
  {
    name: 'all origins without access control',
    environment: { AUTH: 'off', CORS_ORIGINS: '*' },
    mistakes: ['CORS_ORIGINS=* is not possible with AUTH=off'],
  },
  {
    name: 'metrics for a name',
    environment: { AUTH_SECRET: SECRET, METRICS: 'on' },
    mistakes: [
      'METRICS must be off, or IP addresses or networks such as 10.0.0.0/8 separated by commas, but item 1 is not',
    ],
  },
  {
    name: 'everything at once',
    environment: {
      PORT: 'x'.repeat(101),
      HOST: 'a b',
      BASE_URL: 'x',
      UPSTREAM_URL: 'http://u:p@x',
      AUTH: 'maybe',
      AUTH_SECRET: 'short',
      DATABASE_URL: 'mysql://x',
      MESH_CONFIG: '/nowhere/.meshrc.yaml',
      APPLICATION_NAME: 'a\nb',
      GATEWAY_API_NAME: 'a\nb',
      LOG_LEVEL: 'loud',
      SHUTDOWN_GRACE_MS: 'soon',
    },
    mistakes: [
      'HOST must be an IP address or a host name, but is "a b"',
      `PORT must be a whole number from 0 to 65535, but is "${'x'.repeat(100)}…"`,
      'UPSTREAM_URL must not hold a user name or password',
      'BASE_URL must be an http or https URL',
      'AUTH must be one of required, off, but is "maybe"',
      'AUTH_SECRET must have at least 32 characters',
      'DATABASE_URL must be the path of a SQLite file or a postgres:// URL',
      'MESH_CONFIG must be a readable file, but is "/nowhere/.meshrc.yaml"',
      'APPLICATION_NAME must be 1 to 256 printable latin-1 characters without spaces around them',
      'GATEWAY_API_NAME must be 1 to 256 printable latin-1 characters without spaces around them',
      'LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent, but is "loud"',
      'SHUTDOWN_GRACE_MS must be a whole number from 0 to 600000, but is "soon"',
    ],
  },
];
