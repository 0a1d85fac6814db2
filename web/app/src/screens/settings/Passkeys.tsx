import { Fingerprint } from 'lucide-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { $api, api, body, newKey, type Schemas } from '../../api/client';
import { makePasskey, signWithPasskey } from '../../api/passkey';
import { useAction } from '../../ui/action';
import { Confirm } from '../../ui/Confirm';
import { Empty } from '../../ui/Empty';
import { Field } from '../../ui/Field';
import { ProblemBox } from '../../ui/Problem';
import { Read } from '../../ui/Read';
import { Time } from '../../ui/Time';
import { visible } from '../../ui/visible';
import { Line, Lines } from '../rows/Line';
import { texts } from './textsOfPasskeys';

type Passkey = Schemas['Passkey'];

/** The reader's passkeys, which confirm sensitive approvals. */
export function Passkeys() {
  const t = texts.use();
  const queries = useQueryClient();
  const all = $api.useQuery('get', '/v1/me/passkeys');
  const fresh = () => queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] === '/v1/me/passkeys' });
  return (
    <section className="stack" aria-labelledby="passkeys" data-passkeys>
      <h3 id="passkeys">{t('passkeys')}</h3>
      <p className="muted small">{t('passkeys.text')}</p>
      <Read query={all}>
        {({ data }) => (
          <>
            {data.length === 0 ? (
              <Empty>{t('passkeys.none')}</Empty>
            ) : (
              <Lines columns={[t('since'), t('used')]}>
                {data.map((one) => (
                  <Row key={one.id} of={one} last={data.length === 1} onGone={fresh} />
                ))}
              </Lines>
            )}
            <Add further={data.length > 0} onMade={fresh} />
          </>
        )}
      </Read>
    </section>
  );
}

/** Creates a passkey: this device verifies the person, and an existing passkey confirms the new one. */
function Add({ further, onMade }: { further: boolean; onMade: () => Promise<unknown> }) {
  const t = texts.use();
  const [name, setName] = useState('');
  const add = useAction(async () => {
    const header = { 'Idempotency-Key': newKey() };
    const begun = await body(api.POST('/v1/me/passkeys/registration', { params: { header } }));
    const credential = await makePasskey(begun.public_key);
    const confirmation = begun.confirm ? { confirmation: await signWithPasskey(begun.confirm) } : {};
    await body(
      api.POST('/v1/me/passkeys', {
        params: { header: { 'Idempotency-Key': newKey() } },
        body: { name: name.trim() || t('passkey'), credential, ...confirmation },
      }),
    );
    setName('');
    await onMade();
  });
  return (
    <form
      className="stack"
      onSubmit={(e) => {
        e.preventDefault();
        void add.run();
      }}
    >
      <Field label={t('name')} hint={further ? t('add.further') : t('name.hint')}>
        <input value={name} maxLength={100} autoComplete="off" onChange={(e) => setName(e.target.value)} />
      </Field>
      {add.problem != null && <ProblemBox thrown={add.problem} onClose={add.clear} />}
      <p>
        <button type="submit" disabled={add.busy}>
          {t('add')}
        </button>
      </p>
    </form>
  );
}

function Row({ of: one, last, onGone }: { of: Passkey; last: boolean; onGone: () => Promise<unknown> }) {
  const t = texts.use();
  const [leaving, setLeaving] = useState(false);
  return (
    <li data-passkey={one.id}>
      <Line
        icon={Fingerprint}
        name={<bdi>{visible(one.name)}</bdi>}
        facts={[
          <Time key="since" at={one.created_at} />,
          one.last_used_at && <Time key="used" at={one.last_used_at} />,
        ]}
      >
        <button
          type="button"
          className="plain small"
          aria-label={t('remove.of', { name: one.name })}
          onClick={() => setLeaving(true)}
        >
          {t('remove')}
        </button>
      </Line>
      {leaving && (
        <Confirm
          title={t('remove.of', { name: one.name })}
          yes={t('remove')}
          danger
          onClose={() => setLeaving(false)}
          act={async () => {
            await api.DELETE('/v1/me/passkeys/{passkey_id}', { params: { path: { passkey_id: one.id } } });
            await onGone();
          }}
        >
          <p>{t(last ? 'remove.last' : 'remove.text')}</p>
        </Confirm>
      )}
    </li>
  );
}
