//! Flesh and skin of one body, from built-in models or files.

use super::mesh_file::{FileLooks, Filling, Meshes, Surface, Watch, unwatched};
use super::{BuildError, cast, colour, own_skin};
use sinew_direct::Turn;
use sinew_geom::distance::Shape;
use sinew_geom::extraction::extract;
use sinew_geom::stuffing::{Fineness, Inside, stuff_watched};
use sinew_geom::{Embedding, TetMesh, TriangleMesh, structured};
use sinew_math::{DVec3, dvec3};
use sinew_scene::model::{self, Grown, Model, PartSkin};
use sinew_scene::{Body, MeshSkin};
use sinew_solve::{Cells, Flesh};
use sinew_stage::Skin;
use std::sync::Arc;

pub(super) struct Made {
    pub flesh: Flesh,
    pub skin: Skin,
}

/// Makes a body's flesh and the skin that rides on it, in the body's scaled rest frame.
pub(super) fn make(body: &Body, meshes: &mut Meshes) -> Result<Made, BuildError> {
    let flesh = make_flesh(body, meshes)?;
    let skin = match &body.skin {
        model::Skin::Model(model) => match (drawn_vertices(model, &flesh), cast::member(model)) {
            (Some(vertices), Some(member)) => {
                let drawn = cast::skin(member, vertices as usize, body)?;
                let skin = bound(scaled_surface(drawn.mesh, body), &flesh, cast::own_colour(model, body));
                Skin { vertex_colours: drawn.colours, main_shares: drawn.main_shares, ..skin }
            }
            (Some(vertices), None) => {
                bound(scaled_surface(surface_of(model, vertices as usize, body)?, body), &flesh, colour(body))
            }
            (None, _) => Skin { colour: cast::own_colour(model, body), ..own_skin(&flesh, body) },
        },
        model::Skin::Mesh(mesh) => match meshes.surface(mesh, &at(body, "skin"))? {
            Surface::OfTets => own_skin(&flesh, body),
            Surface::Triangles(surface, looks) => {
                let FileLooks { corner_uvs, mut vertex_colours, looks } = looks.scaled(scale(body));
                let skin = bound(scaled_surface(surface, body), &flesh, colour(body));
                // A colour that the scene gives is stronger than the file's.
                if skin.colour.is_some() {
                    vertex_colours.clear();
                }
                let main_shares = vec![0.0; vertex_colours.len()];
                Skin { corner_uvs, vertex_colours, main_shares, looks: Some(Arc::new(looks)), ..skin }
            }
        },
        model::Skin::Parts(parts) => {
            let mut whole = TriangleMesh::default();
            for (number, part) in parts.parts.iter().enumerate() {
                append(&mut whole, &part_surface(body, part, number, meshes)?);
            }
            bound(scaled_surface(whole, body), &flesh, colour(body))
        }
    };
    Ok(Made { flesh, skin })
}

pub(super) fn at(body: &Body, key: &str) -> String {
    format!("body.{}.{key}", body.name)
}

fn scale(body: &Body) -> DVec3 {
    DVec3::from_array(body.scale.0)
}

fn make_flesh(body: &Body, meshes: &mut Meshes) -> Result<Flesh, BuildError> {
    let density = body.material.values().density_kg_m3;
    match &body.flesh {
        model::Flesh::Mesh(file) => {
            let skin = MeshSkin { mesh: file.mesh.clone(), unit: file.unit, up: file.up };
            tets(meshes.tets(&skin, &at(body, "flesh"))?, body, density)
        }
        model::Flesh::Grown(Grown::Shell { vertices, thickness }) => {
            let surface = match &body.skin {
                model::Skin::Model(Model::Cloth { size, .. }) => {
                    check_count(3.0 * (2.0 * size[1] / size[0] + 1.0), *vertices as usize, body)?;
                    let [nx, nz] = sheet_cells(*size, *vertices as usize);
                    structured::cloth(size[0], size[1], [nx, nz])
                }
                model::Skin::Mesh(mesh) => match meshes.surface(mesh, &at(body, "skin"))? {
                    Surface::Triangles(surface, _) => surface,
                    Surface::OfTets => return Err(no_sheet(body)),
                },
                _ => return Err(no_sheet(body)),
            };
            let flesh = Flesh::from_shell(&scaled_surface(surface, body), density * thickness);
            match flesh.mass_kg.iter().position(|mass| *mass <= 0.0) {
                None => Ok(flesh),
                Some(point) => Err(BuildError::new(
                    at(body, "flesh"),
                    format!(
                        "vertex {} of the sheet belongs to no triangle, so that it weighs nothing",
                        flesh.file_order[point]
                    ),
                    "remove loose vertices from the mesh",
                )),
            }
        }
        model::Flesh::Grown(Grown::Lattice { size }) => lattice(body, *size, density, meshes),
        model::Flesh::Grown(Grown::Tets { vertices, graded }) => {
            let inside = if *graded { Inside::Graded } else { Inside::Even };
            let filling = Filling { vertices: *vertices as usize, inside };
            let grown = match &body.skin {
                model::Skin::Model(model) => grow(model, *vertices as usize, body, &meshes.watch)?,
                model::Skin::Mesh(mesh) => meshes.grown(mesh, filling, scale(body), &at(body, "skin"))?,
                model::Skin::Parts(parts) => match &parts.parts[0].skin {
                    PartSkin::Model(model) => {
                        placed_tets(grow(model, *vertices as usize, body, &meshes.watch)?, &parts.parts[0])
                    }
                    PartSkin::Mesh(mesh) => {
                        let place = at(body, "skin.parts[0]");
                        let part_scale = DVec3::from_array(parts.parts[0].scale.0);
                        placed_tets(meshes.grown(mesh, filling, part_scale, &place)?, &parts.parts[0])
                    }
                },
            };
            tets(grown, body, density)
        }
    }
}

/// A grid of points in the box around the skin.
fn lattice(body: &Body, size: [u32; 3], density_kg_m3: f64, meshes: &mut Meshes) -> Result<Flesh, BuildError> {
    let surfaces = match &body.skin {
        model::Skin::Model(model) => vec![surface_of(model, PART_VERTICES, body)?],
        model::Skin::Mesh(mesh) => vec![match meshes.surface(mesh, &at(body, "skin"))? {
            Surface::Triangles(surface, _) => surface,
            Surface::OfTets => boundary(&meshes.tets(mesh, &at(body, "skin"))?),
        }],
        model::Skin::Parts(parts) => {
            let each = parts.parts.iter().enumerate();
            each.map(|(number, part)| part_surface(body, part, number, meshes)).collect::<Result<Vec<_>, _>>()?
        }
    };
    let points = || surfaces.iter().flat_map(|surface| &surface.positions).map(|x| *x * scale(body));
    let (low, high) = points().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
    let thinnest = (high - low).min_element();
    if thinnest.is_nan() || thinnest <= 0.0 {
        let what = "a lattice needs a box to fill, and this skin is flat";
        return Err(BuildError::new(
            at(body, "flesh.kind"),
            what,
            "write flesh = { kind = \"shell\", vertices = 400 }",
        ));
    }
    let mut flesh = Flesh::from_lattice(high - low, size, density_kg_m3)
        .map_err(|error| BuildError::new(at(body, "flesh"), error.to_string(), "make the skin less thin"))?;
    flesh.rest.iter_mut().for_each(|x| *x += (low + high) * 0.5);
    Ok(flesh)
}

/// How many vertices a built-in model's own skin has; none where the surface of the flesh is the skin, which a lattice's is for a bar only.
fn drawn_vertices(model: &Model, flesh: &Flesh) -> Option<u32> {
    let is_boxed = flesh.lattice.is_some() && !matches!(model, Model::Bar { .. });
    model.skin_vertices().or(is_boxed.then_some(PART_VERTICES as u32))
}

fn no_sheet(body: &Body) -> BuildError {
    BuildError::new(
        at(body, "flesh.kind"),
        "a shell needs a sheet for a skin",
        "use skin = { model = \"cloth\" } or a surface mesh",
    )
}

fn tets(mut mesh: TetMesh, body: &Body, density_kg_m3: f64) -> Result<Flesh, BuildError> {
    let scale = scale(body);
    mesh.positions.iter_mut().for_each(|x| *x *= scale);
    Flesh::from_tets(mesh, density_kg_m3).map_err(|error| {
        BuildError::new(at(body, "flesh"), error.to_string(), "repair the mesh, or let sinew make the flesh")
    })
}

/// Tets of a built-in model with about `vertices` vertices.
fn grow(model: &Model, vertices: usize, body: &Body, watch: &Watch) -> Result<TetMesh, BuildError> {
    if let Some(member) = cast::member(model) {
        return cast::flesh(member, vertices, body, watch);
    }
    Ok(match *model {
        Model::Bar { size, .. } => {
            let size = DVec3::from_array(size);
            structured::bar(size, structured::bar_cells(size, vertices))
        }
        Model::Cylinder { radius, height, .. } => {
            let slices = |rings: usize| ((height / radius * rings as f64).round() as usize).max(1);
            check_count(structured::disk_vertices(2) as f64 * (2.0 * height / radius + 1.0), vertices, body)?;
            let rings = nearest_count(vertices, |rings| structured::disk_vertices(rings) * (slices(rings) + 1));
            structured::cylinder(radius, height, rings, slices(rings))
        }
        Model::Bell { radius, height, thickness, .. } => {
            const LAYERS: usize = 2;
            let rings = nearest_count(vertices, |rings| structured::disk_vertices(rings) * (LAYERS + 1));
            structured::bell(radius, height, thickness, rings, LAYERS)
        }
        Model::Ball { radius, .. } => {
            let shape = Shape::sphere(radius);
            let stuffed = stuff_watched(&shape, Fineness::Vertices(vertices), Inside::Even, &**watch);
            stuffed.map_err(|error| no_ball(body, &error))?.mesh
        }
        // Only a cloth is neither a member of the cast nor one of these.
        _ => {
            return Err(BuildError::new(
                at(body, "flesh.kind"),
                "a cloth has no inside to fill with tetrahedra",
                "write flesh = { kind = \"shell\", vertices = 400 }",
            ));
        }
    })
}

fn no_ball(body: &Body, error: &dyn std::error::Error) -> BuildError {
    BuildError::new(at(body, "skin"), format!("ball: {error}"), "try another number of vertices")
}

fn nearest_count(wanted: usize, count: impl Fn(usize) -> usize) -> usize {
    (2..2000).min_by_key(|&n| count(n).abs_diff(wanted)).unwrap_or(2)
}

/// Refuses shapes so thin that a grid of cells as wide as they are would be far larger than what was asked for.
fn check_count(count: f64, wanted: usize, body: &Body) -> Result<(), BuildError> {
    if count <= (10.0 * wanted as f64).max(10_000.0) {
        return Ok(());
    }
    let what = format!("so thin a shape needs about {count:.0} vertices, and {wanted} were asked for");
    Err(BuildError::new(at(body, "skin"), what, "make it thicker or shorter, or ask for more vertices"))
}

fn sheet_cells(size: [f64; 2], vertices: usize) -> [usize; 2] {
    let deep = |wide: usize| ((wide as f64 * size[1] / size[0]).round() as usize).max(1);
    let wide = nearest_count(vertices, |wide| (wide + 1) * (deep(wide) + 1));
    [wide, deep(wide)]
}

fn scaled_surface(mut surface: TriangleMesh, body: &Body) -> TriangleMesh {
    let scale = scale(body);
    surface.positions.iter_mut().for_each(|x| *x *= scale);
    surface
}

/// A skin of its own, bound to the flesh it lies in.
fn bound(surface: TriangleMesh, flesh: &Flesh, colour: Option<[f32; 3]>) -> Skin {
    let embedding = match &flesh.cells {
        Cells::Tets(tets) => {
            Embedding::of_skin(&surface, &TetMesh { positions: flesh.rest.clone(), tets: tets.clone() })
        }
        Cells::Shell(triangles) => Embedding::in_triangles(&surface.positions, &flesh.rest, triangles),
    };
    Skin::plain(surface, embedding, colour)
}

fn part_surface(
    body: &Body,
    part: &model::Part,
    number: usize,
    meshes: &mut Meshes,
) -> Result<TriangleMesh, BuildError> {
    let place = at(body, &format!("skin.parts[{number}]"));
    let surface = match &part.skin {
        PartSkin::Model(model) => {
            surface_of(model, model.skin_vertices().map_or(PART_VERTICES, |count| count as usize), body)?
        }
        PartSkin::Mesh(mesh) => match meshes.surface(mesh, &place)? {
            Surface::Triangles(surface, _) => surface,
            Surface::OfTets => boundary(&meshes.tets(mesh, &place)?),
        },
    };
    Ok(TriangleMesh {
        positions: surface.positions.iter().map(|x| in_body(part, *x)).collect(),
        triangles: surface.triangles,
    })
}

/// The surface of a built-in model with about `vertices` vertices, to look at.
fn surface_of(model: &Model, vertices: usize, body: &Body) -> Result<TriangleMesh, BuildError> {
    if let Some(member) = cast::member(model) {
        return Ok(cast::skin(member, vertices, body)?.mesh);
    }
    Ok(match *model {
        Model::Cloth { size, .. } => {
            check_count(3.0 * (2.0 * size[1] / size[0] + 1.0), vertices, body)?;
            structured::cloth(size[0], size[1], sheet_cells(size, vertices))
        }
        Model::Ball { radius, .. } => {
            let drawn = extract(&Shape::sphere(radius), Fineness::Vertices(vertices));
            drawn.map_err(|error| no_ball(body, &error))?.mesh
        }
        // A thin wall is all surface; of a solid only the hull is, so that its grid may be finer.
        Model::Bell { radius, height, thickness, .. } => {
            let rings = nearest_count(vertices, |rings| 2 * structured::disk_vertices(rings));
            boundary(&structured::bell(radius, height, thickness, rings, 1))
        }
        _ => boundary(&grow(model, hull_grid(vertices), body, &unwatched())?),
    })
}

/// Vertices of a solid grid whose hull has about `hull` of them: a cube of n³ has 6n².
fn hull_grid(hull: usize) -> usize {
    let n = (hull as f64 / 6.0).sqrt();
    (n * n * n) as usize
}

/// Vertices of a part whose skin does not say how many.
const PART_VERTICES: usize = 2000;

fn boundary(mesh: &TetMesh) -> TriangleMesh {
    let triangles = mesh.boundary();
    let mut used: Vec<u32> = triangles.iter().flatten().copied().collect();
    used.sort_unstable();
    used.dedup();
    let place = |v: u32| used.binary_search(&v).map_or(0, |i| i as u32);
    TriangleMesh {
        positions: used.iter().map(|&v| mesh.positions[v as usize]).collect(),
        triangles: triangles.iter().map(|t| t.map(place)).collect(),
    }
}

fn in_body(part: &model::Part, x: DVec3) -> DVec3 {
    let [sx, sy, sz] = part.scale.0;
    DVec3::from_array(part.at) + Turn::from_degrees(DVec3::from_array(part.turn)) * (x * dvec3(sx, sy, sz))
}

fn placed_tets(mut mesh: TetMesh, part: &model::Part) -> TetMesh {
    mesh.positions.iter_mut().for_each(|x| *x = in_body(part, *x));
    mesh
}

fn append(whole: &mut TriangleMesh, part: &TriangleMesh) {
    let base = whole.positions.len() as u32;
    whole.positions.extend_from_slice(&part.positions);
    whole.triangles.extend(part.triangles.iter().map(|t| t.map(|v| v + base)));
}
