import { useState } from 'react';
import { useLocation } from 'wouter';
import { $api, api } from '../api/client';
import { serverURL } from '../api/base';
import { asProblem } from '../api/problem';
import { signedIn } from '../api/who';
import { useAction } from '../ui/action';
import { Field } from '../ui/Field';
import { ProblemBox } from '../ui/Problem';
import { Mark } from './Mark';
import { texts } from './textsOfSignIn';

const path = '/sign-in';

/** The address to return to after signing in. */
const here = () => (location.hash.startsWith(`#${path}`) ? '/' : `/${location.hash}`);

/** The sign-in form: by OpenID Connect, if it is set up, or by an API key. */
export default function SignIn({ onDone }: { onDone: () => Promise<unknown> }) {
  const t = texts.use();
  const ways = $api.useQuery('get', '/v1/sign-in');
  const oidc = ways.data?.oidc;
  return (
    <main className="signin">
      <div className="card stack">
        <div>
          <p className="brand">
            <Mark />
            Fermata
          </p>
          <h1>{t('title')}</h1>
        </div>
        <Refused />
        {ways.error != null && <ProblemBox thrown={ways.error} onRetry={() => ways.refetch()} />}
        {oidc && (
          <p>
            <a className="button primary" href={`${serverURL(oidc.url)}?return_to=${encodeURIComponent(here())}`}>
              {t('oidc', { issuer: hostOf(oidc.issuer) })}
            </a>
          </p>
        )}
        {oidc ? (
          <details>
            <summary>{t('by.key')}</summary>
            <ByKey onDone={onDone} />
          </details>
        ) : (
          <ByKey onDone={onDone} />
        )}
      </div>
    </main>
  );
}

function hostOf(issuer: string): string {
  try {
    return new URL(issuer).host;
  } catch {
    return issuer;
  }
}

/** Why a sign-in by OpenID Connect failed. The texts are this page's own: the address can contain anything. */
function Refused() {
  const t = texts.use();
  const [at] = useLocation();
  const about = new URLSearchParams(at.startsWith(`${path}?`) ? at.slice(path.length + 1) : '');
  const code = about.get('problem');
  if (!code) return null;
  const known = code;
  const id = about.get('request_id') ?? '';
  return (
    <div className="box bad stack tight" role="alert" data-code={code.slice(0, 40)}>
      <p>{t.has(known) ? t(known) : t('failed')}</p>
      {/^[\w.-]{1,60}$/.test(id) && (
        <p className="small">
          {t('request')} <code>{id}</code>
        </p>
      )}
    </div>
  );
}

function ByKey({ onDone }: { onDone: () => Promise<unknown> }) {
  const t = texts.use();
  const [key, setKey] = useState('');
  const [wrong, setWrong] = useState('');
  const send = useAction(async () => {
    setWrong('');
    try {
      await api.POST('/v1/sign-in', { body: { key: key.trim() } });
    } catch (thrown) {
      if (asProblem(thrown).status !== 401) throw thrown;
      setWrong(t('wrong'));
      return;
    }
    setKey('');
    signedIn();
    await onDone();
  });
  return (
    <form
      className="stack"
      onSubmit={(e) => {
        e.preventDefault();
        void send.run();
      }}
    >
      <p className="muted">{t('text')}</p>
      <Field label={t('key')} wrong={wrong}>
        <input type="password" autoComplete="current-password" value={key} onChange={(e) => setKey(e.target.value)} />
      </Field>
      {send.problem != null && <ProblemBox thrown={send.problem} />}
      <button type="submit" className="primary" disabled={send.busy || !key.trim()}>
        {t('send')}
      </button>
    </form>
  );
}
