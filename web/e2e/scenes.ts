/** Scenes that several workflows are tried on. */

/** A small bar over the ground, quick to make anew; `more` goes on top of it. */
export const barOverGround = (more = ''): string => `# A bar over the ground.
sinew = 1

[[body]]
name = "bar"
skin = { model = "bar", size = [0.6, 0.15, 0.15] }
at = [0.0, 0.5, 0.0]
flesh = { kind = "tets", vertices = 150 }

[[obstacle]]
name = "ground"
shape = "plane"
${more}`;
