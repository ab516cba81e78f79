import type { CoreRegistry } from '../storage/core-registry.ts';
import { type GatewayReports, inTime, type ReportRequest } from './gateway-reports.ts';

/** `cores`: the state of cores in processes of their own; everything else is asked of gateways. */
export type ProcessQuestion = ReportRequest | { readonly what: 'cores' };

/** Reports as JSON, which core passes on; of cores or of gateways. */
export interface ProcessReports {
  readonly cores: readonly unknown[];
  readonly gateways: readonly unknown[];
}

/** What a core answers another one. */
interface OwnReports {
  readonly core: unknown;
  readonly gateways: readonly (readonly [gateway: string, report: unknown])[];
}

/**
 * What operators ask all processes of an installation for. A core asks itself and its gateways; the other cores of the database
 * do the same when they are asked through the registry. One that does not answer in time is left out,
 * and so are the gateways of a core whose reports are too long together.
 */
export class InstallationReports {
  readonly #gateways: Pick<GatewayReports, 'collect'>;
  readonly #registry: Pick<CoreRegistry, 'ask' | 'answer'> | undefined;
  readonly #others: () => number;
  #core: (() => Promise<unknown>) | undefined;

  /**
   * @param registry undefined where there is one core only
   * @param others how many other cores answer
   */
  constructor(
    gateways: Pick<GatewayReports, 'collect'>,
    registry: Pick<CoreRegistry, 'ask' | 'answer'> | undefined,
    others: () => number,
  ) {
    this.#gateways = gateways;
    this.#registry = registry;
    this.#others = others;
    registry?.answer(async (question) => JSON.stringify(await this.#own(JSON.parse(question))));
  }

  /** This process is a core and no gateway, and answers by this. */
  serve(source: () => Promise<unknown>): void {
    this.#core = source;
  }

  async collect(asked: ProcessQuestion): Promise<ProcessReports> {
    const others = this.#others();
    const [own, theirs] = await Promise.all([
      this.#own(asked),
      others === 0 ? [] : this.#ask(JSON.stringify(asked), others),
    ]);
    const all = [
      own,
      ...theirs.flatMap((answer): OwnReports[] => (answer === null ? [] : [JSON.parse(answer)])),
    ];
    return {
      cores: all.flatMap(({ core }) => core ?? []),
      gateways: [...new Map(all.flatMap(({ gateways }) => gateways)).values()],
    };
  }

  /** None where the database is not reachable: an operator who looks for the reason still sees this core's own. */
  async #ask(question: string, others: number): Promise<readonly (string | null)[]> {
    return (await this.#registry?.ask(question, others).catch(() => [])) ?? [];
  }

  async #own(asked: ProcessQuestion): Promise<OwnReports> {
    if (asked.what !== 'cores') return { core: null, gateways: [...(await this.#gateways.collect(asked))] };
    return { core: this.#core ? await inTime(this.#core()) : null, gateways: [] };
  }
}
