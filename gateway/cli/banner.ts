import { SURFACES } from '../../config/surface-settings.ts';
import type { ProjectFacts } from '../../core/access/projects.ts';
import type { RunningGateway } from '../serve.ts';
import { table } from './terminal.ts';

export interface BannerFacts {
  readonly urls: RunningGateway['urls'];
  readonly surfaces: ReturnType<RunningGateway['surfaces']>;
  /** The sample project, where it is loaded. */
  readonly sampleProject: Pick<ProjectFacts, 'id' | 'secureAccess'> | undefined;
  /** File with the keys of the first start, where there is one. */
  readonly keysFile: string | undefined;
  /** Null: the token was configured. */
  readonly adminTokenFile: string | null;
}

export interface GatewayFacts extends Pick<BannerFacts, 'urls' | 'surfaces'> {
  /** Addresses of its cores, as configured. */
  readonly cores: readonly string[];
  readonly processes: number;
}

/** The URLs of all surfaces, and the cores behind them. */
export function gatewayBanner({ urls, surfaces, cores, processes }: GatewayFacts): string[] {
  const rows = [
    ...surfaceRows({ urls, surfaces }),
    ['', ''],
    ['cores', cores.join(', ')],
    ...(processes > 1 ? [['processes', String(processes)]] : []),
    ['try', `curl -s '${surfaces.health}/ready'`],
  ];
  return [
    `Headwater runs as a gateway at ${urls.http}${urls.https ? ` and ${urls.https}` : ''}.`,
    '',
    ...table(rows.map(([name = '', value = '']) => [`  ${name}`, value])),
    '',
  ];
}

/** The URLs of all surfaces, the files with keys, and one call that works. */
export function banner(facts: BannerFacts): string[] {
  const { urls, surfaces, sampleProject, keysFile, adminTokenFile } = facts;
  const tryThis =
    sampleProject?.secureAccess === false
      ? `${surfaces.delivery}/${sampleProject.id}/items?limit=1&elements=title`
      : `${surfaces.health}/ready`;
  const rows = [
    ...surfaceRows({ urls, surfaces }),
    ['', ''],
    ...(sampleProject ? [['sample project', sampleProject.id]] : []),
    ...(keysFile ? [['preview keys', keysFile]] : []),
    ['admin token', adminTokenFile ?? 'as configured'],
    ['try', `curl -s '${tryThis}'`],
  ];
  return [
    'Headwater is running.',
    '',
    ...table(rows.map(([name = '', value = '']) => [`  ${name}`, value])),
    '',
  ];
}

function surfaceRows({ urls, surfaces }: Pick<BannerFacts, 'urls' | 'surfaces'>): string[][] {
  return [
    ...SURFACES.map((name) => [name, name === 'health' ? `${surfaces.health}/ready` : surfaces[name]]),
    ...(urls.https ? [['https', `the same below ${urls.https}`]] : []),
  ];
}
