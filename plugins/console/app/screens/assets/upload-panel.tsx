import { useComputed, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { ApiError } from '../../api.ts';
import { assetsTexts } from '../../messages/assets.ts';
import { formatSize } from '../../messages/messages.ts';
import { FailureText } from '../../parts/failure.tsx';
import { useScrolled } from '../../parts/use-scrolled.ts';
import { addFiles, MOST_BYTES, UnreadableFile, uploadsOf } from './send-asset.ts';
import type { Upload, UploadFile, UploadState } from './uploads.ts';
import '../../style/assets.css';

interface UploadPanelProps {
  readonly project: string;
  /** Of the folder that new assets go to; null = none. */
  readonly folder: string | null;
}

/** Uploads by dialog, drop and paste, with the state of each file. */
export function UploadPanel({ project, folder }: UploadPanelProps) {
  const { upload } = assetsTexts();
  const input = useRef<HTMLInputElement>(null);
  const isOver = useSignal(false);
  useEffect(() => {
    const dropped = (data: DataTransfer | null) => {
      const files = [...(data?.files ?? [])];
      if (files.length > 0) addFiles(project, files, folder);
      return files.length > 0;
    };
    const isTyping = ({ target }: Event) =>
      target instanceof Element && target.closest('input, textarea, dialog, [contenteditable]') !== null;
    const onPaste = (event: ClipboardEvent) => {
      if (!isTyping(event) && dropped(event.clipboardData)) event.preventDefault();
    };
    const onDrag = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files') || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      isOver.value = event.type === 'dragover';
      if (event.type === 'drop') dropped(event.dataTransfer);
    };
    addEventListener('paste', onPaste);
    for (const name of ['dragover', 'drop', 'dragleave'] as const) addEventListener(name, onDrag);
    return () => {
      removeEventListener('paste', onPaste);
      for (const name of ['dragover', 'drop', 'dragleave'] as const) removeEventListener(name, onDrag);
    };
  }, [project, folder]);
  return (
    <section class={isOver.value ? 'uploads over' : 'uploads'} aria-label={upload.title}>
      <div class="bar">
        <button type="button" class="primary" onClick={() => input.current?.click()}>
          {upload.button}
        </button>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          onChange={({ currentTarget }) => {
            addFiles(project, [...(currentTarget.files ?? [])], folder);
            // The same file can be chosen again.
            currentTarget.value = '';
          }}
        />
        <p class="hint">{isOver.value ? upload.drop : upload.hint}</p>
      </div>
      <UploadList project={project} />
    </section>
  );
}

function UploadList({ project }: { readonly project: string }) {
  const { upload } = assetsTexts();
  const uploads = uploadsOf(project);
  const entries = uploads.entries.value;
  const counts = useComputed(() => {
    const kinds = uploads.entries.value.map(({ state }) => state.value.kind);
    const count = (...wanted: readonly UploadState['kind'][]) =>
      kinds.filter((kind) => wanted.includes(kind)).length;
    return {
      done: count('done'),
      failed: count('failed'),
      open: count('waiting', 'sending'),
      over: count('done', 'canceled'),
    };
  });
  const list = useRef<HTMLUListElement>(null);
  const isScrolled = useScrolled(list, entries);
  if (entries.length === 0) return null;
  const { done, failed, open, over } = counts.value;
  return (
    <>
      <div class="bar">
        <p role="status">{upload.summary(done, failed, open)}</p>
        {failed > 0 && (
          <button type="button" onClick={() => uploads.retry()}>
            {upload.retryAll}
          </button>
        )}
        {open > 0 && (
          <button type="button" onClick={() => uploads.cancel()}>
            {upload.cancelAll}
          </button>
        )}
        {over > 0 && (
          <button type="button" onClick={() => uploads.clear()}>
            {upload.clear}
          </button>
        )}
      </div>
      <ul ref={list} class="upload-list" aria-label={upload.title} {...(isScrolled.value && { tabIndex: 0 })}>
        {entries.map((entry) => (
          <UploadLine
            key={entry.key}
            upload={entry}
            onCancel={() => uploads.cancel(entry.key)}
            onRetry={() => uploads.retry(entry.key)}
          />
        ))}
      </ul>
    </>
  );
}

interface UploadLineProps {
  readonly upload: Upload<UploadFile>;
  readonly onCancel: () => void;
  readonly onRetry: () => void;
}

function UploadLine({ upload: { file, state }, onCancel, onRetry }: UploadLineProps) {
  const { upload } = assetsTexts();
  const { value } = state;
  const isOpen = value.kind === 'waiting' || value.kind === 'sending';
  const isRefused = value.kind === 'failed' && value.refusal !== undefined;
  return (
    <li class={value.kind}>
      <span class="name">
        {file.name} <span class="muted">{formatSize(file.size)}</span>
      </span>
      {value.kind === 'sending' && (
        <progress aria-label={upload.progress(file.name)} value={value.part} max={1} />
      )}
      <span>{upload.states[value.kind]}</span>
      {isOpen && (
        <button type="button" aria-label={upload.cancel(file.name)} onClick={onCancel}>
          {assetsTexts().cancel}
        </button>
      )}
      {(value.kind === 'failed' || value.kind === 'canceled') && !isRefused && (
        <button type="button" onClick={onRetry}>
          {upload.retry(file.name)}
        </button>
      )}
      {value.kind === 'failed' && <p class="warning">{reasonOf(value, file)}</p>}
      {value.kind === 'done' && !value.isReadable && <p class="warning">{upload.noImage}</p>}
    </li>
  );
}

function reasonOf(
  { error, refusal }: Extract<UploadState, { readonly kind: 'failed' }>,
  { size }: UploadFile,
): ComponentChildren {
  const { upload } = assetsTexts();
  if (refusal === 'empty') return upload.empty;
  if (refusal === 'too large') return upload.tooLarge(formatSize(size), formatSize(MOST_BYTES));
  if (error instanceof UnreadableFile) return upload.unreadable;
  if (error instanceof ApiError && error.status === 0 && error.message === 'unreachable')
    return upload.interrupted;
  return <FailureText error={error} />;
}
