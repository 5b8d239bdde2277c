//! Bodies of generated scenes: shape, flesh, solver and material.

use super::{Draft, MeshFile};
use crate::random::{Random, three_digits};
use serde_json::{Value, json};

/// What a solver can simulate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum BodyKind {
    Shape,
    Newton,
    Smoothed,
    Midpoint,
    Descent,
    Springs,
    Adaptive,
    Sheet,
}

impl BodyKind {
    const ALL: [Self; 9] = [
        Self::Shape,
        Self::Newton,
        Self::Smoothed,
        Self::Midpoint,
        Self::Descent,
        Self::Descent,
        Self::Springs,
        Self::Adaptive,
        Self::Sheet,
    ];

    pub(super) fn draw(random: &mut Random) -> Self {
        random.pick(&Self::ALL)
    }

    /// The same, or flesh with a volume in place of a sheet.
    pub(super) fn solid(self) -> Self {
        if self == Self::Sheet { Self::Springs } else { self }
    }

    fn solver(self, random: &mut Random) -> Value {
        let newton = |random: &mut Random| {
            let tolerance = random.pick(&[1e-3, 1e-3, 1e-6]);
            json!({ "kind": "fem", "tolerance": tolerance, "newton_iterations": random.pick(&[8, 8, 20]) })
        };
        match self {
            Self::Shape => {
                let mut solver = json!({ "kind": "shape_matching", "iterations": random.whole(0, 8) });
                if random.chance(0.2) {
                    solver["stiffness"] = json!(random.between(0.3, 1.0));
                }
                if random.chance(0.2) {
                    // 1.3 times the root of the iterations are the fewest.
                    solver["passes"] = json!(random.whole(5, 8));
                    solver["iterations"] = json!(random.whole(8, 12));
                }
                solver
            }
            Self::Newton => newton(random),
            Self::Smoothed => {
                let mut solver = newton(random);
                solver["elements"] = json!("smoothed");
                solver
            }
            Self::Midpoint => {
                let mut solver = newton(random);
                solver["time"] = json!("midpoint");
                solver
            }
            Self::Descent => {
                json!({ "kind": "fem", "method": "descent", "iterations": random.pick(&[5, 10, 10, 10, 20, 40]) })
            }
            Self::Springs => json!({ "kind": "springs", "opposite": random.chance(0.3) }),
            Self::Adaptive => json!({ "kind": "springs", "method": "adaptive" }),
            Self::Sheet => {
                let method = random.pick(&["implicit", "implicit", "adaptive"]);
                json!({ "kind": "springs", "method": method, "bend": random.between(0.02, 0.5) })
            }
        }
    }
}

/// What is asked of a body's stiffness: any that the format allows, or that it carries a load without collapsing.
#[derive(Debug, Clone, Copy)]
pub(super) enum Stiffness {
    Any,
    /// Strain under a pressure in Pa, between two shares.
    Carries {
        pressure_pa: f64,
        strain: [f64; 2],
    },
}

/// What a body should be.
pub(super) struct Wanted {
    pub(super) name: &'static str,
    pub(super) kind: BodyKind,
    /// Its longest side, metres.
    pub(super) size_m: f64,
    /// A bar with its sides along the axes, these shares of its size; none draws any shape.
    pub(super) bar: Option<[f64; 3]>,
    pub(super) points: u32,
    pub(super) stiffness: Stiffness,
    pub(super) density: Option<f64>,
    pub(super) damping: Option<&'static str>,
}

impl Draft {
    /// The size of a body: half of them as large as things on a table, the rest from a grain to a tower.
    pub(super) fn size_m(&mut self) -> f64 {
        if self.random.chance(0.5) { self.random.log_between(0.1, 1.0) } else { self.random.log_between(1e-3, 100.0) }
    }

    /// A body with everything but its place and what directs it.
    pub(super) fn body(&mut self, wanted: &Wanted) -> Value {
        let kind = wanted.kind;
        let mut body = self.shape(wanted);
        body["name"] = json!(wanted.name);
        body["solver"] = kind.solver(&mut self.random);
        body["material"] = self.material(wanted);
        if self.random.chance(0.3) {
            body["friction"] = json!(self.random.pick(&[0.0, 0.1, 0.5, 1.0]));
        }
        body
    }

    fn shape(&mut self, wanted: &Wanted) -> Value {
        let (size, points) = (wanted.size_m, wanted.points.max(8));
        if wanted.kind == BodyKind::Sheet {
            let sides = [size, three_digits(size * self.random.between(0.5, 1.0))];
            let thickness = three_digits(size * self.random.log_between(1e-3, 1e-2));
            return json!({
                "skin": { "model": "cloth", "size": sides },
                "flesh": { "kind": "shell", "vertices": points, "thickness": thickness.max(1e-6) },
            });
        }
        let lattice = matches!(wanted.kind, BodyKind::Springs | BodyKind::Adaptive) && self.random.chance(0.7);
        let tets = json!({ "kind": "tets", "vertices": points });
        if let Some(shares) = wanted.bar {
            let sides = shares.map(|share| three_digits(size * share));
            let flesh = if lattice { lattice_of(sides, points) } else { tets };
            return json!({ "skin": { "model": "bar", "size": sides }, "flesh": flesh });
        }
        if let Some(MeshFile { name, size: own }) = self.mesh.clone() {
            let scale = three_digits(size / own);
            return json!({ "skin": { "mesh": name }, "scale": scale, "flesh": { "kind": "tets", "vertices": points.max(120) } });
        }
        match self.random.whole(0, 9) {
            0..=4 => {
                let sides = [size, size * self.random.between(0.3, 1.0), size * self.random.between(0.3, 1.0)]
                    .map(three_digits);
                let flesh = if lattice { lattice_of(sides, points) } else { tets };
                json!({ "skin": { "model": "bar", "size": sides }, "flesh": flesh })
            }
            5 | 6 => {
                json!({ "skin": { "model": "cylinder", "radius": three_digits(0.3 * size), "height": size }, "flesh": tets })
            }
            7 => json!({
                "skin": { "model": "worm", "length": size, "radius": three_digits(0.12 * size) },
                "flesh": { "kind": "tets", "vertices": points.max(60) },
            }),
            _ => {
                let model = self.random.pick(&["rabbit", "heart", "head"]);
                json!({ "skin": { "model": model }, "scale": size, "flesh": { "kind": "tets", "vertices": points.max(120) } })
            }
        }
    }

    fn material(&mut self, wanted: &Wanted) -> Value {
        let h_secs = self.h_secs();
        let random = &mut self.random;
        let preset = random.pick(&["jelly", "rubber", "muscle", "fat", "worm"]);
        let damping = wanted.damping.unwrap_or_else(|| random.pick(&["none", "light", "medium", "heavy"]));
        let mut material = json!({ "preset": preset, "damping": damping });
        let is_any = random.chance(0.5);
        if let Some(density) = wanted.density {
            material["density_kg_m3"] = json!(density);
        } else if is_any {
            material["density_kg_m3"] = json!(random.log_between(1.0, 2e4));
        }
        // Explicit steps need more inner ones the stiffer a body is; past some hundred the solver takes an implicit step and says so.
        let inner_m_s = 20.0 * wanted.size_m / h_secs;
        let stiffest = if wanted.kind == BodyKind::Adaptive { inner_m_s * inner_m_s * 500.0 } else { 1e12 };
        match wanted.stiffness {
            Stiffness::Any if is_any => {
                material["young_pa"] = json!(three_digits(random.log_between(1.0, 1e12).min(stiffest)).max(1.0));
            }
            Stiffness::Any => {}
            Stiffness::Carries { pressure_pa, strain: [low, high] } => {
                let young = pressure_pa / random.log_between(low, high);
                material["young_pa"] = json!(three_digits(young.min(stiffest)).clamp(1.0, 1e12));
            }
        }
        if is_any {
            material["poisson"] = json!(random.pick(&[-0.5, 0.0, 0.2, 0.3, 0.4, 0.45, 0.49, 0.499]));
        }
        if matches!(wanted.kind, BodyKind::Newton | BodyKind::Smoothed | BodyKind::Midpoint | BodyKind::Descent)
            && random.chance(0.4)
        {
            material["law"] = json!(random.pick(&["corotated", "st_venant_kirchhoff"]));
        }
        material
    }
}

/// A lattice of about so many points whose boxes are nearly cubes.
fn lattice_of(sides: [f64; 3], points: u32) -> Value {
    let volume: f64 = sides.iter().product();
    let edge = sinew_math::libm::cbrt(volume / f64::from(points));
    let size = sides.map(|side| ((side / edge).round() as u32).clamp(2, 12));
    json!({ "kind": "lattice", "size": size })
}
