import { Link } from 'wouter';
import { $api } from '../../../api/client';
import { useFormat } from '../../../i18n/format';
import type { Chat } from '../store/chat';
import type { Session } from '../store/sessionStore';
import { words } from '../texts.compose';
import css from './head.module.css';

/** How full the context was at the last call of the AI, and what the session has used. */
export function ContextBar({ chat, session }: { chat: Chat; session: Session }) {
  const t = words.use();
  const f = useFormat();
  const settings = $api.useQuery('get', '/v1/settings');
  const limits = settings.data?.limits?.[session.type === 'CHAT' ? 'chat' : 'automation'];
  const max = limits?.context_budget_tokens ?? 0;
  const last = chat.store.roundtrip?.usage;
  const used = last ? last.input_tokens + last.cache_read_tokens + last.cache_write_tokens + last.output_tokens : 0;
  const { usage } = session;
  const all = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens + usage.output_tokens;
  if (!all && !used) return null;
  const part = max ? Math.min(1, used / max) : 0;
  return (
    <div className={css.context}>
      {max > 0 && used > 0 && (
        <span
          className={css.part}
          title={`${t('ctx.of', { used: f.number(used), max: f.number(max) })}. ${t('ctx.title')}`}
        >
          {t('ctx.used')}{' '}
          <meter min={0} max={1} high={0.8} value={part} aria-label={t('ctx.used')}>
            {f.percent(part)}
          </meter>{' '}
          {f.percent(part)}
        </span>
      )}
      <Link href={`/timeline/${chat.id}`}>
        {t('ctx.tokens', { n: all, count: f.number(all) })}
        {usage.cost ? ` · ${f.money(usage.cost.amount, usage.cost.currency)}` : ''}
      </Link>
      {session.model && (
        <span className={css.model} title={session.model}>
          {session.model}
        </span>
      )}
    </div>
  );
}
