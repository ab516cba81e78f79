import { Field, type FieldProps } from './field.tsx';

/** A password that is chosen; the server accepts none that is shorter. */
export function NewPasswordField(field: Omit<FieldProps, 'type' | 'autocomplete' | 'minLength'>) {
  return <Field type="password" autocomplete="new-password" minLength={12} {...field} />;
}
