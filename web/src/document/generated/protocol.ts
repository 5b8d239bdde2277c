// Made from crates/sinew_studio/src/protocol; do not edit (see contract.rs there).

export const WIRE_VERSION = 7;

/** What can be seen of a body; its place here is its number in field messages. */
export const LOOKS = ["contraction", "excitation", "layer", "amplitude", "phase", "primary", "secondary", "tertiary", "stiffness", "speed", "stretch", "contact", "damping", "density", "poisson"] as const;

export type Command = { "do": "play" } | { "do": "pause" } | { "do": "step_forward" } | { "do": "step_back" } | { "do": "seek", frame: number, } | { "do": "restart" } | { "do": "loop", on: boolean, } | { "do": "range", first?: number, last?: number, } | { "do": "history" } | { "do": "seen" } | { "do": "sync", id: number, } | { "do": "pick", id: number, origin: [number, number, number], direction: [number, number, number], 
/**
 * What lies in front of this plane, where its normal points to, is not hit.
 */
clip?: Plane, } | { "do": "drag", body: number, at_rest: [number, number, number], to: [number, number, number], } | { "do": "let_go", body: number, } | { "do": "touch", body: number, at_rest: [number, number, number], } | { "do": "edit", command: SceneCommand, } | { "do": "begin", label: string, } | { "do": "preview", command: SceneCommand, } | { "do": "commit" } | { "do": "cancel" } | { "do": "undo" } | { "do": "redo" } | { "do": "open", scene: string, } | { "do": "save", 
/**
 * Whether what another program wrote to the file since it was opened may be overwritten; without, the page is asked.
 */
overwrite?: boolean, } | { "do": "save_as", file: string, } | { "do": "look", body: number, look: string | null, 
/**
 * The director whose values these are, by its name; left out, of all together. Where it has none of a kind, of all too.
 */
director?: string, 
/**
 * A field of directions to see besides.
 */
directions?: string, 
/**
 * What its other views show; sections have the values of `look`.
 */
beside?: Array<string>, } | { "do": "cut", body: number, plane?: Plane, stroke?: SectionStroke, 
/**
 * Instead: along the surface where the layers have this value, 0 to 1; what lies outside of it is taken away. Only while
 * the page looks at the body's layers, and anew whenever they change.
 */
layer?: number, } | { "do": "export", file: string, format: ExportFormat, options?: ExportOptions, 
/**
 * Whether files that are there already may be overwritten; without, the page is asked.
 */
overwrite?: boolean, } | { "do": "render", file: string, format: RenderFormat, options?: RenderOptions, 
/**
 * Whether files that are there already may be overwritten; without, the page is asked.
 */
overwrite?: boolean, } | { "do": "stop_job", id: number, } | { "do": "build_anyway" } | { "do": "record", on: boolean, } | { "do": "keep_take", name: string, 
/**
 * Whether a take of that name may be overwritten; without, the page is asked.
 */
overwrite?: boolean, } | { "do": "show_take", name: string | null, instead?: boolean, } | { "do": "drop_take", name: string, sure?: boolean, } | { "do": "ghosts", count: number, every: number, } | { "do": "refine", director: string, } | { "do": "keys", body: number | null, } | { "do": "key", body: number, frame: number, from: KeyFrom, 
/**
 * The director of key shapes it goes to, by its name; left out, the body's first one, or a new one.
 */
director?: string, } | { "do": "plan_key", body: number, frame: number, from: KeyFrom, 
/**
 * The plan it goes to, by its director's name; left out, the body's first one, or a new one.
 */
director?: string, } | { "do": "key_path", body: number, 
/**
 * Frames from one of its keys to the next.
 */
every: number, 
/**
 * Whether it keeps the turns, too.
 */
turns: boolean, } | { "do": "key_contacts", body: number, 
/**
 * Whether the shapes are more than they were.
 */
exaggerated: boolean, } | { "do": "sculpt", body: number, 
/**
 * The director of key shapes, by its name.
 */
director: string, frame: number, edit: ShapeEdit, 
/**
 * Grabs the body in the take that is shown instead of the live bodies, or in the one that is edited already: the shape at the frame is
 * edited, and so many frames before and after it follow. Directions of the edit are the world's then.
 */
width?: number, } | { "do": "sculpt_end", keep: boolean, } | { "do": "prefer", key: string, value: string | null, } | { "do": "recover", keep: boolean, };

export type KeyFrom = "shown" | "rest";

export type Plane = { through: [number, number, number], normal: [number, number, number], };

export type SectionStroke = { points: Array<[number, number, number]>, direction: [number, number, number], };

export type ExportFormat = "glb" | "usda" | "mdd" | "pc2" | "obj" | "ply" | "pvd" | "npz";

export type ExportOptions = { 
/**
 * A kept take; left out, the scene is simulated anew.
 */
take?: string, 
/**
 * Instead: what is simulated live, as far as it has come.
 */
live?: boolean, 
/**
 * First and last frame, both included; left out, all of them.
 */
frames?: [number, number], 
/**
 * The largest error of a long .glb, as a share of the body's size; left out, 0.001.
 */
bound?: number, 
/**
 * Leaves the morphing of normals out of a .glb.
 */
no_normals?: boolean, };

export type RenderFormat = "png" | "gif" | "apng" | "mp4";

export type RenderOptions = { 
/**
 * A kept take; left out, the scene is simulated anew.
 */
take?: string, 
/**
 * Instead: what is simulated live, as far as it has come.
 */
live?: boolean, 
/**
 * First and last frame, both included; left out, all of them.
 */
frames?: [number, number], 
/**
 * Width and height in pixels; left out, 640 by 360.
 */
size?: [number, number], 
/**
 * The frame of a .png; left out, the last one.
 */
frame?: number, 
/**
 * "shaded" or "lines".
 */
style?: string, 
/**
 * Colours skins by a word of `LOOKS` that is a number.
 */
field?: string, };

export type SceneCommand = { do: "set", path: string, value: Json } | { do: "unset", path: string } | { do: "add", to: string, value: Json, index?: number, name?: string } | { do: "remove", path: string } | { do: "rename", path: string, to: string } | { do: "copy_director", from: string, to: string, mirror?: Axis } | { do: "insert_key", path: string, at: number, value: number, shape?: Json } | { do: "move_key", path: string, from: number, to: number, value?: number } | { do: "delete_key", path: string, at: number } | { do: "batch", label?: string, commands: SceneCommand[] };

export type ShapeEdit = { do: "pull", at: [number, number, number], by: [number, number, number], radius: number } | { do: "nudge", at: [number, number, number], by: [number, number, number], radius: number } | { do: "scale", part: ShapePart, by: [number, number, number] } | { do: "turn", part: ShapePart, about: [number, number, number], deg: number } | { do: "bend", part: ShapePart, along: [number, number, number], about: [number, number, number], deg: number } | { do: "smooth", part: ShapePart, rounds: number } | { do: "reset", part: ShapePart, share: number } | { do: "mirror", from: Axis };

export type ShapePart = { points?: number[], within?: [[number, number, number], [number, number, number]], falloff?: number };

export type Axis = "x" | "-x" | "y" | "-y" | "z" | "-z";

export type Event = { "event": "welcome", wire_version: number, scene: SceneInfo, } | { "event": "document" } & DocumentInfo | { "event": "gallery" } & Gallery | { "event": "transport" } & Transport | { "event": "picked", id: number, hit: Hit | null, } | { "event": "synced", id: number, } | { "event": "history", first: number, step_ms: Array<number>, heights_m: Array<Array<number>>, } | { "event": "job" } & JobInfo | { "event": "takes" } & Takes | { "event": "exists", files: Array<string>, again: Command, } | { "event": "refused", what: string, help: string | null, 
/**
 * The place in the scene it is about.
 */
path: string | null, };

export type SceneInfo = { name: string, fps: [number, number], substeps: number, first_frame: number, last_frame: number, camera: CameraInfo | null, bodies: Array<BodyInfo>, 
/**
 * Where they are comes with each frame.
 */
obstacles: Array<ObstacleInfo>, model_count: number, };

export type CameraInfo = { eye: [number, number, number], look_at: [number, number, number], fov_deg: number, };

export type BodyInfo = { name: string, 
/**
 * Where it is in the document, such as `body.jelly`; copies share one.
 */
path: string, 
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

export type ObstacleInfo = { name: string, 
/**
 * Where it is in the document, such as `obstacle.ground`.
 */
path: string, shape: ObstacleShape, };

export type ObstacleShape = { "kind": "plane" } | { "kind": "sphere", radius_m: number, } | { "kind": "box", half_m: [number, number, number], } | { "kind": "capsule", half_length_m: number, radius_m: number, } | { "kind": "mesh", positions: Array<number>, triangles: Array<number>, };

export type Transport = { playing: boolean, looping: boolean, 
/**
 * The playhead: any frame of the shot, simulated or not.
 */
frame: number, 
/**
 * The recorded frame nearest to it, which is shown.
 */
shown: number, 
/**
 * Recorded frames, both ends included.
 */
recorded_from: number, recorded_to: number, 
/**
 * Recorded frames from here on show the scene as it was before an edit.
 */
stale_from: number | null, 
/**
 * Whether the shown take has a frame here, which is seen instead of what was simulated.
 */
of_take: boolean, 
/**
 * First and last frame that are played.
 */
range: [number, number], 
/**
 * Whether the run is being recorded as a take.
 */
recording: boolean, 
/**
 * Why the stage could not go on, if it could not.
 */
problem: string | null, 
/**
 * The last thing the stage warned of since the start.
 */
warning: string | null, 
/**
 * What directors measured at the shown frame.
 */
measures: Array<MeasureInfo>, };

export type Hit = { body: number, 
/**
 * The point in the body's rest shape, metres.
 */
at_rest: [number, number, number], 
/**
 * The point in the world now.
 */
at: [number, number, number], };

export type MeasureInfo = { body: number, 
/**
 * The director's name; empty for what the stage itself measures.
 */
director: string, name: string, unit: string, value: number, };

export type DocumentInfo = { 
/**
 * Grows with every change.
 */
revision: number, name: string, 
/**
 * The scene file, relative to the folder; none for a built-in scene that was never saved.
 */
file: string | null, 
/**
 * The name of the opened folder; none where nothing can be saved yet.
 */
folder: string | null, unsaved: boolean, 
/**
 * Labels of what can be undone, the last step last.
 */
undo: Array<string>, 
/**
 * Labels of what can be redone, the next step last.
 */
redo: Array<string>, 
/**
 * The label of the gesture that is under way.
 */
gesture: string | null, 
/**
 * The scene as the model has it, defaults filled in.
 */
scene: Json, 
/**
 * Whether what is on stage is this scene; until its own stage is made, what is there is of the one before.
 */
staged: boolean, 
/**
 * What is being made anew, in words; the stage shows what was until then.
 */
building: string | null, notices: Array<Notice>, 
/**
 * Whether work on this scene was found that was never saved: [`Command::Recover`](super::Command::Recover) answers.
 */
recovered: boolean, 
/**
 * When unsaved work was last kept by itself, seconds since 1970; none where there is none that is not saved.
 */
autosaved_unix_secs: number | null, };

export type Notice = { level: Level, 
/**
 * The place, such as `body.jelly.flesh`.
 */
path: string | null, text: string, help: string | null, 
/**
 * What would help, each with a name for its button.
 */
actions: Array<NoticeAction>, };

export type NoticeAction = { name: string, command: Command, };

export type Level = "warning" | "problem";

export type Gallery = { scenes: Array<GalleryScene>, 
/**
 * Scene files of the opened folder.
 */
files: Array<string>, };

export type GalleryScene = { name: string, about: string, 
/**
 * The address of its picture; none where it has none.
 */
picture: string | null, };

export type JobInfo = { id: number, kind: JobKind, 
/**
 * What it makes, in words.
 */
what: string, 
/**
 * What it does just now.
 */
step: string, 
/**
 * 0 to 1; none where nobody knows.
 */
fraction: number | null, done: JobDone | null, 
/**
 * Why it did not get there.
 */
failed: string | null, };

export type JobDone = { 
/**
 * Relative to the opened folder; `GET /files/…` gives them.
 */
files: Array<string>, 
/**
 * What it added to the scene.
 */
added: AddedPart | null, };

export type AddedPart = { 
/**
 * Such as `body.cow`.
 */
path: string, 
/**
 * From corner to corner.
 */
size_m: number, };

export type JobKind = "export" | "import" | "build" | "search";

export type Takes = { names: Array<TakeInfo>, shown: string | null, 
/**
 * Whether it is shown instead of the live bodies.
 */
instead: boolean, };

export type TakeInfo = { name: string, frames: number, };

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
