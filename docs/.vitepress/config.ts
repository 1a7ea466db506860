import { defineConfig } from 'vitepress';
import { codeColours } from './code-colours.ts';
import { unlinkRepository } from './unlink-repository.ts';

const colours = codeColours();

/**
 * The pages of docs as a site of files alone: it asks no other host for anything, and its search is its own.
 *
 * `npm run docs:build -- --base /somewhere/` is for hosting; src/cli/build-docs.ts builds what the gateway serves.
 */
export default defineConfig({
  title: 'Duogate',
  description: 'The REST API behind an OpenAPI file as OData 4.01 and as GraphQL',
  lang: 'en',
  cleanUrls: true,
  // What is about the sources is read beside them.
  srcExclude: ['architecture.md', 'how-a-query-reaches-the-api.md', 'testing.md', 'decisions/**'],
  transformHead: ({ siteData: { base } }) => [
    ['link', { rel: 'icon', href: `${base}icon.svg` }],
    ['link', { rel: 'stylesheet', href: `${base}${colours.name}` }],
  ],
  metaChunk: true,
  // The gateway's content security policy allows no styles in pages: what matters of them is set by the scripts.
  appearance: { disableTransition: false },
  transformHtml: (html) => html.replaceAll(/ style="[^"]*"/g, ''),
  markdown: {
    theme: { light: 'github-light', dark: 'github-dark' },
    codeTransformers: [colours.transformer],
    config: unlinkRepository,
  },
  buildEnd: ({ outDir }) => colours.write(outDir),
  themeConfig: {
    logo: '/icon.svg',
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: [
      {
        text: 'Use it',
        items: [
          { text: 'Your own API in five minutes', link: '/tutorial' },
          { text: 'Connect a client', link: '/connect' },
          { text: 'OData', link: '/odata' },
          { text: 'GraphQL', link: '/graphql' },
          { text: 'Troubleshoot', link: '/troubleshoot' },
        ],
      },
      {
        text: 'Model your API',
        items: [
          { text: 'Documents, grants, history', link: '/apis' },
          { text: 'Conventions and x-odata', link: '/x-odata' },
          { text: 'Credentials for APIs', link: '/upstream-credentials' },
          { text: 'APIs that meter, or are slow', link: '/metered-apis' },
        ],
      },
      {
        text: 'Run it',
        items: [
          { text: 'Deploy', link: '/deploy' },
          { text: 'Accounts and permissions', link: '/accounts' },
          { text: 'Security model', link: '/security' },
          { text: 'Upgrade', link: '/upgrade' },
        ],
      },
      {
        text: 'Reference',
        items: [
          { text: 'Commands', link: '/commands' },
          { text: 'Configuration', link: '/configuration' },
          { text: 'Limits', link: '/limits' },
          { text: 'OData conformance', link: '/conformance' },
          { text: 'Glossary', link: '/glossary' },
        ],
      },
      {
        text: 'Judge it',
        items: [
          { text: 'Compare', link: '/compare' },
          { text: 'Performance', link: '/performance' },
          { text: 'Claims', link: '/claims' },
        ],
      },
    ],
  },
});
