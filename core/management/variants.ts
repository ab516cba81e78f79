import { variantsOfItem } from '../content/listings.ts';
import { deleteVariant, findVariant, upsertVariant } from '../content/variants.ts';
import { ServiceError } from '../errors.ts';
import { type Call, referenceAt } from './call.ts';
import type { Dialect } from './dialect.ts';
import { type Answer, type Route, route } from './route.ts';

/** Language variants (spec 2.7, 4.3). */
export function variantRoutes(dialect: Dialect): Route[] {
  /** A bare array, never paged (facts 3.3). */
  async function list(call: Call): Promise<Answer> {
    const body = await call.read(async (view) => {
      const variants = await variantsOfItem(view, referenceAt(call, 'item'));
      return variants.map((variant) => dialect.variantToJson(view.model, variant, call.mediaType));
    });
    return { status: 200, body };
  }

  async function get(call: Call): Promise<Answer> {
    const body = await call.read(async (view) => {
      const variant = await findVariant(view, referenceAt(call, 'item'), referenceAt(call, 'language'));
      return dialect.variantToJson(view.model, variant, call.mediaType);
    });
    return { status: 200, body };
  }

  async function put(call: Call): Promise<Answer> {
    const { elements, pathOf } = dialect.elementsOf((await call.body()).object());
    try {
      return await call.write(async (transaction) => {
        const variant = await upsertVariant(
          transaction,
          referenceAt(call, 'item'),
          referenceAt(call, 'language'),
          { elements },
        );
        const body = dialect.variantToJson(transaction.model, variant, call.mediaType);
        if (!variant.created) return { status: 200, body };
        const location = `${call.base}/items/${variant.item.id}/variants/${variant.language.id}`;
        return { status: 201, body, location };
      });
    } catch (error) {
      throw error instanceof ServiceError ? inBody(error, pathOf) : error;
    }
  }

  async function remove(call: Call): Promise<Answer> {
    await call.write((transaction) =>
      deleteVariant(transaction, referenceAt(call, 'item'), referenceAt(call, 'language')),
    );
    return { status: 204 };
  }

  return [
    route('GET', 'items/<item>/variants', list),
    route('GET', 'items/<item>/variants/<language>', get),
    route('PUT', 'items/<item>/variants/<language>', put),
    route('DELETE', 'items/<item>/variants/<language>', remove),
  ];
}

function inBody(error: ServiceError, pathOf: (path: string) => string): ServiceError {
  const { validationErrors } = error;
  if (!validationErrors) return error;
  return new ServiceError(error.errorName, error.message, {
    headers: error.headers,
    cause: error.cause,
    validationErrors: validationErrors.map((finding) =>
      finding.path === undefined ? finding : { ...finding, path: pathOf(finding.path) },
    ),
  });
}
