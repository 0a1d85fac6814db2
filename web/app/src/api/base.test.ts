import { describe, expect, it } from 'vitest';
import { serverURL, storageName } from './base';

describe('addresses', () => {
  it.each([
    ['http://h/', '/v1/files', 'http://h/v1/files'],
    ['http://h/', 'v1/files', 'http://h/v1/files'],
    ['http://h/', '/', 'http://h/'],
    ['http://h/fermata/', '/v1/files', 'http://h/fermata/v1/files'],
    ['http://h/fermata/', '/fermata/v1/sign-in/oidc', 'http://h/fermata/v1/sign-in/oidc'],
    ['http://h/a/b/', '/v1/events/stream?after=1', 'http://h/a/b/v1/events/stream?after=1'],
    ['http://h/v1/', '/v1/me', 'http://h/v1/me'],
  ])('below %s %s is %s', (folder, path, want) => expect(serverURL(path, folder)).toBe(want));
});

describe('names of stored values', () => {
  it('differ for each path of a host, and none is the beginning of another', () => {
    const all = ['/', '/fermata/', '/fermata/two/', '/b/'].map((path) => storageName('', path));
    expect(all[0]).toBe('fermata.');
    for (const one of all)
      for (const other of all) expect(`${one}who`.startsWith(other), `${one} ${other}`).toBe(one === other);
  });
});
