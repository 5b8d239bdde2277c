// Made from crates/sinew_studio/src/protocol.rs; do not edit (see contract.rs there).

export const WIRE_VERSION = 1;

export type Command = { "do": "play" } | { "do": "pause" } | { "do": "step_forward" } | { "do": "step_back" } | { "do": "seek", frame: number, } | { "do": "restart" } | { "do": "loop", on: boolean, } | { "do": "pick", id: number, origin: [number, number, number], direction: [number, number, number], } | { "do": "drag", body: number, at_rest: [number, number, number], to: [number, number, number], } | { "do": "let_go", body: number, } | { "do": "touch", body: number, at_rest: [number, number, number], };

export type Event = { "event": "welcome", wire_version: number, scene: SceneInfo, } | { "event": "transport" } & Transport | { "event": "picked", id: number, hit: Hit | null, } | { "event": "refused", what: string, };

export type SceneInfo = { name: string, fps: [number, number], substeps: number, first_frame: number, last_frame: number, camera: CameraInfo | null, bodies: Array<BodyInfo>, 
/**
 * Where they are comes with each frame.
 */
obstacles: Array<ObstacleInfo>, model_count: number, };

export type CameraInfo = { eye: [number, number, number], look_at: [number, number, number], fov_deg: number, };

export type BodyInfo = { name: string, 
/**
 * Which of the binary models it is drawn with; copies share one.
 */
model: number, solver: string, 
/**
 * Red, green and blue from 0 to 1 as a screen shows them; none leaves the choice to the page.
 */
colour: [number, number, number] | null, points: number, 
/**
 * Tetrahedra, or triangles where the flesh is a shell.
 */
cells: number, is_shell: boolean, mass_kg: number, skin_vertices: number, skin_triangles: number, };

export type ObstacleInfo = { name: string, shape: ObstacleShape, };

export type ObstacleShape = { "kind": "plane" } | { "kind": "sphere", radius_m: number, } | { "kind": "box", half_m: [number, number, number], } | { "kind": "capsule", half_length_m: number, radius_m: number, };

export type Transport = { playing: boolean, looping: boolean, frame: number, 
/**
 * Recorded frames, both ends included.
 */
recorded_from: number, recorded_to: number, 
/**
 * Why the stage could not go on, if it could not.
 */
problem: string | null, 
/**
 * The last thing the stage warned of since the start.
 */
warning: string | null, };

export type Hit = { body: number, 
/**
 * The point in the body's rest shape, metres.
 */
at_rest: [number, number, number], 
/**
 * The point in the world now.
 */
at: [number, number, number], };
