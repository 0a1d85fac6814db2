// A connector as edited in its form, and the resulting config. Secrets are never returned by the server: a stored
// one is an empty field, with its mask in the config.
import { difference } from '../../../api/mergePatch';
import type { Connector } from '../connector';

export type Config = Record<string, unknown>;
export type Kind = Connector['kind'];

/** The mask of a stored secret. */
export const mask = '…';

export interface Secret {
  key: number;
  name: string;
  value: string;
  /** A secret is stored; an empty value keeps it. */
  kept: boolean;
}

export interface Draft {
  name: string;
  prefix: string;
  /** Of kind mcp: a server at an address, or a local program. */
  program: boolean;
  address: string;
  auth: string;
  token: Secret;
  /** For a client registered manually. */
  client: string;
  clientSecret: Secret;
  headers: Secret[];
  command: string;
  args: string; // one per line
  env: Secret[];
  readOnlyOffered: boolean;
  signing: Secret;
  most: string; // the limit of a result, in bytes
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

/** Only the fields with a value: empty ones are omitted. */
const said = (config: Config): Config => Object.fromEntries(Object.entries(config).filter(([, v]) => v !== undefined));

/** The config described by the form, with stored secrets as masks. */
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

/** The fields of the form; the rest of a config is kept. */
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

/** The merge patch from a stored config to the form's. */
export function configPatch(kind: Kind, before: Config, d: Draft): Config {
  const own = (config: Config) => Object.fromEntries(Object.entries(config).filter(([name]) => known.has(name)));
  const old = own(before);
  if (old.auth === 'none') delete old.auth; // explicit or default, it is the same
  return difference(old, configOf(kind, d));
}

/** The destination of a config's secrets: one scheme, host and port, or one program. */
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

/** Stored secrets whose destination would change: they have to be entered again. */
export const toEnterAgain = (before: Draft, now: Draft): Secret[] =>
  originOf(before) === originOf(now) ? [] : keptIn(now).filter((s) => !s.value);

/** Derives a prefix from a name, until another one is typed: "My shop 2" is MYSHOP2. */
export const prefixOf = (name: string): string =>
  name
    .normalize('NFD')
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '')
    .replace(/^\d+/, '')
    .slice(0, 12);
