import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { Issue } from '../api.ts';
import type { Named } from '../list/project-data.ts';
import { messages } from '../messages/messages.ts';
import { historyPath } from '../parts/item-path.ts';
import { ServerText } from '../parts/server-text.tsx';
import { language } from '../preferences.ts';
import { formatInstant, OWN_ZONE } from '../zone.ts';
import type { Change, Dangling, Plan } from './act-data.ts';
import type { FoundElement } from './plan-findings.ts';

/** Names of objects that are shown; the counts are of all. */
const SHOWN = 20;

interface PlanTextProps {
  readonly project: string;
  readonly plan: Plan;
  /** Plans again with the drafts that are linked. */
  readonly onIncludeLinked: () => void;
  /** Shows the element that a finding is about. */
  readonly showOf: (finding: Issue | Dangling) => FoundElement | undefined;
}

/** A plan in words: what changes and when, what readers notice beside it, and who is called. */
export function PlanText({ project, plan, onIncludeLinked, showOf }: PlanTextProps) {
  const { bulk } = messages();
  const { changes, objects, dangling, linked_drafts, broken_links, fallbacks, violations } = plan;
  // Each is looked for in the whole form.
  const found = useMemo(
    () => [violations, dangling].map(({ first }) => first.slice(0, SHOWN).map(showOf)),
    [plan],
  );
  const included = objects.filter(({ is_included }) => is_included);
  return (
    <>
      <p>
        {plan.scheduled_to === null
          ? bulk.atOnce
          : bulk.later(
              formatInstant(plan.scheduled_to, OWN_ZONE, language.value),
              formatInstant(plan.scheduled_to, 'UTC', language.value),
            )}
      </p>
      <ul>
        {(Object.entries(changes) as [Change, number][]).map(([change, count]) => (
          <li key={change}>{bulk.changes[change](count)}</li>
        ))}
      </ul>
      {objects.length > 0 && (
        <details>
          <summary>{bulk.objects}</summary>
          <Listed count={plan.total} lines={objects.map(nameOf)} />
        </details>
      )}
      <Differences project={project} plan={plan} />
      <Finding title={bulk.included} count={included.length} lines={included.map(nameOf)} />
      <Finding
        title={bulk.violations}
        count={violations.count}
        lines={violations.first.map(({ message }) => <ServerText key={message} text={message} />)}
        elements={found[0]}
      />
      <Finding
        title={bulk.dangling}
        count={dangling.count}
        lines={dangling.first.map(
          ({ from, to }) => `${from.item.name} (${from.language.name}) → ${to.name ?? to.id}`,
        )}
        elements={found[1]}
      />
      {linked_drafts.count > 0 && (
        <p>
          <button type="button" onClick={onIncludeLinked}>
            {bulk.includeLinked(linked_drafts.count)}
          </button>
        </p>
      )}
      <Finding
        title={bulk.brokenLinks}
        count={broken_links.count}
        lines={broken_links.first.map(
          ({ from, to }) => `${from.item.name} (${from.language.name}) → ${to.name}`,
        )}
      />
      <Finding
        title={bulk.fallbacks}
        count={fallbacks.count}
        lines={fallbacks.first.map(({ item, language, shows }) =>
          bulk.fallback(item.name, language.name, shows?.name),
        )}
      />
      <Finding title={bulk.shownBy} count={plan.shown_by.count} lines={plan.shown_by.first.map(nameOf)} />
      <Finding
        title={bulk.webhooks}
        count={plan.webhook_count}
        lines={plan.webhooks.map(({ name }) => name)}
      />
    </>
  );
}

export function nameOf({
  item,
  language,
}: {
  readonly item: Named;
  readonly language: Named | null;
}): string {
  return language ? `${item.name} (${language.name})` : item.name;
}

/** What drafts change of public versions, element by element. */
function Differences({ project, plan }: { readonly project: string; readonly plan: Plan }) {
  const { bulk } = messages();
  const replaced = plan.objects.filter(({ elements }) => elements !== null);
  if (replaced.length === 0) return null;
  return (
    <>
      <p>
        <strong>{bulk.differences}</strong>
      </p>
      <ul>
        {replaced.slice(0, SHOWN).map(({ item, language, elements }) => (
          <li key={`${item.id} ${language?.id}`}>
            {nameOf({ item, language })}:{' '}
            {elements?.length ? elements.map(({ name }) => name).join(', ') : bulk.noDifference}{' '}
            <Link href={historyPath(project, item, language)}>{bulk.compare(item.name)}</Link>
          </li>
        ))}
        {replaced.length > SHOWN && <li>{bulk.more(replaced.length - SHOWN)}</li>}
      </ul>
    </>
  );
}

interface LinesProps {
  readonly count: number;
  readonly lines: readonly ComponentChildren[];
  /** What the lines are about, where a form has it. */
  readonly elements?: readonly (FoundElement | undefined)[];
}

/** A list with its title; nothing where it is empty. */
export function Finding({ title, ...lines }: LinesProps & { readonly title: string }) {
  if (lines.count === 0) return null;
  return (
    <>
      <p>
        <strong>{title}</strong>
      </p>
      <Listed {...lines} />
    </>
  );
}

function Listed({ count, lines, elements }: LinesProps) {
  const shown = lines.slice(0, SHOWN);
  return (
    <ul>
      {shown.map((line, at) => (
        <li key={at}>
          {line} <ShowButton element={elements?.[at]} />
        </li>
      ))}
      {count > shown.length && <li>{messages().bulk.more(count - shown.length)}</li>}
    </ul>
  );
}

function ShowButton({ element }: { readonly element: FoundElement | undefined }) {
  return (
    element && (
      <button type="button" onClick={() => element.show()}>
        {messages().bulk.showElement(element.name)}
      </button>
    )
  );
}
