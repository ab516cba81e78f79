/** Which calls refuse a body that is no JSON (415), compared with the OpenAPI document. */

import { expect } from 'chai';
import { coreOpenapi } from '../../core/compose/openapi.ts';
import { SESSION_COOKIE } from '../support/console/console-browser.ts';
import { signInPerson } from '../support/console/console-people.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
  readonly responses: Readonly<Record<string, unknown>>;
}

describe('a body that is no JSON', () => {
  let service: RunningService;
  before(async () => {
    service = await startService({ sample: true, unlimited: true });
  });
  after(() => service?.stop());

  for (const surface of ['console', 'admin'])
    it(`is refused with 415 by the calls of ${surface} that have it in the OpenAPI document, and by no other`, async () => {
      const { paths } = coreOpenapi({ header: 'SVC', mediaType: 'service' }) as {
        readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
      };
      const { browser } = await signInPerson(service, { name: `Ada of ${surface}`, isOperator: true });
      const calls = Object.entries(paths)
        .filter(([path]) => path.startsWith(`/${surface}/`))
        .flatMap(([path, item]) =>
          METHODS.flatMap((method) => (item[method] ? [{ path, method, operation: item[method] }] : [])),
        );
      const refusing: string[] = [];
      const documented: string[] = [];
      for (const { path, method, operation } of calls) {
        // Node's client sends no body with a GET.
        const body = method === 'get' ? {} : { body: 'text' };
        const response = await fetch(
          service.url + path.replace('{project}', service.sample!.projectId).replaceAll(/\{\w+\}/g, 'none'),
          {
            method: method.toUpperCase(),
            headers: {
              'x-headwater-console': '1',
              'sec-fetch-site': 'same-origin',
              'content-type': 'text/plain',
              cookie: `${SESSION_COOKIE}=${browser.cookie}`,
              ...(surface === 'admin' && { authorization: `Bearer ${service.adminToken}` }),
            },
            ...body,
          },
        );
        await response.arrayBuffer();
        if (response.status === 415) refusing.push(operation.operationId);
        if ('415' in operation.responses) documented.push(operation.operationId);
      }
      expect(refusing).to.have.members(documented);
      expect(refusing).to.not.have.length(0);
      expect(documented.length).to.be.below(calls.length);
    });
});
