import { useQueryClient } from '@tanstack/react-query';
import { api, type Schemas } from '../../../api/client';
import { announce } from '../../../shell/announce';
import { useAction } from '../../../ui/action';
import { texts } from '../texts';

/** Pauses an automation, or enables it again. */
export function useSwitch(a: Schemas['Automation']) {
  const queries = useQueryClient();
  return useAction(async () => {
    const params = { params: { path: { automation_id: a.id } } };
    if (a.enabled) await api.POST('/v1/automations/{automation_id}/disable', params);
    else await api.POST('/v1/automations/{automation_id}/enable', params);
    announce(texts.t(a.enabled ? 'was.paused' : 'was.enabled', { name: a.name.slice(0, 100) }));
    await queries.invalidateQueries({
      predicate: ({ queryKey }) => typeof queryKey[1] === 'string' && queryKey[1].startsWith('/v1/automations'),
    });
  });
}
