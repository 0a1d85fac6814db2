import { useMay } from '../../../api/me';
import { Cell } from './Cell';
import { api, type Schemas } from '../../../api/client';
import { useFormat } from '../../../i18n/format';
import { useAction } from '../../../ui/action';
import { ProblemBox } from '../../../ui/Problem';
import type { Schema } from '../../../ui/SchemaForm';
import { Time } from '../../../ui/Time';
import { columnsOf, type Column } from '../columns';
import css from '../data.module.css';
import { deleteEntries } from './DeleteEntries';
import { texts } from '../texts';
import { toolTexts } from '../toolTexts';
import { EntryAuthor } from './EntryAuthor';
import { useNames, useValueText } from '../words';

type Entry = Schemas['Entry'];
interface Props {
  tool: Schemas['Tool'];
  schema: Schema;
  entries: Entry[];
  fresh: ReadonlySet<string>;
  chosen: ReadonlySet<string>;
  onChosen: (ids: ReadonlySet<string>) => void;
  onEdit: (entry: Entry) => void;
}

/** Entries as a table: a column for each field of the schema. */
export function EntryTable({ tool, schema, entries, fresh, chosen, onChosen, onEdit }: Props) {
  const t = toolTexts.use();
  const names = useNames();
  const { unit } = useValueText(tool);
  const columns = columnsOf(schema);
  const all = entries.length > 0 && entries.every(({ id }) => chosen.has(id));
  const drop = useAction((entry: Entry) => deleteEntries(tool, [entry]));
  // Without a version: the patch has only this field, so concurrent changes of others are kept.
  const tick = useAction((entry: Entry, name: string, value: boolean | string | number) =>
    api.PATCH('/v1/entries/{entry_id}', {
      params: { path: { entry_id: entry.id } },
      body: { data: { [name]: value } },
    }),
  );
  const problem = drop.problem ?? tick.problem;
  const choose = (id: string, on: boolean) => {
    const next = new Set(chosen);
    if (on) next.add(id);
    else next.delete(id);
    onChosen(next);
  };
  return (
    <>
      {problem != null && (
        <ProblemBox
          thrown={problem}
          onClose={() => {
            drop.clear();
            tick.clear();
          }}
        />
      )}
      <div className="scroll" role="group" aria-labelledby="entries" tabIndex={0}>
        <table className={css.table}>
          <thead>
            <tr>
              <th scope="col">
                <label className={css.tick}>
                  <input
                    type="checkbox"
                    aria-label={t('select.all')}
                    checked={all}
                    onChange={(e) => onChosen(new Set(e.target.checked ? entries.map(({ id }) => id) : []))}
                  />
                </label>
              </th>
              <th scope="col">{t('when')}</th>
              {columns.map((column) => (
                <th key={column.name} scope="col" className={column.kind === 'number' ? 'number' : undefined}>
                  {names.field(column).slice(0, 60)}
                  {column.kind === 'number' && column.name === 'value' && unit && ` (${unit})`}
                </th>
              ))}
              <th scope="col">{t('who')}</th>
              <th scope="col">
                <span className="visually-hidden">{t('actions')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {entries.map((entry) => (
              <Row
                key={entry.id}
                tool={tool}
                entry={entry}
                columns={columns}
                fresh={fresh.has(entry.id)}
                chosen={chosen.has(entry.id)}
                busy={drop.busy || tick.busy}
                onChoose={(on) => choose(entry.id, on)}
                onEdit={() => onEdit(entry)}
                onDelete={() => void drop.run(entry)}
                onTick={(name, value) => void tick.run(entry, name, value)}
              />
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** Numbers and short texts are edited in the table; long ones in the form. */
const inPlace = (column: Column, value: unknown) =>
  column.kind === 'number' ||
  (column.kind === 'text' && typeof value === 'string' && value.length <= 80 && !value.includes('\n'));

interface RowProps {
  tool: Schemas['Tool'];
  entry: Entry;
  columns: Column[];
  fresh: boolean;
  chosen: boolean;
  busy: boolean;
  onChoose: (on: boolean) => void;
  onEdit: () => void;
  onDelete: () => void;
  onTick: (name: string, value: boolean | string | number) => void;
}

function Row({ tool, entry, columns, fresh, chosen, busy, onChoose, onEdit, onDelete, onTick }: RowProps) {
  const t = texts.use();
  const tt = toolTexts.use();
  const f = useFormat();
  const names = useNames();
  const value = useValueText(tool);
  const member = useMay('member');
  const when = f.time(entry.timestamp);
  return (
    <tr
      data-entry={entry.id}
      data-fresh={fresh || undefined}
      className={fresh ? css.fresh : chosen ? css.chosen : undefined}
    >
      <td>
        <label className={css.tick}>
          <input
            type="checkbox"
            aria-label={tt('select.row', { when })}
            checked={chosen}
            onChange={(e) => onChoose(e.target.checked)}
          />
        </label>
      </td>
      <td className="nowrap">
        <Time at={entry.timestamp} absolute />
        {fresh && (
          <>
            {' '}
            <span className="badge ok">{tt('fresh')}</span>
          </>
        )}
      </td>
      {columns.map((column) => (
        <td key={column.name} className={column.kind === 'number' ? 'number' : undefined} data-field={column.name}>
          {column.kind === 'boolean' && typeof (entry.data[column.name] ?? false) === 'boolean' ? (
            <label className={css.tick}>
              <input
                type="checkbox"
                aria-label={`${names.field(column)}: ${value.text(entry.data[columns[0]!.name]).slice(0, 80)}`}
                disabled={busy || !member}
                checked={entry.data[column.name] === true}
                onChange={(e) => onTick(column.name, e.target.checked)}
              />
            </label>
          ) : member && inPlace(column, entry.data[column.name]) ? (
            <Cell
              column={column}
              label={names.field(column)}
              shown={value.text(entry.data[column.name]).slice(0, 500)}
              value={entry.data[column.name]}
              onSave={(next) => onTick(column.name, next)}
            />
          ) : (
            <div className={column.kind === 'number' ? undefined : `clamp ${css.cell}`}>
              {value.text(entry.data[column.name]).slice(0, 500)}
            </div>
          )}
        </td>
      ))}
      <td className={css.who}>
        <EntryAuthor entry={entry} />
      </td>
      <td>
        <div className={css.actions} hidden={!member}>
          <button type="button" className="plain small" aria-label={tt('edit.row', { when })} onClick={onEdit}>
            {t('edit')}
          </button>
          <button
            type="button"
            className="plain small"
            aria-label={tt('delete.row', { when })}
            disabled={busy}
            onClick={onDelete}
          >
            {t('delete')}
          </button>
        </div>
      </td>
    </tr>
  );
}
