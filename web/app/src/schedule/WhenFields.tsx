import { useState } from 'react';
import { asProblem, errorAt, type FieldError } from '../api/problem';
import { useFormat } from '../i18n/format';
import { Field } from '../ui/Field';
import { ProblemBox } from '../ui/Problem';
import { useSettled } from '../ui/useSettled';
import { dayName, localTime, usePreview } from './preview';
import {
  advancedKinds,
  browserZone,
  missing,
  plainKinds,
  scheduleOf,
  takesStart,
  zones,
  type Kind,
  type When,
} from './schedule';
import css from './schedule.module.css';
import { texts } from './texts';

interface Props {
  value: When;
  onChange: (when: When) => void;
  errors: FieldError[];
  /** Whether there may be no schedule at all. */
  none?: boolean;
  /** Offers a beginning for each kind that comes more than once. */
  start?: boolean;
  disabled?: boolean;
}

/** When it runs: simple choices, and the resulting times. */
export function WhenFields({ value: when, onChange, errors, none, start, disabled }: Props) {
  const t = texts.use();
  const set = (part: Partial<When>) => onChange({ ...when, ...part });
  const settled = useSettled(when, 300);
  const schedule = missing(settled) ? null : scheduleOf(settled);
  const [from, setFrom] = useState('');
  const preview = usePreview(schedule, { after: from ? new Date(`${from}T00:00`).toISOString() : undefined });
  const said = preview.error ? asProblem(preview.error) : null;
  const all = [...errors, ...(said?.errors ?? [])];
  const wrongExpression = errorAt(all, '/schedule/expression') ?? errorAt(all, '/schedule');
  const wrongStart = errorAt(all, '/schedule/starts_at');
  const option = (kind: Kind) => (
    <option key={kind} value={kind}>
      {t(`kind.${kind}`)}
    </option>
  );
  return (
    <fieldset className="stack" disabled={disabled} data-when>
      <legend>
        <h2>{t('when.title')}</h2>
      </legend>
      <div className={css.inline}>
        <Field label={t('when.kind')}>
          <select value={when.kind} onChange={(e) => set({ kind: e.target.value as When['kind'] })}>
            {plainKinds.map(option)}
            {none && option('none')}
            <optgroup label={t('kind.advanced')}>{advancedKinds.map(option)}</optgroup>
          </select>
        </Field>
        <KindFields when={when} set={set} wrong={wrongExpression} />
        {when.kind !== 'none' && <Zone when={when} set={set} wrong={errorAt(all, '/schedule/time_zone')} />}
      </div>
      {wrongExpression && !['cron', 'rrule', 'every', 'once'].includes(when.kind) && (
        <p className="field">
          <span className="wrong" role="alert">
            {wrongExpression}
          </span>
        </p>
      )}
      {when.kind !== 'none' && <OwnZone when={when} set={set} />}
      {(takesStart(when.kind) || (start && when.kind !== 'once')) && (
        <Field label={t('when.start')} hint={t('when.start.hint')} wrong={wrongStart}>
          <input
            type="datetime-local"
            className={css.moment}
            value={when.startsAt.slice(0, 16)}
            onChange={(e) => set({ startsAt: e.target.value })}
          />
        </Field>
      )}
      {said && !said.errors.length && <ProblemBox thrown={said} onRetry={() => void preview.refetch()} />}
      {schedule && !preview.error && preview.data && <Preview data={preview.data} from={from} onFrom={setFrom} />}
      {when.kind === 'none' && <p className="muted">{t('when.none')}</p>}
    </fieldset>
  );
}

interface Part {
  when: When;
  set: (part: Partial<When>) => void;
  wrong?: string;
}

function KindFields({ when, set, wrong }: Part) {
  const t = texts.use();
  const missingPart = missing(when);
  const time = (
    <Field label={t('when.time')} wrong={missingPart === 'time' ? t('when.time.wrong') : undefined}>
      <input type="time" value={when.time} onChange={(e) => set({ time: e.target.value })} />
    </Field>
  );
  switch (when.kind) {
    case 'daily':
      return time;
    case 'weekly':
      return (
        <>
          {time}
          <Days when={when} set={set} wrong={missingPart === 'days' ? t('when.days.wrong') : undefined} />
        </>
      );
    case 'monthly':
      return (
        <>
          <Field
            label={t('when.monthDay')}
            hint={when.monthDay > 28 ? t('when.monthDay.hint', { n: when.monthDay }) : undefined}
          >
            <select value={when.monthDay} onChange={(e) => set({ monthDay: Number(e.target.value) })}>
              {Array.from({ length: 31 }, (_, i) => (
                <option key={i}>{i + 1}</option>
              ))}
            </select>
          </Field>
          {time}
        </>
      );
    case 'every':
      return (
        <>
          <Field label={t('when.every')} wrong={missingPart === 'every' ? t('when.every.wrong') : wrong}>
            <input
              type="number"
              className={css.short}
              min={1}
              step={1}
              value={when.every}
              onChange={(e) => set({ every: e.target.value })}
            />
          </Field>
          <Field label={t('when.unit')}>
            <select value={when.unit} onChange={(e) => set({ unit: e.target.value as When['unit'] })}>
              {(['m', 'h', 'd'] as const).map((u) => (
                <option key={u} value={u}>
                  {t(`unit.${u}`)}
                </option>
              ))}
            </select>
          </Field>
        </>
      );
    case 'once':
      return (
        <Field label={t('when.at')} wrong={missingPart === 'at' ? t('when.at.wrong') : wrong}>
          <input
            type="datetime-local"
            className={css.moment}
            value={when.at.slice(0, 16)}
            onChange={(e) => set({ at: e.target.value })}
          />
        </Field>
      );
    case 'cron':
      return (
        <div className="grow">
          <Field label={t('when.cron')} hint={t('when.cron.hint')} wrong={wrong}>
            <input
              className="mono"
              spellCheck={false}
              autoCapitalize="off"
              value={when.expression}
              onChange={(e) => set({ expression: e.target.value })}
            />
          </Field>
        </div>
      );
    case 'rrule':
      return (
        <div className="grow">
          <Field label={t('when.rrule')} hint={t('when.rrule.hint')} wrong={wrong}>
            <input
              className="mono"
              spellCheck={false}
              autoCapitalize="off"
              value={when.expression}
              onChange={(e) => set({ expression: e.target.value })}
            />
          </Field>
        </div>
      );
    default:
      return null;
  }
}

function Days({ when, set, wrong }: Part) {
  const t = texts.use();
  return (
    <fieldset className="field">
      <legend>{t('when.days')}</legend>
      <div className="chips">
        {[1, 2, 3, 4, 5, 6, 7].map((day) => (
          <label key={day}>
            <input
              type="checkbox"
              checked={when.days.includes(day)}
              onChange={(e) =>
                set({ days: e.target.checked ? [...when.days, day] : when.days.filter((d) => d !== day) })
              }
            />
            {dayName(day, 'short')}
          </label>
        ))}
      </div>
      {wrong && <p className="wrong">{wrong}</p>}
    </fieldset>
  );
}

function Zone({ when, set, wrong }: Part) {
  const t = texts.use();
  return (
    <Field label={t('when.zone')} wrong={wrong}>
      <select className={css.zone} value={when.zone} onChange={(e) => set({ zone: e.target.value })}>
        {zones(when.zone, browserZone()).map((zone) => (
          <option key={zone}>{zone}</option>
        ))}
      </select>
    </Field>
  );
}

/** Notes that the times are not in the reader's own time zone. */
function OwnZone({ when, set }: Part) {
  const t = texts.use();
  const zone = browserZone();
  if (when.zone === zone) return null;
  return (
    <p className="small muted">
      {t('when.zone.mine', { zone })}{' '}
      <button type="button" className="link" onClick={() => set({ zone })}>
        {t('when.zone.use', { zone })}
      </button>
    </p>
  );
}

interface Shown {
  data: { description: string; data: { at: string; local: string; note?: string }[] };
  from: string;
  onFrom: (day: string) => void;
}

function Preview({ data, from, onFrom }: Shown) {
  const t = texts.use();
  const f = useFormat();
  return (
    <div className={`${css.preview} stack tight`} data-preview aria-live="polite">
      <p>
        <strong>{t('preview.title')}</strong> <span className="muted small">{data.description}</span>
      </p>
      {data.data.length === 0 && <p>{t('preview.none')}</p>}
      <ol>
        {data.data.map((run, i) => (
          <li key={run.at} data-clock={run.note ? '' : undefined}>
            <time dateTime={run.at} title={f.full(run.at)}>
              {localTime(run.local)}
            </time>
            {!from && i === 0 && <span className="muted small"> · {f.relative(run.at)}</span>}
            {run.note && (
              <p className="small">
                <span className="badge warn">{t('preview.clock')}</span> {run.note}
              </p>
            )}
          </li>
        ))}
      </ol>
      <label className="row small muted">
        {t('preview.from')}
        <input type="date" className={css.day} value={from} onChange={(e) => onFrom(e.target.value)} />
      </label>
    </div>
  );
}
