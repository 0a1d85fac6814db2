import { CircleUser, Monitor } from 'lucide-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { $api, api, type Schemas } from '../../api/client';
import { signOut, useMe } from '../../api/me';
import { forgetAll } from '../../api/who';
import { useAction } from '../../ui/action';
import { browserName } from '../../ui/browserName';
import { Confirm } from '../../ui/Confirm';
import { Empty } from '../../ui/Empty';
import { ProblemBox } from '../../ui/Problem';
import { Read } from '../../ui/Read';
import { Time } from '../../ui/Time';
import { visible } from '../../ui/visible';
import { Line, Lines } from '../rows/Line';
import { Passkeys } from './Passkeys';
import { texts } from './textsOfYou';

type SignIn = Schemas['SignIn'];

/** The reader's identity and their sign-ins. */
export function You() {
  const t = texts.use();
  const me = useMe();
  return (
    <Read query={me}>
      {(who) => (
        <div className="stack">
          <Lines>
            <li>
              <Line
                icon={CircleUser}
                name={<bdi data-me>{visible(who.name || t(`method.${who.method}`))}</bdi>}
                meta={
                  who.workspaces.length > 0 && (
                    <span>
                      {t('workspaces')}: {who.workspaces.map((w) => w.name || w.id).join(', ')}
                    </span>
                  )
                }
                status={<span className="badge">{t(`role.${who.role}`)}</span>}
              />
            </li>
          </Lines>
          <p className="muted">
            {t(`method.${who.method}.text`)} {t(`role.${who.role}.text`)}
          </p>
          {(who.session || who.method === 'local') && <Passkeys />}
          {who.session && <SignIns />}
        </div>
      )}
    </Read>
  );
}

function SignIns() {
  const t = texts.use();
  const queries = useQueryClient();
  const all = $api.useQuery('get', '/v1/me/sessions');
  const [everywhere, setEverywhere] = useState(false);
  const fresh = () => queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] === '/v1/me/sessions' });
  return (
    <section className="stack" aria-labelledby="sign-ins">
      <h3 id="sign-ins">{t('sign-ins')}</h3>
      <Read query={all}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>{t('sign-ins.none')}</Empty>
          ) : (
            <Lines columns={[t('since'), t('used'), t('until')]}>
              {data.map((one) => (
                <Row key={one.id} of={one} onGone={fresh} />
              ))}
            </Lines>
          )
        }
      </Read>
      <p>
        <button type="button" className="danger" onClick={() => setEverywhere(true)}>
          {t('everywhere')}
        </button>
      </p>
      {everywhere && (
        <Confirm
          title={t('everywhere')}
          yes={t('everywhere')}
          danger
          onClose={() => setEverywhere(false)}
          act={async () => {
            await api.DELETE('/v1/me/sessions');
            forgetAll();
            location.reload();
          }}
        >
          <p>{t('everywhere.text')}</p>
        </Confirm>
      )}
    </section>
  );
}

function Row({ of: one, onGone }: { of: SignIn; onGone: () => Promise<unknown> }) {
  const t = texts.use();
  const end = useAction(async () => {
    if (one.current) return signOut();
    await api.DELETE('/v1/me/sessions/{sign_in_id}', { params: { path: { sign_in_id: one.id } } });
    return onGone();
  });
  const name = browserName(one.browser) || t('browser');
  return (
    <li data-sign-in={one.id}>
      <Line
        icon={Monitor}
        name={<span title={one.browser}>{name}</span>}
        facts={[
          <Time key="since" at={one.created_at} />,
          <Time key="used" at={one.last_used_at} />,
          <Time key="until" at={one.expires_at} />,
        ]}
        status={one.current && <span className="badge">{t('this')}</span>}
      >
        <button
          type="button"
          className="plain small"
          disabled={end.busy}
          aria-label={t('end.of', { name })}
          onClick={() => void end.run()}
        >
          {t('end')}
        </button>
      </Line>
      {end.problem != null && <ProblemBox thrown={end.problem} />}
    </li>
  );
}

/** Why a section is not available to the reader. */
export function AdminsOnly() {
  const t = texts.use();
  const me = useMe().data;
  return (
    <p className="box warn" data-admins-only>
      {t('admins.only', { name: me?.name || me?.id || '', role: me ? t(`role.${me.role}`) : '' })}
    </p>
  );
}
