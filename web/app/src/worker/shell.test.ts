import { describe, expect, it } from 'vitest';
import { parsePush, targetOf } from './notification';
import { cachePrefix, fits, isAway, kindOf, pathIn, type Shell } from './shell';

const shell: Shell = { version: 'v', files: ['', 'first.js', 'assets/index-a1.js', 'assets/chat-b2.js'] };
const scopes = ['https://fermata.example/', 'https://example.org/fermata/', 'https://example.org/a/b/'];

describe.each(scopes)('the service worker of %s', (scope) => {
  const get = (path: string, mode: RequestMode = 'no-cors', method = 'GET') =>
    kindOf(shell, scope, { url: new URL(path, scope).href, mode, method });

  it('handles the page and its files', () => {
    expect(get('', 'navigate')).toBe('page');
    expect(get('#/chat/ses_1', 'navigate')).toBe('page');
    expect(get('first.js')).toBe('file');
    expect(get('assets/chat-b2.js')).toBe('lasting');
  });

  it('handles nothing else: not the API, streams, links, other versions or other hosts', () => {
    for (const path of [
      'v1/approvals',
      'v1/events/stream',
      'version',
      'healthz',
      'assets/chat-old.js',
      'docs',
      'a/tok',
      '/elsewhere/first.js',
      '../first.js/x',
    ])
      expect(get(path), path).toBeNull();
    for (const path of ['a/tok', 'docs', 'v1/files/fil_1', '?x=1', '/elsewhere/'])
      expect(get(path, 'navigate'), path).toBeNull();
    expect(get('')).toBeNull(); // read by a script, not a navigation
    expect(get('first.js', 'no-cors', 'POST')).toBeNull();
    expect(get('https://other.example/first.js')).toBeNull();
    expect(get('https://other.example/', 'navigate')).toBeNull();
  });

  it('opens only addresses of the page', () => {
    expect(targetOf('/#/approvals/apr_1', scope)).toBe(`${scope}#/approvals/apr_1`);
    expect(targetOf(`${scope}#/chat/ses_1`, scope)).toBe(`${scope}#/chat/ses_1`);
    for (const url of [
      'https://evil.example/',
      'javascript:alert(1)',
      'http://[',
      '//evil.example',
      `${scope}/../..//x:y`,
    ])
      expect(targetOf(url, scope).startsWith(scope), url).toBe(true);
    for (const url of ['https://evil.example/', 'javascript:alert(1)', 'http://[', '//evil.example'])
      expect(targetOf(url, scope), url).toBe(`${scope}#/approvals`);
  });
});

describe('the service worker', () => {
  it('has caches of its own for each scope', () => {
    const prefixes = scopes.map(cachePrefix);
    for (const one of prefixes)
      for (const other of prefixes) expect(`${one}v`.startsWith(other), `${one} ${other}`).toBe(one === other);
  });

  it('has paths relative to its scope', () => {
    expect(pathIn('https://example.org/fermata/', 'https://example.org/fermata/#/chat')).toBe('');
    expect(pathIn('https://example.org/fermata/', 'https://example.org/fermatas/')).toBeNull();
    expect(pathIn('https://example.org/fermata/', 'https://example.org/fermata/?x')).toBeNull();
  });

  it('does not cache a page of another version', () => {
    expect(fits(shell, '<script src="./assets/index-a1.js">')).toBe(true);
    expect(fits(shell, '<script src="./assets/index-c3.js">')).toBe(false);
  });

  it('recognises the statuses of a proxy whose server is unavailable', () => {
    expect([502, 503, 504].every(isAway)).toBe(true);
    expect([200, 304, 404, 401, 500].some(isAway)).toBe(false);
  });
});

describe('a push message', () => {
  it('has the title, text, address and tag that it contains', () => {
    const sent = { title: 'One thing waits', body: 'b', url: '/#/approvals/apr_1', tag: 'apr_1', approval_id: 'apr_1' };
    expect(parsePush(JSON.stringify(sent))).toEqual({
      title: 'One thing waits',
      body: 'b',
      url: '/#/approvals/apr_1',
      tag: 'apr_1',
    });
  });

  it('gives a notification even if it is unreadable', () => {
    for (const data of ['', 'null', '[]', '{', '{"title":3}'])
      expect(parsePush(data), data).toEqual({ title: 'Fermata', body: '', url: '', tag: 'fermata' });
  });
});
