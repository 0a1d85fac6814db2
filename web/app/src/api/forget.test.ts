import { expect, test } from 'vitest';
import { forget } from './forget';

class Kept {
  constructor(readonly items: Map<string, string>) {}
  get length(): number {
    return this.items.size;
  }
  key(i: number): string | null {
    return [...this.items.keys()][i] ?? null;
  }
  removeItem(name: string): void {
    this.items.delete(name);
  }
}

test('signing out removes a person’s data, and keeps display preferences', () => {
  const kept = new Kept(
    new Map([
      ['fermata.who', 'key_1'],
      ['fermata.draft.new', 'dear'],
      ['fermata.outbox.ses_1.k', '{}'],
      ['fermata.automation.aut_1', '{}'],
      ['fermata.deleted', '[]'],
      ['fermata.approvals.filter', '{}'],
      ['fermata.theme', 'dark'],
      ['fermata.lang', 'fr'],
      ['fermata.keys', 'off'],
      ['another.program', 'stays'],
    ]),
  );
  forget(kept);
  expect([...kept.items.keys()].toSorted()).toEqual([
    'another.program',
    'fermata.keys',
    'fermata.lang',
    'fermata.theme',
  ]);
});
