//! `sinew info`: what a scene, take or mesh holds.

use crate::args::Info;
use crate::failure::Failure;
use crate::output::Output;
use crate::{kind, scene_arg};
use serde_json::{Value, json};
use sinew::bake::take::{Tail, TakeReader};
use sinew::geom::{SurfaceReport, TriangleMesh};
use std::collections::BTreeMap;
use std::path::Path;

pub(crate) fn run(args: &Info, output: Output) -> Result<(), Failure> {
    let path = args.file.as_path();
    kind::expect_readable(path)?;
    let extension = kind::extension(path);
    let object = match extension.as_str() {
        "take" => take(path)?,
        _ if sinew::io::holds_tets(path) => tets(path)?,
        "obj" | "off" | "stl" | "ply" | "gltf" | "glb" => surface(path)?,
        _ if TakeReader::open(path).is_ok() => take(path)?,
        _ if path.is_file() && extension != "toml" => {
            let known = format!(
                "sinew knows .toml scenes, .take takes, tetrahedra in {}, surfaces in {}",
                sinew::io::TET_EXTENSIONS,
                sinew::io::SURFACE_EXTENSIONS
            );
            return Err(Failure::new(format!("{} is of no kind that sinew knows", path.display()), known));
        }
        _ => scene(path)?,
    };
    output.finish(&object, || text(&object))
}

fn scene(name: &Path) -> Result<Value, Failure> {
    let open = scene_arg::open(name)?;
    let built = open.build(1)?;
    let body = |body: &sinew::bake::StageBody| {
        json!({
            "name": body.name,
            "solver": body.method.name(),
            "points": body.flesh.point_count(),
            "cells": cell_count(&body.flesh.cells),
            "mass_kg": body.flesh.total_mass_kg(),
            "skin_vertices": body.skin.mesh.positions.len(),
        })
    };
    let clock = built.stage.clock();
    Ok(json!({
        "kind": "scene",
        "name": open.name,
        "fps": [clock.fps.0, clock.fps.1],
        "substeps": clock.substeps,
        "frames": [clock.first_frame, clock.last_frame],
        "bodies": built.stage.bodies().iter().map(body).collect::<Vec<_>>(),
        "warnings": super::check::build_warnings(&built),
        "obstacles": open.document.scene().obstacles.len(),
    }))
}

fn cell_count(cells: &sinew::solve::Cells) -> usize {
    match cells {
        sinew::solve::Cells::Tets(tets) => tets.len(),
        sinew::solve::Cells::Shell(triangles) => triangles.len(),
    }
}

fn take(path: &Path) -> Result<Value, Failure> {
    let reader = TakeReader::open(path)?;
    let header = reader.header();
    let frames = reader.frames();
    let hash = frames.clone().map(|frames| reader.hash(frames)).transpose()?.map(|hash| hash.to_hex().to_string());
    Ok(json!({
        "kind": "take",
        "sinew": header.sinew_version,
        "frames": frames.map(|f| [*f.start(), *f.end()]),
        "complete": matches!(reader.tail(), Tail::Finished),
        "checkpoints": reader.checkpoints().collect::<Vec<i32>>(),
        "fps": [header.clock.fps.0, header.clock.fps.1],
        "substeps": header.clock.substeps,
        "bodies": header.bodies.iter().map(|b| json!({ "name": b.name, "points": b.point_count })).collect::<Vec<_>>(),
        "meshes": header.meshes.keys().collect::<Vec<_>>(),
        "scenes": scenes(&reader)?,
        "inputs": reader.inputs_from(0)?.len(),
        "measures": measures(&reader)?,
        "hash": hash,
        "warnings": reader.warnings()?.len(),
    }))
}

/// Body, director, name and unit of a measured number.
type SeriesKey = (u32, String, String, String);
/// Values by frame.
type Series = Vec<(i32, f64)>;

/// What directors measured: a series of (frame, value) for each number.
fn measures(reader: &TakeReader) -> Result<Vec<Value>, Failure> {
    let bodies = &reader.header().bodies;
    let mut series: BTreeMap<SeriesKey, Series> = BTreeMap::new();
    for (frame, measures) in reader.measures()? {
        for measure in measures {
            let key = (measure.body.0, measure.director, measure.name.into_owned(), measure.unit.into_owned());
            series.entry(key).or_default().push((frame, measure.value));
        }
    }
    let told = |((body, director, name, unit), values): (SeriesKey, Series)| {
        let numbers = || values.iter().map(|(_, value)| *value);
        json!({
            "body": bodies.get(body as usize).map(|body| &body.name),
            "director": director,
            "name": name,
            "unit": unit,
            "least": numbers().fold(f64::INFINITY, f64::min),
            "most": numbers().fold(f64::NEG_INFINITY, f64::max),
            "last": numbers().next_back(),
            "values": values,
        })
    };
    Ok(series.into_iter().map(told).collect())
}

/// Which text of the scene made which frames. The first frame of a text that took over under way is still the
/// text's before.
fn scenes(reader: &TakeReader) -> Result<Vec<Value>, Failure> {
    let (spans, last) = (reader.spans()?, reader.frames().map(|frames| *frames.end()));
    let scene = |number: usize| {
        let (span, next) = (&spans[number], spans.get(number + 1));
        let before = number.checked_sub(1).map(|before| &spans[before].header);
        json!({
            "frames": [span.from + i32::from(number > 0), next.map(|next| next.from).or(last)],
            "lines": span.header.scene_text.lines().count(),
            "edit": before.and_then(|before| before.difference(&span.header)),
        })
    };
    Ok((0..spans.len()).map(scene).collect())
}

fn tets(path: &Path) -> Result<Value, Failure> {
    let read = sinew::io::read_tets(path)?.into_mesh();
    let (mesh, repairs) = read.map_err(|error| kind::unusable(path, &error))?;
    let quality = mesh.quality();
    Ok(json!({
        "kind": "tets",
        "vertices": mesh.positions.len(),
        "tets": mesh.tets.len(),
        "boundary_triangles": mesh.boundary().len(),
        "volume": mesh.volume(),
        "dihedral_deg": { "min": quality.dihedral_min_deg, "max": quality.dihedral_max_deg },
        "dihedral_histogram_10_deg": quality.dihedral_histogram,
        "worst_aspect": quality.worst_aspect,
        "worst_tet": quality.worst_tet.map(|tet| tet.0),
        "edge": { "min": quality.edge_min_m, "mean": quality.edge_mean_m, "max": quality.edge_max_m },
        "turned_tets": repairs.turned_tets,
        "dropped_vertices": repairs.dropped_vertices,
    }))
}

fn surface(path: &Path) -> Result<Value, Failure> {
    let file = sinew::io::read_surface(path)?;
    let sets: Vec<&str> = file.sets.iter().map(|set| set.name.as_str()).collect();
    let materials: Vec<&str> = file.looks.materials.iter().map(|material| material.name.as_str()).collect();
    let looks = json!({
        "texture_coordinates": !file.corner_uvs.is_empty(),
        "normals": !file.normals.is_empty(),
        "materials": materials,
        "images": file.looks.images.len(),
        "joints": file.rig.as_ref().map_or(0, |rig| rig.joints.len()),
    });
    let missing: Vec<_> = file.looks.missing.iter().map(|file| json!({ "file": file.name, "why": file.why })).collect();
    let mesh = TriangleMesh::new(file.positions, file.triangles).map_err(|error| kind::unusable(path, &error))?;
    let (low, high) = mesh.bounds();
    Ok(json!({
        "kind": "surface",
        "vertices": mesh.positions.len(),
        "triangles": mesh.triangles.len(),
        "area": mesh.area(),
        "bounds": [low.to_array(), high.to_array()],
        "groups": sets,
        "looks": looks,
        "missing": missing,
        "report": super::mesh::surface_report(&SurfaceReport::of(&mesh)),
    }))
}

/// `key  value`, a line each; lists of objects a line per entry.
fn text(object: &Value) -> String {
    let mut lines = Vec::new();
    for (key, value) in object.as_object().into_iter().flatten() {
        match value.as_array() {
            Some(entries) if entries.iter().any(Value::is_object) => {
                lines.push(key.clone());
                lines.extend(entries.iter().map(|entry| format!("  {}", flat(&without_values(entry)))));
            }
            _ => lines.push(format!("{key:<20}{}", flat(value))),
        }
    }
    lines.join("\n")
}

/// Whole series are for programs.
fn without_values(entry: &Value) -> Value {
    let mut entry = entry.clone();
    if let Some(fields) = entry.as_object_mut() {
        fields.remove("values");
    }
    entry
}

fn flat(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "none".into(),
        Value::Array(entries) => entries.iter().map(flat).collect::<Vec<_>>().join(" "),
        Value::Object(fields) => {
            // Places of what did not happen are of no interest to people, and of what did the first one is
            // enough.
            let happened = |value: &&Value| value["count"] != 0;
            let shown = fields.iter().filter(|(_, value)| happened(value));
            shown.map(|(key, value)| format!("{key} {}", place(value))).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

fn place(value: &Value) -> String {
    match (value.get("count"), value["first"].get(0)) {
        (Some(count), Some(first)) => format!("{count} (first at {})", flat(first)),
        _ => flat(value),
    }
}
