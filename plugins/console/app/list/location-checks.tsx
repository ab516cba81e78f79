import { messages } from '../messages/messages.ts';
import { useLocations } from './project-data.ts';

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
      {locations.data?.length === 0 && <p>{bulk.noLocations}</p>}
      {(locations.data ?? []).map(({ id, name, level }) => (
        <label key={id} class="check" style={{ paddingInlineStart: `${level * 1.5}rem` }}>
          <input type="checkbox" name="location" value={id} defaultChecked={checked.includes(id)} /> {name}
        </label>
      ))}
    </fieldset>
  );
}

/** Those that a form has chosen. */
export function locationsIn(form: HTMLFormElement): { readonly id: string }[] {
  return new FormData(form).getAll('location').map((id) => ({ id: String(id) }));
}
