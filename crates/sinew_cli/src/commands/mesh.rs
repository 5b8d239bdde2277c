//! `sinew mesh`: fills a surface with tetrahedra.

use crate::args::Mesh;
use crate::failure::Failure;
use crate::kind;
use crate::output::Output;
use serde_json::{Value, json};
use sinew::geom::distance::SurfaceDistance;
use sinew::geom::stuffing::{
    Fineness, Inside, Places, Stuffed, StuffingError, StuffingNote, StuffingReport, stuff_inside,
};
use sinew::geom::{SurfaceReport, TriangleMesh};
use sinew::io::disk::{Inputs, Outputs, check_outputs};
use std::path::Path;
use std::time::Instant;

/// Vertices where nothing is asked for: fine enough to look at, coarse enough to simulate at once.
const VERTICES: usize = 5000;

/// Triangles to be measured at every place: filling a body asks a million times.
const MOST_CROWDED: usize = 2000;

pub(crate) fn run(args: &Mesh, output: Output) -> Result<(), Failure> {
    if !sinew::io::holds_tets(&args.output) {
        let help = format!("the extension of the output should be one of {}", sinew::io::TET_FILES);
        return Err(Failure::usage(format!("cannot write tetrahedra to {}", args.output.display()), help));
    }
    let mut inputs = Inputs::default();
    inputs.add_mesh(&args.input);
    check_outputs(&inputs, &Outputs { named: vec![args.output.clone()], beside: Vec::new() }, true)?;
    let surface = read(&args.input)?;
    let report = SurfaceReport::of(&surface);
    let started = Instant::now();
    let stuffed = fill(&surface, args)?;
    let seconds = started.elapsed().as_secs_f64();
    sinew::io::write_tets(&args.output, &stuffed.mesh)?;
    let (low, high) = stuffed.mesh.dihedral_range_deg();
    let object = json!({
        "output": args.output.display().to_string(),
        "vertices": stuffed.mesh.positions.len(),
        "tets": stuffed.mesh.tets.len(),
        "volume": stuffed.mesh.volume(),
        "dihedral_deg": { "min": low, "max": high },
        "cell": stuffed.report.cell_m,
        "seconds": seconds,
        "tets_per_second": stuffed.mesh.tets.len() as f64 / seconds,
        "graded": args.graded,
        "warnings": stuffed.report.notes().iter().map(note).collect::<Vec<_>>(),
        "report": { "surface": surface_report(&report), "mesh": mesh_report(&stuffed.report) },
    });
    output.finish(&object, || text(&stuffed, &report, args, seconds))
}

fn read(path: &Path) -> Result<TriangleMesh, Failure> {
    kind::expect_readable(path)?;
    if sinew::io::holds_tets(path) {
        let help = "sinew info shows what it holds; a scene takes it as flesh = { mesh = \"…\" }";
        return Err(Failure::new(format!("{} holds tetrahedra already", path.display()), help));
    }
    let file = sinew::io::read_surface(path)?;
    TriangleMesh::new(file.positions, file.triangles).map_err(|error| kind::unusable(path, &error))
}

fn fill(surface: &TriangleMesh, args: &Mesh) -> Result<Stuffed, Failure> {
    let fineness = match (args.cell, args.vertices) {
        (Some(cell), _) => Fineness::CellM(cell),
        (None, wanted) => Fineness::Vertices(wanted.map_or(VERTICES, |n| n as usize)),
    };
    let inside = if args.graded { Inside::Graded } else { Inside::Even };
    let shape = SurfaceDistance::new(surface);
    if shape.crowding() > MOST_CROWDED {
        let what = format!("{}: thousands of its triangles lie on each other", args.input.display());
        return Err(Failure::new(what, "remove doubled faces in the program that made it"));
    }
    let work = || stuff_inside(&shape, fineness, inside);
    let stuffed = match args.threads {
        Some(threads) => rayon::ThreadPoolBuilder::new().num_threads(usize::from(threads)).build()?.install(work),
        None => work(),
    };
    stuffed.map_err(|error| {
        let help = match error {
            StuffingError::Nothing { .. } | StuffingError::NoSize { .. } => {
                "a surface to fill must enclose something; a sheet is a body as it is: flesh = { kind = \"shell\" }"
            }
            _ => "try other values of --vertices or --cell",
        };
        Failure::new(format!("{}: {error}", args.input.display()), help)
    })
}

fn places(places: &Places) -> Value {
    json!({ "count": places.count, "first": places.first.iter().map(sinew::math::DVec3::to_array).collect::<Vec<_>>() })
}

fn note(note: &StuffingNote) -> Value {
    let first = note.first.map(|place| place.to_array());
    json!({ "kind": note.kind, "loss": note.is_loss, "what": note.what, "first": first })
}

/// What is wrong with a surface, for `sinew mesh` and `sinew info`.
pub(crate) fn surface_report(report: &SurfaceReport) -> Value {
    json!({
        "clean": report.is_clean(),
        "pieces": report.pieces,
        "holes": report.holes,
        "open_edges": places(&report.open_edges),
        "crowded_edges": places(&report.crowded_edges),
        "doubled_vertices": places(&report.doubled_vertices),
        "loose_vertices": places(&report.loose_vertices),
        "flat_triangles": places(&report.flat_triangles),
        "turned_edges": places(&report.turned_edges),
        "turned_triangles": report.turned_triangles,
        "crossings": places(&report.crossings),
    })
}

fn mesh_report(report: &StuffingReport) -> Value {
    json!({
        "rounds": report.rounds,
        "components": report.components,
        "pinches": places(&report.pinches),
        "blunted": places(&report.blunted),
        "lost": places(&report.lost),
        "filled": places(&report.filled),
        "crumbs": places(&report.crumbs),
        "lost_pieces": report.lost_pieces,
    })
}

fn text(stuffed: &Stuffed, surface: &SurfaceReport, args: &Mesh, seconds: f64) -> String {
    let mesh = &stuffed.mesh;
    let (low, high) = mesh.dihedral_range_deg();
    let mut lines = vec![format!(
        "{}: {} vertices, {} tets, volume {:.6}, angles {low:.1}° to {high:.1}°, {seconds:.2} s",
        args.output.display(),
        mesh.positions.len(),
        mesh.tets.len(),
        mesh.volume()
    )];
    let repairs = [
        (surface.holes, "holes in the surface were closed", &surface.open_edges),
        (surface.crowded_edges.count, "edges of the surface have more than two triangles", &surface.crowded_edges),
        (surface.turned_triangles, "triangles faced the wrong way", &surface.turned_edges),
        (surface.crossings.count, "triangles of the surface are cut by others", &surface.crossings),
    ];
    let at = |place: Option<&sinew::math::DVec3>| place.map(|x| format!(", first at {x:.4}")).unwrap_or_default();
    for (count, what, places) in repairs.into_iter().filter(|(count, ..)| *count > 0) {
        lines.push(format!("  {count} {what}{}", at(places.first.first())));
    }
    for note in stuffed.report.notes() {
        let lead = if note.is_loss { "warning: " } else { "  " };
        lines.push(format!("{lead}{}{}", note.what, at(note.first.as_ref())));
    }
    lines.join("\n")
}
