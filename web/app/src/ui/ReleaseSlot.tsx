import { $api, api } from '../api/client';
import { announce } from '../shell/announce';
import { useFormat } from '../i18n/format';
import { useAction } from './action';
import { seconds } from './duration';
import { ProblemBox } from './Problem';
import { Sentence } from './Sentence';
import { SessionLink } from './session';
import { texts } from './texts';

/** An idle chat keeps the slot for a while, though others wait for it. Explains that and lets a person release it.
 * Shown only then. */
export function ReleaseSlot() {
  const t = texts.use();
  const f = useFormat();
  const slot = $api.useQuery('get', '/v1/slot');
  const queue = $api.useQuery('get', '/v1/queue');
  const settings = $api.useQuery('get', '/v1/settings');
  const release = useAction(async (session_id: string) => {
    await api.POST('/v1/sessions/{session_id}/release', { params: { path: { session_id } } });
    announce(t('turn.done'));
  });
  const holder = slot.data?.holder;
  if (!holder || holder.type !== 'CHAT' || holder.phase !== 'IDLE' || !queue.data?.length) return null;
  const patience = seconds(settings.data?.chat_eviction_after) * 1000;
  const until = patience && holder.last_event_time ? f.time(new Date(holder.last_event_time).getTime() + patience) : '';
  return (
    <div className="box row between" data-turn={holder.id}>
      <p className="grow">
        <Sentence text={t('turn.kept')} parts={{ chat: <SessionLink session={holder} inline /> }} />{' '}
        {until && t('turn.until', { time: until })}
      </p>
      <button type="button" className="small" disabled={release.busy} onClick={() => void release.run(holder.id)}>
        {t('turn.next')}
      </button>
      {release.problem != null && <ProblemBox thrown={release.problem} onClose={release.clear} />}
    </div>
  );
}
