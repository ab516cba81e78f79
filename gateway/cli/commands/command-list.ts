import type { Command } from '../command.ts';
import { backup } from './backup.ts';
import { check } from './check.ts';
import { doctor } from './doctor.ts';
import { explain } from './explain.ts';
import { exportCommand } from './export.ts';
import { generate } from './generate.ts';
import { importCommand } from './import.ts';
import { keyCreate } from './key-create.ts';
import { keyList } from './key-list.ts';
import { keyRegenerate } from './key-regenerate.ts';
import { migrate } from './migrate.ts';
import { move } from './move.ts';
import { projectCreate } from './project-create.ts';
import { projectList } from './project-list.ts';
import { reload } from './reload.ts';
import { restore } from './restore.ts';
import { serve } from './serve.ts';
import { unblock } from './unblock.ts';
import { userCreate } from './user-create.ts';
import { userEndSessions } from './user-end-sessions.ts';
import { userList } from './user-list.ts';
import { userSignInLink } from './user-sign-in-link.ts';

/** Every command there is, in the order of the help. */
export const commands: readonly Command[] = [
  serve,
  check,
  explain,
  reload,
  migrate,
  projectCreate,
  projectList,
  keyCreate,
  keyRegenerate,
  keyList,
  userCreate,
  userList,
  userSignInLink,
  userEndSessions,
  unblock,
  importCommand,
  exportCommand,
  backup,
  restore,
  move,
  generate,
  doctor,
];
