import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { assetsTexts } from '../../messages/assets.ts';
import { copyingTexts } from '../../messages/copying.ts';
import { formatSize } from '../../messages/messages.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Choice, Field } from '../../parts/field.tsx';
import { language } from '../../preferences.ts';
import type { ListedAsset } from './asset-data.ts';
import { ImageSource } from './image-source.tsx';
import {
  FITS,
  FORMATS,
  type ImageSettings,
  INITIAL,
  imageSnippet,
  imageUrl,
  lacksSize,
  PARTS,
  readWidths,
} from './image-url.ts';
import { useResult } from './use-result.ts';
import '../../style/assets.css';

/** Images that can be transformed. */
const ADJUSTABLE = /^image\/(?:jpeg|png|gif|webp)$/;

/** Finds the URL of an image as it is wanted: with the live result, its size in bytes, and HTML to copy. */
export function ImageWorkbench({ asset }: { readonly asset: ListedAsset }) {
  const { image } = assetsTexts();
  const { image_width: width, image_height: height } = asset;
  if (width === null || height === null)
    return asset.type.startsWith('image/') ? <p class="hint">{image.notAdjustable}</p> : null;
  return (
    <section class="workbench" aria-labelledby="asset-image">
      <h2 id="asset-image">{image.title}</h2>
      {ADJUSTABLE.test(asset.type) ? (
        // Another file begins again.
        <Workbench key={asset.url} asset={asset} width={width} height={height} />
      ) : (
        <p class="hint">{image.notAdjustable}</p>
      )}
    </section>
  );
}

interface WorkbenchProps {
  readonly asset: ListedAsset;
  readonly width: number;
  readonly height: number;
}

function Workbench({ asset, width, height }: WorkbenchProps) {
  const { image } = assetsTexts();
  const chosen = useSignal<ImageSettings>(INITIAL);
  const settings = chosen.value;
  const change = (some: Partial<ImageSettings>) => {
    chosen.value = { ...chosen.peek(), ...some };
  };
  const number = (name: keyof ImageSettings, label: string, most: number, least = 1, step = 1) => (
    <Field
      key={name}
      label={label}
      type="number"
      min={least}
      max={most}
      step={step}
      value={String(settings[name])}
      onInput={({ currentTarget }) => change({ [name]: currentTarget.value })}
    />
  );
  const options = <T extends string>(values: readonly T[], names: Readonly<Record<T, string>>) =>
    values.map((value) => ({ value, text: names[value] }));
  const { part, format } = settings;
  return (
    <>
      <p>{image.intro}</p>
      <div class="filters">
        <Choice
          label={image.part}
          value={part}
          options={options(PARTS, image.parts)}
          onChange={(value) => change({ part: value as ImageSettings['part'] })}
        />
      </div>
      <ImageSource asset={asset} width={width} height={height} settings={settings} onChange={change} />
      <div class="filters">
        {part === 'rect' && [
          number('x', image.x, width, 0),
          number('y', image.y, height, 0),
          number('rectWidth', image.rectWidth, width),
          number('rectHeight', image.rectHeight, height),
        ]}
        {part === 'focal' && [
          number('focalX', image.focalX, 100, 0),
          number('focalY', image.focalY, 100, 0),
          number('zoom', image.zoom, 100, 1, 0.1),
        ]}
      </div>
      <div class="filters">
        {number('width', image.width, 8192)}
        {number('height', image.height, 8192)}
        {part !== 'focal' && (
          <Choice
            label={image.fit}
            value={settings.fit}
            options={options(FITS, image.fits)}
            onChange={(value) => change({ fit: value as ImageSettings['fit'] })}
          />
        )}
        <Choice
          label={image.format}
          value={format}
          options={options(FORMATS, image.formats)}
          onChange={(value) => change({ format: value as ImageSettings['format'] })}
        />
        {['auto', 'jpg', 'pjpg', 'webp'].includes(format) && number('quality', image.quality, 100, 0)}
        {format === 'webp' && (
          <label class="check">
            <input
              type="checkbox"
              checked={settings.isLossless}
              onChange={({ currentTarget }) => change({ isLossless: currentTarget.checked })}
            />{' '}
            {image.lossless}
          </label>
        )}
        <Field
          label={image.background}
          hint={image.backgroundHint}
          maxLength={8}
          value={settings.background}
          onInput={({ currentTarget }) => change({ background: currentTarget.value })}
        />
      </div>
      {lacksSize(settings) && <p class="warning">{image.needsSize}</p>}
      <button type="button" onClick={() => change(INITIAL)}>
        {image.reset}
      </button>
      <ImageResult asset={asset} settings={settings} width={width} />
    </>
  );
}

interface ImageResultProps {
  readonly asset: ListedAsset;
  readonly settings: ImageSettings;
  /** Of the original. */
  readonly width: number;
}

function ImageResult({ asset, settings, width }: ImageResultProps) {
  const { image } = assetsTexts();
  const widths = useSignal('320, 640, 960, 1280, 1920');
  const url = imageUrl(asset.url, settings);
  const { result, isFailed, isReading } = useResult(url);
  const shown = result.value;
  const description = asset.descriptions.find((one) => one.description !== null)?.description ?? '';
  const most = settings.part === 'rect' ? Number(settings.rectWidth) || width : width;
  const snippet =
    shown && !isFailed.value
      ? imageSnippet(
          { url: asset.url, width: shown.width, height: shown.height, description },
          settings,
          readWidths(widths.value),
          most,
        )
      : '';
  return (
    <>
      <h3>{image.result}</h3>
      <p role="status">
        {isFailed.value
          ? image.notMeasured
          : isReading.value || !shown
            ? image.measuring
            : `${image.resultOf(formatSize(shown.bytes), shown.width, shown.height, shown.type)} – ${image.share(percentOf(shown.bytes, asset.size), formatSize(asset.size))}`}
      </p>
      {url === asset.url && <p class="hint">{image.unchanged}</p>}
      <img class="preview" src={isFailed.value ? url : shown?.source} alt={image.result} />
      <Copied label={image.url} text={url} />
      {snippet !== '' && (
        <>
          <Field
            label={image.widths}
            value={widths.value}
            onInput={({ currentTarget }) => (widths.value = currentTarget.value)}
          />
          <Copied label={image.snippet} text={snippet} />
        </>
      )}
    </>
  );
}

function percentOf(bytes: number, original: number): string {
  const format = new Intl.NumberFormat(language.value, { style: 'percent', maximumFractionDigits: 1 });
  return format.format(original === 0 ? 1 : bytes / original);
}

/** A text with a button that copies it. */
function Copied({ label, text }: { readonly label: string; readonly text: string }) {
  const ref = useRef<HTMLTextAreaElement>(null);
  return (
    <div class="copied">
      <textarea ref={ref} aria-label={label} readOnly rows={text.split('\n').length} value={text} />
      <CopyButton text={text} onRefused={() => ref.current?.select()}>
        {copyingTexts().copyOf(label)}
      </CopyButton>
    </div>
  );
}
