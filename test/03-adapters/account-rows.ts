/** Rows of `account`, the simplest table, for the suites. */
import type { Storage, Transaction } from '../../core/storage/ports.ts';
import type { SqlValue } from '../../core/storage/sql.ts';

export const ACCOUNT = ['id', 'name', 'email', 'created'];

export function account(name: string, email: string): SqlValue[] {
  return [name, name, email, 'now'];
}

export const PROJECT = ['number', 'id', 'name', 'sequence', 'model_sequence', 'created'];

export function project(number: number): SqlValue[] {
  return [number, `project-${number}`, 'Project', 0, 0, 'now'];
}

export function addAccount(tx: Transaction, name: string): Promise<number> {
  return tx.runCounted(
    'INSERT INTO account (id, name, email, created) VALUES (?, ?, ?, ?)',
    account(name, ''),
  );
}

export async function names(storage: Storage): Promise<string[]> {
  const rows = await storage.sql.all<{ name: string }>('SELECT name FROM account ORDER BY name');
  return rows.map((row) => row.name);
}
