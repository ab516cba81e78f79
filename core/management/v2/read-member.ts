import type { MemberInput } from '../../model/inputs.ts';
import type { Fields } from '../fields.ts';

/** An option, content group or term in a request body. */
export function readMember(fields: Fields): MemberInput {
  return {
    id: fields.text('id'),
    name: fields.text('name') ?? '',
    codename: fields.identifier('codename'),
    external_id: fields.identifier('external_id'),
  };
}
