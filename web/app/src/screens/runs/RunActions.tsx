import { useState } from 'react';
import { api, type Schemas } from '../../api/client';
import { announce } from '../../shell/announce';
import { useAction } from '../../ui/action';
import { Confirm } from '../../ui/Confirm';
import { ProblemBox } from '../../ui/Problem';
import { hasEnded } from './outcome';
import { texts } from './texts';

/** Stops a run that goes on, takes one out of the queue, or starts another one. */
export function RunActions({ run }: { run: Schemas['AutomationRun'] }) {
  const t = texts.use();
  const [stopping, setStopping] = useState(false);
  const path = { session_id: run.session_id };
  const again = useAction(async () => {
    const { data } = await api.POST('/v1/automations/{automation_id}/execute', {
      params: { path: { automation_id: run.automation_id } },
    });
    announce(data?.result === 'QUEUED' ? t('again.queued', { n: data.position ?? 1 }) : t('again.started'));
  });
  const leave = useAction(async () => {
    await api.DELETE('/v1/queue/{session_id}', { params: { path } });
    announce(t('left'));
  });
  const problem = again.problem ?? leave.problem;
  return (
    <>
      {hasEnded(run) && (
        <button type="button" className="plain small" disabled={again.busy} onClick={() => void again.run()}>
          {t('again')}
        </button>
      )}
      {run.status === 'queued' && (
        <button type="button" className="plain small" disabled={leave.busy} onClick={() => void leave.run()}>
          {t('leave')}
        </button>
      )}
      {!hasEnded(run) && (
        <button type="button" className="danger small" onClick={() => setStopping(true)}>
          {t('stop')}
        </button>
      )}
      {problem != null && (
        <ProblemBox
          thrown={problem}
          onClose={() => {
            again.clear();
            leave.clear();
          }}
        />
      )}
      {stopping && (
        <Confirm
          title={t('stop.title')}
          yes={t('stop.yes')}
          danger
          onClose={() => setStopping(false)}
          act={async () => {
            await api.POST('/v1/sessions/{session_id}/stop', { params: { path } });
            announce(t('stopped'));
          }}
        >
          <p>{t('stop.text')}</p>
        </Confirm>
      )}
    </>
  );
}
