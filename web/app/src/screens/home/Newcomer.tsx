import { useQueryClient } from '@tanstack/react-query';
import { ArrowRight } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { api, body, newKey } from '../../api/client';
import { useMay } from '../../api/me';
import { useLang } from '../../i18n/texts';
import { useAction } from '../../ui/action';
import { Icon } from '../../ui/Icon';
import { useTabName } from '../../ui/Page';
import { ProblemBox } from '../../ui/Problem';
import { toast } from '../../ui/toast';
import { keepParcel } from '../chat/store/outbox';
import styles from './home.module.css';
import { texts } from './texts';
import type { HomeData } from './useHome';

/** For somebody new: what this is, and one thing to do. */
export default function Newcomer({ home }: { home: HomeData }) {
  const t = texts.use();
  const [text, setText] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  useFirstLanguage(home);
  useTabName(t('title'));
  useEffect(() => {
    // Where one would type; a finger would get the keyboard over half of the screen.
    if (window.matchMedia('(pointer: fine)').matches) field.current?.focus();
  }, []);
  const choose = (sentence: string) => {
    setText(sentence);
    field.current?.focus();
  };
  return (
    <div className="page">
      <div className={styles.newcomer} data-card="newcomer">
        <h1 id="page-title" tabIndex={-1} className={styles.what}>
          {t('new.what')}
        </h1>
        <Field text={text} set={setText} field={field} />
        <div className={styles.chips} role="group" aria-label={t('new.try')}>
          <button type="button" onClick={() => choose(t('new.log.sentence'))}>
            {t('new.log')}
          </button>
          <Plan />
          <button type="button" onClick={() => choose(t('new.help.sentence'))}>
            {t('new.help')}
          </button>
        </div>
        <Model home={home} />
      </div>
    </div>
  );
}

interface FieldProps {
  text: string;
  set: (text: string) => void;
  field: React.RefObject<HTMLTextAreaElement | null>;
}

/** What one says first makes the first chat. */
function Field({ text, set, field }: FieldProps) {
  const t = texts.use();
  const id = useId();
  const begin = useBegin();
  const send = () => {
    if (text.trim()) void begin.run(text.trim());
  };
  return (
    <form
      className={styles.composer}
      onSubmit={(e) => {
        e.preventDefault();
        send();
      }}
    >
      <label htmlFor={id} className="visually-hidden">
        {t('new.field')}
      </label>
      <textarea
        id={id}
        ref={field}
        rows={2}
        value={text}
        placeholder={t('new.placeholder')}
        onChange={(e) => set(e.target.value)}
        onKeyDown={(e) => {
          if (e.key !== 'Enter' || e.shiftKey || e.nativeEvent.isComposing) return;
          e.preventDefault();
          send();
        }}
      />
      <button
        type="submit"
        className="primary icon"
        aria-label={t('new.send')}
        title={t('new.send')}
        disabled={begin.busy}
      >
        <Icon of={ArrowRight} />
      </button>
      {begin.problem != null && <ProblemBox thrown={begin.problem} onClose={begin.clear} />}
    </form>
  );
}

/** Makes the first chat, gives it its message to send, and goes there. After a reply that was
 * lost the same text makes no second chat. */
function useBegin() {
  const [, go] = useLocation();
  const queries = useQueryClient();
  const pending = useRef({ text: '', key: '' });
  return useAction(async (text: string) => {
    if (pending.current.text !== text) pending.current = { text, key: newKey() };
    const session = await body(
      api.POST('/v1/sessions', {
        params: { header: { 'Idempotency-Key': pending.current.key } },
        body: { type: 'CHAT', require_validation: false, name: nameOf(text) },
      }),
    );
    keepParcel(session.id, { text, references: [] });
    void queries.invalidateQueries({ queryKey: ['get', '/v1/sessions'] });
    go(`/chat/${session.id}`);
  });
}

/** The beginning of the first line, cut between words. */
export function nameOf(text: string): string {
  const line = text.split('\n')[0]!.trim();
  if ([...line].length <= 60) return line;
  const cut = [...line].slice(0, 60).join('');
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), 30)).replace(/[\s,;:.]+$/, '')}…`;
}

/** A first automation, switched off, to look at; one click takes it away again. */
function Plan() {
  const t = texts.use();
  const [, go] = useLocation();
  const queries = useQueryClient();
  const admin = useMay('admin');
  const plan = useAction(async () => {
    const made = await body(
      api.POST('/v1/automations', {
        body: {
          name: t('new.plan.name'),
          enabled: false,
          seed: { text: t('new.plan.seed') },
          schedule: { type: 'cron', expression: '0 8 * * *', time_zone: browserZone() },
        },
      }),
    );
    go(`/automations/${made.id}`);
    toast(t('new.plan.made'), () => {
      void api
        .DELETE('/v1/automations/{automation_id}', { params: { path: { automation_id: made.id } } })
        .then(() => queries.invalidateQueries({ queryKey: ['get', '/v1/automations'] }))
        .then(() => go('/')); // Home knows then that there is none any more
    });
  });
  if (!admin) return null;
  return (
    <>
      <button type="button" disabled={plan.busy} onClick={() => void plan.run()}>
        {t('new.plan')}
      </button>
      {plan.problem != null && <ProblemBox thrown={plan.problem} onClose={plan.clear} />}
    </>
  );
}

function browserZone(): string {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return zone && zone !== 'Etc/Unknown' ? zone : 'UTC';
}

/** Which model answers, in a quiet line. */
function Model({ home }: { home: HomeData }) {
  const t = texts.use();
  const used = home.providers.find((p) => p.is_default) ?? home.providers[0];
  return (
    <p className="meta">
      {used && used.kind !== 'demo' ? (
        t('new.model', { name: used.name })
      ) : (
        <>
          {t('new.demo')} · <Link href="/settings/providers">{t('new.connect')}</Link>
        </>
      )}
    </p>
  );
}

/** At the first visit of an empty workspace its language and its time zone become the browser's,
 * so that a French page has French cards; what somebody has set stays. */
function useFirstLanguage({ settings }: HomeData) {
  const lang = useLang();
  const queries = useQueryClient();
  const admin = useMay('admin');
  const done = useRef(false);
  useEffect(() => {
    if (!settings || !admin || done.current) return;
    const zone = browserZone();
    const patch = {
      ...(settings.language !== lang && !settings.changed.includes('/language') ? { language: lang } : {}),
      ...(settings.time_zone !== zone && !settings.changed.includes('/time_zone') ? { time_zone: zone } : {}),
    };
    if (!Object.keys(patch).length) return;
    done.current = true;
    void api
      .PATCH('/v1/settings', { body: patch })
      .then(() => queries.invalidateQueries({ queryKey: ['get', '/v1/settings'] }))
      .catch(() => {}); // the settings have a field for it
  }, [settings, lang, admin, queries]);
}
