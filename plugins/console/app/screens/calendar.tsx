import { useSignal } from '@preact/signals';
import { useQuery } from '@tanstack/preact-query';
import { Link } from 'wouter-preact';
import type { ActBody, ActName, Allowed } from '../acts/act-data.ts';
import { ActDialog } from '../acts/act-dialog.tsx';
import { get, query } from '../api.ts';
import type { Named } from '../list/project-data.ts';
import { messages } from '../messages/messages.ts';
import { useAddressState } from '../parts/address-state.ts';
import { ApiCallButton } from '../parts/api-call-button.tsx';
import { DataTable, ScrollBox } from '../parts/data-table.tsx';
import { Choice } from '../parts/field.tsx';
import { itemPath } from '../parts/item-path.ts';
import { Loaded } from '../parts/loaded.tsx';
import { PageHeading } from '../parts/page-heading.tsx';
import { language } from '../preferences.ts';
import { clockAt, formatInstant, instantsOf, OWN_ZONE, zones } from '../zone.ts';

interface DueVariant {
  readonly scheduled_to: string;
  readonly item: Named;
  readonly language: Named;
  readonly allowed: readonly Allowed[];
}

interface Page {
  readonly schedules: readonly DueVariant[];
  readonly pagination: { readonly next: string | null };
}

/** Entries of a month that are shown. */
const MOST = 1000;

/** What is scheduled: a month, and the same as an agenda. The address has month and zone. */
export function Calendar({ project }: { readonly project: string }) {
  const { calendar } = messages();
  const state = useAddressState<'zone' | 'month'>();
  const zone = zones().includes(state.get('zone')) ? state.get('zone') : OWN_ZONE;
  const today = clockAt(new Date(), zone).slice(0, 10);
  const month = /^\d{4}-(0[1-9]|1[0-2])$/.test(state.get('month')) ? state.get('month') : today.slice(0, 7);
  const acting = useSignal<{ readonly act: ActName; readonly due: DueVariant } | undefined>(undefined);
  const schedules = (after?: string) =>
    `/schedules${query({ from: firstInstant(month, zone), to: firstInstant(monthAfter(month, 1), zone), after })}`;
  const due = useQuery({
    queryKey: [project, 'schedules', month, zone],
    queryFn: async ({ signal }) => {
      const found: DueVariant[] = [];
      for (let after = ''; found.length < MOST; ) {
        const page = await get<Page>(`admin/projects/${project}${schedules(after)}`, signal);
        found.push(...page.schedules);
        if (page.pagination.next === null) break;
        after = page.pagination.next;
      }
      return found;
    },
    meta: { follows: ['content_item', 'content_item_variant'] },
  });
  return (
    <>
      <PageHeading>{calendar.title}</PageHeading>
      {/* A screen reader does not announce that the caption of the table has changed. */}
      <p class="unseen" role="status">
        {nameOf(MONTH, month)}
      </p>
      <div class="bar">
        <button type="button" onClick={() => state.set({ month: monthAfter(month, -1) })}>
          {calendar.previous}
        </button>
        <button type="button" onClick={() => state.set({ month: today.slice(0, 7) })}>
          {calendar.today}
        </button>
        <button type="button" onClick={() => state.set({ month: monthAfter(month, 1) })}>
          {calendar.next}
        </button>
        <Choice
          label={calendar.zone}
          value={zone}
          options={zones().map((name) => ({ value: name, text: name.replaceAll('_', ' ') }))}
          onChange={(name) => state.set({ zone: name })}
        />
        <ApiCallButton project={project} calls={() => [{ api: 'admin', path: schedules() }]} />
      </div>
      <Loaded query={due}>
        {(all) => (
          <>
            <MonthTable {...{ project, month, zone, today }} due={all} />
            <h2>{calendar.agenda}</h2>
            <DataTable
              columns={[calendar.item, calendar.language, calendar.when, calendar.acts]}
              rows={all.map((one) => ({
                key: one.item.id + one.language.id,
                cells: [
                  <Link key="name" href={itemPath(project, one.item, one.language)}>
                    {one.item.name}
                  </Link>,
                  one.language.name,
                  formatInstant(one.scheduled_to, zone, language.value),
                  <div class="acts" key="acts">
                    {one.allowed.includes('schedule') && (
                      <button
                        type="button"
                        aria-label={calendar.rescheduleOf(one.item.name)}
                        onClick={() => (acting.value = { act: 'schedule', due: one })}
                      >
                        {calendar.reschedule}
                      </button>
                    )}
                    {one.allowed.includes('cancel_schedule') && (
                      <button
                        type="button"
                        aria-label={calendar.cancelOf(one.item.name)}
                        onClick={() => (acting.value = { act: 'cancel_schedule', due: one })}
                      >
                        {calendar.cancel}
                      </button>
                    )}
                  </div>,
                ],
              }))}
              empty={calendar.none}
            />
          </>
        )}
      </Loaded>
      {acting.value && (
        <ActDialog
          project={project}
          act={acting.value.act}
          language={acting.value.due.language.name}
          initial={acting.value.due.scheduled_to}
          select={() => bodyOf(acting.value?.due)}
          onClose={(isChanged) => {
            acting.value = undefined;
            if (isChanged) void due.refetch();
          }}
        />
      )}
    </>
  );
}

function bodyOf(due: DueVariant | undefined): ActBody | undefined {
  return due && { objects: [{ item: { id: due.item.id }, language: { id: due.language.id } }] };
}

interface MonthTableProps {
  readonly project: string;
  readonly month: string;
  readonly zone: string;
  readonly today: string;
  readonly due: readonly DueVariant[];
}

/** Names in a day. */
const SHOWN = 3;

function MonthTable({ project, month, zone, today, due }: MonthTableProps) {
  const { calendar } = messages();
  const byDay = new Map<string, DueVariant[]>();
  for (const one of due) {
    const day = clockAt(new Date(one.scheduled_to), zone).slice(0, 10);
    byDay.set(day, [...(byDay.get(day) ?? []), one]);
  }
  const weeks = weeksOf(month);
  return (
    <ScrollBox label={nameOf(MONTH, month)}>
      <table class="month">
        <caption>{nameOf(MONTH, month)}</caption>
        <thead>
          <tr>
            {(weeks[1] ?? []).map((day) => (
              <th key={day} scope="col">
                {nameOf({ weekday: 'short' }, day)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week) => (
            <tr key={week[0]}>
              {week.map((day) => {
                const some = day.startsWith(month) ? (byDay.get(day) ?? []) : [];
                return (
                  <td key={day} aria-current={day === today ? 'date' : undefined}>
                    {day.startsWith(month) && <time dateTime={day}>{Number(day.slice(8))}</time>}
                    {some.length > 0 && (
                      <ul>
                        {some.slice(0, SHOWN).map(({ item, language: of, scheduled_to }) => (
                          <li key={item.id + of.id}>
                            {clockAt(new Date(scheduled_to), zone).slice(11)}{' '}
                            <Link href={itemPath(project, item, of)}>{item.name}</Link>
                          </li>
                        ))}
                        {some.length > SHOWN && <li>{calendar.more(some.length - SHOWN)}</li>}
                      </ul>
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

const MONTH = { month: 'long', year: 'numeric' } as const;

/** In the language of the page. @param date `YYYY-MM` or `YYYY-MM-DD` */
function nameOf(format: Intl.DateTimeFormatOptions, date: string): string {
  return new Intl.DateTimeFormat(language.value, { ...format, timeZone: 'UTC' }).format(new Date(date));
}

const DAY = 24 * 3_600_000;

/** Days of the weeks of a month, Monday first. */
function weeksOf(month: string): string[][] {
  const first = Date.parse(`${month}-01T00:00:00Z`);
  const monday = first - ((new Date(first).getUTCDay() + 6) % 7) * DAY;
  const end = Date.parse(`${monthAfter(month, 1)}-01T00:00:00Z`);
  const weeks: string[][] = [];
  for (let at = monday; at < end; at += 7 * DAY)
    weeks.push(Array.from({ length: 7 }, (_, day) => new Date(at + day * DAY).toISOString().slice(0, 10)));
  return weeks;
}

function monthAfter(month: string, months: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + months, 1)).toISOString().slice(0, 7);
}

/** Midnight may be skipped where clocks are put forward then. */
function firstInstant(month: string, zone: string): string {
  const [first] = instantsOf(`${month}-01T00:00`, zone);
  return (
    first ??
    instantsOf(`${month}-01T01:00`, zone)[0] ??
    new Date(`${month}-01T00:00:00Z`)
  ).toISOString();
}
