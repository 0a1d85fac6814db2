import { Link } from 'wouter';
import { $api } from '../../../api/client';
import { quoted } from '../../../i18n/texts';
import { PromptFiles, promptFiles } from '../../../ui/PromptFiles';
import { Read } from '../../../ui/Read';
import { Time } from '../../../ui/Time';
import { nameOf } from '../head/name';
import { texts } from '../texts';
import { words } from '../texts.compose';
import css from './compose.module.css';

/** Why a session is in its state, explained by the server. */
export function Why({ id }: { id: string }) {
  const t = words.use();
  const tc = texts.use();
  const tf = promptFiles.use();
  const query = $api.useQuery(
    'get',
    '/v1/sessions/{session_id}/explain',
    { params: { path: { session_id: id } } },
    { staleTime: 0 },
  );
  return (
    <section className={`box stack tight ${css.why}`} aria-label={t('why.title')} data-explain="">
      <Read query={query}>
        {(said) => (
          <>
            <p>{quoted(said.text)}</p>
            {said.waiting_for.holder && (
              <p>
                {t('why.holder')}{' '}
                <Link href={`/chat/${said.waiting_for.holder.id}`}>
                  {nameOf(said.waiting_for.holder, tc).slice(0, 80)}
                </Link>
              </p>
            )}
            {said.waiting_for.last_error && (
              <details>
                <summary className="muted small">{tc('down.details')}</summary>
                <p className="small">{said.waiting_for.last_error}</p>
              </details>
            )}
            {said.latest_answer && (
              <div className="small">
                <p>{tf('latest')}</p>
                <PromptFiles files={said.latest_answer.prompt_files} older={said.latest_answer.older_prompt_files} />
              </div>
            )}
            <p className="row small">
              <span className="muted">
                <Time at={said.since} />
              </span>{' '}
              <Link href={`/timeline/${id}`}>{t('why.timeline')}</Link>
            </p>
          </>
        )}
      </Read>
    </section>
  );
}
