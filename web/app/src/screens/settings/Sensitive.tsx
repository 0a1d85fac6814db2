import { useState } from 'react';
import { $api, type Schemas } from '../../api/client';
import { aboutCommand } from '../../ui/aboutCommand';
import { commandName } from '../../ui/commandName';
import { Read } from '../../ui/Read';
import { visible } from '../../ui/visible';
import { useCommandWords } from '../automations/advanced/texts';
import styles from './settings.module.css';
import { texts } from './texts';

const every = '*';
const searched = 12; // the number of actions from which a search field is shown

interface Props {
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
  label: string;
  hint: string;
  wrong?: string;
}

interface Group {
  title: string;
  /** The name that includes the whole group; '' if there is none. */
  all: string;
  actions: { name: string; words: string; about?: string }[];
}

/** The actions that need a passkey, picked from all actions. */
export function Sensitive({ chosen, onChange, label, hint, wrong }: Props) {
  const t = texts.use();
  const words = useCommandWords();
  const [sought, seek] = useState('');
  const catalogue = $api.useQuery('get', '/v1/commands', {});
  const set = (name: string, on: boolean) =>
    onChange(on ? [...chosen, name] : chosen.filter((other) => other !== name));
  const wordsOf = (name: string) => (name.includes('.') ? commandName(name) : capital(words(name)));
  return (
    <fieldset className="field" aria-describedby="sensitive-hint">
      <legend>{label}</legend>
      <p id="sensitive-hint" className="hint">
        {hint}
      </p>
      <Read query={catalogue} rows={3}>
        {({ data }) => {
          const groups = groupsOf(data, wordsOf, t('sensitive.own'));
          const known = new Set([every, ...groups.flatMap((g) => [g.all, ...g.actions.map((a) => a.name)])]);
          const gone = chosen.filter((name) => name && !known.has(name));
          const many = groups.reduce((n, g) => n + g.actions.length, 0) > searched;
          const fits = (text: string) => text.toLowerCase().includes(sought.trim().toLowerCase());
          const all = chosen.includes(every);
          return (
            <>
              {many && (
                <input
                  type="search"
                  aria-label={t('sensitive.search')}
                  placeholder={t('sensitive.search')}
                  value={sought}
                  onChange={(e) => seek(e.target.value)}
                />
              )}
              <div className={styles.pick} tabIndex={0} role="group" aria-label={label}>
                <Choice name={every} text={t('sensitive.every')} on={all} set={set} />
                {gone.map((name) => (
                  <Choice key={name} name={name} text={visible(name)} note={t('sensitive.gone')} on set={set} />
                ))}
                {groups.map((group) => {
                  const shown = group.actions.filter((a) => fits(`${a.words} ${a.name} ${group.title}`));
                  const whole = all || (group.all !== '' && chosen.includes(group.all));
                  if (!shown.length) return null;
                  return (
                    <div key={group.title} role="group" aria-label={group.title}>
                      <p className="small muted">{group.title}</p>
                      {group.all && (
                        <Choice
                          name={group.all}
                          text={t('sensitive.all', { name: group.title })}
                          on={whole}
                          covered={all}
                          set={set}
                        />
                      )}
                      {shown.map((a) => (
                        <Choice
                          key={a.name}
                          name={a.name}
                          text={a.words}
                          title={a.about}
                          on={whole || chosen.includes(a.name)}
                          covered={whole}
                          set={set}
                        />
                      ))}
                    </div>
                  );
                })}
              </div>
            </>
          );
        }}
      </Read>
      {wrong && (
        <p className="wrong" role="alert">
          {wrong}
        </p>
      )}
    </fieldset>
  );
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** Built-in actions, then those of each connector. */
function groupsOf(data: Schemas['CommandSpec'][], wordsOf: (name: string) => string, own: string): Group[] {
  const groups = new Map<string, Group>();
  for (const command of data) {
    if (command.kind !== 'action') continue;
    const dot = command.name.indexOf('.');
    const of = dot < 0 ? '' : command.name.slice(0, dot);
    const group = groups.get(of) ?? { title: of || own, all: of && `${of}.*`, actions: [] };
    group.actions.push({ name: command.name, words: wordsOf(command.name), about: aboutCommand(command) });
    groups.set(of, group);
  }
  return [...groups].toSorted(([a], [b]) => a.localeCompare(b)).map(([, group]) => group);
}

interface ChoiceProps {
  name: string;
  text: string;
  note?: string;
  title?: string;
  on: boolean;
  /** It is included by a choice above it. */
  covered?: boolean;
  set: (name: string, on: boolean) => void;
}

function Choice({ name, text, note, title, on, covered, set }: ChoiceProps) {
  return (
    <label className={styles.choice} title={title} data-command={name}>
      <input type="checkbox" checked={on} disabled={covered} onChange={(e) => set(name, e.target.checked)} />
      <span>
        <bdi>{text}</bdi> {note && <span className="small muted">{note}</span>}
      </span>
    </label>
  );
}
