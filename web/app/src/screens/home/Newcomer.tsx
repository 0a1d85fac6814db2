import { useQueryClient } from '@tanstack/react-query';
import { ArrowRight } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { storageName } from '../../api/base';
import { $api, api, body } from '../../api/client';
import { useMay } from '../../api/me';
import { useLang } from '../../i18n/texts';
import { useAction } from '../../ui/action';
import { Icon } from '../../ui/Icon';
import { useTabName } from '../../ui/Page';
import { ProblemBox } from '../../ui/Problem';
import { toast } from '../../ui/toast';
import { whenIdle } from '../../ui/whenIdle';
import { useDraft } from '../chat/compose/useDraft';
import { emptyDraft, isEmpty, present } from '../chat/store/drafts';
import { choicesToSave } from '../chat/store/beginning';
import { keepFirst } from '../chat/store/outbox';
import styles from './home.module.css';
import { texts } from './texts';
import type { HomeData } from './useHome';

/** For new users: an introduction, and a first action. */
export default function Newcomer({ home }: { home: HomeData }) {
  const t = texts.use();
  const [, go] = useLocation();
  const { draft, set } = useDraft(undefined);
  const asking = useAsking(home);
  const locale = useLocale(home);
  const field = useRef<HTMLTextAreaElement>(null);
  useTabName(t('title'));
  useEffect(() => {
    // The message field gets the focus, except on touch screens, where the keyboard would cover half of the
    // screen.
    if (window.matchMedia('(pointer: fine)').matches) field.current?.focus();
    // The next step, and not part of the first screen. It is loaded again when it is opened.
    whenIdle(() => void import('../chat').catch(() => {}));
  }, []);
  const choose = (sentence: string) => {
    set({ text: sentence, references: [] });
    field.current?.focus();
  };
  const send = () => {
    if (isEmpty(draft)) return;
    const first = { asks: asking.offered && asking.asks, ...(locale.offered && locale.on ? locale.choice : {}) };
    keepFirst({ ...draft, references: present(draft) }, asking.offered || locale.offered ? first : undefined);
    set(emptyDraft);
    go('/chat');
  };
  return (
    <div className="page">
      <div className={styles.newcomer} data-card="newcomer">
        <h1 id="page-title" tabIndex={-1} className={styles.what}>
          {t(asking.asks ? 'new.what' : 'new.what.free')}
        </h1>
        <Field text={draft.text} set={(text) => set({ ...draft, text })} field={field} send={send} />
        {asking.offered && <Choice text={t('new.asks')} on={asking.asks} choose={asking.choose} />}
        {locale.offered && (
          <Choice text={t(locale.text, { zone: locale.zone })} on={locale.on} choose={locale.choose} />
        )}
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

interface ChoiceProps {
  text: string;
  on: boolean;
  choose: (on: boolean) => void;
}

/** A setting that is saved with the first message. */
function Choice({ text, on, choose }: ChoiceProps) {
  return (
    <label className={styles.choice}>
      <input type="checkbox" role="switch" checked={on} aria-checked={on} onChange={(e) => choose(e.target.checked)} />
      <span>{text}</span>
    </label>
  );
}

/** A switch that is on until it is turned off, and stays so for this tab. */
function useChoice(name: string): [boolean, (on: boolean) => void] {
  const declined = storageName(`first.declined.${name}`);
  const [on, setOn] = useState(() => {
    try {
      return sessionStorage.getItem(declined) !== 'yes';
    } catch {
      return true;
    }
  });
  const choose = (next: boolean) => {
    try {
      sessionStorage.setItem(declined, next ? 'no' : 'yes');
    } catch {
      /* stored until the page is closed */
    }
    setOn(next);
  };
  return [on, choose];
}

/** Whether the workspace is unused, as far as known, and the reader may set it up. */
function useUnused(): boolean {
  const admin = useMay('admin');
  const zones = $api.useQuery('get', '/v1/zones', { params: { query: { limit: 1 } } });
  return admin && !zones.data?.data.length;
}

/** Whether the workspace asks before it changes anything: its setting or, in an unused workspace without that setting,
 * the choice made here. */
function useAsking({ settings }: HomeData) {
  const [wanted, choose] = useChoice('asking');
  const unused = useUnused();
  const set = settings?.require_validation || settings?.changed.includes('/require_validation');
  const offered = unused && !set;
  return { offered, asks: offered ? wanted : settings?.require_validation === true, choose };
}

/** The reader's language and time zone, as far as the workspace differs and has not set its own, offered while it is
 * unused. A visit alone never changes the workspace: the page is in the reader's language anyway. */
function useLocale({ settings }: HomeData) {
  const reader = { language: useLang(), timeZone: browserZone() };
  const [on, choose] = useChoice('locale');
  const unused = useUnused();
  const patch = unused && settings ? choicesToSave({ asks: false, ...reader }, settings) : {};
  const choice = {
    language: patch.language ? reader.language : undefined,
    timeZone: patch.time_zone ? reader.timeZone : undefined,
  };
  const { language, timeZone } = choice;
  const text = language && timeZone ? 'new.locale' : language ? 'new.locale.language' : 'new.locale.zone';
  return { offered: !!(language ?? timeZone), on, choose, choice, text, zone: reader.timeZone } as const;
}

interface FieldProps {
  text: string;
  set: (text: string) => void;
  field: React.RefObject<HTMLTextAreaElement | null>;
  send: () => void;
}

/** The first message creates the first chat. */
function Field({ text, set, field, send }: FieldProps) {
  const t = texts.use();
  const id = useId();
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
      <button type="submit" className="primary icon" aria-label={t('new.send')} title={t('new.send')}>
        <Icon of={ArrowRight} />
      </button>
    </form>
  );
}

/** A first automation, disabled, as an example; one click removes it. */
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
        .then(() => go('/')); // then Home is updated
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

/** The model that answers, in a muted line. */
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
