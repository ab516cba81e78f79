import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { messages } from '../messages/messages.ts';
import { language } from '../preferences.ts';
import { clockAt, formatInstant, instantsOf, OWN_ZONE, zones } from '../zone.ts';
import { Choice, Field } from './field.tsx';

interface ScheduleTimeProps {
  /** The time to begin with. */
  readonly initial: string | undefined;
  /** Undefined: what is chosen is no time yet. */
  readonly onChange: (instant: string | undefined) => void;
}

/** A date and time in a time zone; shows the instant, and asks where clocks show the time twice. */
export function ScheduleTime({ initial, onChange }: ScheduleTimeProps) {
  const { schedule } = messages();
  const zone = useSignal(OWN_ZONE);
  const clock = useSignal(initial === undefined ? '' : clockAt(new Date(initial), OWN_ZONE));
  const isSecond = useSignal(
    initial !== undefined && instantsOf(clock.value, OWN_ZONE)[1]?.getTime() === new Date(initial).getTime(),
  );
  /** A browser may show the time of now for parts that are not typed. */
  const isPart = useSignal(false);
  const look = ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => {
    isPart.value = currentTarget.validity.badInput;
  };
  const id = useId();
  const instants = instantsOf(clock.value, zone.value);
  const chosen = instants[isSecond.value && instants.length > 1 ? 1 : 0];
  const change = (next: () => void) => {
    next();
    const found = instantsOf(clock.value, zone.value);
    onChange(found[isSecond.value && found.length > 1 ? 1 : 0]?.toISOString());
  };
  return (
    <fieldset>
      <legend>{schedule.time}</legend>
      <div class="filters">
        <Field
          label={schedule.clock}
          type="datetime-local"
          required
          value={clock.value}
          // Where there was no value before, a browser reports no input of a part.
          onBlur={look}
          onInput={(event) => {
            look(event);
            const value = event.currentTarget.value;
            change(() => {
              clock.value = value;
            });
          }}
        />
        <Choice
          label={schedule.zone}
          value={zone.value}
          options={zones().map((name) => ({ value: name, text: name.replaceAll('_', ' ') }))}
          onChange={(name) =>
            change(() => {
              zone.value = name;
            })
          }
        />
      </div>
      {instants.length > 1 && (
        <div role="radiogroup" aria-label={schedule.twice}>
          <p>{schedule.twice}</p>
          {instants.map((instant, at) => (
            <label key={instant.getTime()} class="check">
              <input
                type="radio"
                name={id}
                checked={isSecond.value === (at === 1)}
                onChange={() =>
                  change(() => {
                    isSecond.value = at === 1;
                  })
                }
              />{' '}
              {formatInstant(instant, zone.value, language.value)}
            </label>
          ))}
        </div>
      )}
      <p role="status">
        {clock.value === ''
          ? isPart.value && schedule.part
          : chosen
            ? schedule.instant(
                formatInstant(chosen, zone.value, language.value),
                formatInstant(chosen, 'UTC', language.value),
              )
            : schedule.never(zone.value)}
      </p>
    </fieldset>
  );
}
