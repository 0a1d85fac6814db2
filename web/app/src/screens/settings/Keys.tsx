import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { $api, api, body, type Schemas } from '../../api/client';
import { useMe } from '../../api/me';
import { signedIn } from '../../api/who';
import { asProblem } from '../../api/problem';
import { useAction } from '../../ui/action';
import { Confirm } from '../../ui/Confirm';
import { Copy } from '../../ui/Copy';
import { Dialog } from '../../ui/Dialog';
import { Empty } from '../../ui/Empty';
import { Field } from '../../ui/Field';
import { ProblemBox } from '../../ui/Problem';
import { Read } from '../../ui/Read';
import { KeyTable, type Key } from './KeyTable';
import { texts } from './texts';

const roles = ['viewer', 'member', 'admin'] as const;

/** API keys: created, shown once, revoked. */
export function Keys() {
  const t = texts.use();
  const queries = useQueryClient();
  const keys = $api.useQuery('get', '/v1/keys', {
    params: { query: { limit: 200 } },
  });
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<Schemas['CreatedKey'] | null>(null);
  const [revoking, setRevoking] = useState<Key | null>(null);
  const fresh = () =>
    queries.invalidateQueries({
      predicate: ({ queryKey }) => queryKey[1] === '/v1/keys',
    });
  const first = useMe().data?.method === 'local' && keys.data?.data.length === 0;
  return (
    <div className="stack">
      <p>{t('keys.text')}</p>
      <p>
        <button type="button" className="primary" onClick={() => setMaking(true)}>
          {t('keys.make')}
        </button>
      </p>
      <Read query={keys}>
        {({ data }) =>
          data.length === 0 ? <Empty>{t('keys.none')}</Empty> : <KeyTable keys={data} onRevoke={setRevoking} />
        }
      </Read>
      {making && (
        <Make
          first={first}
          onClose={() => setMaking(false)}
          onMade={(key) => {
            setMaking(false);
            setMade(key);
            void fresh();
          }}
        />
      )}
      {made && <Made made={made} onClose={() => setMade(null)} />}
      {revoking && (
        <Confirm
          title={t('keys.revoke.of', { name: revoking.name.slice(0, 80) })}
          yes={t('keys.revoke')}
          danger
          onClose={() => setRevoking(null)}
          act={async () => {
            await api.DELETE('/v1/keys/{key_id}', {
              params: { path: { key_id: revoking.id } },
            });
            await fresh();
          }}
        >
          <p>{t('keys.revoke.text')}</p>
        </Confirm>
      )}
    </div>
  );
}

function Make({
  first,
  onMade,
  onClose,
}: {
  first: boolean;
  onMade: (key: Schemas['CreatedKey']) => void;
  onClose: () => void;
}) {
  const t = texts.use();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [chosen, setRole] = useState<Schemas['Role']>('member');
  const role = first ? 'admin' : chosen;
  const [expires, setExpires] = useState('');
  const local = useMe().data?.method === 'local';
  const make = useAction(async () => {
    const key = await body(
      api.POST('/v1/keys', {
        body: {
          name,
          role,
          ...(expires ? { expires_at: new Date(expires).toISOString() } : {}),
        },
      }),
    );
    // Once a key exists, the server requires one from this page too: it signs in with the new key, so that the
    // key, which is only shown now, is not lost behind the sign-in form.
    if (local) {
      await api.POST('/v1/sign-in', { body: { key: key.key } });
      signedIn();
      // The page's identity has changed: the next key is one to hand out, not one to sign in with.
      await queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] === '/v1/me' });
    }
    onMade(key);
  });
  const errors = make.problem == null ? [] : asProblem(make.problem).errors;
  const wrong = (pointer: string) => errors.find((e) => e.pointer === pointer)?.message;
  return (
    <Dialog title={t('keys.make')} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(e) => {
          e.preventDefault();
          void make.run();
        }}
      >
        {first && <p className="box warn">{t('keys.first')}</p>}
        <Field label={t('keys.name')} hint={t('keys.name.hint')} wrong={wrong('/name')} required>
          <input value={name} maxLength={200} autoComplete="off" onChange={(e) => setName(e.target.value)} />
        </Field>
        <Field label={t('keys.role')} hint={t(`role.${role}.text`)} wrong={wrong('/role')}>
          <select value={role} onChange={(e) => setRole(e.target.value as Schemas['Role'])}>
            {roles
              .filter((r) => !first || r === 'admin')
              .map((r) => (
                <option key={r} value={r}>
                  {t(`role.${r}`)}
                </option>
              ))}
          </select>
        </Field>
        {!first && (
          <Field label={t('keys.expires')} hint={t('keys.expires.hint')} wrong={wrong('/expires_at')}>
            <input type="datetime-local" value={expires} onChange={(e) => setExpires(e.target.value)} />
          </Field>
        )}
        {make.problem != null && <ProblemBox thrown={make.problem} />}
        <p>
          <button type="submit" className="primary" disabled={make.busy || !name.trim()}>
            {t('keys.make')}
          </button>
        </p>
      </form>
    </Dialog>
  );
}

/** A new key, shown once. */
function Made({ made, onClose }: { made: Schemas['CreatedKey']; onClose: () => void }) {
  const t = texts.use();
  return (
    <Dialog title={t('keys.new', { name: made.name.slice(0, 80) })} onClose={onClose}>
      <p>{t('keys.once')}</p>
      <p className="row">
        <code className="grow" data-new-key style={{ overflowWrap: 'anywhere' }}>
          {made.key}
        </code>
        <Copy text={made.key} />
      </p>
      <p>
        <button type="button" className="primary" onClick={onClose}>
          {t('keys.kept')}
        </button>
      </p>
    </Dialog>
  );
}
