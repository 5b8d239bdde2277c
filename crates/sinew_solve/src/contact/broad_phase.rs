//! Broad phase: which bodies may touch. Sweep and prune along the axis on which they lie farthest apart.

use super::boxes::Bounds;

/// Scratch of sweep and prune.
#[derive(Debug, Default)]
pub(super) struct BroadPhase {
    order: Vec<u32>,
    open: Vec<u32>,
}

impl BroadPhase {
    /// For every body, the bodies whose boxes meet its own, in rising order.
    pub(super) fn neighbours(&mut self, boxes: &[Bounds], out: &mut [Vec<u32>]) {
        out.iter_mut().for_each(Vec::clear);
        let axis = widest_axis(boxes);
        self.order.clear();
        self.order.extend(0..boxes.len() as u32);
        self.order.sort_unstable_by(|&a, &b| {
            boxes[a as usize].low[axis].total_cmp(&boxes[b as usize].low[axis]).then(a.cmp(&b))
        });
        self.open.clear();
        for &next in &self.order {
            let here = &boxes[next as usize];
            self.open.retain(|&other| boxes[other as usize].high[axis] >= here.low[axis]);
            for &other in &self.open {
                if boxes[other as usize].meets(here) {
                    out[other as usize].push(next);
                    out[next as usize].push(other);
                }
            }
            self.open.push(next);
        }
        out.iter_mut().for_each(|list| list.sort_unstable());
    }
}

fn widest_axis(boxes: &[Bounds]) -> usize {
    let mut all = Bounds::NOTHING;
    boxes.iter().for_each(|bounds| all.join(bounds));
    let extent = |axis: usize| all.high[axis] - all.low[axis];
    (1..3).fold(0, |best, axis| if extent(axis) > extent(best) { axis } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_math::Vec3A;

    #[test]
    fn the_sweep_finds_every_pair_and_no_other() {
        let at = |i: usize| Vec3A::new((i * 7 % 11) as f32, (i * 5 % 13) as f32, (i * 3 % 17) as f32);
        let boxes: Vec<Bounds> = (0..60).map(|i| Bounds { low: at(i), high: at(i) + 3.0 }).collect();
        let mut found = vec![Vec::new(); boxes.len()];
        BroadPhase::default().neighbours(&boxes, &mut found);
        for (i, found) in found.iter().enumerate() {
            let all = (0..boxes.len()).filter(|&j| j != i && boxes[i].meets(&boxes[j])).map(|j| j as u32);
            assert_eq!(*found, all.collect::<Vec<_>>());
        }
    }
}
