import { useQuery } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { Link } from 'wouter-preact';
import { get } from '../api.ts';
import { polled } from '../events.ts';
import { formatTime, messages } from '../messages/messages.ts';
import { ApiCallButton } from '../parts/api-call-button.tsx';
import { itemPath } from '../parts/item-path.ts';
import { Loaded } from '../parts/loaded.tsx';
import { PageHeading } from '../parts/page-heading.tsx';
import { ServerText } from '../parts/server-text.tsx';

interface Named {
  readonly id: string;
  readonly name: string;
}

interface Part<Entry> {
  readonly count: number;
  readonly is_more: boolean;
  readonly entries: readonly Entry[];
}

interface InVariant {
  readonly item: Named;
  readonly language: Named;
}

interface Attention {
  readonly scheduled: Part<InVariant & { readonly at: string }>;
  readonly incomplete: Part<InVariant & { readonly elements: readonly string[] }>;
  readonly broken_links: Part<
    InVariant & { readonly to: { readonly id: string; readonly name: string | null } }
  > & {
    readonly is_complete: boolean;
  };
  readonly webhooks: Part<Named & { readonly failing_since: string | null }> | null;
  readonly keys: Part<{
    readonly id: string;
    readonly kind: keyof ReturnType<typeof messages>['keys']['kinds'];
    readonly tail: string;
    readonly expires: string;
  }> | null;
  readonly failed_jobs: Part<{
    readonly id: string;
    readonly kind: string;
    readonly error: string | null;
    readonly updated: string;
  }>;
  readonly recent: readonly (InVariant & { readonly at: string })[];
}

/** What needs attention in a project, each with a link to where it is done. */
export function Home({ project }: { readonly project: string }) {
  const { home, jobs, keys: keyTexts } = messages();
  const read = useQuery({
    queryKey: [project, 'attention'],
    queryFn: () => get<Attention>(`admin/projects/${project}/attention`),
    staleTime: 0,
    ...polled(30_000, ['webhook', 'key', 'job']),
  });
  const variant = ({ item, language }: InVariant) => (
    <>
      <Link href={itemPath(project, item, language)}>{item.name}</Link> ({language.name})
    </>
  );
  return (
    <>
      <PageHeading>{home.title}</PageHeading>
      <div class="bar">
        <ApiCallButton project={project} calls={() => [{ api: 'admin', path: '/attention' }]} />
      </div>
      <Loaded query={read}>
        {({ scheduled, incomplete, broken_links, webhooks, keys, failed_jobs, recent }) => (
          <div class="parts">
            {[scheduled, incomplete, broken_links, webhooks, keys, failed_jobs].every(
              (part) => part === null || part.count === 0,
            ) && <p>{home.nothing}</p>}
            <Section title={home.webhooks} part={webhooks}>
              {({ id, name, failing_since }) => (
                <>
                  <Link href={`/projects/${project}/webhooks/${id}`}>{name}</Link>
                  {failing_since !== null && ` ${home.since(formatTime(failing_since))}`}
                </>
              )}
            </Section>
            <Section title={home.failedJobs} part={failed_jobs}>
              {({ kind, error, updated }) => (
                <>
                  {jobs.kinds[kind] ?? kind}, {formatTime(updated)}: <ServerText text={error ?? ''} />
                </>
              )}
            </Section>
            <Section title={home.keys} part={keys}>
              {({ kind, tail, expires }) => (
                <>
                  <Link href={`/projects/${project}/keys`}>
                    {keyTexts.kinds[kind]} …{tail}
                  </Link>{' '}
                  {home.expires(formatTime(expires))}
                </>
              )}
            </Section>
            <Section title={home.scheduled} part={scheduled}>
              {(entry) => (
                <>
                  {variant(entry)} {home.at(formatTime(entry.at))}
                </>
              )}
            </Section>
            <Section title={home.incomplete} part={incomplete}>
              {(entry) => (
                <>
                  {variant(entry)} {home.lacks(entry.elements.join(', '))}
                </>
              )}
            </Section>
            <Section
              title={home.brokenLinks}
              part={broken_links}
              {...(!broken_links.is_complete && { note: home.newestOnly })}
            >
              {(entry) => (
                <>
                  {variant(entry)} {home.linksTo(entry.to.name ?? home.unknownItem)}
                </>
              )}
            </Section>
            <section>
              <h2>{home.recent}</h2>
              {recent.length === 0 ? (
                <p>{home.noRecent}</p>
              ) : (
                <ul>
                  {recent.map((entry) => (
                    <li key={entry.item.id + entry.language.id}>
                      {variant(entry)}, {formatTime(entry.at)}
                    </li>
                  ))}
                </ul>
              )}
            </section>
          </div>
        )}
      </Loaded>
    </>
  );
}

interface SectionProps<Entry> {
  readonly title: string;
  /** Null: the person may not see it. */
  readonly part: Part<Entry> | null;
  readonly note?: string;
  readonly children: (entry: Entry) => ComponentChildren;
}

function Section<Entry>({ title, part, note, children }: SectionProps<Entry>) {
  const { home } = messages();
  if (part === null || part.count === 0) return null;
  const { count, is_more, entries } = part;
  return (
    <section>
      <h2>
        {title} ({home.count(count, is_more)})
      </h2>
      <ul>
        {entries.map((entry, at) => (
          <li key={at}>{children(entry)}</li>
        ))}
      </ul>
      {count > entries.length && <p>{home.more(count - entries.length, is_more)}</p>}
      {note && <p class="hint">{note}</p>}
    </section>
  );
}
