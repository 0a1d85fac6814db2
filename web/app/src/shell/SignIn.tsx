import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client';
import { setKey } from '../api/key';
import { asProblem } from '../api/problem';
import { useAction } from '../ui/action';
import { Field } from '../ui/Field';
import { ProblemBox } from '../ui/Problem';
import { texts } from './texts';

/** Asks for a key, on a server that wants one. */
export function SignIn() {
  const t = texts.use();
  const queries = useQueryClient();
  const [key, setValue] = useState('');
  const [wrong, setWrong] = useState('');
  const send = useAction(async () => {
    setWrong('');
    setKey(key.trim());
    try {
      await api.GET('/v1/settings');
    } catch (thrown) {
      setKey(null);
      if (asProblem(thrown).status !== 401) throw thrown;
      setWrong(t('signin.wrong'));
      return;
    }
    await queries.resetQueries();
  });
  return (
    <main className="signin">
      <form
        className="card stack"
        onSubmit={(e) => {
          e.preventDefault();
          void send.run();
        }}
      >
        <h1>{t('signin.title')}</h1>
        <p className="muted">{t('signin.text')}</p>
        <Field label={t('signin.key')} wrong={wrong}>
          <input
            type="password"
            autoComplete="current-password"
            value={key}
            onChange={(e) => setValue(e.target.value)}
          />
        </Field>
        {send.problem != null && <ProblemBox thrown={send.problem} />}
        <button type="submit" className="primary" disabled={send.busy || !key.trim()}>
          {t('signin.send')}
        </button>
      </form>
    </main>
  );
}
