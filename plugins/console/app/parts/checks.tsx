interface ChecksProps {
  readonly legend: string;
  /** Name of the inputs. */
  readonly name: string;
  readonly options: readonly { readonly value: string; readonly text: string }[];
  /** Values that are checked at first. */
  readonly checked: readonly string[];
  readonly onChange?: () => void;
}

/** Any number out of several; a form reads them with `FormData.getAll`. */
export function Checks({ legend, name, options, checked, onChange }: ChecksProps) {
  return (
    <fieldset onChange={onChange}>
      <legend>{legend}</legend>
      {options.map(({ value, text }) => (
        <label key={value} class="check">
          <input type="checkbox" name={name} value={value} defaultChecked={checked.includes(value)} /> {text}
        </label>
      ))}
    </fieldset>
  );
}
