import { useEffect, useState } from 'react';
import { api, body } from '../api/client';
import { events } from '../events/client';
import { texts } from './texts';

/** Shows that the server has another version than this page. */
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
      } catch {
        /* unreachable: checked again */
      }
    };
    void look();
    return events.onOpen(() => void look()); // each connection may be to another server
  }, []);
  if (!other) return null;
  return (
    <div className="box warn row between" role="status">
      {t('version.other')}
      <button type="button" className="small" onClick={() => location.reload()}>
        {t('version.reload')}
      </button>
    </div>
  );
}
