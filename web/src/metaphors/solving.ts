/** The search for the force that meets a goal: a job of the server. */
import type { Session } from '../client/session.svelte';
import type { JobInfo } from '../document/generated/protocol';

export function solve(session: Session, director: string): void {
  session.send({ do: 'refine', director });
}

/** The search for a director's force that runs, or failed last and was not put away; none where there is none. */
export const solvingOf = (jobs: readonly JobInfo[], director: string): JobInfo | undefined => jobs.findLast((job) => !job.done && job.what.endsWith(`goal of ${director}`));
