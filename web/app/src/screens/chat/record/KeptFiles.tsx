import { X } from 'lucide-react';
import { useFormat } from '../../../i18n/format';
import { IconButton } from '../../../ui/Icon';
import { visible } from '../../../ui/visible';
import css from '../compose/compose.module.css';
import type { Draft } from '../store/drafts';
import { words } from '../texts.compose';
import { Picture } from './FileView';

/** The files of a message that is being edited: they are sent again unless removed. */
export function KeptFiles({ draft, onDraft }: { draft: Draft; onDraft: (draft: Draft) => void }) {
  const t = words.use();
  const f = useFormat();
  const files = draft.files ?? [];
  if (!files.length) return null;
  return (
    <ul className={`plain ${css.chips}`} aria-label={t('attached')} data-kept-files="">
      {files.map((file) => (
        <li key={file.id} className={`row ${css.chip} ${css.kept}`} data-file={file.id}>
          {file.media_type.startsWith('image/') && <Picture file={file} className={css.thumb} />}
          <bdi className="clamp">{visible(file.name)}</bdi>
          <span className="muted small">{f.bytes(file.bytes)}</span>
          <IconButton
            of={X}
            className="plain small"
            label={t('refer.remove', { name: visible(file.name) })}
            onClick={() => onDraft({ ...draft, files: files.filter((x) => x !== file) })}
          />
        </li>
      ))}
    </ul>
  );
}
