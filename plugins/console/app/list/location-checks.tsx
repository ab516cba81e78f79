import { messages } from '../messages/messages.ts';
import { Loaded } from '../parts/loaded.tsx';
import { useLocations } from './project-data.ts';

interface Location {
  readonly id: string;
}

interface LocationChecksProps {
  readonly project: string;
  readonly legend: string;
  /** Ids of those that are checked at first. */
  readonly checked?: readonly string[];
}

/** The nodes of the sitemap; a form reads the ids of the chosen ones as `location`. */
export function LocationChecks({ project, legend, checked = [] }: LocationChecksProps) {
  const { bulk } = messages();
  const locations = useLocations(project, true);
  return (
    <fieldset>
      <legend>{legend}</legend>
      {/* Those that the tree lacks, as it is not there yet or is older, stay chosen. */}
      {checked
        .filter((id) => !locations.data?.some((one) => one.id === id))
        .map((id) => (
          <input key={id} type="hidden" name="location" value={id} />
        ))}
      <Loaded query={locations}>
        {(nodes) => (
          <>
            {nodes.length === 0 && <p>{bulk.noLocations}</p>}
            {nodes.map(({ id, name, level }) => (
              <label key={id} class="check" style={{ marginInlineStart: `${level * 1.5}rem` }}>
                <input type="checkbox" name="location" value={id} defaultChecked={checked.includes(id)} />{' '}
                {name}
              </label>
            ))}
          </>
        )}
      </Loaded>
    </fieldset>
  );
}

/** Those that a form has chosen. @param before keep their order, and are followed by new ones */
export function locationsIn(form: HTMLFormElement, before: readonly Location[] = []): Location[] {
  const chosen = new FormData(form).getAll('location').map(String);
  const kept = before.map(({ id }) => id).filter((id) => chosen.includes(id));
  return [...new Set([...kept, ...chosen])].map((id) => ({ id }));
}
