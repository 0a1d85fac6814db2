import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { api, body, type Schemas } from '../../api/client';
import { announce } from '../../shell/announce';
import { useAction } from '../../ui/action';
import { ProblemBox } from '../../ui/Problem';
import { showRunsOf } from '../runs/filter';
import { texts } from './texts';

type Result = Schemas['ActivationResult'];

/** Starts a run by hand. What came of it is shown by `RanBox`. */
export function useRunNow(id: string) {
  const queries = useQueryClient();
  const [result, setResult] = useState<Result | null>(null);
  const action = useAction(async () => {
    setResult(null);
    const answer = await body(api.POST('/v1/automations/{automation_id}/execute', { params: { path: { automation_id: id } } }));
    setResult(answer);
    announce(ranWords(answer));
    await queries.invalidateQueries({ predicate: ({ queryKey }) => typeof queryKey[1] === 'string' && queryKey[1].startsWith('/v1/automations') });
  });
  return { ...action, result };
}

const ranWords = (r: Result) => (r.result === 'QUEUED' ? texts.t('ran.QUEUED', { n: r.position ?? 1 }) : texts.t('ran.ACTIVATED'));

/** What came of a run by hand, and where to look at it. */
export function RanBox({ result, problem }: { result: Result | null; problem: unknown }) {
  const t = texts.use();
  if (problem != null) return <ProblemBox thrown={problem} />;
  if (!result) return null;
  return (
    <p className="box ok row" data-ran={result.result}>
      <span>{ranWords(result)}</span>
      <Link href={`/chat/${result.session.id}`}>{t('ran.look')}</Link>
      <Link href="/runs" onClick={() => showRunsOf(result.session.automation_id ?? '')}>{t('ran.runs')}</Link>
    </p>
  );
}
