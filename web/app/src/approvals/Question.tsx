import { useId, useState } from 'react';
import { asProblem } from '../api/problem';
import { visible } from '../ui/visible';
import { Field } from '../ui/Field';
import { checkSchema, SchemaForm, startOf, type Schema } from '../ui/SchemaForm';
import type { AskProps } from './ask';
import { texts } from './texts';
import css from './approvals.module.css';

interface Data {
  question?: string;
  message?: string;
  title?: string;
  placeholder?: string;
  options?: unknown[];
  multiple?: boolean;
  allow_other?: boolean;
  steps?: unknown[];
  schema?: Schema;
}

const dataOf = (ask: AskProps) => (ask.approval.module?.data ?? {}) as Data;

/** The AI's question: a form for each kind; a kind that is not known here still gets one,
 * from the schema of its answer. */
export function Question(ask: AskProps) {
  const data = dataOf(ask);
  switch (ask.approval.module?.type) {
    case 'MultipleChoice':
      return <Choice {...ask} />;
    case 'Validation':
      return <YesNo {...ask} yes="question.yes" no="question.no" />;
    case 'Plan':
      return (
        <YesNo {...ask} yes="plan.yes" no="plan.no">
          <ol className={css.steps}>
            {(data.steps ?? []).map((s, i) => (
              <li key={i}>
                <bdi>{visible(String(s))}</bdi>
              </li>
            ))}
          </ol>
        </YesNo>
      );
    case 'Text':
      return <TextAnswer {...ask} />;
    default:
      return <FormAnswer {...ask} />;
  }
}

function Cancel({ busy, decide }: AskProps) {
  const t = texts.use();
  return (
    <button
      type="button"
      className="plain"
      data-do="refuse"
      disabled={busy}
      onClick={() => void decide({ cancelled: true })}
    >
      {t('question.cancel')}
    </button>
  );
}

function YesNo({
  yes,
  no,
  children,
  ...ask
}: AskProps & { yes: 'question.yes' | 'plan.yes'; no: 'question.no' | 'plan.no'; children?: React.ReactNode }) {
  const t = texts.use();
  return (
    <>
      {children}
      <div className={css.buttons}>
        <button
          type="button"
          className="primary"
          data-do="approve"
          disabled={ask.busy}
          onClick={() => void ask.decide({ value: true })}
        >
          {t(yes)}
        </button>
        <button type="button" disabled={ask.busy} onClick={() => void ask.decide({ value: false })}>
          {t(no)}
        </button>
        <Cancel {...ask} />
      </div>
    </>
  );
}

/** The frame of an answer that is filled in and sent. */
function Answered({ children, send, ...ask }: AskProps & { children: React.ReactNode; send: () => void }) {
  const t = texts.use();
  return (
    <form
      noValidate
      className="stack"
      onSubmit={(e) => {
        e.preventDefault();
        send();
      }}
    >
      {children}
      <div className={css.buttons}>
        <button type="submit" className="primary" data-do="approve" disabled={ask.busy}>
          {t('question.send')}
        </button>
        <Cancel {...ask} />
      </div>
    </form>
  );
}

const optionOf = (o: unknown): { value: string; label: string } => {
  if (typeof o !== 'object' || o === null) return { value: String(o), label: String(o) };
  const { value, id, label } = o as Record<string, unknown>;
  return { value: String(value ?? id ?? label), label: String(label ?? value ?? id) };
};

function Choice(ask: AskProps) {
  const t = texts.use();
  const data = dataOf(ask);
  const name = useId();
  const [picked, setPicked] = useState<string[]>([]);
  const [other, setOther] = useState('');
  const [useOther, setUseOther] = useState(false);
  const [missing, setMissing] = useState(false);
  const type = data.multiple ? 'checkbox' : 'radio';
  const pick = (value: string, on: boolean) => {
    setPicked(data.multiple ? (on ? [...picked, value] : picked.filter((v) => v !== value)) : [value]);
    if (!data.multiple) setUseOther(false);
  };
  const pickOther = (on: boolean) => {
    setUseOther(on);
    if (!data.multiple) setPicked([]);
  };
  const send = () => {
    const all = [...picked, ...(useOther && other.trim() ? [other.trim()] : [])];
    setMissing(!all.length);
    if (all.length) void ask.decide({ value: data.multiple ? all : all[0] });
  };
  return (
    <Answered {...ask} send={send}>
      <fieldset className={css.choices} aria-describedby={missing ? `${name}w` : undefined}>
        <legend className="visually-hidden">{visible(data.question ?? t('question'))}</legend>
        {(data.options ?? []).map(optionOf).map((o) => (
          <label key={o.value}>
            <input
              type={type}
              name={name}
              checked={picked.includes(o.value)}
              disabled={ask.busy}
              onChange={(e) => pick(o.value, e.target.checked)}
            />
            <bdi>{visible(o.label)}</bdi>
          </label>
        ))}
        {data.allow_other && (
          <div className={css.other}>
            <label>
              <input
                type={type}
                name={name}
                checked={useOther}
                disabled={ask.busy}
                onChange={(e) => pickOther(e.target.checked)}
              />
              <span>{t('question.other')}</span>
            </label>
            <input
              type="text"
              aria-label={t('question.other.label')}
              maxLength={1000}
              value={other}
              disabled={ask.busy}
              onChange={(e) => {
                setOther(e.target.value);
                pickOther(e.target.value !== '');
              }}
            />
          </div>
        )}
      </fieldset>
      {missing && (
        <p id={`${name}w`} className="wrong" role="alert">
          {t(data.multiple ? 'question.missing.many' : 'question.missing')}
        </p>
      )}
    </Answered>
  );
}

function TextAnswer(ask: AskProps) {
  const t = texts.use();
  const data = dataOf(ask);
  const [text, setText] = useState('');
  const [missing, setMissing] = useState(false);
  const send = () => {
    setMissing(!text.trim());
    if (text.trim()) void ask.decide({ value: text.trim() });
  };
  return (
    <Answered {...ask} send={send}>
      <Field label={t('question.text')} wrong={missing ? t('question.empty') : undefined}>
        <textarea
          rows={3}
          placeholder={data.placeholder}
          value={text}
          disabled={ask.busy}
          onChange={(e) => setText(e.target.value)}
          onKeyDown={(e) => {
            if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) {
              e.preventDefault();
              send();
            }
          }}
        />
      </Field>
    </Answered>
  );
}

function FormAnswer(ask: AskProps) {
  const t = texts.use();
  const schema = (ask.approval.response_schema ?? dataOf(ask).schema ?? {}) as Schema;
  const [value, setValue] = useState<unknown>(() => startOf(schema));
  const [tries, setTries] = useState(0);
  const send = () => {
    if (value === undefined || checkSchema(schema, value, '/value').length) setTries(tries + 1);
    else void ask.decide({ value });
  };
  return (
    <Answered {...ask} send={send}>
      <SchemaForm
        schema={schema}
        value={value}
        onChange={setValue}
        at="/value"
        errors={ask.problem === null ? [] : asProblem(ask.problem).errors}
        disabled={ask.busy}
        tries={tries}
        name={t('question.text')}
      />
    </Answered>
  );
}
