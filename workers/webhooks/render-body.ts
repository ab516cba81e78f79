import type { NotificationMessage } from './notification.ts';

/**
 * The body of spec 6.2 as compact JSON, keys in a fixed order. It has no line breaks, because a library that
 * receivers use turns every line feed into CR LF before it checks the signature.
 */
export function renderBody(message: NotificationMessage): string {
  return JSON.stringify({
    message: {
      id: message.id,
      project_id: message.projectId,
      type: message.type,
      operation: message.operation,
      api_name: message.apiName,
      created_timestamp: message.created,
      webhook_url: message.url,
    },
    data: {
      items: message.items.map((item) =>
        'item' in item
          ? {
              item: { id: item.item },
              language: { id: item.language },
              transition_from: { id: item.from },
              transition_to: { id: item.to },
            }
          : { id: item.id, codename: item.codename, language: item.language, type: item.type },
      ),
      taxonomies: message.taxonomies.map(({ id, codename }) => ({ id, codename })),
    },
  });
}
