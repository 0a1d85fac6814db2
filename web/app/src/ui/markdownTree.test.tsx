import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { Markdown } from './Markdown';
import { piecesOf } from './markdownColours';

const html = (text: string, caret = false) => renderToStaticMarkup(<Markdown text={text} caret={caret} />);
const mark = '<span class="caret" aria-hidden="true"></span>';

test('streaming text ends with a caret in its last line', () => {
  expect(html('One\n\nTwo **three**', true)).toMatch(new RegExp(`Two <strong>three</strong>${mark}</p>`));
  expect(html('- one\n- two', true)).toMatch(new RegExp(`two${mark}</li>`));
  expect(html('- one\n  - inner', true)).toMatch(new RegExp(`inner${mark}</li>`));
  expect(html('> said', true)).toMatch(new RegExp(`said${mark}</p>`));
  expect(html('One', false)).not.toContain('caret');
});

test('a column of numbers is aligned right, one with a word is not', () => {
  const out = html(
    '| Day | Hours | Share | Note |\n|---|---|---|---|\n| Monday | 7.5 | 40 % | 3 |\n| Tuesday | – | 1 200 % | none |',
  );
  expect([...out.matchAll(/<t[hd] class="number">([^<]*)</g)].map((m) => m[1])).toEqual([
    'Hours',
    'Share',
    '7.5',
    '40 %',
    '–',
    '1 200 %',
  ]);
});

test('the few tags that models write are rendered, all others are text', () => {
  expect(html('H<sub>2</sub>O and x<sup>2</sup>')).toContain('H<sub>2</sub>O and x<sup>2</sup>');
  expect(html('| A |\n|---|\n| one<br>two<br/>three |')).toContain('<td>one<br/>two<br/>three</td>');
  expect(html('press <kbd>Ctrl</kbd>')).toContain('<kbd>Ctrl</kbd>');
  expect(html('a <sub>open')).toContain('a &lt;sub&gt;open');
  expect(html('a </sub> closed')).toContain('a &lt;/sub&gt; closed');
  expect(html('<sub onclick="x()">2</sub>')).not.toContain('<sub');
  expect(html('a <script>x()</script> <img src=x onerror=y> b')).not.toMatch(/<(script|img)/);
  expect(html('<sub>a <sup>b</sub> c</sup>')).toContain('&lt;sub&gt;a <sup>b&lt;/sub&gt; c</sup>');
});

test('a task item has a checkbox instead of a bullet, and its state in words', () => {
  const out = html('- [x] Milk\n- [ ] Bread');
  expect(out).toMatch(/task-list-item.*aria-label="Done".*☑.*Milk.*aria-label="To do".*☐.*Bread/s);
});

test('a block of code has its language, and highlighting loses no character', () => {
  expect(html('```python\nx = 1\n```')).toMatch(/data-code="python".*x = 1/s);
  for (const code of ['def f(x):\n    return "a"  # b\n', '{"a": [1, null]}', 'x\n\n\ny', '<b a="1">é😀</b>'])
    for (const language of ['python', 'json', 'ts', 'html', 'sql', 'unheard', ''])
      expect(
        piecesOf(code, language)
          .map((p) => p[1])
          .join(''),
      ).toBe(code);
  expect(piecesOf('return "a"', 'js').map((p) => p[0])).toContain('text');
});
