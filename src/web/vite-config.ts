import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const GATEWAY = 'http://127.0.0.1:4000';

/** Removes images in style sheets, because the content security policy forbids `data:`. */
const withoutDataUrls: Plugin = {
  name: 'without-data-urls',
  enforce: 'pre',
  transform: (code, id) =>
    id.endsWith('.css')
      ? code.replace(/url\(\s*(?:"data:(?:[^"\\]|\\.)*"|data:[^)"]*)\s*\)/g, 'none')
      : undefined,
};

/**
 * All paths are relative to the page's `<base>`, which the gateway sets. Nothing is inlined, because the
 * content security policy allows files of the gateway only.
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
    // For the test console, which is loaded on its page only.
    chunkSizeWarningLimit: 2000,
  },
  // `npm run dev:web`, next to a running gateway.
  server: { proxy: { '/odata': GATEWAY, '/graphql': GATEWAY, '/api': GATEWAY, '/health': GATEWAY } },
});
