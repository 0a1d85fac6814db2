import { expect, test } from 'vitest';
import { configOf, configPatch, draftOf, mask, prefixOf, secret, toEnterAgain } from './draft';

const stored = { base_url: 'https://shop.test/v1', headers: { Authorization: mask, 'X-Shop': mask } };
const shop = () => draftOf('http', 'Shop', 'SHOP', stored);

test('untouched fields are not sent, and no mask is', () => {
  expect(configPatch('http', stored, shop())).toEqual({});
  expect(configPatch('http', stored, { ...shop(), most: '2048' })).toEqual({ max_result_bytes: 2048 });
});

test('a secret is replaced, removed and added, each separately', () => {
  const d = shop();
  d.headers[0]!.value = 'Bearer new';
  expect(configPatch('http', stored, d)).toEqual({ headers: { Authorization: 'Bearer new' } });
  d.headers = [d.headers[1]!, { ...secret('X-New'), value: 'n' }];
  expect(configPatch('http', stored, d)).toEqual({ headers: { Authorization: null, 'X-New': 'n' } });
  expect(configPatch('http', stored, { ...d, headers: [] })).toEqual({ headers: null });
});

test('another origin requires stored secrets again, another path does not', () => {
  const before = shop();
  expect(toEnterAgain(before, { ...shop(), address: 'https://shop.test/v2' })).toEqual([]);
  const moved = { ...shop(), address: 'https://other.test/v1' };
  expect(toEnterAgain(before, moved).map((s) => s.name)).toEqual(['Authorization', 'X-Shop']);
  for (const header of moved.headers) header.value = 'x';
  expect(toEnterAgain(before, moved)).toEqual([]);
});

test('a program and an address exclude each other', () => {
  const d = draftOf('mcp', 'Files', 'FILES', { command: 'npx', args: ['-y', 'x'], env: { KEY: mask } });
  expect(d.program).toBe(true);
  expect(configOf('mcp', d)).toEqual({ command: 'npx', args: ['-y', 'x'], env: { KEY: mask } });
  const web = { ...d, program: false, address: 'https://mcp.test/mcp' };
  expect(configPatch('mcp', { command: 'npx', args: ['-y', 'x'], env: { KEY: mask } }, web)).toEqual({
    command: null,
    args: null,
    env: null,
    url: 'https://mcp.test/mcp',
  });
});

test('values without a form field are kept', () => {
  const before = { url: 'https://mcp.test/mcp', auth: 'none', scopes: 'read' };
  const d = draftOf('mcp', 'M', 'M', before);
  expect(configPatch('mcp', before, d)).toEqual({});
  expect(configPatch('mcp', before, { ...d, auth: 'bearer', token: { ...d.token, value: 't' } })).toEqual({
    auth: 'bearer',
    token: 't',
  });
});

test.each([
  ['My shop 2', 'MYSHOP2'],
  ['2nd façade', 'NDFACADE'],
  ['', ''],
])('a prefix of %j', (name, want) => expect(prefixOf(name)).toBe(want));
