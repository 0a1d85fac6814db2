import { describe, expect, it } from 'vitest';
import { fits, isAway, kindOf, type Shell } from './shell';
import { read, target } from './told';

const shell: Shell = { version: 'v', files: ['/', '/first.js', '/assets/index-a1.js', '/assets/chat-b2.js'] };
const here = 'https://fermata.example';
const get = (path: string, mode: RequestMode = 'no-cors', method = 'GET') =>
  kindOf(shell, here, { url: new URL(path, here).href, mode, method });

describe('the worker', () => {
  it('answers for the page and its files', () => {
    expect(get('/', 'navigate')).toBe('page');
    expect(get('/#/chat/ses_1', 'navigate')).toBe('page');
    expect(get('/first.js')).toBe('file');
    expect(get('/assets/chat-b2.js')).toBe('lasting');
  });

  it('lets everything else pass: the API, streams, links, other versions, other hosts', () => {
    for (const path of [
      '/v1/approvals',
      '/v1/events/stream',
      '/version',
      '/healthz',
      '/assets/chat-old.js',
      '/docs',
      '/a/tok',
    ])
      expect(get(path), path).toBeNull();
    for (const path of ['/a/tok', '/docs', '/v1/files/fil_1', '/?x=1']) expect(get(path, 'navigate'), path).toBeNull();
    expect(get('/')).toBeNull(); // read by a script, not opened
    expect(get('/first.js', 'no-cors', 'POST')).toBeNull();
    expect(get('https://other.example/first.js')).toBeNull();
    expect(get('https://other.example/', 'navigate')).toBeNull();
  });

  it('keeps no page of another version with its files', () => {
    expect(fits(shell, '<script src="/assets/index-a1.js">')).toBe(true);
    expect(fits(shell, '<script src="/assets/index-c3.js">')).toBe(false);
  });

  it('takes what a proxy says of a server that is away for that', () => {
    expect([502, 503, 504].every(isAway)).toBe(true);
    expect([200, 304, 404, 401, 500].some(isAway)).toBe(false);
  });
});

describe('a push', () => {
  it('is shown as it says', () => {
    const said = { title: 'One thing waits', body: 'b', url: '/#/approvals/apr_1', tag: 'apr_1', approval_id: 'apr_1' };
    expect(read(JSON.stringify(said))).toEqual({
      title: 'One thing waits',
      body: 'b',
      url: '/#/approvals/apr_1',
      tag: 'apr_1',
    });
  });

  it('is shown whatever it says', () => {
    for (const data of ['', 'null', '[]', '{', '{"title":3}'])
      expect(read(data), data).toEqual({ title: 'Fermata', body: '', url: '', tag: 'fermata' });
  });

  it('leads into this page alone', () => {
    expect(target('/#/approvals/apr_1', here)).toBe(`${here}/#/approvals/apr_1`);
    expect(target(`${here}/#/chat/ses_1`, here)).toBe(`${here}/#/chat/ses_1`);
    for (const url of ['https://evil.example/', 'javascript:alert(1)', 'http://[', '//evil.example'])
      expect(target(url, here), url).toBe(`${here}/#/approvals`);
  });
});
