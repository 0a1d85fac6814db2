import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { api, body, type Schemas } from '../../api/client';
import { useMay } from '../../api/me';
import { announce } from '../../shell/announce';
import { useAction } from '../../ui/action';
import { Confirm } from '../../ui/Confirm';
import { ProblemBox } from '../../ui/Problem';
import { Menu } from '../rows/Menu';
import { hasEnded } from './outcome';
import { RunAgain } from './RunAgain';
import css from './runs.module.css';
import { texts } from './texts';

type Run = Schemas['AutomationRun'];

/** The actions of a run: run again, edit and run, continue as a chat, stop, remove from the queue. */
export function RunActions({ run }: { run: Run }) {
  const t = texts.use();
  const [, go] = useLocation();
  const member = useMay('member');
  const [open, setOpen] = useState<'' | 'again' | 'stop'>('');
  const path = { session_id: run.session_id };
  const leave = useAction(async () => {
    await api.DELETE('/v1/queue/{session_id}', { params: { path } });
    announce(t('left'));
  });
  const fork = useAction(async () => go(`/chat/${await continued(run)}`));
  const ended = hasEnded(run);
  const of = (what: string) => t('of.name', { what, name: run.name.slice(0, 100) || t('unnamed') });
  const close = () => setOpen('');
  return (
    <span className={css.acts}>
      {member && !ended && (
        <button type="button" className="small" data-key="s" onClick={() => setOpen('stop')}>
          {t('stop')}
        </button>
      )}
      {member && ended && (
        <button
          type="button"
          className="small"
          data-key="r"
          aria-label={of(t('again'))}
          onClick={() => setOpen('again')}
        >
          {t('again')}
        </button>
      )}
      <Menu label={of(t('more'))}>
        <Link href={`/chat/${run.session_id}`} className="button" data-key="o">
          {t('open')} <kbd>O</kbd>
        </Link>
        <Link href={`/timeline/${run.session_id}`} className="button" data-key="t">
          {t('timeline')} <kbd>T</kbd>
        </Link>
        {member && ended && (
          <button type="button" data-key="c" disabled={fork.busy} onClick={() => void fork.run()}>
            {t('fork')} <kbd>C</kbd>
          </button>
        )}
        {member && run.status === 'queued' && (
          <button type="button" disabled={leave.busy} onClick={() => void leave.run()}>
            {t('leave')}
          </button>
        )}
      </Menu>
      {leave.problem != null && <ProblemBox thrown={leave.problem} onClose={leave.clear} />}
      {fork.problem != null && <ProblemBox thrown={fork.problem} onClose={fork.clear} />}
      {open === 'again' && <RunAgain run={run} onClose={close} />}
      {open === 'stop' && (
        <Confirm
          title={t('stop.title')}
          yes={t('stop.yes')}
          danger
          onClose={close}
          act={async () => {
            await api.POST('/v1/sessions/{session_id}/stop', { params: { path } });
            announce(t('stopped'));
          }}
        >
          <p>{t('stop.text')}</p>
        </Confirm>
      )}
    </span>
  );
}

/** Creates a chat that begins with the record of a run. Returns its id. */
async function continued(run: Run): Promise<string> {
  const path = { session_id: run.session_id };
  const { data } = await body(
    api.GET('/v1/sessions/{session_id}/messages', { params: { path, query: { order: 'desc', limit: 1 } } }),
  );
  const made = await body(
    api.POST('/v1/sessions/{session_id}/fork', {
      params: { path },
      body: { after_message_id: data[0]!.id, ...(run.name && { name: run.name.slice(0, 200) }) },
    }),
  );
  return made.id;
}
