/** Whether `Accept` names WebP. Wildcards do not count: every browser sends one. */
export function acceptsWebp(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  return accept.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';');
    if (type.trim().toLowerCase() !== 'image/webp') return false;
    return !parameters.some((parameter) => /^\s*q\s*=\s*0(?:\.0*)?\s*$/i.test(parameter));
  });
}
