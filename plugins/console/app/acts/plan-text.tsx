import { messages } from '../messages/messages.ts';
import type { Change, Plan } from './act-data.ts';

/** Names of objects that are shown; the counts are of all. */
const SHOWN = 20;

/** A plan in words: what changes, and what readers notice beside it. */
export function PlanText({ plan }: { readonly plan: Plan }) {
  const { bulk } = messages();
  const { changes, objects, dangling, broken_links, fallbacks, violations } = plan;
  return (
    <>
      <ul>
        {(Object.entries(changes) as [Change, number][]).map(([change, count]) => (
          <li key={change}>{bulk.changes[change](count)}</li>
        ))}
      </ul>
      {objects.length > 0 && (
        <details>
          <summary>{bulk.objects}</summary>
          <Listed
            count={plan.total}
            lines={objects.map(({ item, language }) =>
              language ? `${item.name} (${language.name})` : item.name,
            )}
          />
        </details>
      )}
      <Finding
        title={bulk.violations}
        count={violations.count}
        lines={violations.first.map(({ message }) => message)}
      />
      <Finding
        title={bulk.dangling}
        count={dangling.count}
        lines={dangling.first.map(
          ({ from, to }) => `${from.item.name} (${from.language.name}) → ${to.codename ?? to.id}`,
        )}
      />
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
    </>
  );
}

interface LinesProps {
  readonly count: number;
  readonly lines: readonly string[];
}

function Finding({ title, ...lines }: LinesProps & { readonly title: string }) {
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

function Listed({ count, lines }: LinesProps) {
  const shown = lines.slice(0, SHOWN);
  return (
    <ul>
      {shown.map((line, at) => (
        <li key={at}>{line}</li>
      ))}
      {count > shown.length && <li>{messages().bulk.more(count - shown.length)}</li>}
    </ul>
  );
}
