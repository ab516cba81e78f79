/** Dispatched at a rich text whose editor is needed before it is near the window. */
export const MAKE_EDITOR = 'headwater-make-editor';
