import { describe, expect, it } from 'vitest';
import { blocksOf, openCode } from './blocks';
import { LiveText } from './live';
import { Sentences } from './sentences';

describe('blocks of Markdown', () => {
  it('are the text when joined, however it is split', () => {
    const text =
      '# A\n\nOne\ntwo\n\n- a\n\n- b\n\n  more of b\n\n```js\nlet a;\n\nlet b;\n```\n\n| a |\n|---|\n| 1 |\n\nend';
    const blocks = blocksOf(text);
    expect(blocks.join('')).toBe(text);
    expect(blocks).toHaveLength(6);
    expect(blocks[2]).toBe('- a\n\n- b\n\n  more of b\n\n');
    expect(blocks[3]).toContain('let b;');
  });

  it('grow only at their end', () => {
    const text = 'One.\n\nTwo.\n\n```\na\n\nb\n```\n\n1. x\n2. y\n\nThree.';
    for (let i = 1; i < text.length; i++) {
      const before = blocksOf(text.slice(0, i));
      const after = blocksOf(text.slice(0, i + 1));
      expect(after.slice(0, before.length - 1)).toEqual(before.slice(0, -1));
    }
  });

  it('stay whole if links are defined for all of the text', () =>
    expect(blocksOf('see [a]\n\nmore\n\n[a]: https://x')).toHaveLength(1));

  it('recognise an unclosed code block', () => {
    expect(openCode('```js\nlet a;')).toEqual({ text: 'let a;', language: 'js' });
    expect(openCode('```js\nlet a;\n```\n')).toBeNull();
    expect(openCode('plain')).toBeNull();
  });
});

describe('text while it streams', () => {
  it('counts code points, as the server does', () => {
    const live = new LiveText();
    expect(live.add('text', 0, '👩‍👩‍👧')).toBe(true);
    expect(live.add('text', 5, 'x')).toBe(true);
    expect(live.add('text', 7, 'y')).toBe(false);
    expect(live.text).toBe('👩‍👩‍👧x');
  });
});

describe('announcements for screen readers', () => {
  it('are complete sentences, each once, and the rest at the end', () => {
    const said: string[] = [];
    const s = new Sentences((text) => said.push(text));
    s.grow('m', 'One. Tw');
    s.grow('m', 'One. Two! Thr');
    s.grow('m', 'One. Two! Thr');
    s.finish('m', 'One. Two! **Three**');
    s.finish('m', 'One. Two! **Three**');
    expect(said).toEqual(['One.', 'Two!', 'Three']);
  });

  it('omit earlier text, except the rest of a started answer', () => {
    const said: string[] = [];
    const s = new Sentences((text) => said.push(text));
    s.catchUp('old', 'Long ago.');
    s.grow('m', 'One. Tw');
    s.catchUp('m', 'One. Two.');
    expect(said).toEqual(['One.', 'Two.']);
  });
});
