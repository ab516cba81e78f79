import fc from 'fast-check';
import { isLongForm } from '../support/long-form.ts';
import { managedCommands } from '../support/managed/managed-commands.ts';
import { emptyModel } from '../support/managed/managed-model.ts';
import { ManagedProject } from '../support/managed/managed-project.ts';
import { type RunningService, startService } from '../support/service/start-service.ts';

const SEQUENCES = isLongForm ? 500 : 15;

describe('management, compared with a small model', function () {
  this.timeout(300_000);
  let service: RunningService;
  before(async () => {
    service = await startService({ unlimited: true });
  });
  after(() => service.stop());

  it(`v1, v2, preview and delivery agree with the model, after every call of ${SEQUENCES} sequences`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.commands(managedCommands, { maxCommands: 14, size: 'max' }), async (commands) => {
        const project = await ManagedProject.create(service);
        await fc.asyncModelRun(() => ({ model: emptyModel(), real: project }), commands);
      }),
      { numRuns: SEQUENCES, endOnFailure: true },
    );
  });
});
