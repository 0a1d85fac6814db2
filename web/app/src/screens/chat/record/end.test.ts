import { beforeEach, describe, expect, it } from 'vitest';
import { End } from './end';

describe('the end of the record', () => {
  let end: End;
  beforeEach(() => {
    end = new End();
    end.scrolled({ top: 1000, left: 0 });
  });

  it('is left by scrolling up, at once or little by little, and reached again at the bottom', () => {
    end.scrolled({ top: 800, left: 200 });
    expect(end.at).toBe(false);
    end.scrolled({ top: 990, left: 10 });
    expect(end.at).toBe(true);
    for (const top of [960, 930, 900]) end.scrolled({ top, left: 1300 - top }); // while 300 px were added below
    expect(end.at).toBe(false);
  });

  it('is not left when content is added below, or the field below shrinks', () => {
    end.scrolled({ top: 1000, left: 300 });
    end.scrolled({ top: 960, left: 300 });
    expect(end.at).toBe(true);
  });

  it('is not left by content that shrinks and grows before the scroll event', () => {
    end.sized({ top: 700, left: 0 }); // an answer has replaced its streaming text
    end.sized({ top: 700, left: 350 }); // and a question below it
    end.scrolled({ top: 700, left: 350 });
    expect(end.at).toBe(true);
  });

  it('is left by scrolling up while content grows', () => {
    end.sized({ top: 600, left: 500 });
    end.scrolled({ top: 600, left: 500 });
    expect(end.at).toBe(false);
  });

  it('is not left by measurements of the list', () => {
    end.moved(-200);
    end.scrolled({ top: 800, left: 350 });
    expect(end.at).toBe(true);
    end.moved(100);
    end.scrolled({ top: 750, left: 400 });
    expect(end.at).toBe(false); // 150 px up from there
  });
});
