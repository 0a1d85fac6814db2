import { expect, test } from 'vitest';
import { readPasted } from './pasted';

test.each([
  ['https://mcp.linear.app/mcp', 'Linear', 'LINEAR', 'https://mcp.linear.app/mcp'],
  ['  https://api.example.co.uk/mcp ', 'Example', 'EXAMPLE', 'https://api.example.co.uk/mcp'],
  ['http://127.0.0.1:8000/mcp', '', '', 'http://127.0.0.1:8000/mcp'],
  ['http://localhost:3000', '', '', 'http://localhost:3000'],
])('an address: %s', (pasted, name, prefix, address) =>
  expect(readPasted(pasted)).toMatchObject({ name, prefix, program: false, address }),
);

test.each([
  [
    'npx -y @modelcontextprotocol/server-everything',
    'Everything',
    'npx',
    '-y\n@modelcontextprotocol/server-everything',
  ],
  ['npx -y some-mcp@1.2.0', 'Some', 'npx', '-y\nsome-mcp@1.2.0'],
  ['uvx mcp-server-git --repository "/my files"', 'Git', 'uvx', 'mcp-server-git\n--repository\n/my files'],
  ['/opt/bin/notes-mcp-server', 'Notes', '/opt/bin/notes-mcp-server', ''],
])('a command: %s', (pasted, name, command, args) =>
  expect(readPasted(pasted)).toMatchObject({ name, program: true, command, args }),
);

const github = { command: 'npx', args: ['-y', '@x/github'], env: { TOKEN: 't' } };
test.each([
  ['the file of a client', JSON.stringify({ mcpServers: { github } })],
  ['that of an editor', JSON.stringify({ servers: { github } }, null, 2)],
  ['its inner part', JSON.stringify({ github })],
  ['its inner part without braces', `"github": ${JSON.stringify(github)},`],
])('%s', (_, pasted) => {
  const read = readPasted(pasted);
  expect(read).toMatchObject({
    name: 'github',
    prefix: 'GITHUB',
    program: true,
    command: 'npx',
    args: '-y\n@x/github',
  });
  expect(read!.env.map((s) => [s.name, s.value, s.kept])).toEqual([['TOKEN', 't', false]]);
});

test('a server alone, with headers', () => {
  const read = readPasted('{"url": "https://mcp.example.com/mcp", "headers": {"Authorization": "Bearer t"}}');
  expect(read).toMatchObject({ name: 'Example', program: false, address: 'https://mcp.example.com/mcp' });
  expect(read!.headers.map((s) => [s.name, s.value])).toEqual([['Authorization', 'Bearer t']]);
});

test.each([
  '',
  '   ',
  '{"mcpServers": {',
  '{}',
  '{"a": 1}',
  '{"a": {"b": {"command": "x"}}}',
  'https://',
  'two\nlines',
  '[]',
])('%j does not describe a server', (pasted) => expect(readPasted(pasted)).toBeNull());
