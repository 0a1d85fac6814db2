// Brotli variants for browsers that accept them: compressed at build time, because that is slow and done once.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import type { Plugin } from 'vite';

/** The reduction that justifies a second copy in the binary. */
const worth = 0.9;

export function packed(): Plugin {
  return {
    name: 'packed',
    apply: 'build',
    // Reads the written files: earlier, other plugins may still change them.
    writeBundle({ dir }, bundle) {
      for (const name of Object.keys(bundle).filter((name) => /\.(js|css|html)$/.test(name))) {
        const path = join(dir!, name);
        const plain = readFileSync(path);
        const small = brotliCompressSync(plain);
        if (small.length < plain.length * worth) writeFileSync(`${path}.br`, small);
      }
    },
  };
}
