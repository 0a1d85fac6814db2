import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Schemas } from '../../../api/client';
import { contentOfFile } from '../../../api/upload';
import { useFormat } from '../../../i18n/format';
import { useAction } from '../../../ui/action';
import { visible } from '../../../ui/visible';
import { texts } from '../texts';
import css from './record.module.css';

type FileRef = Schemas['FileReference'];

/** A file in a message: pictures are shown, any file can be downloaded. */
export function FileView({ file }: { file: FileRef }) {
  const t = texts.use();
  const f = useFormat();
  const download = useAction(async () => {
    const address = URL.createObjectURL(await contentOfFile(file.id));
    const link = document.createElement('a');
    link.href = address;
    link.download = file.name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  });
  return (
    <span className={css.file} data-file={file.id}>
      {file.media_type.startsWith('image/') && <Picture file={file} className={css.picture} />}
      <button type="button" className="plain small" disabled={download.busy} onClick={() => void download.run()}>
        <bdi>{visible(file.name)}</bdi> <span className="muted">{f.bytes(file.bytes)}</span>
      </button>
      {download.problem != null && (
        <span role="alert" className="small">
          {t('file.gone')}
        </span>
      )}
    </span>
  );
}

/** A picture, loaded from this server with the page's key. */
export function Picture({ file, className }: { file: FileRef; className?: string }) {
  const t = texts.use();
  const { data, error } = useQuery({
    queryKey: ['file', file.id],
    queryFn: () => contentOfFile(file.id),
    staleTime: Infinity,
    gcTime: 60_000,
    retry: false,
  });
  const image = useRef<HTMLImageElement>(null);
  useEffect(() => {
    if (!data || !image.current) return undefined;
    const made = URL.createObjectURL(data);
    image.current.src = made;
    return () => URL.revokeObjectURL(made);
  }, [data]);
  if (error) return <span className="muted small">{t('file.gone')}</span>;
  return (
    <img
      ref={image}
      className={className}
      alt={visible(file.name)}
      width={file.width}
      height={file.height}
      data-picture="loading"
      onLoad={(e) => (e.currentTarget.dataset.picture = 'shown')}
    />
  );
}
