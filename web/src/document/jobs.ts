/** Long work, as pages see it. */
import type { JobInfo } from './generated/protocol';

/** Whether it makes files for other programs, or pictures. */
export const isExport = (job: JobInfo): boolean => job.kind === 'export';

/** What the stage of a new scene waits for. */
export const isMaking = (job: JobInfo): boolean => !job.done && !job.failed && (job.kind === 'build' || job.kind === 'import');

/** What stands over the stage: what runs, what failed, and what the last search came to. A newer search takes the place of those before. */
export function standing(jobs: readonly JobInfo[]): JobInfo[] {
  const search = jobs.findLast((job) => job.kind === 'search');
  return jobs.filter((job) => (job.kind === 'search' && (job.done || job.failed) ? job === search : !job.done));
}
