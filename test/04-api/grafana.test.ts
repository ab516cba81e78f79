import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { type RunningRedis, runRedis } from '../support/programs/run-redis.ts';
import { type ManageService, startManage } from '../support/projects/manage-service.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';

const FOLDER = join(import.meta.dirname, '../../config/grafana');

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly expr: string }[];
  }[];
}

/** Names and labels of an expression, functions and keywords left out. */
function metricsIn(expression: string): { metric: string; labels: string[] }[] {
  const grouped = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) =>
    list.split(/,\s*/),
  );
  return [...expression.matchAll(/\b([a-z]\w*)\{([^}]*)\}/g)].map(([, metric = '', selector = '']) => ({
    metric,
    labels: [
      ...[...selector.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
      ...grouped,
    ].filter((label) => label !== 'instance'),
  }));
}

describe('the Grafana dashboard', () => {
  let manage: ManageService;
  /** A gateway and a core that talk over HTTP. */
  let separate: RunningService;
  let redis: RunningRedis;
  let text: string;
  let dashboard: Dashboard;
  before(async function () {
    // Redis may have to be installed.
    this.timeout(300_000);
    redis = await runRedis();
    dashboard = JSON.parse(await readFile(join(FOLDER, 'headwater.json'), 'utf8')) as Dashboard;
    manage = await startManage({ unlimited: false });
    const { service, delivery, preview, v2 } = manage;
    await Promise.all([delivery.get('/items'), delivery.get('/items'), preview.get('/items')]);
    await v2.get('/items');
    await fetch(`${service.url}/admin/projects`, { headers: { authorization: 'Bearer wrong' } });
    separate = await startService({
      isOverHttp: true,
      sample: true,
      environment: { HEADWATER_FEED: 'redis', HEADWATER_REDIS_URL: redis.url },
    });
    await fetch(`${separate.url}/delivery/${separate.sample!.projectId}/items`);
    text = (await service.metrics()) + (await separate.metrics());
  });
  after(async () => {
    await separate.stop();
    await manage.stop();
    await redis.end();
  });

  it('uses metrics and labels that a running service has', () => {
    const missing = dashboard.panels.flatMap(({ title, targets }) =>
      targets.flatMap(({ expr }) => {
        const parts = metricsIn(expr);
        expect(parts, `${title}: ${expr}`).to.not.have.lengthOf(0);
        return parts.flatMap(({ metric, labels }) => {
          const declared = metric.replace(/_(bucket|sum|count)$/, '');
          if (!text.includes(`# TYPE ${declared} `) && !text.includes(`# TYPE ${metric} `))
            return [`${title}: ${metric}`];
          const samples = text.split('\n').filter((line) => line.startsWith(`${metric}{`));
          // A metric without samples shows no labels.
          if (samples.length === 0) return [];
          return labels
            .filter((label) => !samples.some((line) => line.includes(`${label}="`)))
            .map((label) => `${title}: ${metric}{${label}}`);
        });
      }),
    );
    expect(missing).to.deep.equal([]);
  });

  it('shows every metric of gateways with their plugins, and of cores', () => {
    const shown = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join(' ');
    const own = [...text.matchAll(/^# TYPE (headwater_\w+) /gm)].map(([, name = '']) => name);
    // Bytes are more useful than entries; a limiter counts calls a second time.
    const left = [
      'headwater_response_cache_entries',
      'headwater_file_cache_entries',
      'headwater_files_cache_entries',
      'headwater_rate_limit_calls_total',
    ];
    expect(own.filter((name) => !shown.includes(name) && !left.includes(name))).to.deep.equal([]);
  });

  it('has figures of calls, cores and the change feed', () => {
    const sampleOf = (series: string) =>
      Number(
        text
          .split('\n')
          .find((line) => line.startsWith(`${series} `))
          ?.split(' ')[1],
      );
    const { name } = /core="(?<name>[^"]+)"/.exec(text)!.groups as { name: string };
    expect(sampleOf('headwater_core_calls_total{call="delivery",outcome="answer"}')).to.equal(1);
    expect(sampleOf('headwater_core_calls_running{call="delivery"}')).to.equal(0);
    expect(sampleOf('headwater_core_call_seconds_total{call="delivery"}')).to.be.above(0);
    expect(sampleOf(`headwater_core_client_up{core="${name}"}`)).to.equal(1);
    expect(sampleOf(`headwater_feed_link_up{core="${name}"}`)).to.equal(1);
    expect(sampleOf(`headwater_feed_link_age_seconds{core="${name}"}`))
      .to.be.above(0)
      .and.below(1);
    expect(sampleOf('headwater_feed_age_seconds')).to.be.above(0).and.below(1);
    expect(sampleOf('headwater_storage_writes_total')).to.be.above(0);
    expect(text).to.match(/^headwater_core_gateway_behind_seconds\{gateway="[^"]+"\} 0$/m);
  });

  it('includes the parts of the health page', async () => {
    const { service } = manage;
    const answer = await fetch(`${service.url}/health`, {
      headers: { authorization: `Bearer ${service.adminToken}` },
    });
    expect(answer.status).to.equal(200);
    const { parts } = (await answer.json()) as { parts: Record<string, { ok: boolean; detail: string }> };
    expect(Object.keys(parts)).to.include.members([
      'gateway',
      'listeners',
      'configuration',
      'response-cache',
    ]);
    for (const [name, { ok, detail }] of Object.entries(parts)) {
      expect(detail, name).to.be.a('string').with.length.above(1);
      expect(text).to.include(`headwater_gateway_part_ok{part="${name}"} ${ok ? 1 : 0}`);
    }
  });
});
