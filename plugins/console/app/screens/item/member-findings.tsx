import { itemTexts } from '../../messages/item.ts';
import { formatNumber } from '../../messages/messages.ts';
import type { Asset } from './assets.tsx';
import { isWithin } from './findings.ts';
import type { CountLimit, Named, ValueDefinition } from './managed.ts';

/** Images that can be transformed, as `core/model/find-violations.ts` has them. */
const ADJUSTABLE = new Set(['image/jpeg', 'image/jpg', 'image/png', 'image/gif', 'image/webp']);

interface FileLimits {
  readonly size: number | null;
  readonly isAdjustable: boolean;
  readonly width: CountLimit | null;
  readonly height: CountLimit | null;
}

/** Limits of an element on its files, or on the images in its text. */
export function fileLimitsOf(definition: ValueDefinition): FileLimits | undefined {
  if (definition.type !== 'asset' && definition.type !== 'rich_text') return undefined;
  const isAsset = definition.type === 'asset';
  return {
    size: isAsset ? definition.maximum_file_size : definition.maximum_image_size,
    isAdjustable: (isAsset ? definition.allowed_file_types : definition.allowed_image_types) === 'adjustable',
    width: definition.image_width_limit,
    height: definition.image_height_limit,
  };
}

interface FileFindingsProps {
  readonly definition: ValueDefinition;
  readonly asset: Pick<Asset, 'size' | 'type' | 'image_width' | 'image_height'> | undefined;
}

/** What publishing would refuse of a file in an element. */
export function FileFindings({ definition, asset }: FileFindingsProps) {
  const limits = fileLimitsOf(definition);
  if (!limits || !asset) return null;
  const { wrongSize, wrongFileType, wrongPixels, pixels, width, height } = itemTexts();
  const found: string[] = [];
  if (limits.size !== null && asset.size > limits.size)
    found.push(wrongSize(formatNumber(asset.size), formatNumber(limits.size)));
  const [mediaType = ''] = asset.type.split(';');
  if (limits.isAdjustable && !ADJUSTABLE.has(mediaType.trim().toLowerCase())) found.push(wrongFileType);
  for (const [side, limit, given] of [
    [width, limits.width, asset.image_width],
    [height, limits.height, asset.image_height],
  ] as const)
    if (limit && given !== null && !isWithin(limit, given))
      found.push(wrongPixels(given, pixels[limit.condition](side, limit.value)));
  return <MemberFindings found={found} />;
}

interface TypeFindingProps {
  readonly definition: ValueDefinition;
  /** Of the item or component. */
  readonly type: Pick<Named, 'id' | 'name'> | undefined;
}

/** What publishing would refuse of an item or a component in an element. */
export function TypeFinding({ definition, type }: TypeFindingProps) {
  if (!type || (definition.type !== 'modular_content' && definition.type !== 'rich_text')) return null;
  const allowed = definition.allowed_content_types;
  const isAllowed = allowed.length === 0 || allowed.some(({ id }) => id === type.id);
  return <MemberFindings found={isAllowed ? [] : [itemTexts().wrongType(type.name)]} />;
}

function MemberFindings({ found }: { readonly found: readonly string[] }) {
  return (
    found.length > 0 && (
      <span class="findings">
        {found.map((text) => (
          <small key={text}>{text} </small>
        ))}
      </span>
    )
  );
}
