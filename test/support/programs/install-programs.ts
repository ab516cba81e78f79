/** `npm test` loads this: what is missing is installed while the first tests run; tests that need a program wait for it. */
import { realProgram } from './real-program.ts';

export function mochaGlobalSetup(): void {
  void install();
}

async function install(): Promise<void> {
  for (const name of [
    'initdb',
    'pgbouncer',
    'nginx',
    'chromium-headless-shell',
    'chromium',
    'redis-server',
    'systemd-analyze',
    'faketime',
    'swift-proxy-server',
    'swift-object-server',
    'swift-container-server',
    'swift-account-server',
  ] as const) {
    await realProgram(name).catch(() => {
      // Reported by the tests that need it.
    });
  }
}
