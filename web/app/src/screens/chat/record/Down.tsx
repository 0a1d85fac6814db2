import { useEffect, useEffectEvent, useRef } from 'react';
import { Link } from 'wouter';
import { $api } from '../../../api/client';
import { useFormat } from '../../../i18n/format';
import { announce } from '../../../shell/announce';
import { Time, useNow } from '../../../ui/Time';
import { visible } from '../../../ui/visible';
import type { Chat } from '../store/chat';
import { codeOf, cutBy, failureOf, retriesAt } from '../store/failure';
import type { Message } from '../store/sessionStore';
import { texts } from '../texts';
import { useRecord } from '../useChat';
import { ContinueButton } from './Continue';
import css from './record.module.css';
import { useAgain } from './useAgain';

// Failures that the provider's settings cannot fix.
const elsewhere = new Set([
  'internal',
  'context_too_large',
  'answer_schema',
  'provider_rate_limited',
  'provider_overloaded',
  'cut',
]);

/** The AI did not answer: the reason, the next retry, and the provider's own message. */
export function Down({ chat, message }: { chat: Chat; message: Message }) {
  const t = texts.use();
  useRecord(chat); // whether it is the last entry changes without a change of the message
  const { session, placed } = chat.store;
  const failure = failureOf(message)!;
  const at = placed.findIndex((m) => m.id === message.id);
  const cut = cutBy(message, placed);
  const code = codeOf(message, placed);
  const provider = failure.provider ?? session?.provider_id;
  const key = `down.${code}`;
  const next = placed[at + 1];
  const title = t(t.has(key) ? key : 'down.provider_network', { name: useProviderName(provider, t('down.ai')) });
  const waits =
    placed.at(-1)?.id === message.id && session?.type === 'CHAT' && session.status === 'idle'
      ? retriesAt(placed)
      : null;
  if (next && failureOf(next))
    return (
      // A retry failed too: the later failure has the actions.
      <section className={css.quiet} data-system="NETWORK_ERROR" data-code={code} data-tried="">
        <p>
          {title} <Time at={message.timestamp} absolute />
        </p>
      </section>
    );
  return (
    <section className="box warn stack tight" data-system="NETWORK_ERROR" data-code={code}>
      <p className="row">
        <strong>{title}</strong>
        {waits !== null && <Countdown chat={chat} message={message} at={waits} />}
        {!elsewhere.has(code) && (
          <Link href={provider ? `/settings/providers/${provider}` : '/settings/providers'} className={css.way}>
            {t('down.check')}
          </Link>
        )}
        {cut && <ContinueButton chat={chat} message={cut} />}
        <span className="meta">
          <Time at={message.timestamp} absolute />
        </span>
      </p>
      {failure.detail && (
        <details className={css.fold}>
          <summary>{t('down.details')}</summary>
          <p className="small">{failure.detail}</p>
        </details>
      )}
    </section>
  );
}

/** The provider's name; a generic word while it is unknown or if the provider was deleted. */
function useProviderName(id: string | null | undefined, else_: string): string {
  const providers = $api.useQuery('get', '/v1/providers', { params: { query: { limit: 200 } } });
  const known = providers.data?.data.find((p) => (id ? p.id === id : p.is_default));
  return known ? visible(known.name) : else_;
}

/** Counts down to the next retry and starts it. If the time has passed when the page is opened, the retry is only
 * offered. */
function Countdown({ chat, message, at }: { chat: Chat; message: Message; at: number }) {
  const t = texts.use();
  const f = useFormat();
  const now = useNow();
  // Several tabs count down, but only one starts the retry.
  const again = useAgain(chat, undefined, `retry-${message.id}`);
  const began = useRef(Date.now() < at);
  const fired = useRef(false);
  const left = Math.max(0, Math.ceil((at - now) / 1000));
  const fire = useEffectEvent(() => {
    if (!began.current || fired.current) return;
    fired.current = true;
    again.run({});
  });
  useEffect(() => {
    if (!began.current) return undefined;
    announce(texts.t('down.again.in', { time: f.duration(Math.max(1000, at - Date.now())) }));
    const timer = setTimeout(fire, Math.max(0, at - Date.now()));
    return () => clearTimeout(timer);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- once for each time that it counts down to
  }, [at]);
  return (
    <>
      {began.current && (
        <span aria-hidden="true" data-countdown={left}>
          {left > 0 ? t('down.again.in', { time: f.duration(left * 1000) }) : t('down.again.now')}
        </span>
      )}
      <button
        type="button"
        className="small"
        data-act="try-now"
        disabled={again.busy}
        onClick={() => {
          fired.current = true;
          again.run({});
        }}
      >
        {t(began.current ? 'down.try' : 'down.try.again')}
      </button>
      {again.more}
    </>
  );
}
