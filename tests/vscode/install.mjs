// Installs the editor before the test files, which run at the same time, need it.
import { ensureHost } from './host.mjs';
import { HOST, skip } from './session.mjs';

if (!skip) ensureHost(HOST);
