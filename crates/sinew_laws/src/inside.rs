//! How much of a body lies inside another, cell by cell.

use sinew_bake::Stage;
use sinew_math::DVec3;
use sinew_solve::{Cells, StageState};

/// The largest share of a body's cells whose middles are inside another body, and that body.
pub(crate) fn cells_inside(stage: &Stage, state: &StageState) -> (f64, usize) {
    let solids: Vec<Option<Solid>> = stage
        .bodies()
        .iter()
        .zip(&state.bodies)
        .map(|(body, now)| match &body.flesh.cells {
            Cells::Tets(tets) => Some(Solid::new(tets, &now.x)),
            Cells::Shell(_) => None,
        })
        .collect();
    let mut most = (0.0, 0);
    for (a, one) in solids.iter().enumerate() {
        for (b, other) in solids.iter().enumerate() {
            let (Some(one), Some(other)) = (one, other) else { continue };
            if a != b {
                let within = one.tets.iter().filter(|tet| other.holds(middle(tet))).count();
                let share = within as f64 / one.tets.len().max(1) as f64;
                most = if share > most.0 { (share, a) } else { most };
            }
        }
    }
    most
}

fn middle(tet: &[DVec3; 4]) -> DVec3 {
    0.25 * tet.iter().sum::<DVec3>()
}

/// Tetrahedra where they are, with the box around them.
struct Solid {
    tets: Vec<[DVec3; 4]>,
    low: DVec3,
    high: DVec3,
}

impl Solid {
    fn new(tets: &[[u32; 4]], x: &[DVec3]) -> Self {
        let low = x.iter().fold(DVec3::INFINITY, |low, x| low.min(*x));
        let high = x.iter().fold(DVec3::NEG_INFINITY, |high, x| high.max(*x));
        Self { tets: tets.iter().map(|tet| tet.map(|corner| x[corner as usize])).collect(), low, high }
    }

    fn holds(&self, p: DVec3) -> bool {
        if p.cmplt(self.low).any() || p.cmpgt(self.high).any() {
            return false;
        }
        self.tets.iter().any(|&[o, a, b, c]| {
            let (a, b, c, p) = (a - o, b - o, c - o, p - o);
            let volume = a.cross(b).dot(c);
            let weights = [p.cross(b).dot(c), a.cross(p).dot(c), a.cross(b).dot(p)].map(|part| part / volume);
            weights.iter().all(|weight| *weight >= 0.0) && weights.iter().sum::<f64>() <= 1.0
        })
    }
}
