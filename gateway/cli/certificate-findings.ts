import { X509Certificate } from 'node:crypto';
import { GATEWAY_ROLES } from '../../config/role-settings.ts';
import type { Settings } from '../../config/schema.ts';
import { type CertificateFiles, configuredCertificate } from '../listeners/certificate.ts';
import { type Finding, failedFinding } from './finding.ts';
import { counted } from './print.ts';

const DAY_MS = 86_400_000;
/** Programs that renew certificates do so at a third of their life or before; what has less was not renewed. */
const FEW_DAYS = 14;
const LAST_PART = 1 / 4;

/** What `check` and `doctor` find out about the certificates that this role serves with; not about self-signed ones. */
export async function certificateFindings(
  { role, tlsPort, tls, internalTls }: Settings,
  now: number,
): Promise<Finding[]> {
  return [
    ...(GATEWAY_ROLES.includes(role) && tlsPort !== 0
      ? await findingOf('certificate', tls, "'headwater reload'", now)
      : []),
    ...(role === 'core'
      ? await findingOf('certificate of the core', internalTls, 'restart the core', now)
      : []),
  ];
}

/** @param apply what applies a renewed one */
async function findingOf(
  subject: string,
  files: CertificateFiles,
  apply: string,
  now: number,
): Promise<Finding[]> {
  try {
    const found = await configuredCertificate(files);
    if (found === undefined) return [];
    const { validFrom, validTo, subjectAltName = 'no name' } = new X509Certificate(found.cert);
    const [from, to] = [Date.parse(validFrom), Date.parse(validTo)];
    const detail = `${files.certificate}, ${subjectAltName}`;
    const day = (time: number) => new Date(time).toISOString().slice(0, 10);
    if (now < from) return [{ state: 'bad', subject, detail: `${detail}: is not valid before ${day(from)}` }];
    if (now > to)
      return [{ state: 'bad', subject, detail: `${detail}: expired on ${day(to)}; renew it, then ${apply}` }];
    const left = to - now;
    if (left < Math.min(FEW_DAYS * DAY_MS, (to - from) * LAST_PART))
      return [
        {
          state: 'warn',
          subject,
          detail: `${detail}: expires on ${day(to)}, in ${counted(Math.floor(left / DAY_MS), 'day')}; renew it, then ${apply}`,
        },
      ];
    return [{ state: 'ok', subject, detail: `${detail}, until ${day(to)}` }];
  } catch (error) {
    return [failedFinding(subject, error)];
  }
}
