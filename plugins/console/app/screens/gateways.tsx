import { useSignal } from '@preact/signals';
import { useQuery } from '@tanstack/preact-query';
import { Link } from 'wouter-preact';
import { ApiError, get } from '../api.ts';
import { polled } from '../events.ts';
import { formatNumber, formatTime, messages } from '../messages/messages.ts';
import { ApiCallButton } from '../parts/api-call-button.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { Field } from '../parts/field.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { PageHeading } from '../parts/page-heading.tsx';
import { silentProcesses } from './silent-processes.ts';

/** What each process reports of itself. */
interface Reported {
  readonly instance: string;
  readonly version: string;
  readonly started: string;
  readonly settings: readonly Setting[];
  readonly health: {
    readonly parts: Readonly<Record<string, { readonly ok: boolean; readonly detail: string }>>;
  };
}

interface Gateway extends Reported {
  readonly pipeline: Readonly<Record<string, readonly string[]>>;
  readonly figures: readonly {
    readonly surface: string;
    readonly requests: number;
    readonly errors: number;
    readonly p50_ms: number | null;
    readonly p95_ms: number | null;
    readonly cache: Readonly<Record<string, number>>;
  }[];
}

interface Core extends Reported {
  readonly figures: readonly {
    readonly call: string;
    readonly running: number;
    readonly calls: number;
    readonly failed: number;
    readonly mean_ms: number | null;
  }[];
}

interface Setting {
  readonly path: string;
  readonly value: unknown;
  readonly origin: string;
  readonly live: boolean;
}

/** Each gateway and core: figures, health, and the settings in effect with their origin; of gateways the pipeline, too. */
export function Gateways() {
  const { gateways } = messages();
  const cores = useQuery({
    queryKey: ['cores'],
    queryFn: readCores,
    ...polled(10_000),
  });
  const read = useQuery({
    queryKey: ['gateways'],
    queryFn: async () => (await get<{ readonly gateways: readonly Gateway[] }>('admin/gateways')).gateways,
    ...polled(10_000),
  });
  const processes = useQuery({
    queryKey: ['processes'],
    queryFn: () => get<{ readonly processes: readonly Pick<Reported, 'instance'>[] }>('admin/processes'),
    ...polled(10_000),
  });
  const silent = silentProcesses(processes.data?.processes, read.data, cores.data) ?? [];
  return (
    <>
      <PageHeading>{gateways.title}</PageHeading>
      <div class="bar">
        <Link href="/requests">{gateways.watch}</Link>
        <ApiCallButton
          calls={() => ['/gateways', '/cores', '/processes'].map((path) => ({ api: 'admin', path }))}
        />
      </div>
      <div role="status">
        {silent.length > 0 && <p class="notice">{gateways.silent(silent.join(', '))}</p>}
      </div>
      <Loaded query={read}>
        {(found) =>
          found.length === 0 ? (
            <p>{gateways.none}</p>
          ) : (
            found.map((gateway) => <GatewayPart key={gateway.instance} gateway={gateway} />)
          )
        }
      </Loaded>
      <Loaded query={cores}>
        {(found) => found.map((core) => <CorePart key={core.instance} core={core} />)}
      </Loaded>
    </>
  );
}

/** None where a core of version 0.2.0 answers, which does not know the call. */
async function readCores(): Promise<readonly Core[]> {
  try {
    return (await get<{ readonly cores: readonly Core[] }>('admin/cores')).cores;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return [];
    throw error;
  }
}

const milliseconds = (value: number) => `${formatNumber(value)} ms`;

function CorePart({ core }: { readonly core: Core }) {
  const { gateways } = messages();
  const { instance, version, started, figures } = core;
  return (
    <section>
      <h2>{gateways.coreOf(instance)}</h2>
      <p>{gateways.version(version, formatTime(started))}</p>
      <h3>{gateways.figures}</h3>
      <p class="hint">{gateways.coreFiguresHint}</p>
      <DataTable
        columns={[gateways.call, gateways.requests, gateways.running, gateways.failed, gateways.mean]}
        empty={gateways.noFigures}
        ofFigures
        rows={figures.map(({ call, calls, running, failed, mean_ms }) => ({
          key: call,
          cells: [
            call,
            formatNumber(calls),
            formatNumber(running),
            formatNumber(failed),
            mean_ms === null ? '–' : milliseconds(mean_ms),
          ],
        }))}
      />
      <HealthAndSettings of={core} />
    </section>
  );
}

function HealthAndSettings({ of: { health, settings } }: { readonly of: Reported }) {
  const { gateways } = messages();
  return (
    <>
      <h3>{gateways.health}</h3>
      <DataTable
        columns={[gateways.part, gateways.state, gateways.detail]}
        empty=""
        rows={Object.entries(health.parts).map(([name, { ok, detail }]) => ({
          key: name,
          cells: [
            name,
            <span key="state" class={`state ${ok ? 'working' : 'failing'}`}>
              {ok ? gateways.works : gateways.fails}
            </span>,
            <span key="detail" lang="en">
              {detail}
            </span>,
          ],
        }))}
      />
      <details>
        <summary>{gateways.settings}</summary>
        <Settings settings={settings} />
      </details>
    </>
  );
}

function GatewayPart({ gateway }: { readonly gateway: Gateway }) {
  const { gateways } = messages();
  const { instance, version, started, pipeline, figures } = gateway;
  return (
    <section>
      <h2>{instance}</h2>
      <p>{gateways.version(version, formatTime(started))}</p>
      <h3>{gateways.figures}</h3>
      <p class="hint">{gateways.figuresHint}</p>
      <DataTable
        columns={[
          gateways.surface,
          gateways.requests,
          gateways.errors,
          gateways.median,
          gateways.p95,
          gateways.cache,
        ]}
        empty={gateways.noFigures}
        ofFigures
        rows={figures.map(({ surface, requests, errors, p50_ms, p95_ms, cache }) => ({
          key: surface,
          cells: [
            surface,
            formatNumber(requests),
            formatNumber(errors),
            ...[p50_ms, p95_ms].map((ms) => (ms === null ? gateways.longer : milliseconds(ms))),
            shareOf(cache),
          ],
        }))}
      />
      <details>
        <summary>{gateways.pipeline}</summary>
        <p class="hint">{gateways.pipelineHint}</p>
        <DataTable
          columns={[gateways.surface, gateways.plugins]}
          empty=""
          rows={Object.entries(pipeline).map(([surface, plugins]) => ({
            key: surface,
            cells: [surface, plugins.join(' → ')],
          }))}
        />
      </details>
      <HealthAndSettings of={gateway} />
    </section>
  );
}

/** The part that came from the cache, as a percentage; a dash where the surface has none. */
function shareOf(cache: Gateway['figures'][number]['cache']): string {
  const cached = ['hit', 'checked', 'stale', 'collapsed'].reduce((sum, name) => sum + (cache[name] ?? 0), 0);
  const all = cached + (cache['miss'] ?? 0);
  return all === 0 ? '–' : `${Math.round((cached / all) * 100)} %`;
}

function Settings({ settings }: { readonly settings: readonly Setting[] }) {
  const { gateways, installation } = messages();
  const text = useSignal('');
  const isChanged = useSignal(true);
  const shown = settings.filter(
    ({ path, origin }) =>
      path.toLowerCase().includes(text.value.toLowerCase()) && !(isChanged.value && origin === 'default'),
  );
  return (
    <>
      <div class="filters">
        <Field
          label={gateways.find}
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
          }}
        />
        <label class="check">
          <input
            type="checkbox"
            checked={isChanged.value}
            onChange={(event) => {
              isChanged.value = event.currentTarget.checked;
            }}
          />{' '}
          {gateways.changedOnly}
        </label>
      </div>
      <DataTable
        columns={[gateways.setting, gateways.value, gateways.origin, gateways.live]}
        empty={installation.none}
        rows={shown.map(({ path, value, origin, live }) => ({
          key: path,
          cells: [
            path,
            <code key="value">{typeof value === 'string' ? value : JSON.stringify(value)}</code>,
            origin,
            live ? gateways.atReload : gateways.atRestart,
          ],
        }))}
      />
    </>
  );
}
