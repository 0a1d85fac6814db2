import { Hourglass } from 'lucide-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { $api, api, body, byPages } from '../../api/client';
import { TaskState, type Task } from '../../tasks/Task';
import { texts } from '../../tasks/texts';
import { useAction } from '../../ui/action';
import { commandName } from '../../ui/commandName';
import { Empty } from '../../ui/Empty';
import { Page } from '../../ui/Page';
import { ProblemBox } from '../../ui/Problem';
import { Read } from '../../ui/Read';
import { SessionLink } from '../../ui/session';
import { texts as uiTexts } from '../../ui/texts';
import { Time } from '../../ui/Time';
import { visible } from '../../ui/visible';
import { Line, Lines } from '../rows/Line';

const statuses = ['running', 'pending', 'unknown', 'succeeded', 'failed', 'cancelled', 'expired'] as const;

/** The tasks of other services, newest first; the address selects one. */
export default function Tasks({ status }: { status?: string }) {
  const t = texts.use();
  const chosen = statuses.find((s) => s === status);
  return (
    <Page
      title={t('title')}
      actions={
        <Link href="/runs" className="button small">
          {t('runs')}
        </Link>
      }
    >
      <p className="muted">{t('intro')}</p>
      <nav aria-label={t('filter')} className="chips">
        <Link href="/tasks" className="chip" aria-current={chosen ? undefined : 'page'}>
          {t('all')}
        </Link>
        {statuses.map((s) => (
          <Link key={s} href={`/tasks/${s}`} className="chip" aria-current={s === chosen ? 'page' : undefined}>
            {t(`status.${s}`)}
          </Link>
        ))}
      </nav>
      <List key={chosen} status={chosen} />
    </Page>
  );
}

function List({ status }: { status?: Task['status'] }) {
  const t = texts.use();
  const tu = uiTexts.use();
  const queries = useQueryClient();
  const tasks = $api.useInfiniteQuery('get', '/v1/tasks', { params: { query: { status, limit: 30 } } }, byPages);
  const fresh = () =>
    queries.invalidateQueries({ predicate: ({ queryKey }) => String(queryKey[1]).startsWith('/v1/tasks') });
  return (
    <Read query={tasks}>
      {({ pages }) => {
        const list = pages.flatMap((p) => p.data);
        if (!list.length) return <Nothing filtered={status !== undefined} />;
        return (
          <>
            <Lines label={t('title')}>
              {list.map((task) => (
                <Row key={task.id} of={task} onChange={fresh} />
              ))}
            </Lines>
            {tasks.hasNextPage && (
              <p>
                <button type="button" disabled={tasks.isFetchingNextPage} onClick={() => void tasks.fetchNextPage()}>
                  {tu('more')}
                </button>
              </p>
            )}
          </>
        );
      }}
    </Read>
  );
}

function Nothing({ filtered }: { filtered: boolean }) {
  const t = texts.use();
  if (filtered) return <Empty>{t('none.status')}</Empty>;
  return (
    <Empty>
      <p>
        <strong>{t('none.title')}</strong>
      </p>
      <p>{t('none')}</p>
      <p>
        <Link href="/settings/connectors/new">{t('connect')}</Link>
      </p>
    </Empty>
  );
}

function Row({ of: task, onChange }: { of: Task; onChange: () => Promise<unknown> }) {
  const t = texts.use();
  const path = { params: { path: { session_id: task.session_id } } };
  const session = $api.useQuery('get', '/v1/sessions/{session_id}', path);
  return (
    <li data-row={task.id}>
      <Line
        icon={Hourglass}
        name={
          <span title={task.command}>
            {task.connector_id ? (
              <Link href={`/settings/connectors/${task.connector_id}`}>{visible(commandName(task.command))}</Link>
            ) : (
              visible(commandName(task.command))
            )}
          </span>
        }
        meta={
          <>
            <span>
              {t('begun')} <Time at={task.created_at} />
            </span>
            {session.data && (
              <span>
                <SessionLink session={session.data} />
              </span>
            )}
          </>
        }
      />
      <TaskState of={task} onChange={onChange} />
      {task.status === 'succeeded' && <Result id={task.id} />}
    </li>
  );
}

/** Its result, loaded on request. */
function Result({ id }: { id: string }) {
  const t = texts.use();
  const [text, setText] = useState<string | null>(null);
  const read = useAction(async () => {
    const task = await body(api.GET('/v1/tasks/{task_id}', { params: { path: { task_id: id } } }));
    setText(visible(JSON.stringify(task.result, null, 2)));
  });
  return (
    <details onToggle={(e) => e.currentTarget.open && text === null && void read.run()}>
      <summary className="small">{t('result')}</summary>
      {read.problem != null && <ProblemBox thrown={read.problem} />}
      {text !== null && (
        <pre tabIndex={0} className="small">
          {text.slice(0, 100_000)}
        </pre>
      )}
    </details>
  );
}
