import { type FoundAsset, searchAssets } from '../assets/search-assets.ts';
import { ServiceError } from '../errors.ts';
import { closed, count, id, orNull, text } from '../http/openapi-shapes.ts';
import { afterOf, limitOf, pageAnswer } from './call.ts';
import { pages, query, routesOf } from './route.ts';

const route = routesOf({ read: 'view-content', write: 'edit-content' });

export const assetRoutes = [
  route('GET projects/:project/assets', {
    id: 'searchAssets',
    summary: 'Search assets, the newest first',
    ...pages('assets', 'AdminAsset', [
      query('text', 'Part of the title or the file name.'),
      query('kind', '`image`: only pictures.', { enum: ['image'] }),
    ]),
    handler: async ({ operations, at, query }) => {
      const [after] = afterOf(query, [0]);
      const limit = limitOf(query);
      const kind = query.get('kind') ?? '';
      if (kind !== '' && kind !== 'image') throw new ServiceError('badRequest', "'kind' must be image.");
      const found = await operations.read(at('project'), (view) =>
        searchAssets(view, {
          text: query.get('text') ?? '',
          onlyImages: kind === 'image',
          after,
          limit: limit + 1,
        }),
      );
      return pageAnswer('assets', found, limit, ({ number }) => [number], assetJson);
    },
  }),
];

function assetJson(asset: FoundAsset) {
  return {
    id: asset.id,
    title: asset.title,
    file_name: asset.fileName,
    type: asset.type,
    size: asset.size,
    image_width: asset.width,
    image_height: asset.height,
  };
}

export const assetSchemas = {
  AdminAsset: closed<keyof ReturnType<typeof assetJson>>(
    {
      id: id('Id of the asset.'),
      title: orNull(text('For editors.')),
      file_name: text('Name of the file.'),
      type: text('Media type.'),
      size: count('Bytes.'),
      image_width: orNull(count('Pixels; null when it is no image.')),
      image_height: orNull(count('Pixels; null when it is no image.')),
    },
    'An asset.',
  ),
};
