import { useSignal } from '@preact/signals';
import { useQuery } from '@tanstack/preact-query';
import { useEffect, useId, useRef } from 'preact/hooks';
import { get } from '../../api.ts';
import { assetsTexts } from '../../messages/assets.ts';
import { formatSize } from '../../messages/messages.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { useAct } from '../../parts/use-act.ts';
import { actOnShown } from '../../parts/use-tagged.ts';
import type { ListedAsset } from './asset-data.ts';
import { type FileReference, MOST_BYTES, storeFile } from './send-asset.ts';

interface ReplaceDialogProps {
  readonly project: string;
  readonly asset: ListedAsset;
  readonly onClose: (isReplaced: boolean) => void;
}

interface Users {
  readonly items: number;
  readonly variants: number;
  readonly published: number;
}

/** Gives an asset another file, after the plan: who uses it, and what happens to URLs. */
export function ReplaceDialog({ project, asset, onClose }: ReplaceDialogProps) {
  const own = assetsTexts();
  const id = useId();
  const path = `admin/projects/${project}/assets/${asset.id}`;
  const file = useSignal<File | undefined>(undefined);
  const pixels = useSignal<string | undefined>(undefined);
  const part = useSignal<number | undefined>(undefined);
  /** Of the chosen file: a further attempt does not send it again. */
  const stored = useRef<{ readonly file: File; readonly reference: FileReference }>();
  const ending = useRef(new AbortController());
  const { run, error, isBusy } = useAct();
  const users = useQuery({
    queryKey: [project, 'asset users', asset.id],
    queryFn: ({ signal }) => get<Users>(`${path}/users`, signal),
    meta: { follows: ['content_item', 'content_item_variant'] },
  });
  useEffect(() => () => ending.current.abort(new Error('The dialog was closed.')), []);

  const replace = (chosen: File) =>
    run(async () => {
      try {
        if (stored.current?.file !== chosen) {
          part.value = 0;
          const progress = (done: number) => {
            part.value = done;
          };
          const reference = await storeFile(project, chosen, progress, ending.current.signal);
          stored.current = { file: chosen, reference };
        }
      } finally {
        part.value = undefined;
      }
      const { id: reference } = stored.current.reference;
      // Not over a file that someone else has given it meanwhile.
      await actOnShown(path, asset, ['url'], ['PUT', `${path}/file`, { file_reference: { id: reference } }]);
      onClose(true);
    });
  const chosen = file.value;
  const refusal = chosen && refusalOf(chosen);
  const before = asset.image_width === null ? undefined : `${asset.image_width} × ${asset.image_height}`;
  return (
    <Dialog title={own.replace.title} onClose={() => onClose(false)}>
      <div class="field">
        <label for={id}>{own.replace.choose}</label>
        <input
          id={id}
          type="file"
          disabled={isBusy.value}
          onChange={async ({ currentTarget: { files } }) => {
            const picked = files?.[0];
            file.value = picked;
            pixels.value = undefined;
            const found = picked && (await pixelsOf(picked));
            // Another file may have been chosen meanwhile.
            if (file.peek() === picked) pixels.value = found;
          }}
        />
      </div>
      {refusal && (
        <p class="warning" role="alert">
          {refusal}
        </p>
      )}
      <h3>{own.replace.plan}</h3>
      <ul>
        <li>{own.replace.keeps}</li>
        <Loaded query={users}>
          {({ items, published }) => (
            <li>{items === 0 ? own.replace.unused : own.replace.users(items, published)}</li>
          )}
        </Loaded>
        <li>{own.replace.urls}</li>
        {chosen && chosen.type !== asset.type && (
          <li class="warning">{own.replace.otherKind(asset.type, chosen.type || '–')}</li>
        )}
        {before && pixels.value && pixels.value !== before && (
          <li class="warning">{own.replace.otherSize(before, pixels.value)}</li>
        )}
        {asset.descriptions.some(({ description }) => description !== null) && (
          <li>{own.replace.descriptions}</li>
        )}
      </ul>
      {part.value !== undefined && <progress aria-label={own.replace.progress} value={part.value} max={1} />}
      {error.value !== undefined && (
        <>
          <Failure error={error.value} />
          {stored.current && <p>{own.replace.stored}</p>}
        </>
      )}
      <div class="actions">
        <button type="button" onClick={() => onClose(false)}>
          {own.cancel}
        </button>
        <button
          type="button"
          class="primary"
          disabled={!chosen || refusal !== undefined || isBusy.value}
          onClick={() => chosen && void replace(chosen)}
        >
          {own.replace.submit}
        </button>
      </div>
    </Dialog>
  );
}

function refusalOf({ size }: File): string | undefined {
  const { upload } = assetsTexts();
  if (size === 0) return upload.empty;
  return size > MOST_BYTES ? upload.tooLarge(formatSize(size), formatSize(MOST_BYTES)) : undefined;
}

/** Of an image that the browser can show. */
async function pixelsOf(file: File): Promise<string | undefined> {
  if (!file.type.startsWith('image/')) return undefined;
  try {
    const bitmap = await createImageBitmap(file);
    const text = `${bitmap.width} × ${bitmap.height}`;
    bitmap.close();
    return text;
  } catch {
    return undefined;
  }
}
