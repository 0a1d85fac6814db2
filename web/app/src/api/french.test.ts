// Compares the French tables with the codes in the server's source.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { setLang } from '../i18n/lang';
import { failureWords } from '../ui/textsOfCommands';
import { problemWords } from '../ui/problemWords';
import { texts } from '../ui/texts';
import { invariantsInFrench, mistakesInFrench, problemsInFrench, testsInFrench } from './french';
import { fetchFrench } from './inFrench';
import { Problem } from './problem';

const root = join(import.meta.dirname, '../../../..');

// goFiles returns the Go files of the server, without tests and test doubles.
function goFiles(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (/^(\.|web$|var$|bin$|examples$|scripts$|node_modules$|fake$|suite$|testkit$|testdata$)/.test(name)) return [];
    if (statSync(path).isDirectory()) return goFiles(path);
    return name.endsWith('.go') && !name.endsWith('_test.go') && !name.endsWith('.gen.go') ? [path] : [];
  });
}

afterEach(() => vi.unstubAllGlobals());

describe('a French page', () => {
  it('has a text for each problem code of the server', () => {
    const codes = [...readFileSync(join(root, 'docs/errors.md'), 'utf8').matchAll(/^## (\w+)$/gm)].map((m) => m[1]!);
    expect(codes.length).toBeGreaterThan(60);
    expect(codes.filter((code) => !texts.t.has(`code.${code}`) && !problemsInFrench[code])).toEqual([]);
    expect(
      Object.keys(problemsInFrench).filter((code) => !codes.includes(code)),
      'of no problem',
    ).toEqual([]);
  });

  it('has a text for each field error code of the server', () => {
    const found = new Set<string>();
    const ways = [
      /\bInvalid\(\s*[^"`;{}]*?(?:"[^"]*"[^",;{}]*?)?,\s*"([a-z_]+)",/g,
      /(?:FieldError|Mistake)\{[^{}]*?Code:\s*"([a-z_]+)"/g,
      /\b(?:one|each)\((?:pointer, [\w.]+, )?"([a-z_]+)", "/g,
    ];
    for (const file of goFiles(root)) {
      const text = readFileSync(file, 'utf8');
      for (const way of ways) for (const [, code] of text.matchAll(way)) found.add(code!);
    }
    expect(found.size).toBeGreaterThan(60);
    expect([...found].filter((code) => !mistakesInFrench[code]).toSorted()).toEqual([]);
  });

  it('has a text for each invariant, and for each failure code of a provider test', () => {
    const go = (path: string) => readFileSync(join(root, path), 'utf8');
    const names = [...go('repository/maintenance/invariants.go').matchAll(/^\t\{"([a-z_]+)",\s*"/gm)].map((m) => m[1]!);
    expect(names.length).toBeGreaterThan(20);
    expect(Object.keys(invariantsInFrench).toSorted()).toEqual(names.toSorted());
    const classes = [...go('providers/providers.go').matchAll(/^\tClass\w+\s+Class = "(\w+)"/gm)].map((m) => m[1]!);
    expect(Object.keys(testsInFrench).toSorted()).toEqual(classes.map((name) => `provider_${name}`).toSorted());
  });

  it('shows none of the server’s English, whatever the code', async () => {
    vi.stubGlobal('document', { documentElement: {} });
    setLang('fr');
    await fetchFrench();
    const said = { code: 'of_tomorrow', message: 'This is new.' };
    expect(problemWords({ code: 'of_tomorrow', detail: 'This is new.' })).toBe('Échec');
    expect(problemWords({ code: 'conflict', detail: 'There is one.' })).toBe('Cela existe déjà.');
    const errors = [
      { pointer: '/a', ...said },
      { pointer: '/b', code: 'too_long', message: 'Too long.' },
    ];
    expect(new Problem({ code: 'invalid', errors }).errors.map((e) => e.message)).toEqual([
      'Cette valeur n’est pas valable.',
      'C’est trop long.',
    ]);
    expect(failureWords({ ...said, fields: errors })).toEqual({
      words: 'Échec.',
      fields: [
        { pointer: '/a', code: 'of_tomorrow', message: 'Cette valeur n’est pas valable.' },
        { pointer: '/b', code: 'too_long', message: 'C’est trop long.' },
      ],
      forAI: 'This is new.',
    });
    setLang('en');
    expect(problemWords({ code: 'of_tomorrow', detail: 'This is new.' })).toBe('This is new.');
    expect(failureWords(said)).toEqual({ words: 'This is new.', fields: [], forAI: '' });
    expect(failureWords({ code: 'forbidden', message: 'A needs the role admin.' }).words).toBe(
      'Your role doesn’t allow this.',
    );
  });
});
