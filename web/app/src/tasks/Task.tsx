import { useState } from 'react';
import { api, body, type Schemas } from '../api/client';
import { useFormat } from '../i18n/format';
import { Confirm } from '../ui/Confirm';
import { Time, useNow } from '../ui/Time';
import { visible } from '../ui/visible';
import css from './tasks.module.css';
import { texts } from './texts';

export type Task = Schemas['Task'];

const tone: Record<Task['status'], string> = {
  pending: 'accent',
  running: 'accent',
  succeeded: 'ok',
  failed: 'bad',
  cancelled: '',
  expired: 'warn',
  unknown: 'warn',
};

export const goesOn = (task: Task): boolean => task.status === 'pending' || task.status === 'running';

export function TaskBadge({ of: task }: { of: Task }) {
  const t = texts.use();
  return <span className={`badge ${tone[task.status]}`}>{t(`status.${task.status}`)}</span>;
}

/** A task's progress, deadline and late results, and a button to cancel it. */
export function TaskState({ of: task, onChange }: { of: Task; onChange: () => Promise<unknown> }) {
  const t = texts.use();
  const f = useFormat();
  return (
    <div className="stack tight" data-task={task.id} data-status={task.status}>
      <p className="row small">
        <TaskBadge of={task} />
        {goesOn(task) ? (
          <Deadline at={task.deadline} />
        ) : (
          <span className="muted">
            {t('ended')} <Time at={task.ended_at ?? task.updated_at} />
          </span>
        )}
        {goesOn(task) && <Cancel of={task} onChange={onChange} />}
      </p>
      {goesOn(task) && <Progress of={task.progress} />}
      {task.status === 'unknown' && <p className="small">{t('unknown.text')}</p>}
      {task.error && <p className="small wrong">{visible(task.error)}</p>}
      {task.late && (
        <p className="box warn small" data-late>
          {t('late', { status: t(`status.${task.late.status}`) })}{' '}
          <span title={f.full(task.late.at)}>{f.time(task.late.at)}</span>
        </p>
      )}
    </div>
  );
}

function Deadline({ at }: { at: string }) {
  const t = texts.use();
  const f = useFormat();
  const now = useNow();
  return (
    <span className="muted" title={f.full(at)} data-deadline>
      {Date.parse(at) > now ? t('deadline', { time: f.relative(at, now) }) : t('deadline.over')}
    </span>
  );
}

/** The progress that the service reports; without a number, an indeterminate bar. */
function Progress({ of: { percent, text } }: { of: Task['progress'] }) {
  const t = texts.use();
  const f = useFormat();
  if (percent === undefined && !text) return null;
  return (
    <div className={`small ${css.progress}`} data-progress={percent}>
      {percent !== undefined && (
        <>
          <progress max={100} value={percent} aria-label={t('progress')} />
          <span>{f.percent(percent / 100)}</span>
        </>
      )}
      {text && <bdi className="muted">{visible(text)}</bdi>}
    </div>
  );
}

function Cancel({ of: task, onChange }: { of: Task; onChange: () => Promise<unknown> }) {
  const t = texts.use();
  const [asking, ask] = useState(false);
  const cancel = async () => {
    await body(api.POST('/v1/tasks/{task_id}/cancel', { params: { path: { task_id: task.id } } }));
    await onChange();
  };
  return (
    <>
      <button type="button" className="plain small" onClick={() => ask(true)}>
        {t('cancel')}
      </button>
      {asking && (
        <Confirm title={t('cancel.of')} yes={t('cancel')} danger act={cancel} onClose={() => ask(false)}>
          <p>{t('cancel.text')}</p>
        </Confirm>
      )}
    </>
  );
}
