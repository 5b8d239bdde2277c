/** The search for the force that meets a goal: a job of the server. */
import type { Session } from '../client/session.svelte';
import type { Command, JobInfo } from '../document/generated/protocol';

export function solve(session: Session, director: string): void {
  session.send({ do: 'refine', director } as unknown as Command);
}

/** The search under way; none where there is none. */
export const solvingOf = (jobs: readonly JobInfo[]): JobInfo | undefined => jobs.find((job) => !job.done && !job.failed && /refin|solv|reach/i.test(job.what));
