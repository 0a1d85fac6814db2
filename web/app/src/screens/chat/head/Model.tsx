import { ChevronDown } from 'lucide-react';
import { Link } from 'wouter';
import { $api } from '../../../api/client';
import { useFormat } from '../../../i18n/format';
import { Icon } from '../../../ui/Icon';
import { Menu } from '../Menu';
import type { Chat } from '../store/chat';
import type { Session } from '../store/sessionStore';
import { words } from '../texts.compose';
import css from './head.module.css';

/** The session's model, and below its name the context size of the last call and the session's usage. */
export function Model({ chat, session }: { chat: Chat; session: Session }) {
  const t = words.use();
  const f = useFormat();
  const providers = $api.useQuery('get', '/v1/providers', { params: { query: { limit: 200 } } });
  const provider = providers.data?.data.find((p) =>
    session.provider_id ? p.id === session.provider_id : p.is_default,
  );
  const name = session.model ?? provider?.name ?? t('model');
  const { used, max } = useContextUse(chat, session);
  const { usage } = session;
  const all = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens + usage.output_tokens;
  const part = max ? Math.min(1, used / max) : 0;
  const full = max > 0 && part > 0.8;
  return (
    <Menu
      label={t('model.menu', { name: name.slice(0, 80) })}
      className={`plain small ${css.model}`}
      act="model"
      button={
        <>
          <span>{name.slice(0, 80)}</span>
          {full && <span className="badge warn">{f.percent(part)}</span>}
          <Icon of={ChevronDown} />
        </>
      }
    >
      {max > 0 && used > 0 && (
        <p title={t('ctx.title')}>
          {t('ctx.used')}{' '}
          <meter min={0} max={1} high={0.8} value={part} aria-label={t('ctx.used')} className="drawn">
            {f.percent(part)}
          </meter>{' '}
          {t('ctx.of', { used: f.number(used), max: f.number(max) })}
        </p>
      )}
      <p>
        {t('ctx.tokens', { n: all, count: f.number(all) })}
        {usage.cost ? ` · ${f.money(usage.cost.amount, usage.cost.currency)}` : ''}
      </p>
      <hr />
      <Link href={`/timeline/${chat.id}`}>{t('why.timeline')}</Link>
      {provider && <Link href={`/settings/providers/${provider.id}`}>{t('model.settings')}</Link>}
    </Menu>
  );
}

function useContextUse(chat: Chat, session: Session): { used: number; max: number } {
  const settings = $api.useQuery('get', '/v1/settings');
  const limits = settings.data?.limits?.[session.type === 'CHAT' ? 'chat' : 'automation'];
  const last = chat.store.roundtrip?.usage;
  const used = last ? last.input_tokens + last.cache_read_tokens + last.cache_write_tokens + last.output_tokens : 0;
  return { used, max: limits?.context_budget_tokens ?? 0 };
}
