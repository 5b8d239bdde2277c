//! The last states before something went wrong, for who wants to know why.

use crate::export_npz::write_mesh;
use crate::{ExportError, Stage};
use sinew_geom::order;
use sinew_io::npz::NpzWriter;
use sinew_math::DVec3;
use sinew_solve::StageState;
use std::collections::VecDeque;
use std::path::Path;

/// How many states a trail holds.
const LENGTH: usize = 100;

/// Exact states of the last substeps. It ends with the first step that had to be cut or failed; without one it follows to the end.
#[derive(Debug, Clone, Default)]
pub(crate) struct Trail {
    states: VecDeque<StageState>,
    is_over: bool,
}

impl Trail {
    /// Notes the state before a step.
    pub(crate) fn note(&mut self, state: &StageState) {
        if self.is_over {
            return;
        }
        let oldest = if self.states.len() < LENGTH { None } else { self.states.pop_front() };
        let mut kept =
            oldest.unwrap_or_else(|| StageState { tick: 0, bodies: Vec::new(), director_states: Vec::new() });
        kept.copy_from(state);
        self.states.push_back(kept);
    }

    /// The step after the last state noted went wrong: that is what the trail leads to.
    pub(crate) fn end_here(&mut self) {
        self.is_over = true;
    }

    /// Writes `ticks` and, per body, positions `x` and velocities `v` of all points at each of them, with the mesh as exports write it.
    pub(crate) fn write(&self, stage: &Stage, path: &Path) -> Result<(), ExportError> {
        let mut npz = NpzWriter::create(path)?;
        let ticks: Vec<i32> = self.states.iter().map(|state| i32::try_from(state.tick).unwrap_or(i32::MAX)).collect();
        npz.i4("ticks", &[ticks.len()], &ticks)?;
        for (number, body) in stage.bodies().iter().enumerate() {
            let from_file = order::inverse(&body.flesh.file_order);
            let shape = [ticks.len(), from_file.len(), 3];
            let flat = |of: fn(&sinew_solve::BodyState) -> &[DVec3]| -> Vec<f64> {
                let state = |state: &StageState| {
                    let points = of(&state.bodies[number]);
                    from_file.iter().flat_map(|&i| points[i as usize].to_array()).collect::<Vec<f64>>()
                };
                self.states.iter().flat_map(state).collect()
            };
            npz.f8(&format!("{}/x", body.name), &shape, &flat(|state| &state.x))?;
            npz.f8(&format!("{}/v", body.name), &shape, &flat(|state| &state.v))?;
            write_mesh(&mut npz, &body.name, &body.flesh)?;
        }
        npz.finish()?;
        Ok(())
    }
}
