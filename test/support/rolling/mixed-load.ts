/** Reads and writes at a fixed rate, until as many requests as clients have connections wait for their answers. */
import { setTimeout as pause } from 'node:timers/promises';
import { CONNECTIONS, LoadClient } from './load-client.ts';
import { prepareProject, READ_ITEMS, titleOf, uploadImage } from './load-project.ts';
import { Writer } from './writer.ts';

const WRITERS = 12;
/** One request in ten is a write; one in seven reads another page each time, which core has to make. */
const WRITE_EVERY = 10;
const PAGE_EVERY = 7;
const IMAGE_EVERY = 31;
/** A request that could not be sent by then is left out: a machine that is too slow for the rate gets no backlog. */
const LATEST_MS = 500;

export interface LoadOptions {
  /** `https://host:port` */
  readonly url: string;
  /** PEM of its certificate. */
  readonly ca: string;
  /** Up to one request in 31 is this image in a new size, which a worker makes. */
  readonly image?: Uint8Array | undefined;
}

export interface LoadReport {
  readonly requests: number;
  readonly writes: number;
  /** Requests that were due while too many waited for answers. */
  readonly leftOut: number;
  readonly milliseconds: number;
  /** CPU of this process, in microseconds. */
  readonly cpu: number;
  /** One sentence for each failed request. */
  readonly failed: readonly string[];
  /** Milliseconds from the moment a request is due until its answer is complete, in order. */
  readonly taken: readonly number[];
}

/** Which share of the requests took no longer, in milliseconds. */
export function quantile({ taken }: LoadReport, share: number): number {
  return taken[Math.min(taken.length - 1, Math.floor(taken.length * share))]!;
}

export class MixedLoad {
  readonly #client: LoadClient;
  #writers: Writer[] = [];
  #image: string | undefined;
  #isImageMade = true;
  #count = 0;

  private constructor(client: LoadClient) {
    this.#client = client;
  }

  static async prepare({ url, ca, image }: LoadOptions): Promise<MixedLoad> {
    const client = new LoadClient(url, ca);
    const load = new MixedLoad(client);
    await prepareProject(client);
    load.#image = image && (await uploadImage(client, image));
    load.#writers = Array.from({ length: WRITERS }, (_, index) => new Writer(client, `written ${index}`));
    return load;
  }

  async run(perSecond: number, isOver: () => boolean): Promise<LoadReport> {
    const failed: string[] = [];
    const taken: number[] = [];
    const running = new Set<Promise<void>>();
    let requests = 0;
    let writes = 0;
    let leftOut = 0;
    const began = performance.now();
    const cpuBefore = process.cpuUsage();
    for (let number = 0; !isOver(); number += 1) {
      const due = began + (number * 1000) / perSecond;
      const wait = due - performance.now();
      if (wait > 1) await pause(wait);
      if (running.size >= CONNECTIONS) await Promise.race(running);
      if (performance.now() - due > LATEST_MS) {
        leftOut += 1;
        continue;
      }
      requests += 1;
      const [what, send] = this.#next();
      if (what.startsWith('write')) writes += 1;
      const one = send()
        .catch((error: Error) => void failed.push(`${what}: ${error.message}`))
        .then(() => {
          taken.push(performance.now() - due);
          running.delete(one);
        });
      running.add(one);
    }
    await Promise.all(running);
    const milliseconds = performance.now() - began;
    const { user, system } = process.cpuUsage(cpuBefore);
    const cpu = user + system;
    return { requests, writes, leftOut, milliseconds, cpu, failed, taken: taken.sort((a, b) => a - b) };
  }

  /** A sentence for each item that lacks an acknowledged version. */
  async lost(): Promise<string[]> {
    const lost = await Promise.all(this.#writers.map((writer) => writer.lost()));
    return lost.filter((one) => one !== undefined);
  }

  close(): void {
    this.#client.close();
  }

  #next(): readonly [what: string, send: () => Promise<unknown>] {
    const count = this.#count++;
    const writer = count % WRITE_EVERY === 0 ? this.#freeWriter() : undefined;
    if (writer) return [`write: ${writer.next}`, () => writer.step()];
    const delivery = `/delivery/${this.#client.project}/items`;
    const read = (path: string) => [path, () => this.#client.expect(200, path)] as const;
    if (this.#image !== undefined && count % IMAGE_EVERY === 0 && this.#isImageMade) {
      const path = `${this.#image}?w=${20 + (count % 397)}&q=${10 + (count % 89)}`;
      return [path, () => this.#makeImage(path)];
    }
    if (count % PAGE_EVERY === 0)
      return read(`${delivery}?limit=5&skip=${count % 30}&system.codename[neq]=x${count}`);
    // Few items are read often, many seldom.
    const item = Math.floor(READ_ITEMS ** Math.random()) - 1;
    const path = `${delivery}/piece_${item}`;
    return [
      path,
      async () => {
        const title = titleOf((await this.#client.expect(200, path)).body);
        if (title !== `${item}`) throw new Error(`it has the title ${title}`);
      },
    ];
  }

  /** One at a time: how many a worker makes depends on the machine. */
  async #makeImage(path: string): Promise<void> {
    this.#isImageMade = false;
    await this.#client.expect(200, path).finally(() => {
      this.#isImageMade = true;
    });
  }

  /** They take turns. */
  #freeWriter(): Writer | undefined {
    const index = this.#writers.findIndex(({ isBusy }) => !isBusy);
    const [writer] = index < 0 ? [] : this.#writers.splice(index, 1);
    if (writer) this.#writers.push(writer);
    return writer;
  }
}
