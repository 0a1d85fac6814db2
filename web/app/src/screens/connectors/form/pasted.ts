// Parses what the documentation of an MCP server offers to paste: an address, a command line, or the JSON
// configuration of other programs.
import { prefixOf, secret, type Draft, type Secret } from './draft';

/** The recognized values: part of a draft. */
export type Pasted = Pick<Draft, 'name' | 'prefix' | 'program' | 'address' | 'command' | 'args' | 'headers' | 'env'>;

type Fields = Record<string, unknown>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

const upper = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);

/** "mcp.linear.app" is Linear; an IP address or this machine gives no name. */
function nameOfHost(host: string): string {
  if (/^[\d.:[\]]+$/.test(host) || !host.includes('.')) return '';
  const parts = host.split('.').slice(0, -1);
  const distinctive = parts.filter((part) => !/^(mcp|api|www|server|co|com)$/.test(part));
  return upper(distinctive.at(-1) ?? '');
}

/** "@modelcontextprotocol/server-everything" is Everything. */
function nameOfProgram(words: string[]): string {
  const named = words.slice(1).find((word) => !word.startsWith('-')) ?? words[0] ?? '';
  const last =
    named
      .replace(/@[^/@]*$/, '')
      .split(/[/\\]/)
      .at(-1) ?? '';
  return upper(last.replace(/\.\w+$/, '').replace(/^(mcp-)?server-|^mcp-|-mcp(-server)?$/g, ''));
}

/** Splits a command line into words; quotes keep spaces together. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double?.replace(/\\(.)/g, '$1') ?? single ?? bare ?? '',
  );
}

const secrets = (value: unknown): Secret[] =>
  isFields(value) ? Object.entries(value).map(([name, v]) => ({ ...secret(name), value: String(v) })) : [];

const made = (name: string, part: Partial<Pasted>): Pasted => ({
  name,
  prefix: prefixOf(name),
  program: false,
  address: '',
  command: '',
  args: '',
  headers: [],
  env: [],
  ...part,
});

function fromAddress(address: string): Pasted | null {
  try {
    return made(nameOfHost(new URL(address).hostname), { address });
  } catch {
    return null;
  }
}

function fromLine(line: string): Pasted | null {
  const [command, ...args] = wordsOf(line);
  if (!command) return null;
  return made(nameOfProgram([command, ...args]), { program: true, command, args: args.join('\n') });
}

/** One server of a file: `{"mcpServers": {"name": {…}}}`, one of its members, or a bare server. */
function fromFields(fields: Fields, name = ''): Pasted | null {
  const within = fields.mcpServers ?? fields.servers;
  if (isFields(within)) return fromFields(within);
  const address = text(fields.url) || text(fields.serverUrl) || text(fields.httpUrl);
  if (address) {
    const found = fromAddress(address);
    return found && { ...found, ...(name ? { name, prefix: prefixOf(name) } : {}), headers: secrets(fields.headers) };
  }
  const command = text(fields.command);
  if (command) {
    const args = Array.isArray(fields.args) ? fields.args.map(String) : [];
    return made(name || nameOfProgram([command, ...args]), {
      program: true,
      command,
      args: args.join('\n'),
      env: secrets(fields.env),
    });
  }
  const [first] = Object.entries(fields);
  return name === '' && first && isFields(first[1]) ? fromFields(first[1], first[0]) : null;
}

/** The pasted text as form values; null if it does not describe a server. */
export function readPasted(pasted: string): Pasted | null {
  const said = pasted.trim();
  if (/^https?:\/\//i.test(said)) return /\s/.test(said) ? null : fromAddress(said);
  if (said.startsWith('[')) return null;
  if (!/^[{"]/.test(said)) return said.includes('\n') ? null : fromLine(said);
  try {
    const read: unknown = JSON.parse(said.startsWith('{') ? said : `{${said.replace(/,\s*$/, '')}}`);
    return isFields(read) ? fromFields(read) : null;
  } catch {
    return null;
  }
}
