import { WORKFLOW_STEPS } from '../../content/workflow.ts';
import { type Route, route } from '../route.ts';

/** The steps are the same in every project; a bare array, never paged. */
export const workflowRoutes: readonly Route[] = [
  route('GET', 'workflow', (call) =>
    call.read(async () => ({
      status: 200,
      body: WORKFLOW_STEPS.map(({ id, name, transitionsTo }) => ({
        id,
        name,
        transitions_to: transitionsTo,
      })),
    })),
  ),
];
