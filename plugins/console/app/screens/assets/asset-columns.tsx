import { BASE } from '../../api.ts';
import type { Column } from '../../list/grid.tsx';
import type { Named } from '../../list/project-data.ts';
import { assetsTexts } from '../../messages/assets.ts';
import { formatSize, formatTime } from '../../messages/messages.ts';
import { assetPath, type Leveled, type ListedAsset, nameOf, thumbnailOf } from './asset-data.ts';
import { DescriptionField } from './saved-field.tsx';
import '../../style/assets.css';

/** Pixels of the image in a row. */
const IMAGE = 32;

interface ColumnsOptions {
  readonly project: string;
  readonly folders: readonly Leveled[];
  /** Their descriptions are edited in the rows; none while they are not. */
  readonly described: readonly Named[];
}

/** The columns of the list of assets; the first one names the row. */
export function assetColumns({ project, folders, described }: ColumnsOptions): Column<ListedAsset>[] {
  const own = assetsTexts();
  const name: Column<ListedAsset> = {
    id: 'name',
    title: own.name,
    width: 'minmax(12rem, 3fr)',
    isOrdered: true,
    cell: (asset) => (
      <>
        <Thumbnail asset={asset} pixels={IMAGE} />{' '}
        <a href={BASE + assetPath(project, asset.id)} tabIndex={-1}>
          {nameOf(asset)}
        </a>
      </>
    ),
  };
  if (described.length > 0)
    return [
      name,
      ...described.map((language) => ({
        id: `description.${language.codename}`,
        title: own.description(language.name),
        width: 'minmax(12rem, 3fr)',
        cell: (asset: ListedAsset) => (
          <DescriptionField key={asset.id} project={project} asset={asset} language={language} isBare />
        ),
      })),
    ];
  return [
    name,
    {
      id: 'type',
      title: own.kind,
      width: 'minmax(6rem, 1fr)',
      cell: ({ type }) => type,
    },
    {
      id: 'pixels',
      title: own.pixels,
      width: 'minmax(6rem, 1fr)',
      cell: ({ image_width, image_height }) => image_width !== null && `${image_width} × ${image_height}`,
    },
    {
      id: 'size',
      title: own.size,
      width: 'minmax(5rem, 1fr)',
      isOrdered: true,
      cell: ({ size }) => formatSize(size),
    },
    {
      id: 'folder',
      title: own.folder,
      width: 'minmax(6rem, 1fr)',
      cell: ({ folder }) => folders.find(({ id }) => id === folder)?.name,
    },
    {
      id: 'used',
      title: own.used,
      width: 'minmax(5rem, 1fr)',
      cell: ({ is_used }) => (is_used ? own.usedYes : own.usedNo),
    },
    {
      id: 'changed',
      title: own.changed,
      width: 'minmax(11rem, 1fr)',
      isOrdered: true,
      cell: ({ last_modified }) => formatTime(last_modified),
    },
  ];
}

interface ThumbnailProps {
  readonly asset: ListedAsset;
  readonly pixels: number;
}

/** The name is beside it, so it has none of its own. */
export function Thumbnail({ asset, pixels }: ThumbnailProps) {
  const source = thumbnailOf(asset, pixels);
  return source === undefined ? (
    <span class="thumbnail" aria-hidden="true">
      {/\.(\w{1,5})$/.exec(asset.file_name)?.[1]?.toLowerCase()}
    </span>
  ) : (
    <img class="thumbnail" src={source} alt="" width={pixels} height={pixels} loading="lazy" />
  );
}
