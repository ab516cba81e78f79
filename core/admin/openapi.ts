/** OpenAPI description of the admin API. Paths start with `/admin` and carry `x-surface`. */
import { describeErrors } from '../http/describe-errors.ts';
import { describeRoutes } from '../http/describe-routes.ts';
import { actSchemas } from './act-schemas.ts';
import { adminSchemas } from './admin-schemas.ts';
import { assetSchemas } from './assets.ts';
import { attentionSchemas } from './attention.ts';
import { contentSchemas } from './content.ts';
import { contentListSchemas } from './content-list.ts';
import { gatewaySchemas } from './gateways.ts';
import { historySchemas } from './history.ts';
import { itemImpactSchemas } from './item-impact.ts';
import { jobSchemas } from './jobs.ts';
import { keySchemas } from './keys.ts';
import { modelSchemas } from './model.ts';
import { modelImpactSchemas } from './model-impact.ts';
import { previewUrlSchemas } from './preview-urls.ts';
import { processSchemas } from './processes.ts';
import { projectSchemas } from './projects.ts';
import { publishSchemas } from './publish.ts';
import { roleSchemas } from './roles.ts';
import { routes } from './routes.ts';
import { savedViewSchemas } from './saved-views.ts';
import { transferSchemas } from './transfer.ts';
import { usageSchemas } from './usage.ts';
import { userSchemas } from './users.ts';
import { versionSchemas } from './versions.ts';
import { webhookSchemas } from './webhook-json.ts';

const errors = describeErrors('Admin', 'AdminError', {
  401: ['Unauthorized', 'The admin token is missing or wrong.'],
  403: ['Forbidden', 'Plain HTTP was used where HTTPS is required.'],
  429: [
    'TooManyFailures',
    'Too many wrong keys or tokens came from this address: the admin token, right or wrong, is not accepted from it before the time in `Retry-After`.',
  ],
});

/** Tags, paths and components, which `coreOpenapi` merges with those of the other surfaces. */
export function adminOpenapi() {
  return {
    tags: [
      { name: 'Admin', description: 'Projects, keys, users, archiving and publishing; for the admin token.' },
    ],
    paths: describeRoutes(
      {
        surface: 'admin',
        tag: 'Admin',
        base: '/admin',
        parameters: [],
        describeParameter: (name) =>
          name === 'slot' ? 'Slot of the key: `delivery-primary` …' : `Id of the ${name}.`,
        idPrefix: 'admin',
        security: [{ adminToken: [] }],
        errors: errors.references,
        marksConflicts: true,
      },
      routes,
    ),
    components: {
      schemas: {
        ...adminSchemas,
        ...projectSchemas,
        ...keySchemas,
        ...usageSchemas,
        ...userSchemas,
        ...roleSchemas,
        ...modelSchemas,
        ...modelImpactSchemas,
        ...attentionSchemas,
        ...contentSchemas,
        ...itemImpactSchemas,
        ...contentListSchemas,
        ...versionSchemas,
        ...assetSchemas,
        ...publishSchemas,
        ...actSchemas,
        ...savedViewSchemas,
        ...previewUrlSchemas,
        ...webhookSchemas,
        ...historySchemas,
        ...jobSchemas,
        ...transferSchemas,
        ...processSchemas,
        ...gatewaySchemas,
      },
      responses: errors.responses,
      securitySchemes: {
        adminToken: { type: 'http', scheme: 'bearer', description: 'Admin token of the installation.' },
      },
    },
  };
}
