// Makes the built page installable: adds its icons, and the list of files to cache to its worker.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';
import { icons, png } from './png';

const worker = 'sw.js';
/** Files of public/ that the page needs offline. */
const fixed = ['first.js', 'icon.svg', 'manifest.webmanifest'];
/** The page's own files: /docs has others. */
const isShell = (name: string) => name.startsWith('assets/') && !name.startsWith('assets/docs-');

export function installable(): Plugin {
  let folder = '';
  return {
    name: 'installable',
    apply: 'build',
    enforce: 'post', // index.html contains the file names by then
    configResolved(config) {
      folder = config.publicDir;
    },
    generateBundle(_, bundle) {
      for (const [fileName, look] of Object.entries(icons))
        this.emitFile({ type: 'asset', fileName, source: png(look) });
      // Without "./", which a program that joins paths itself does not resolve.
      for (const file of Object.values(bundle))
        if (file.type === 'asset' && file.fileName.endsWith('.html'))
          file.source = file.source.toString().replaceAll('="./', '="');
      const script = bundle[worker];
      const page = bundle['index.html'];
      if (script?.type !== 'chunk' || page?.type !== 'asset') throw new Error(`${worker} or index.html was not built`);
      if (script.imports.length + script.dynamicImports.length > 0) throw new Error(`${worker} is not one file`);
      const files = Object.keys(bundle).filter(isShell).toSorted();
      const sum = createHash('sha256').update(page.source).update(script.code).update(files.join());
      for (const name of fixed) sum.update(readFileSync(join(folder, name)));
      const version = sum.digest('hex').slice(0, 16);
      const shell = { version, files: ['', ...fixed, ...files] };
      script.code = `const FERMATA_SHELL=${JSON.stringify(shell)};${script.code}`;
    },
  };
}
