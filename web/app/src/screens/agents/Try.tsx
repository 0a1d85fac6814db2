import { useState } from 'react';
import { Link } from 'wouter';
import { api, body, type Schemas } from '../../api/client';
import { useAction } from '../../ui/action';
import { Dialog } from '../../ui/Dialog';
import { Field } from '../../ui/Field';
import { ProblemBox } from '../../ui/Problem';
import { texts } from './texts';

/** Starts a task of an agent, and links to its run. */
export function TryAgent({ of: a, onClose }: { of: Schemas['Agent']; onClose: () => void }) {
  const t = texts.use();
  const [query, setQuery] = useState('');
  const [begun, setBegun] = useState<Schemas['ActivationResult'] | null>(null);
  const start = useAction(async () => {
    const path = { params: { path: { agent_id: a.id } } };
    setBegun(await body(api.POST('/v1/agents/{agent_id}/try', { ...path, body: { query: query.trim() } })));
  });
  return (
    <Dialog title={t('try.of', { name: a.name })} onClose={onClose}>
      {begun ? (
        <div className="stack">
          <p className="box ok" role="status">
            {t(begun.result === 'QUEUED' ? 'try.queued' : 'try.begun')}
          </p>
          <p>
            <Link href={`/chat/${begun.session.id}`} className="button primary">
              {t('try.open')}
            </Link>
          </p>
        </div>
      ) : (
        <form
          className="stack"
          onSubmit={(e) => {
            e.preventDefault();
            void start.run();
          }}
        >
          <p>{t('try.text')}</p>
          <Field label={t('try.query')} hint={t('try.hint')} required>
            <textarea rows={4} maxLength={16_000} value={query} onChange={(e) => setQuery(e.target.value)} />
          </Field>
          {start.problem != null && <ProblemBox thrown={start.problem} />}
          <p>
            <button type="submit" className="primary" disabled={start.busy || !query.trim()}>
              {t('try.start')}
            </button>
          </p>
        </form>
      )}
    </Dialog>
  );
}
