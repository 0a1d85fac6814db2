import type { Schemas } from '../../../api/client';
import { visible } from '../../../ui/visible';
import type { Chat } from '../store/chat';
import { again } from '../texts.again';

type Result = Schemas['CommandResult'];

const happened = new Set<string>(['SUCCESS', 'UNKNOWN', 'PENDING']);

/** The changes that the last round's answers made, or may have made, from the record. */
export function changedBy(chat: Chat): Result[] {
  return chat.store.placed
    .filter((m) => m.system_message?.type === 'ACTIONS_EXECUTED' && chat.store.isLastRound(m))
    .flatMap((m) => m.system_message!.command_results ?? [])
    .filter((r) => happened.has(r.status));
}

interface Props {
  chat: Chat;
  /** Whether the question has been reworded. */
  reworded: boolean;
  /** The provider and model for this request only; empty: unchanged. */
  provider?: string;
  model?: string;
}

/** What will differ when the last question is answered again: the model, the wording, and the changes that remain in
 * effect. */
export function Differs({ chat, reworded, provider, model }: Props) {
  const t = again.use();
  const before = chat.store.session?.model;
  const changed = changedBy(chat);
  const asks = [provider, model].filter(Boolean).join(' · ');
  const facts: [string, string][] = [];
  if (asks) facts.push(['model', before ? t('diff.model', { before, now: asks }) : t('diff.model.new', { now: asks })]);
  else if (before) facts.push(['model', t('diff.model.same', { before })]);
  facts.push(['words', t(reworded ? 'diff.words' : 'diff.words.same')]);
  return (
    <section className="box stack tight small" aria-label={t('diff')} data-differs="">
      <strong>{t('diff')}</strong>
      <ul>
        {facts.map(([name, words]) => (
          <li key={name} data-fact={name}>
            {words}
          </li>
        ))}
        {changed.length === 0 && <li data-fact="none">{t('diff.changed.none')}</li>}
      </ul>
      {changed.length > 0 && (
        <>
          <p>{t('again.effects')}</p>
          <ul data-fact="changed">
            {changed.map((r, i) => (
              <li key={r.execution_id ?? i}>
                <bdi>{visible(r.summary || t('effect.other'))}</bdi>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
