import { $api, type Schemas } from '../../api/client';
import { ownSegments } from './differences';

type Run = Schemas['AutomationRun'];

/** A run as it was and as it would be now, loaded before either is shown. */
export function useThenAndNow(run: Run) {
  const path = { automation_id: run.automation_id };
  const first = $api.useQuery('get', '/v1/sessions/{session_id}/messages', {
    params: { path: { session_id: run.session_id }, query: { limit: 1 } },
  });
  const session = $api.useQuery('get', '/v1/sessions/{session_id}', {
    params: { path: { session_id: run.session_id } },
  });
  const automation = $api.useQuery('get', '/v1/automations/{automation_id}', { params: { path } }, { retry: false });
  const seed = $api.useQuery('get', '/v1/automations/{automation_id}/seed', { params: { path } }, { retry: false });
  const all = [first, session, automation, seed];
  const [message] = first.data?.data ?? [];
  const data =
    first.data && session.data && automation.data && seed.data
      ? {
          before: ownSegments(message?.rich_content?.segments ?? []),
          whole: message?.rich_content?.segments.length ?? 0,
          session: session.data,
          automation: automation.data,
          seed: seed.data,
        }
      : undefined;
  return {
    data,
    error: all.find((q) => q.error)?.error ?? null,
    isPending: data === undefined,
    refetch: () => void all.forEach((q) => void q.refetch()),
  };
}

export type ThenAndNow = NonNullable<ReturnType<typeof useThenAndNow>['data']>;
