// Texts of rows.
import type { Format } from '../../i18n/format';
import type { Words } from '../../ui/session';
import { failed, type Item } from './model';
import { inWords, type texts } from './texts';

type Say = typeof texts.t;

export const glyph: Record<Item['kind'], string> = {
  call: '◆',
  execution: '▸',
  transition: '·',
  approval: '?',
  wait: '⏸',
};

/** The title of a row, in one line. */
export function whatOf(item: Item, t: Say, words: Words): string {
  switch (item.kind) {
    case 'transition':
      return inWords(t, 'event', item.transition.event);
    case 'call':
      return t('what.call', { n: item.call.number, model: item.call.model || item.call.provider_kind });
    case 'execution':
      return inWords(t, 'command', item.execution.command);
    case 'approval':
      return item.approval.text || words.approval(item.approval.kind);
    case 'wait':
      if (item.status === 'queued') return t('what.queued');
      if (item.status === 'suspended') return t('what.suspended');
      return words.phase(item.phase);
    default:
      return '';
  }
}

/** The outcome of a row, in a word or two. */
export function resultOf(item: Item, t: Say, words: Words): string {
  switch (item.kind) {
    case 'transition':
      return `→ ${words.phase(item.transition.phase)}`;
    case 'call':
      return item.call.outcome === 'answered' ? '' : inWords(t, 'outcome', item.call.outcome);
    case 'execution':
      return item.execution.status === 'SUCCESS' ? '' : inWords(t, 'exec', item.execution.status);
    case 'approval':
      return inWords(t, 'approval', item.approval.status);
    default:
      return item.open ? t('going') : '';
  }
}

export const durationOf = (item: Item, f: Format): string => (item.end === null ? '' : f.duration(item.end - item.at));

export const tokensOf = (item: Item): number => {
  if (item.kind !== 'call') return 0;
  const u = item.call.usage;
  return u.input_tokens + u.cache_read_tokens + u.cache_write_tokens + u.output_tokens;
};

/** The complete row as a text for screen readers. */
export function spoken(item: Item, t: Say, words: Words, f: Format): string {
  return [
    f.time(item.at),
    t(`kind.${item.kind}`),
    whatOf(item, t, words),
    resultOf(item, t, words),
    failed(item) ? t('failed') : '',
    durationOf(item, f),
  ]
    .filter(Boolean)
    .join(', ');
}
