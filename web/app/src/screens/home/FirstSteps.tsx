import { useId, useState, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { $api, api } from '../../api/client';
import { useAction } from '../../ui/action';
import { ProblemBox } from '../../ui/Problem';
import { keepDraft } from '../chat/store/drafts';
import styles from './home.module.css';
import { browserZone, chooseDemo, demoChosen } from './steps';
import { texts } from './texts';

/** Three steps for somebody who has just begun. */
export function FirstSteps({ onHide }: { onHide: () => void }) {
  const t = texts.use();
  const id = useId();
  return (
    <section className="card stack" aria-labelledby={id} data-card="steps">
      <header className="row between">
        <h2 id={id}>{t('steps')}</h2>
        <button type="button" className="plain small" onClick={onHide}>
          {t('steps.hide')}
        </button>
      </header>
      <ol className={`plain ${styles.steps}`}>
        <ProviderStep />
        <ChatStep />
        <AutomationStep />
      </ol>
    </section>
  );
}

function Step({
  number,
  title,
  done,
  children,
}: {
  number: number;
  title: string;
  done: boolean;
  children: ReactNode;
}) {
  const t = texts.use();
  return (
    <li className={styles.step} data-step={number} data-done={done}>
      <span className={styles.number} aria-hidden="true">
        {done ? '✓' : number}
      </span>
      <div className="stack tight grow">
        <h3>
          {title}
          {done && <span className="visually-hidden"> ({t('steps.done')})</span>}
        </h3>
        {children}
      </div>
    </li>
  );
}

function ProviderStep() {
  const t = texts.use();
  const providers = $api.useQuery('get', '/v1/providers').data?.data ?? [];
  const [demo, setDemo] = useState(demoChosen);
  const chosen = providers.find((p) => p.is_default) ?? providers[0];
  return (
    <Step number={1} title={t('steps.provider')} done={chosen !== undefined || demo}>
      <p className="small">
        {chosen
          ? t('steps.provider.set', { name: chosen.name })
          : demo
            ? t('steps.provider.demo.set')
            : t('steps.provider.text')}
      </p>
      <p className="row">
        {!chosen && (
          <Link href="/settings/providers" className="button small">
            {t('steps.provider.add')}
          </Link>
        )}
        {!chosen && !demo && (
          <button
            type="button"
            className="small"
            onClick={() => {
              chooseDemo();
              setDemo(true);
            }}
          >
            {t('steps.provider.demo')}
          </button>
        )}
      </p>
    </Step>
  );
}

function ChatStep() {
  const t = texts.use();
  const [, go] = useLocation();
  const chats = $api.useQuery('get', '/v1/sessions', { params: { query: { type: 'CHAT', limit: 6 } } });
  const open = () => {
    keepDraft(undefined, { text: t('steps.chat.sentence'), references: [] });
    go('/chat');
  };
  return (
    <Step number={2} title={t('steps.chat')} done={(chats.data?.data.length ?? 0) > 0}>
      <p className="small">{t('steps.chat.text')}</p>
      <p className={styles.sentence}>{t('steps.chat.sentence')}</p>
      <p>
        <button type="button" className="small primary" onClick={open}>
          {t('steps.chat.open')}
        </button>
      </p>
    </Step>
  );
}

function AutomationStep() {
  const t = texts.use();
  const first = $api.useQuery('get', '/v1/automations', { params: { query: { limit: 1 } } });
  const sample = first.data?.data[0];
  const make = useAction(async () => {
    await api.POST('/v1/automations', {
      body: {
        name: t('steps.auto.name'),
        enabled: false,
        seed: { text: t('steps.auto.seed') },
        schedule: { type: 'cron', expression: '0 8 * * *', time_zone: browserZone() },
      },
    });
    await first.refetch();
  });
  return (
    <Step number={3} title={t('steps.auto')} done={sample !== undefined}>
      <p className="small">{t('steps.auto.text')}</p>
      {make.problem != null && <ProblemBox thrown={make.problem} />}
      <p>
        {sample ? (
          <Link href={`/automations/${sample.id}`} className="button small">
            {t('steps.auto.see')}
          </Link>
        ) : (
          <button
            type="button"
            className="small"
            disabled={make.busy || first.isPending}
            onClick={() => void make.run()}
          >
            {t('steps.auto.make')}
          </button>
        )}
      </p>
    </Step>
  );
}
