import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client';
import { asProblem } from '../../../api/problem';
import { announce } from '../../../shell/announce';
import { useAction } from '../../../ui/action';
import { Dialog } from '../../../ui/Dialog';
import { Field } from '../../../ui/Field';
import { ProblemBox } from '../../../ui/Problem';
import { texts as uiTexts } from '../../../ui/texts';
import { allAutomations } from './allAutomations';
import { asPatch, FileError, readFile, type InFile } from './fileFormat';
import { texts } from '../texts';

interface Line {
  one: InFile;
  have: string[];
  done?: 'created' | 'changed';
  problem?: unknown;
}

/** Reads automation files, previews what they would create and change, and imports them. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const t = texts.use();
  const ui = uiTexts.use();
  const queries = useQueryClient();
  const [lines, setLines] = useState<Line[]>([]);
  const [wrong, setWrong] = useState('');
  const look = useAction(async (files: File[]) => {
    setWrong('');
    setLines([]);
    const have = await allAutomations();
    try {
      const all = (await Promise.all(files.map((file) => file.text()))).flatMap(readFile);
      setLines(all.map((one) => ({ one, have: have.filter((a) => a.name === one.name).map((a) => a.id) })));
    } catch (thrown) {
      if (!(thrown instanceof FileError)) throw thrown;
      setWrong(t(`file.${thrown.code}`, { why: thrown.detail }));
    }
  });
  const put = async (line: Line): Promise<Line> => {
    const [id] = line.have;
    try {
      if (id === undefined) await api.POST('/v1/automations', { body: line.one });
      else
        await api.PATCH('/v1/automations/{automation_id}', {
          params: { path: { automation_id: id } },
          body: asPatch(line.one),
        });
      return { ...line, done: id === undefined ? 'created' : 'changed', problem: undefined };
    } catch (problem) {
      return { ...line, problem };
    }
  };
  const act = useAction(async () => {
    const next = [...lines];
    for (const [i, line] of next.entries()) {
      if (line.done || line.have.length > 1) continue;
      next[i] = await put(line);
      setLines([...next]);
    }
    announce(t('import.result', { n: next.filter((l) => l.done).length, all: next.length }));
    await queries.invalidateQueries({ queryKey: ['get', '/v1/automations'] });
  });
  const left = lines.filter((l) => !l.done && l.have.length < 2).length;
  return (
    <Dialog title={t('import.title')} onClose={onClose}>
      <p className="muted small">{t('import.what')}</p>
      <Field label={t('import.file')} wrong={wrong}>
        <input
          type="file"
          accept=".json,application/json"
          multiple
          onChange={(e) => void look.run([...(e.target.files ?? [])])}
        />
      </Field>
      {look.problem != null && <ProblemBox thrown={look.problem} />}
      <ul className="plain stack tight">
        {lines.map((line, i) => (
          <Outcome key={i} line={line} />
        ))}
      </ul>
      <div className="row">
        {left > 0 && (
          <button type="button" className="primary" disabled={act.busy} onClick={() => void act.run()}>
            {t('import.do', { n: left })}
          </button>
        )}
        <button type="button" onClick={onClose}>
          {ui(left > 0 ? 'cancel' : 'close')}
        </button>
      </div>
    </Dialog>
  );
}

function Outcome({ line }: { line: Line }) {
  const t = texts.use();
  const words = () => {
    if (line.done) return t(`import.${line.done}`);
    if (line.have.length > 1) return t('import.several', { n: line.have.length });
    return t(line.have.length ? 'import.change' : 'import.create');
  };
  const tone = () => {
    if (line.done) return 'ok';
    return line.have.length ? 'warn' : '';
  };
  return (
    <li className="stack tight" data-import={line.done ?? 'open'}>
      <p className="row">
        <span className={`badge ${tone()}`}>{words()}</span>
        <span className="clamp">{line.one.name}</span>
      </p>
      {line.problem !== undefined && <ProblemBox thrown={asProblem(line.problem)} />}
    </li>
  );
}
