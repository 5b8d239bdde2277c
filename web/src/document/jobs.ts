/** Long work, as pages see it. */
import type { JobInfo } from './generated/protocol';

/** Whether it brings a mesh in. */
export const isImport = (job: JobInfo): boolean => job.what.startsWith('bringing in ');
