// The addresses of documents in a browser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mapAddresses, toClient, toServer } from '../../src/home/addresses';

const ADDRESSES = {
  'vscode-vfs://github/user/repository/a%20b/k.ptx': 'file:///@vscode-vfs/github/user/repository/a%20b/k.ptx',
  'vscode-remote://127.0.0.1:8080/home/k.ptx': 'file:///@vscode-remote/127.0.0.1%3A8080/home/k.ptx',
  'memfs:///k.ptx': 'file:///@memfs/-/k.ptx',
};

test('the server gets files, and VS Code what it knows', () => {
  for (const [client, server] of Object.entries(ADDRESSES)) {
    assert.equal(toServer(client), server);
    assert.equal(toClient(server), client);
    // The server may escape more.
    assert.equal(toClient(server.replace('@', '%40')), client);
  }
});

test('other texts stay', () => {
  for (const text of ['file:///k.ptx', 'untitled:Untitled-1', 'https://docs/', 'ld.global.u32', 'a\nvscode-vfs://x/y', '']) {
    assert.equal(toServer(text), text);
    assert.equal(toClient(text), text);
  }
});

test('addresses are changed wherever they are', () => {
  const [client = '', server] = Object.entries(ADDRESSES)[0] ?? [];
  const message = (address: string) => ({
    id: 1,
    params: [{ uri: address, line: 3 }, null],
    changes: { [address]: [] },
    text: `see ${client}`,
  });
  assert.deepEqual(mapAddresses(message(client), toServer), message(server ?? ''));
});
