import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const GATEWAY = 'http://127.0.0.1:4000';

/** Leaves out the pictures within style sheets: the content security policy allows no `data:`. */
const withoutDataUrls: Plugin = {
  name: 'without-data-urls',
  enforce: 'pre',
  transform: (code, id) =>
    id.endsWith('.css')
      ? code.replace(/url\(\s*(?:"data:(?:[^"\\]|\\.)*"|data:[^)"]*)\s*\)/g, 'none')
      : undefined,
};

/**
 * All paths are relative to the page's `<base>`, which the gateway sets to where it is reached. Nothing is
 * inlined: the gateway's content security policy allows files of its own alone.
 */
export default defineConfig({
  base: './',
  plugins: [withoutDataUrls, react()],
  build: {
    outDir: '../../dist/web',
    emptyOutDir: true,
    assetsDir: 'app/assets',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The test console, which is loaded on its page alone.
    chunkSizeWarningLimit: 2000,
  },
  // `npm run dev:web`, beside a running gateway.
  server: { proxy: { '/odata': GATEWAY, '/graphql': GATEWAY, '/api': GATEWAY, '/health': GATEWAY } },
});
