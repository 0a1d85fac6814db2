import { serverURL } from '../../api/base';
import { api } from '../../api/client';
import { useMe } from '../../api/me';
import { useAction } from '../../ui/action';
import { Copy } from '../../ui/Copy';
import { ProblemBox } from '../../ui/Problem';
import { curl } from './curl';
import { texts } from './texts';

/** Exports the record: as files, or as the request that returns it. */
export function Export({ id }: { id: string }) {
  const t = texts.use();
  const me = useMe().data;
  const keyed = me !== undefined && me.method !== 'local';
  const save = useAction(async (format: 'json' | 'markdown') => {
    // By our own request rather than a link, so that a failure is shown here.
    const { data } = await api.GET('/v1/sessions/{session_id}/export', {
      params: { path: { session_id: id }, query: { format } },
      parseAs: 'blob',
    });
    const link = document.createElement('a');
    link.href = URL.createObjectURL(data as unknown as Blob);
    link.download = `${id}.${format === 'json' ? 'json' : 'md'}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  });
  return (
    <>
      <div className="row" role="group" aria-label={t('download')}>
        <span className="muted small" aria-hidden="true">
          {t('download')}
        </span>
        <button type="button" className="small" disabled={save.busy} onClick={() => void save.run('json')}>
          {t('download.json')}
        </button>
        <button type="button" className="small" disabled={save.busy} onClick={() => void save.run('markdown')}>
          {t('download.markdown')}
        </button>
        <Copy label={t('curl')} text={curl(serverURL(`/v1/sessions/${id}/timeline?limit=200`), keyed)} />
      </div>
      {save.problem != null && <ProblemBox thrown={save.problem} onClose={save.clear} />}
    </>
  );
}
