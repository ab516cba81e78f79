import { Agent } from 'undici';
import { type RunningNginx, runNginx } from '../../support/programs/run-nginx.ts';
import type { Disturbed } from './part.ts';
import { waitForHealth } from './wait-for-health.ts';

/** nginx in front of the gateways, as shipped. */
export class NginxPart implements Disturbed {
  readonly name = 'nginx';
  readonly url: string;
  /** For `fetch`: trusts its certificate. */
  readonly agent: Agent;
  readonly #nginx: RunningNginx;

  private constructor(nginx: RunningNginx) {
    this.#nginx = nginx;
    this.url = nginx.https;
    this.agent = new Agent({ connect: { ca: nginx.ca } });
  }

  /** @param ports of the gateways */
  static async start(ports: readonly number[]): Promise<NginxPart> {
    return new NginxPart(await runNginx(...ports.map((port) => `127.0.0.1:${port}`)));
  }

  stall(): void {
    this.#nginx.signal('SIGSTOP');
  }

  continue(): void {
    this.#nginx.signal('SIGCONT');
  }

  kill(): void {
    this.#nginx.signal('SIGKILL');
  }

  restart(): Promise<void> {
    return this.#nginx.restart();
  }

  /** @throws Error unless it passes requests within the time */
  async healthy(milliseconds: number, busy: () => number): Promise<void> {
    const last = await waitForHealth(`${this.url}/health/ready`, milliseconds, busy, this.agent);
    if (last !== undefined) throw new Error(`nginx passes no request after ${milliseconds} ms: ${last}`);
  }

  async stop(): Promise<void> {
    await this.agent.destroy();
    await this.#nginx.end();
  }
}
