import { WORKFLOW_STEPS } from '../../content/workflow.ts';
import { arrayOf, closed, id, schema, text } from '../../http/openapi-shapes.ts';
import { type Route, routesOf } from '../route.ts';

const route = routesOf('Languages and workflow', { read: 'view-content', write: 'edit-content' });

/** All projects have the same steps; the answer is an array without pages. */
export const workflowRoutes: readonly Route[] = [
  route('GET workflow', {
    id: 'listWorkflowSteps',
    summary: 'List workflow steps',
    answers: { 200: { schema: arrayOf(schema('ManagedWorkflowStep'), 'All steps.') } },
    handler: (call) =>
      call.read(async () => ({
        status: 200,
        body: WORKFLOW_STEPS.map(({ id, name, transitionsTo }) => ({
          id,
          name,
          transitions_to: transitionsTo,
        })),
      })),
  }),
];

export const workflowSchemas = {
  ManagedWorkflowStep: closed(
    {
      id: id('Id.'),
      name: text('Name.'),
      transitions_to: arrayOf(id('Id of a step.'), 'Where variants can be moved to from here.'),
    },
    'A workflow step.',
  ),
};
