import { admin } from '../admin/admin.ts';
import { deliver } from '../delivery/delivery.ts';
import { NO_LIMITS, withinLimits } from '../delivery/delivery-limits.ts';
import { serveFile } from '../files/serve-file.ts';
import { committing } from '../http/committed-sequence.ts';
import type { CoreAnswer, CoreRequest } from '../http/request.ts';
import type { Services } from '../http/services.ts';
import { manage } from '../management/management.ts';
import { diskFullOr } from '../storage/full-disk.ts';
import type { Core } from './core.ts';
import { managementReads } from './create-operations.ts';
import type { ReadSide } from './open-read-side.ts';
import type { Resources } from './open-resources.ts';
import type { Background } from './start-background.ts';

/** @returns the function that answers a request by its surface */
export function openSurfaces(
  resources: Resources,
  readSide: ReadSide,
  { services, assets }: Background,
): Core['handle'] {
  const { options, compiled } = resources;
  const { delivery } = readSide;
  const limits = options.delivery ?? NO_LIMITS;
  const management = { ...compiled, ...options.management };

  const answer = (request: CoreRequest): Promise<CoreAnswer> => {
    switch (request.surface) {
      case 'delivery':
        return withinLimits(limits, request, (limited) => deliver(delivery, 'published', limited));
      case 'preview':
        return withinLimits(limits, request, (limited) => deliver(delivery, 'latest', limited));
      case 'assets':
        return serveFile(assets.context, request);
      case 'admin':
        return written(request, (own) => admin(own, request, options.management?.jsonBytes));
      case 'manage':
        return written(request, (own) => manage(own, management, request));
    }
  };

  /** Answers to writes have the sequence of their commit, or the newest one if they changed nothing. */
  const written = async (
    request: CoreRequest,
    answer: (own: Services) => Promise<CoreAnswer>,
  ): Promise<CoreAnswer> => {
    if (request.method === 'GET' || request.method === 'HEAD')
      return answer({ ...services, ...managementReads(resources, readSide, request) });
    const own = committing(services, request.timing);
    const answered = await answer(own.operations);
    return { ...answered, sequence: own.committed() ?? delivery.versions.sequence };
  };

  return async (request) => {
    try {
      return await answer(request);
    } catch (error) {
      throw diskFullOr(error);
    }
  };
}
