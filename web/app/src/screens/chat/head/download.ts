import { api } from '../../../api/client';

/** Downloads a session. It is fetched, because a plain link could not send the key. */
export async function download(id: string, format: 'json' | 'markdown', name: string): Promise<void> {
  const { data } = await api.GET('/v1/sessions/{session_id}/export', {
    params: { path: { session_id: id }, query: { format } },
    parseAs: 'blob',
  });
  const url = URL.createObjectURL(data as unknown as Blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = `${name.replace(/[^\p{L}\p{N}]+/gu, '-').slice(0, 60) || id}.${format === 'json' ? 'json' : 'md'}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
