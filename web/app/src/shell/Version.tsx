import { useEffect, useState } from 'react';
import { api, body } from '../api/client';
import { events } from '../events/client';
import { texts } from './texts';

/** Says when the server that answers is no longer the one this page came from. */
export function VersionBar() {
  const t = texts.use();
  const [other, setOther] = useState(false);
  useEffect(() => {
    let first: string | null = null;
    const look = async () => {
      try {
        const { version, commit } = await body(api.GET('/version'));
        first ??= `${version} ${commit}`;
        setOther(first !== `${version} ${commit}`);
      } catch { /* not there just now: asked again at the next connection */ }
    };
    void look();
    let lost = false; // a server that is another one now was gone for a moment
    return events.onConnection(() => {
      const { state } = events.connection();
      if (lost && state === 'open') void look();
      lost = state === 'lost';
    });
  }, []);
  if (!other) return null;
  return <div className="box warn row between" role="status">{t('version.other')}<button type="button" className="small" onClick={() => location.reload()}>{t('version.reload')}</button></div>;
}
