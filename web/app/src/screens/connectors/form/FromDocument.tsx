import { useState } from 'react';
import { api, body, type Schemas } from '../../../api/client';
import { asProblem } from '../../../api/problem';
import { useAction } from '../../../ui/action';
import { Field } from '../../../ui/Field';
import { ProblemBox } from '../../../ui/Problem';
import css from '../connectors.module.css';
import { Choice } from './ConfigFields';
import { NewForm } from './NewForm';
import { Pick } from './Pick';
import { texts } from './texts';
import type { Written } from './written';

type Preview = Schemas['ConnectorPreview'];

/** A connector from an API description: load it, pick commands, save. */
export function FromDocument() {
  const [preview, setPreview] = useState<Preview | null>(null);
  const [picked, setPicked] = useState<Written[]>([]);
  const take = (p: Preview) => {
    setPreview(p);
    setPicked(p.commands.filter((c) => c.effect === 'read_only'));
  };
  if (!preview) return <Document onRead={take} />;
  return (
    <>
      <Pick of={preview} picked={picked} onPick={setPicked} />
      <NewForm kind={preview.kind} proposed={preview} commands={picked} />
    </>
  );
}

function Document({ onRead }: { onRead: (p: Preview) => void }) {
  const t = texts.use();
  const [paste, setPaste] = useState(false);
  const [url, setURL] = useState('');
  const [text, setText] = useState('');
  const read = useAction(async () =>
    onRead(
      await body(api.POST('/v1/connectors/preview', { body: paste ? { openapi: text } : { openapi_url: url.trim() } })),
    ),
  );
  const errors = read.problem == null ? [] : asProblem(read.problem).errors;
  const wrong = errors.find((e) => e.pointer.startsWith('/openapi'))?.message;
  return (
    <form
      className="stack"
      noValidate
      onSubmit={(e) => {
        e.preventDefault();
        void read.run();
      }}
    >
      <fieldset className="stack tight">
        <legend className="small">
          <strong>{t('document.how')}</strong>
        </legend>
        <div className={css.choices}>
          <Choice on={!paste} choose={() => setPaste(false)} name="document-how">
            {t('document.url')}
          </Choice>
          <Choice on={paste} choose={() => setPaste(true)} name="document-how">
            {t('document.text')}
          </Choice>
        </div>
      </fieldset>
      {paste ? (
        <Field label={t('document.text.label')} hint={t('document.text.hint')} wrong={wrong} required>
          <textarea
            rows={10}
            className="mono"
            spellCheck={false}
            value={text}
            onChange={(e) => setText(e.target.value)}
          />
        </Field>
      ) : (
        <Field label={t('document.url.label')} hint={t('document.url.hint')} wrong={wrong} required>
          <input type="url" maxLength={2000} autoComplete="off" value={url} onChange={(e) => setURL(e.target.value)} />
        </Field>
      )}
      {read.problem != null && !wrong && <ProblemBox thrown={read.problem} />}
      <p>
        <button type="submit" className="primary" disabled={read.busy || !(paste ? text : url).trim()}>
          {t(read.busy ? 'document.reads' : 'document.read')}
        </button>
      </p>
    </form>
  );
}
