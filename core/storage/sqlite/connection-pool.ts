import { Connection } from './connection.ts';

/**
 * A few read connections, each lent to one task at a time. The driver serialises the statements of one
 * connection; four of them read 2.2 times as much as one.
 */
export class ConnectionPool {
  readonly #all: Connection[] = [];
  readonly #idle: Connection[] = [];
  readonly #waiting: ((connection: Connection) => void)[] = [];

  static async open(file: string, size: number, pragmas: string): Promise<ConnectionPool> {
    const pool = new ConnectionPool();
    for (let index = 0; index < size; index++) {
      const connection = await Connection.open(file, { readOnly: true });
      await connection.execute(pragmas);
      pool.#all.push(connection);
      pool.#idle.push(connection);
    }
    return pool;
  }

  async use<T>(task: (connection: Connection) => Promise<T>): Promise<T> {
    const connection =
      this.#idle.pop() ?? (await new Promise<Connection>((resolve) => this.#waiting.push(resolve)));
    try {
      return await task(connection);
    } finally {
      const next = this.#waiting.shift();
      if (next) next(connection);
      else this.#idle.push(connection);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((connection) => connection.close()));
  }
}
