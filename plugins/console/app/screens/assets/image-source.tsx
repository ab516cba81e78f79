import { useRef } from 'preact/hooks';
import { assetsTexts } from '../../messages/assets.ts';
import type { ListedAsset } from './asset-data.ts';
import type { ImageSettings } from './image-url.ts';

interface ImageSourceProps {
  readonly asset: ListedAsset;
  /** Size of the upright original in pixels. */
  readonly width: number;
  readonly height: number;
  readonly settings: ImageSettings;
  readonly onChange: (settings: Partial<ImageSettings>) => void;
}

/** The original, in which a pointer chooses the point or the part; fields do the same for the keyboard. */
export function ImageSource({ asset, width, height, settings, onChange }: ImageSourceProps) {
  const { part } = settings;
  const from = useRef<readonly [x: number, y: number]>();
  const at = (event: PointerEvent): readonly [number, number] => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    const share = (value: number) => Math.min(1, Math.max(0, value));
    return [share((event.clientX - box.x) / box.width), share((event.clientY - box.y) / box.height)];
  };
  const choose = (event: PointerEvent) => {
    const [x, y] = at(event);
    if (part === 'focal')
      onChange({ focalX: String(Math.round(100 * x)), focalY: String(Math.round(100 * y)) });
    else if (part === 'rect' && from.current) {
      const [left, top] = [Math.min(x, from.current[0]), Math.min(y, from.current[1])];
      const pixels = (share: number, side: number) => String(Math.round(share * side));
      onChange({
        x: pixels(left, width),
        y: pixels(top, height),
        rectWidth: pixels(Math.abs(x - from.current[0]), width),
        rectHeight: pixels(Math.abs(y - from.current[1]), height),
      });
    }
  };
  if (part === 'whole') return null;
  const percent = (value: string, side: number) => `${Math.min(100, (100 * (Number(value) || 0)) / side)}%`;
  return (
    <figure>
      <figcaption class="hint">{assetsTexts().image.source}</figcaption>
      <div
        class="image-source"
        onPointerDown={(event) => {
          event.preventDefault();
          event.currentTarget.setPointerCapture(event.pointerId);
          from.current = at(event);
          if (part === 'focal') choose(event);
        }}
        onPointerMove={(event) => {
          if (from.current) choose(event);
        }}
        onPointerUp={() => {
          from.current = undefined;
        }}
        onPointerCancel={() => {
          from.current = undefined;
        }}
      >
        <img src={`${asset.url}?w=640&auto=format`} alt="" class="original" draggable={false} />
        {part === 'focal' ? (
          <span
            class="focal-point"
            style={{ left: percent(settings.focalX, 100), top: percent(settings.focalY, 100) }}
          />
        ) : (
          <span
            class="part-frame"
            style={{
              left: percent(settings.x, width),
              top: percent(settings.y, height),
              width: percent(settings.rectWidth, width),
              height: percent(settings.rectHeight, height),
            }}
          />
        )}
      </div>
    </figure>
  );
}
