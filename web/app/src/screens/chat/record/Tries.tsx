import { ChevronLeft, ChevronRight } from 'lucide-react';
import { api } from '../../../api/client';
import { useAction } from '../../../ui/action';
import { IconButton } from '../../../ui/Icon';
import { ProblemBox } from '../../../ui/Problem';
import { visible } from '../../../ui/visible';
import type { Chat } from '../store/chat';
import type { Tries } from '../store/tries';
import { again } from '../texts.again';
import css from './record.module.css';

/** Browses the answers to one question; in the last round another one can be selected. */
export function TriesLine({ chat, tries, model }: { chat: Chat; tries: Tries; model?: string }) {
  const t = again.use();
  const look = (i: number) => () => chat.store.look(tries.group, tries.rounds[i]!);
  const choose = useAction(async () => {
    try {
      const { data } = await api.POST('/v1/sessions/{session_id}/messages/{message_id}/choose', {
        params: { path: { session_id: chat.id, message_id: tries.message } },
      });
      chat.store.take(data!.session);
    } catch (thrown) {
      chat.recheck(thrown);
      throw thrown;
    }
  });
  return (
    <section className={css.tries} aria-label={t('tries')} data-tries={tries.rounds.length}>
      <IconButton
        of={ChevronLeft}
        className="plain small"
        label={t('tries.before')}
        disabled={tries.shown === 0}
        onClick={look(tries.shown - 1)}
      />
      <span aria-live="polite">{t('tries.of', { n: tries.shown + 1, of: tries.rounds.length })}</span>
      <IconButton
        of={ChevronRight}
        className="plain small"
        label={t('tries.after')}
        disabled={tries.shown === tries.rounds.length - 1}
        onClick={look(tries.shown + 1)}
      />
      {model && (
        <span className="muted" data-model="">
          <bdi>{visible(model).slice(0, 60)}</bdi>
        </span>
      )}
      {!tries.current && <span className="muted">{t('tries.superseded')}</span>}
      {!tries.current && tries.last && chat.store.session?.status === 'idle' && (
        <button type="button" className="small" disabled={choose.busy} onClick={() => void choose.run()}>
          {t('tries.choose')}
        </button>
      )}
      {choose.problem != null && <ProblemBox thrown={choose.problem} onClose={choose.clear} />}
    </section>
  );
}
