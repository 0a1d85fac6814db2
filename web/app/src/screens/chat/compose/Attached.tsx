import { useFormat } from '../../../i18n/format';
import { problemWords } from '../../../ui/problemWords';
import { visible } from '../../../ui/visible';
import { Picture } from '../record/FileView';
import type { Draft } from '../store/drafts';
import { words } from '../texts.compose';
import css from './compose.module.css';
import type { Uploads } from './useUploads';

/** The files of a draft as chips: uploaded, uploading and rejected. */
export function Attached({ draft, uploads }: { draft: Draft; uploads: Uploads }) {
  const t = words.use();
  const f = useFormat();
  const files = draft.files ?? [];
  if (!files.length && !uploads.items.length) return null;
  return (
    <ul className={`plain ${css.chips}`} aria-label={t('attached')} data-attached="">
      {files.map((file) => (
        <li key={file.id} className={`row ${css.chip}`} data-file={file.id}>
          {file.media_type.startsWith('image/') && <Picture file={file} className={css.thumb} />}
          <bdi className="clamp">{visible(file.name)}</bdi>
          <span className="muted small">{f.bytes(file.bytes)}</span>
          <Remove name={file.name} onClick={() => uploads.detach(file.id)} />
        </li>
      ))}
      {uploads.items.map((u) => (
        <li key={u.key} className={`row ${css.chip}`} data-upload={u.problem ? 'failed' : 'sending'}>
          <bdi className="clamp">{visible(u.name)}</bdi>
          {u.problem ? (
            <span role="alert" className={css.refused}>
              {u.problem.code === 'too_large'
                ? t('attach.large')
                : u.problem.detail
                  ? problemWords(u.problem)
                  : t('attach.failed')}
            </span>
          ) : (
            <progress value={u.sent} max={1} aria-label={t('attach.sending', { name: u.name })} />
          )}
          <Remove name={u.name} onClick={() => uploads.remove(u.key)} />
        </li>
      ))}
    </ul>
  );
}

function Remove({ name, onClick }: { name: string; onClick: () => void }) {
  const t = words.use();
  return (
    <button
      type="button"
      className="plain small"
      aria-label={t('refer.remove', { name })}
      title={t('refer.remove', { name })}
      onClick={() => {
        onClick();
        document.getElementById('message')?.focus();
      }}
    >
      ✕
    </button>
  );
}
