import { Link } from 'wouter';
import { $api } from '../../../api/client';
import { Read } from '../../../ui/Read';
import { Time } from '../../../ui/Time';
import { words } from '../texts.compose';
import css from './compose.module.css';

/** Why a session stands where it stands, in the server's words. */
export function Why({ id }: { id: string }) {
  const t = words.use();
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
            <p>{said.text}</p>
            {said.waiting_for.holder && (
              <p>
                {t('why.holder')}{' '}
                <Link href={`/chat/${said.waiting_for.holder.id}`}>
                  {(said.waiting_for.holder.name || said.waiting_for.holder.id).slice(0, 80)}
                </Link>
              </p>
            )}
            {said.waiting_for.last_error && <p className="muted small">{said.waiting_for.last_error}</p>}
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
