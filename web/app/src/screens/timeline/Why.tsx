import { Link } from 'wouter';
import { $api } from '../../api/client';
import { useFormat } from '../../i18n/format';
import { quoted } from '../../i18n/texts';
import { PromptFiles, promptFiles } from '../../ui/PromptFiles';
import { SessionLink } from '../../ui/session';
import { texts } from './texts';

/** The server's explanation of the session's state, with a link to what it waits for. If it has ended or waits for
 * nothing, the text alone. */
export function Why({ id }: { id: string }) {
  const t = texts.use();
  const tf = promptFiles.use();
  const f = useFormat();
  const { data } = $api.useQuery('get', '/v1/sessions/{session_id}/explain', { params: { path: { session_id: id } } });
  if (!data) return null;
  const w = data.waiting_for;
  return (
    <section className="box stack tight" aria-label={t('why')} data-waits={w.kind}>
      <p>
        {quoted(data.text)}
        {w.until && ` ${t('why.until', { time: f.time(w.until) })}`}
      </p>
      {w.holder && (
        <p className="row small">
          <span>{t('why.holder', { name: '' })}</span>
          <SessionLink session={w.holder} />
        </p>
      )}
      {(w.ahead ?? []).length > 0 && (
        <div className="small">
          <p>{t('why.ahead')}</p>
          <ol className="plain">
            {w.ahead!.map((s) => (
              <li key={s.id}>
                <SessionLink session={s} />
              </li>
            ))}
          </ol>
        </div>
      )}
      {w.last_error && <p className="small">{t('why.error', { text: w.last_error })}</p>}
      {data.latest_answer && (
        <div className="small">
          <p>{tf('latest')}</p>
          <PromptFiles files={data.latest_answer.prompt_files} older={data.latest_answer.older_prompt_files} />
        </div>
      )}
      {w.approval_id && (
        <p className="small">
          <Link href="/approvals">{t('why.approval')}</Link>
        </p>
      )}
    </section>
  );
}
