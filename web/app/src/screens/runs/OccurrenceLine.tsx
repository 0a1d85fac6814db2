import { CircleSlash } from 'lucide-react';
import { Link } from 'wouter';
import type { Schemas } from '../../api/client';
import { useFormat } from '../../i18n/format';
import { Icon } from '../../ui/Icon';
import { Time } from '../../ui/Time';
import { visible } from '../../ui/visible';
import css from './runs.module.css';
import { texts } from './texts';

type Occurrence = Schemas['Occurrence'];

/** Why an occurrence did not run, in words. */
export function useReasonWords() {
  const t = texts.use();
  const f = useFormat();
  return (o: Occurrence): string => {
    if (o.state === 'COALESCED' && o.coalesced_into) return t('why.coalesced', { at: f.full(o.coalesced_into) });
    // Many together are one line: "policy until 2026-…".
    const [, reason = '', until] = /^(.*?)(?: until (\S+))?$/.exec(o.reason ?? '') ?? [];
    const key = `why.${reason || o.state}`;
    const words = t.has(key) ? t(key) : reason || o.state;
    return until ? `${words} ${t('why.until', { at: f.full(until) })}` : words;
  };
}

const tones: Record<string, string> = { DUE: 'accent', FAILED: 'bad', COALESCED: '' };

/** A scheduled occurrence that did not run, or is still pending, and why. */
export function OccurrenceLine({ of: o, name }: { of: Occurrence; name?: string }) {
  const t = texts.use();
  const why = useReasonWords();
  const key = `state.${o.state}`;
  const tone = tones[o.state] ?? 'warn';
  return (
    <li data-occurrence={o.id} data-state={o.state}>
      <div className={css.row}>
        <span className={css.fold} />
        <span className={css.outcome}>
          <span className={`badge ${tone}`}>
            <Icon of={CircleSlash} size={14} />
            {t.has(key) ? t(key) : o.state}
          </span>
        </span>
        <span className={css.name}>
          {name !== undefined && (
            <Link href={`/automations/${o.automation_id}`}>
              <bdi>{visible(name)}</bdi>
            </Link>
          )}
          <span className={css.excerpt} title={why(o)}>
            {why(o)}
          </span>
        </span>
        <span className={css.started}>
          <Time at={o.scheduled_at} />
        </span>
      </div>
    </li>
  );
}
