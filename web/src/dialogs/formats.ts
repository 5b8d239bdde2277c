/** What a scene can be exported as, in words people choose by. */
import type { ExportFormat, RenderFormat } from '../document/generated/protocol';

export interface Format<T extends string> {
  format: T;
  /** The ending of the file. */
  ending: string;
  name: string;
  about: string;
}

export const MESHES: Format<ExportFormat>[] = [
  { format: 'glb', ending: 'glb', name: 'glTF', about: 'One file with the animation as morph targets: Blender, engines, the web' },
  { format: 'usda', ending: 'usda', name: 'USD', about: 'Time samples of points: Houdini, Maya, Omniverse' },
  { format: 'mdd', ending: 'mdd', name: 'MDD', about: 'Point cache beside an .obj: Blender, Maya, LightWave' },
  { format: 'pc2', ending: 'pc2', name: 'PC2', about: 'Point cache beside an .obj: 3ds Max, Blender' },
  { format: 'obj', ending: 'obj', name: 'OBJ', about: 'A mesh for each frame' },
  { format: 'ply', ending: 'ply', name: 'PLY', about: 'A mesh for each frame, with colours' },
  { format: 'pvd', ending: 'pvd', name: 'ParaView', about: 'Flesh and fields over time, for measuring' },
  { format: 'npz', ending: 'npz', name: 'NumPy', about: 'Arrays of flesh over time, for Python' },
];

export const PICTURES: Format<RenderFormat>[] = [
  { format: 'mp4', ending: 'mp4', name: 'MP4', about: 'A film for sending' },
  { format: 'gif', ending: 'gif', name: 'GIF', about: 'A film that plays everywhere, 256 colours' },
  { format: 'apng', ending: 'png', name: 'Animated PNG', about: 'A film in full colour, without loss' },
  { format: 'png', ending: 'png', name: 'PNG', about: 'One picture' },
];
