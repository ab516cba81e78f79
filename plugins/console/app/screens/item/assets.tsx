import { useQuery } from '@tanstack/preact-query';
import { useId } from 'preact/hooks';
import { call, get } from '../../api.ts';
import { itemTexts } from '../../messages/item.ts';
import { Failure } from '../../parts/failure.tsx';
import { useAct } from '../../parts/use-act.ts';
import { useForm } from './form-context.ts';

/** An asset as a search finds it. */
export interface FoundAsset {
  readonly id: string;
  readonly file_name: string;
  readonly title: string | null;
  readonly type: string;
  /** Null: it is no image. */
  readonly image_width: number | null;
  readonly url: string;
}

/** An asset as management answers it. */
export interface Asset extends FoundAsset {
  /** Bytes. */
  readonly size: number;
  readonly image_height: number | null;
  readonly descriptions: readonly {
    readonly language: { readonly id: string };
    readonly description: string | null;
  }[];
}

export function useAsset(id: string, enabled = true) {
  const { project } = useForm();
  return useQuery({
    queryKey: [project, 'asset', id],
    queryFn: ({ signal }) => get<Asset>(`manage/projects/${project}/assets/${id}`, signal),
    enabled,
  });
}

/** Stores a file as a new asset. */
export async function uploadAsset(project: string, file: File): Promise<Asset> {
  const name = encodeURIComponent(file.name || 'file');
  const reference = await call<{ readonly id: string }>(
    'POST',
    `manage/projects/${project}/files/${name}`,
    file,
  );
  return call<Asset>('POST', `manage/projects/${project}/assets`, { file_reference: { ...reference } });
}

interface AssetUploadProps {
  readonly isImage: boolean;
  readonly onUploaded: (asset: Asset) => void;
}

export function AssetUpload({ isImage, onUploaded }: AssetUploadProps) {
  const { project } = useForm();
  const { run, error, isBusy } = useAct();
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{itemTexts().upload}</label>
      <input
        id={id}
        type="file"
        accept={isImage ? 'image/*' : undefined}
        disabled={isBusy.value}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          // The same file can be chosen again.
          currentTarget.value = '';
          if (file) void run(async () => onUploaded(await uploadAsset(project, file)));
        }}
      />
      {isBusy.value && <p role="status">{itemTexts().uploading}</p>}
      <Failure error={error.value} />
    </div>
  );
}
