/** Links of the navigation that not everybody is offered, by role; by hand. */
export const OFFERED_SCREENS: Readonly<Record<string, readonly string[]>> = {
  project_manager: ['Webhooks', 'Keys', 'Usage', 'Export'],
  editor: [],
  contributor: [],
  translator: [],
  developer: ['Webhooks', 'Keys', 'Usage'],
  reader: [],
  operator: [
    ...['Webhooks', 'Keys', 'Usage', 'Export', 'Projects', 'People', 'Roles', 'Installation'],
    ...['Gateways and cores', 'Live requests', 'Jobs', 'Audit log'],
  ],
};
