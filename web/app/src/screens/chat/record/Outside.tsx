import { useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { $api } from '../../../api/client';
import { ApprovalCard } from '../../../approvals/ApprovalCard';
import { TaskState } from '../../../tasks/Task';
import { texts } from '../texts';

const limit = 200;

/** A command's work in another service, with results that arrived later. */
export function TaskOf({ session, execution }: { session: string; execution: string }) {
  const t = texts.use();
  const queries = useQueryClient();
  const tasks = $api.useQuery('get', '/v1/tasks', { params: { query: { session_id: session, limit } } });
  const task = tasks.data?.data.find((other) => other.execution_id === execution);
  if (!task)
    return (
      <p>
        <span className="badge accent">{t('exec.PENDING')}</span>
      </p>
    );
  const fresh = () =>
    queries.invalidateQueries({ predicate: ({ queryKey }) => String(queryKey[1]).startsWith('/v1/tasks') });
  return <TaskState of={task} onChange={fresh} />;
}

export const callsAgent = (command: string): boolean => command.startsWith('AGENT.');

/** How an agent's task ended, from the first line of its reply to the caller; undefined while it runs. */
export const outcomeOf = (text: string | undefined): string | undefined => /^outcome: (\w+)/.exec(text ?? '')?.[1];

/** The link to an agent's own session, which is named after the execution. */
export function AgentOf({ execution, text }: { execution: string; text?: string }) {
  const t = texts.use();
  return (
    <p className="row small" data-agent-outcome={outcomeOf(text) ?? 'none'}>
      <Link href={`/chat/ses_${execution.slice(execution.indexOf('_') + 1)}`}>{t('agent.open')}</Link>
    </p>
  );
}

/** The questions of agents that this session has called: they wait for its answers. */
export function AgentAsks({ sessions }: { sessions: readonly string[] }) {
  return sessions.map((id) => <AsksOf key={id} session={id} />);
}

function AsksOf({ session }: { session: string }) {
  const open = $api.useQuery('get', '/v1/approvals', {
    params: { query: { session_id: session, status: 'open', limit } },
  });
  return open.data?.data.map((approval) => <ApprovalCard key={approval.id} approval={approval} />) ?? null;
}
