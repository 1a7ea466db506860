import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const GATEWAY = 'http://127.0.0.1:4000';

/**
 * All paths are relative to the page's `<base>`, which the gateway sets to where it is reached. Nothing is
 * inlined: the gateway's content security policy allows files of its own alone.
 */
export default defineConfig({
  base: './',
  plugins: [react()],
  build: {
    outDir: '../../dist/web',
    emptyOutDir: true,
    assetsDir: 'app/assets',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  // `npm run dev:web`, beside a running gateway.
  server: { proxy: { '/odata': GATEWAY, '/graphql': GATEWAY, '/api': GATEWAY, '/health': GATEWAY } },
});
