// A connector as its form has it, and the config that this makes. Secrets are never given
// back: one that is kept is an empty field, and its mask stands in the config.
import { difference } from '../../../api/mergePatch';
import type { Connector } from '../connector';

export type Config = Record<string, unknown>;
export type Kind = Connector['kind'];

/** What stands for a secret that is kept. */
export const mask = '…';

export interface Secret {
  key: number;
  name: string;
  value: string;
  /** One is stored; an empty value leaves it. */
  kept: boolean;
}

export interface Draft {
  name: string;
  prefix: string;
  /** Of kind mcp: a server at an address, or a program that is started. */
  program: boolean;
  address: string;
  auth: string;
  token: Secret;
  /** Of a client that was registered by hand. */
  client: string;
  clientSecret: Secret;
  headers: Secret[];
  command: string;
  args: string; // one a line
  env: Secret[];
  readOnlyOffered: boolean;
  signing: Secret;
  most: string; // bytes of a result
}

let keys = 0;
export const secret = (name = '', kept = false): Secret => ({ key: ++keys, name, value: '', kept });

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const pairs = (value: unknown): Secret[] =>
  typeof value === 'object' && value !== null ? Object.keys(value).map((name) => secret(name, true)) : [];

export function draftOf(kind: Kind, name: string, prefix: string, config: Config): Draft {
  return {
    name,
    prefix,
    program: kind === 'mcp' && typeof config.command === 'string',
    address: text(config.base_url ?? config.url),
    auth: text(config.auth) || 'none',
    token: secret('token', config.token === mask),
    client: text(config.client_id),
    clientSecret: secret('client_secret', config.client_secret === mask),
    headers: pairs(config.headers),
    command: text(config.command),
    args: Array.isArray(config.args) ? config.args.join('\n') : '',
    env: pairs(config.env),
    readOnlyOffered: config.offer_read_only === true,
    signing: secret('signing_secret', config.signing_secret === mask),
    most: typeof config.max_result_bytes === 'number' ? String(config.max_result_bytes) : '',
  };
}

const valueOf = (s: Secret): string | undefined => s.value || (s.kept ? mask : undefined);

function object(list: Secret[]): Config | undefined {
  const given = list.flatMap((s) => {
    const value = valueOf(s);
    return s.name.trim() && value !== undefined ? [[s.name.trim(), value] as const] : [];
  });
  return given.length ? Object.fromEntries(given) : undefined;
}

/** Only what is said: what is left empty is left out. */
const said = (config: Config): Config => Object.fromEntries(Object.entries(config).filter(([, v]) => v !== undefined));

/** The config that the form describes, kept secrets as their masks. */
export function configOf(kind: Kind, d: Draft, rest: Config = {}): Config {
  if (kind === 'mcp') {
    const both = { offer_read_only: d.readOnlyOffered || undefined };
    if (d.program) {
      const args = d.args.split('\n').filter((line) => line !== '');
      return said({ ...both, command: d.command.trim(), args: args.length ? args : undefined, env: object(d.env) });
    }
    return said({
      ...rest,
      ...both,
      url: d.address.trim(),
      auth: d.auth === 'none' ? undefined : d.auth,
      token: d.auth === 'bearer' ? valueOf(d.token) : undefined,
      client_id: (d.auth === 'oauth' && d.client.trim()) || undefined,
      client_secret: d.auth === 'oauth' && d.client.trim() ? valueOf(d.clientSecret) : undefined,
      headers: object(d.headers),
    });
  }
  return said({
    base_url: d.address.trim(),
    headers: object(d.headers),
    max_result_bytes: kind === 'http' && d.most ? Number(d.most) : undefined,
    signing_secret: kind === 'long_running' ? valueOf(d.signing) : undefined,
  });
}

/** What the form has a field for; the rest of a config stays as it is. */
const known = new Set([
  'url',
  'base_url',
  'auth',
  'token',
  'client_id',
  'client_secret',
  'headers',
  'command',
  'args',
  'env',
  'offer_read_only',
  'max_result_bytes',
  'signing_secret',
]);

/** The merge patch that makes of a stored config what the form describes. */
export function configPatch(kind: Kind, before: Config, d: Draft): Config {
  const own = (config: Config) => Object.fromEntries(Object.entries(config).filter(([name]) => known.has(name)));
  const old = own(before);
  if (old.auth === 'none') delete old.auth; // said or not, it is the same
  return difference(old, configOf(kind, d));
}

/** Where the secrets of a config may go: to one scheme, host and port, or to one program. */
export function originOf(d: Pick<Draft, 'program' | 'address' | 'command'>): string {
  if (d.program) return `program:${d.command.trim()}`;
  try {
    return new URL(d.address.trim()).origin;
  } catch {
    return '';
  }
}

const keptIn = (d: Draft): Secret[] =>
  (d.program
    ? d.env
    : [
        ...d.headers,
        d.signing,
        ...(d.auth === 'bearer' ? [d.token] : []),
        ...(d.auth === 'oauth' ? [d.clientSecret] : []),
      ]
  ).filter((s) => s.kept);

/** Kept secrets that would go elsewhere: they have to be entered again. */
export const toEnterAgain = (before: Draft, now: Draft): Secret[] =>
  originOf(before) === originOf(now) ? [] : keptIn(now).filter((s) => !s.value);

/** A prefix made of a name, until somebody writes another: "My shop 2" is MYSHOP2. */
export const prefixOf = (name: string): string =>
  name
    .normalize('NFD')
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '')
    .replace(/^\d+/, '')
    .slice(0, 12);
