import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { $api, api, body, type Schemas } from '../../../api/client';
import { announce } from '../../../shell/announce';
import { useAction } from '../../../ui/action';
import { ProblemBox } from '../../../ui/Problem';
import { ReleaseSlot } from '../../../ui/ReleaseSlot';
import { runsOf } from '../../runs/filter';
import { hasEnded, outcomeOf } from '../../runs/outcome';
import { useOutcomeWords } from '../../runs/OutcomeBadge';
import { texts } from '../texts';

type Result = Schemas['ActivationResult'];

/** Starts a manual run. `RanBox` shows its outcome. */
export function useRunNow(id: string) {
  const queries = useQueryClient();
  const [result, setResult] = useState<Result | null>(null);
  const action = useAction(async () => {
    setResult(null);
    const answer = await body(
      api.POST('/v1/automations/{automation_id}/execute', { params: { path: { automation_id: id } } }),
    );
    setResult(answer);
    announce(ranWords(answer));
    await queries.invalidateQueries({
      predicate: ({ queryKey }) => typeof queryKey[1] === 'string' && queryKey[1].startsWith('/v1/automations'),
    });
  });
  return { ...action, result };
}

const ranWords = (r: Result) =>
  r.result === 'QUEUED' ? texts.t('ran.QUEUED', { n: r.position ?? 1 }) : texts.t('ran.ACTIVATED');

/** The progress and outcome of a manual run, with a link to it. */
export function RanBox({ result, problem }: { result: Result | null; problem: unknown }) {
  if (problem != null) return <ProblemBox thrown={problem} />;
  return result && <Ran key={result.session.id} result={result} />;
}

function Ran({ result }: { result: Result }) {
  const t = texts.use();
  const outcome = useOutcomeWords();
  const { id, automation_id } = result.session;
  const now = $api.useQuery('get', '/v1/sessions/{session_id}', { params: { path: { session_id: id } } });
  const run = now.data ?? result.session;
  const ended = hasEnded(run);
  const words = ended
    ? t('ran.ended', { outcome: outcome(run) })
    : run.status === 'queued'
      ? ranWords(result)
      : t('ran.ACTIVATED');
  return (
    <>
      <p
        className={`box row ${ended && outcomeOf(run).tone !== 'ok' ? 'warn' : 'ok'}`}
        data-ran={ended ? 'ended' : result.result}
        role="status"
      >
        <span>{words}</span>
        <Link href={`/chat/${id}`}>{t(ended ? 'ran.result' : 'ran.look')}</Link>
        <Link href={runsOf(automation_id ?? '')}>{t('ran.runs')}</Link>
      </p>
      {run.status === 'queued' && <ReleaseSlot />}
    </>
  );
}
