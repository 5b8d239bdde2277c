import { describe, expect, it } from 'vitest';
import type { JobInfo } from './generated/protocol';
import { standing } from './jobs';

const job = (id: number, kind: JobInfo['kind'], end?: 'done' | 'failed'): JobInfo => ({
  id, kind, what: 'keys of ball', step: '', fraction: null, done: end === 'done' ? { files: [], added: null } : null, failed: end === 'failed' ? 'no' : null,
});

describe('what stands over the stage', () => {
  it('is what runs or failed, and what the last search came to', () => {
    const jobs = [job(1, 'export', 'done'), job(2, 'import', 'failed'), job(3, 'search', 'failed'), job(4, 'search', 'done'), job(5, 'build')];
    expect(standing(jobs).map(({ id }) => id)).toEqual([2, 4, 5]);
    expect(standing([...jobs, job(6, 'search')]).map(({ id }) => id)).toEqual([2, 5, 6]);
  });
});
