/** Long work, as pages see it. */
import type { JobInfo } from './generated/protocol';

/** Whether it makes files for other programs, or pictures. */
export const isExport = (job: JobInfo): boolean => job.kind === 'export';

/** What the stage of a new scene waits for. */
export const isMaking = (job: JobInfo): boolean => !job.done && !job.failed && (job.kind === 'build' || job.kind === 'import');
