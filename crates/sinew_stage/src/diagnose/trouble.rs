//! What a step that gave no answer is told as.

use crate::StageBody;
use sinew_solve::{BodyId, Cells, CueError, Flesh, StepError};

/// The body that is at fault, and in words what happened to it; vertices are numbered as in the file the flesh came from.
pub(crate) fn blame(error: &StepError, bodies: &[StageBody]) -> (BodyId, String) {
    match error {
        StepError::NotFinite { body, vertex } => {
            let flesh = &bodies[body.0 as usize].flesh;
            let number = flesh.file_order.get(*vertex).copied().unwrap_or_default();
            let cell = cell_at(flesh, *vertex).map(|cell| format!(", of {cell}")).unwrap_or_default();
            (*body, format!("vertex {number}{cell}, has a position or velocity that is not finite"))
        }
        StepError::TornApart { body, times } => (
            *body,
            format!("it is stretched to {times:.3e} times its size: what pulls at it is more than its material bears"),
        ),
        StepError::EnergyGained { body, joule } => {
            (*body, format!("it has gained {joule:.3e} J that nothing put into it"))
        }
        StepError::Stopped => (BodyId(0), error.to_string()),
        StepError::Cue(CueError::NotFinite { body, .. }) => {
            (BodyId(bodies.iter().position(|b| b.name == *body).unwrap_or(0) as u32), error.to_string())
        }
    }
}

/// What may keep it from happening.
pub fn remedy(error: &StepError) -> &'static str {
    match error {
        StepError::TornApart { .. } => {
            "let less pull at it, make its material stiffer (material.young_pa), or shorten the steps (scene.substeps)"
        }
        StepError::NotFinite { .. } | StepError::EnergyGained { .. } => {
            "shorten the steps (scene.substeps), or soften what drives it"
        }
        StepError::Stopped => "let it go on to the end",
        StepError::Cue(_) => "look at the numbers of that director, and at curves that it follows",
    }
}

/// The first cell that has this corner.
fn cell_at(flesh: &Flesh, vertex: usize) -> Option<String> {
    let numbers = |corners: &[u32]| -> Option<String> {
        let own = corners.iter().map(|&corner| flesh.file_order[corner as usize].to_string()).collect::<Vec<_>>();
        corners.contains(&(vertex as u32)).then(|| own.join(" "))
    };
    match &flesh.cells {
        Cells::Tets(tets) => tets.iter().find_map(|tet| numbers(tet)).map(|corners| format!("tet {corners}")),
        Cells::Shell(all) => all.iter().find_map(|one| numbers(one)).map(|corners| format!("triangle {corners}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_geom::structured::bar;
    use sinew_math::dvec3;

    /// Named by the numbers of the file, not by those of the flesh, which are others.
    #[test]
    fn a_vertex_is_named_with_a_tet_of_the_file() {
        let mesh = bar(dvec3(1.0, 0.2, 0.2), [6, 2, 2]);
        let flesh = Flesh::from_tets(mesh.clone(), 1000.0).unwrap();
        assert!((0..flesh.point_count()).any(|vertex| flesh.file_order[vertex] as usize != vertex));
        for vertex in 0..flesh.point_count() {
            let named = cell_at(&flesh, vertex).unwrap();
            let mut corners: Vec<u32> =
                named.strip_prefix("tet ").unwrap().split(' ').map(|number| number.parse().unwrap()).collect();
            assert!(corners.contains(&flesh.file_order[vertex]), "{named}");
            corners.sort_unstable();
            let is_it = |tet: &[u32; 4]| {
                let mut tet = *tet;
                tet.sort_unstable();
                tet[..] == corners[..]
            };
            assert!(mesh.tets.iter().any(is_it), "{named} is not in the file");
        }
    }
}
