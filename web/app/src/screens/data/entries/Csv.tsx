import { useRef, useState } from 'react';
import { api, body, type Schemas } from '../../../api/client';
import { useMay } from '../../../api/me';
import { asProblem } from '../../../api/problem';
import { useFormat } from '../../../i18n/format';
import { announce } from '../../../shell/announce';
import { useAction } from '../../../ui/action';
import { ProblemBox } from '../../../ui/Problem';
import type { Schema } from '../../../ui/SchemaForm';
import { columnsOf } from '../columns';
import { lineErrors, type LineError } from './csvErrors';
import css from '../data.module.css';
import { queryOf, type Filter } from './period';
import { toolTexts } from '../toolTexts';

type Result = Schemas['ImportResult'];
interface Props {
  tool: Schemas['Tool'];
  schema: Schema;
  filter: Filter;
}

// The bytes are sent unchanged: the server rejects invalid UTF-8.
const send = (tool: string, file: File, dry_run: boolean): Promise<Result> =>
  body(
    api.POST('/v1/tools/{tool_id}/entries/import', {
      params: { path: { tool_id: tool }, query: { dry_run } },
      headers: { 'Content-Type': 'text/csv' },
      body: file as unknown as string,
      bodySerializer: (raw: unknown) => raw as BodyInit,
    }),
  );

function download(blob: Blob, name: string) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

const fileName = (tool: Schemas['Tool']) =>
  `${
    tool.name
      .replace(/[^\p{L}\p{N}]+/gu, '-')
      .slice(0, 60)
      .replace(/^-|-$/g, '') || 'entries'
  }.csv`;

// The server's format: a field may share its name with one of the server's columns.
const columnNames = (schema: Schema) => [
  'timestamp',
  ...columnsOf(schema).map(({ name }) => (['id', 'timestamp', '*'].includes(name) ? `data.${name}` : name)),
];

/** Export and import of entries. */
export function Csv({ tool, schema, filter }: Props) {
  const t = toolTexts.use();
  const columns = columnNames(schema);
  const member = useMay('member');
  const out = useAction(async () => {
    const { data } = await api.GET('/v1/tools/{tool_id}/entries', {
      params: { path: { tool_id: tool.id }, query: queryOf(filter) },
      headers: { Accept: 'text/csv' },
      parseAs: 'blob',
    });
    download(data as unknown as Blob, fileName(tool));
  });
  const quoted = columns.map((name) => (/[",;\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name));
  return (
    <section className="card stack" aria-labelledby="csv">
      <div className="row between">
        <h2 id="csv">{t('csv')}</h2>
        <button type="button" disabled={out.busy} onClick={() => void out.run()}>
          {t('csv.export')}
        </button>
      </div>
      {out.problem != null && <ProblemBox thrown={out.problem} />}
      <details hidden={!member}>
        <summary>{t('csv.import')}</summary>
        <div className="stack tight">
          <p>
            {t('csv.columns')}{' '}
            {columns.map((name) => (
              <span key={name}>
                <code>{name.slice(0, 60)}</code>{' '}
              </span>
            ))}
          </p>
          <p className="small muted">
            {t('csv.columns.text')}{' '}
            <button
              type="button"
              className="link"
              onClick={() => download(new Blob([`${quoted.join(',')}\n`], { type: 'text/csv' }), fileName(tool))}
            >
              {t('csv.template')}
            </button>
          </p>
          <Import tool={tool} />
        </div>
      </details>
    </section>
  );
}

const stored = (result: Result) => result.entries + result.changed;

interface Checked {
  file: File;
  result?: Result;
  errors?: LineError[];
  problem?: unknown;
  done?: boolean;
}

function Import({ tool }: { tool: Schemas['Tool'] }) {
  const t = toolTexts.use();
  const [checked, setChecked] = useState<Checked | null>(null);
  const [over, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const act = useAction(async (file: File, dry: boolean) => {
    try {
      const result = await send(tool.id, file, dry);
      setChecked({ file, result, done: !dry });
      if (!dry) announce(t('csv.done', { n: stored(result) }));
    } catch (problem) {
      const { errors } = asProblem(problem);
      setChecked({ file, problem, ...(errors.length > 0 && { errors: lineErrors(errors) }) });
    }
    if (input.current) input.current.value = ''; // the same file can be chosen again after it was fixed
  });
  const take = (file: File | undefined) => {
    if (file) {
      setChecked(null);
      void act.run(file, true);
    }
  };
  return (
    <>
      <div
        className={`${css.drop} ${over ? css.over : ''}`}
        onDragOver={(e) => {
          e.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(e) => {
          e.preventDefault();
          setOver(false);
          take(e.dataTransfer.files[0]);
        }}
      >
        <label className="stack tight">
          <span>{t('csv.drop')}</span>
          <input
            ref={input}
            type="file"
            accept=".csv,text/csv"
            disabled={act.busy}
            onChange={(e) => take(e.target.files?.[0])}
          />
        </label>
      </div>
      <div role="status">
        {act.busy && <p className="muted">{t('csv.checking')}</p>}
        {!act.busy && checked && <Outcome checked={checked} onGo={() => void act.run(checked.file, false)} />}
      </div>
    </>
  );
}

function Outcome({ checked: { file, result, errors, problem, done }, onGo }: { checked: Checked; onGo: () => void }) {
  const t = toolTexts.use();
  const f = useFormat();
  const name = file.name.slice(0, 80);
  if (errors) return <Wrong file={name} errors={errors} />;
  if (problem != null) return <ProblemBox thrown={problem} />;
  if (!result) return null;
  if (done)
    return (
      <p className="box ok" data-import="done">
        {t('csv.done', { n: stored(result) })}
      </p>
    );
  if (stored(result) === 0)
    return (
      <p className="box warn" data-import="empty">
        {t(result.unchanged > 0 ? 'csv.same' : 'csv.empty', { file: name })}
      </p>
    );
  const span =
    result.first_timestamp && result.last_timestamp
      ? ` (${t('csv.span', { from: f.date(result.first_timestamp), to: f.date(result.last_timestamp) })})`
      : '';
  return (
    <div className="box stack tight" data-import="fine">
      <p>
        {t('csv.fine', { n: stored(result), file: name })}
        {span}
      </p>
      {result.changed + result.unchanged > 0 && (
        <p>
          {t('csv.changes', {
            added: f.number(result.entries),
            changed: f.number(result.changed),
            unchanged: f.number(result.unchanged),
          })}
        </p>
      )}
      <p>
        <button type="button" className="primary" onClick={onGo}>
          {t('csv.go', { n: stored(result) })}
        </button>
      </p>
    </div>
  );
}

function Wrong({ file, errors }: { file: string; errors: LineError[] }) {
  const t = toolTexts.use();
  return (
    <div className="stack tight" data-import="wrong">
      <p className="box bad">
        {t('csv.wrong', { n: errors.length, file })} {errors.length >= 100 && t('csv.wrong.most')}
      </p>
      <div className="scroll" tabIndex={0} role="group" aria-label={t('csv.what')}>
        <table>
          <thead>
            <tr>
              <th scope="col" className="number">
                {t('csv.line')}
              </th>
              <th scope="col">{t('csv.column')}</th>
              <th scope="col">{t('csv.what')}</th>
            </tr>
          </thead>
          <tbody>
            {errors.map((e, i) => (
              <tr key={i}>
                <td className="number">{e.line ?? ''}</td>
                <td>{e.column && <code>{e.column.slice(0, 100)}</code>}</td>
                <td>{e.message.slice(0, 500)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
