// A custom command, as edited in its form.
import type { Command, Connector } from '../connector';
import { asWritten, paramsOf, schemaOf, type Param, type Written } from './written';

export interface CommandDraft {
  name: string;
  title: string;
  description: string;
  effect: Command['effect'];
  method: string;
  path: string;
  parts: string; // query, headers and body as JSON
  /** Null: the schema is edited as JSON. */
  params: Param[] | null;
  schema: string;
  result: string;
  probePath: string;
  expect: string;
  deadline: string;
  cancelPath: string;
  documents: string; // their keys, separated by commas
}

/** The props shared by the form's fields. */
export interface CommandFieldsProps {
  kind: Connector['kind'];
  draft: CommandDraft;
  set: (part: Partial<CommandDraft>) => void;
  wrong: (field: string) => string | undefined;
  said: (name: 'parts' | 'schema' | 'expect') => string | undefined;
}

export const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

const json = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value, null, 2));

export function commandDraftOf(c: Command | null): CommandDraft {
  const { method = 'GET', path = '', ...parts } = c?.request ?? {};
  return {
    name: c?.name ?? '',
    title: c?.title ?? '',
    description: c?.description ?? '',
    effect: c?.effect ?? 'non_idempotent',
    method,
    path,
    parts: Object.keys(parts).length ? json(parts) : '',
    params: c ? paramsOf(c.params_schema) : [],
    schema: json(c?.params_schema ?? { type: 'object', properties: {} }),
    result: c?.result ?? '',
    probePath: c?.probe?.path ?? '',
    expect: json(c?.probe?.expect),
    deadline: c?.deadline ?? '',
    cancelPath: c?.cancel_path ?? '',
    documents: c?.documents.join(', ') ?? '',
  };
}

/** The fields with invalid JSON, with the errors. */
export function unreadable(d: CommandDraft): Partial<Record<'parts' | 'schema' | 'expect', string>> {
  const why: ReturnType<typeof unreadable> = {};
  for (const name of ['parts', 'schema', 'expect'] as const) {
    if (name === 'schema' && d.params) continue;
    try {
      if (d[name].trim()) JSON.parse(d[name]);
    } catch (thrown) {
      why[name] = (thrown as Error).message;
    }
  }
  return why;
}

const read = (text: string): unknown => (text.trim() ? JSON.parse(text) : undefined);

const keys = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

/** The command described by the form; parts that it does not show are kept. */
export function writtenOf(d: CommandDraft, kind: Connector['kind'], before: Command | null): Written {
  const old = before ? asWritten(before) : null;
  const long = kind === 'long_running';
  const request = long
    ? d.path.trim()
      ? { method: 'POST' as const, path: d.path.trim() }
      : undefined
    : { method: d.method as (typeof methods)[number], path: d.path.trim(), ...(read(d.parts) as object) };
  const {
    request: _,
    probe: _p,
    result: _r,
    deadline: _d,
    cancel_path: _c,
    documents: _o,
    title: _t,
    ...rest
  } = old ?? {};
  // The approval setting is kept, unless the effect changes.
  if (old && old.effect !== d.effect) delete (rest as Partial<Written>).require_validation;
  return {
    ...rest,
    name: d.name.trim(),
    description: d.description.trim(),
    effect: d.effect,
    params_schema: (d.params ? schemaOf(d.params) : read(d.schema)) as Written['params_schema'],
    ...(d.title.trim() ? { title: d.title.trim() } : {}),
    ...(request ? { request } : {}),
    ...(!long && d.result.trim() ? { result: d.result.trim() } : {}),
    ...(!long && d.probePath.trim() ? { probe: { path: d.probePath.trim(), expect: read(d.expect) ?? {} } } : {}),
    ...(long && d.deadline.trim() ? { deadline: d.deadline.trim() } : {}),
    ...(long && d.cancelPath.trim() ? { cancel_path: d.cancelPath.trim() } : {}),
    ...(long && keys(d.documents).length ? { documents: keys(d.documents) } : {}),
  };
}
