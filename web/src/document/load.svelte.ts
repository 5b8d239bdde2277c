/** The scene's schema, fetched once. */
import type { Table } from './scene';
import { Schema } from './schema';

export class SchemaSource {
  schema = $state.raw<Schema>(new Schema({}));

  async load(): Promise<void> {
    const answer = await fetch('/schema.json');
    if (answer.ok) this.schema = new Schema((await answer.json()) as Table);
  }
}
