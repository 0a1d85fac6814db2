import { api, body, type Schemas } from '../../api/client';
import { useState } from 'react';
import { useAction } from '../../ui/action';
import { ProblemBox } from '../../ui/Problem';
import { useNow } from '../../ui/Time';
import type { Connector } from './connector';
import { texts } from './texts';

/** A link to the page where a person authorizes Fermata. It has to be clicked: a window that opens by itself is
 * blocked. */
export function SignIn({ of: c }: { of: Connector }) {
  const t = texts.use();
  const now = useNow();
  const [way, setWay] = useState<Schemas['ConnectorSignIn'] | null>(null);
  const begin = useAction(async () => {
    const path = { params: { path: { connector_id: c.id } } };
    setWay(await body(api.POST('/v1/connectors/{connector_id}/sign-in', path)));
  });
  const host = way && Date.parse(way.expires_at) > now ? hostOf(way.url) : '';
  return (
    <div className="stack tight" data-sign-in>
      {host ? (
        <>
          <p>{t('sign_in.text')}</p>
          <p>
            <a className="button primary" href={way!.url} target="_blank" rel="noopener noreferrer">
              {t('sign_in.open', { host })}
            </a>
          </p>
        </>
      ) : (
        <p>
          <button type="button" className="primary" disabled={begin.busy} onClick={() => void begin.run()}>
            {t('sign_in')}
          </button>
        </p>
      )}
      {begin.problem != null && <ProblemBox thrown={begin.problem} />}
    </div>
  );
}

/** The host of a URL; empty if it is not a web address. */
function hostOf(url: string): string {
  try {
    const { protocol, host } = new URL(url);
    return protocol === 'https:' || protocol === 'http:' ? host : '';
  } catch {
    return '';
  }
}
