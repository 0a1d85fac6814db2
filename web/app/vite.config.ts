import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { installable } from './build/installable';
import { packed } from './build/packed';

// In production the server serves the page; during development Vite does, and proxies API calls.
const server = process.env.FERMATA_URL ?? 'http://127.0.0.1:8080';

export default defineConfig({
  base: './', // relative, so that the page can be served below any path
  plugins: [react(), installable(), packed()],
  build: {
    outDir: '../dist',
    emptyOutDir: false, // the build script empties it, except for the file that keeps the folder in git
    target: 'es2023',
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1600, // that of /docs, which loads nothing else
    rolldownOptions: {
      input: { index: 'index.html', docs: 'docs.html', sw: 'src/worker/worker.ts' },
      // The scope of a service worker is its own folder, and its name must never change.
      output: { entryFileNames: ({ name }) => (name === 'sw' ? 'sw.js' : 'assets/[name]-[hash].js') },
    },
    assetsInlineLimit: 0, // the content security policy has no data: URLs
  },
  server: {
    proxy: Object.fromEntries(
      ['/v1', '/version', '/readyz', '/healthz', '/metrics', '/openapi.yaml', '/problems'].map((path) => [
        path,
        server,
      ]),
    ),
  },
});
