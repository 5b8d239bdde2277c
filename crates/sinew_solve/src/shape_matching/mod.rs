//! Shape matching on 1-ring regions.
use crate::*;
use std::sync::Arc;
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ShapeMatchingParams {
    pub iterations: u32,
    pub pull: f64,
}
#[derive(Debug, Clone)]
pub struct ShapeMatchingBody {
    pub flesh: Arc<Flesh>,
    pub material: Material,
    pub params: ShapeMatchingParams,
}
pub struct ShapeMatchingSolver;
impl ShapeMatchingSolver {
    pub fn new(_: Vec<ShapeMatchingBody>) -> Self {
        panic!()
    }
}
impl Solver for ShapeMatchingSolver {
    fn body_count(&self) -> usize {
        0
    }
    fn flesh(&self, _: usize) -> &Flesh {
        panic!()
    }
    fn rest_state(&self, _: usize) -> BodyState {
        panic!()
    }
    fn step(&mut self, _: &mut [BodyState], _: &Asked<'_>, _: &mut StepReport) -> Result<(), StepError> {
        panic!()
    }
    fn energy(&self, _: usize, _: &BodyState, _: &Cues) -> f64 {
        panic!()
    }
}
