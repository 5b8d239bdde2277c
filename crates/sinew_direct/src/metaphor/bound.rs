//! How much of a metaphor the flesh bears (CM-36): stresses by beam theory, before anything is simulated.
//!
//! The limb that the widget lies along is a beam. At a cut across the axis its section carries what acts on one side of the cut: a normal force N, a bending
//! moment M and a torque T. Its largest strains are N/EA, M c/EI and T c/GJ (Timoshenko, *Strength of Materials*), I and J being the moments of the section's
//! area about its centre and c its reach. The bound is the magnitude at which they use up what flesh bears, at the worst cut. A limb that is pressed also
//! buckles, from Euler's load π² E I / L² on. A region on which forces cancel, squeezed from all sides, is bounded by itself.
//!
//! What acts is the balanced force: inertia balances what is not.

use super::section::Section;
use super::{Metaphor, balancing};
use sinew_math::DVec3;
use sinew_solve::{Cells, Flesh};
use std::f64::consts::PI;

/// Strains that flesh bears. Pulled to twice its length it is thin and whole; pressed by a half it turns inside out, and a sudden press gets twice as far as a
/// steady one. Bent and twisted, only the rim is strained: a ring of it is as much as tetrahedra follow.
const PULLED: f64 = 1.0;
const PRESSED: f64 = 0.3;
const BENT: f64 = 1.5;
const TWISTED: f64 = 1.5;
/// A region may be strained by its own length.
const REGION: f64 = 1.0;
/// Share of its own size by which a force may move a region in one step of a solver without a modulus.
const MOST_STEP: f64 = 0.25;
/// Euler's load times this: beyond it a limb folds over before a shot of a second is done.
pub(super) const BUCKLED: f64 = 1.6;
/// E/G of flesh, which hardly changes its volume.
const SHEAR: f64 = 3.0;
/// Cuts along the limb.
const CUTS: u32 = 32;
/// A cut with less than this share of the limb's usual section meets a corner of it: where a limb is curved, the axis leaves it.
const CORNER: f64 = 0.5;

/// What holds flesh together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Strength {
    /// As the solver has it: see `ShapeMatchingParams::young_pa` for one that knows no modulus.
    pub young_pa: f64,
    pub density_kg_m3: f64,
    /// Seconds of a step, for a solver that knows no modulus (shape matching): it takes back what one step displaces, and a few points on their own are held by
    /// little.
    pub step_secs: Option<f64>,
    /// Share of the strains of elastic flesh that it bears: springs have nothing against turning inside out.
    pub share: f64,
    /// Share of that which a bend may use: the inner side of a bend is pressed.
    pub bent: f64,
}

/// The largest magnitudes of a metaphor, N: of a positive curve and of a negative one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bound {
    pub positive_n: f64,
    pub negative_n: f64,
}

impl Bound {
    pub const NONE: Self = Self { positive_n: f64::INFINITY, negative_n: f64::INFINITY };

    pub fn clamp(&self, newton: f64) -> f64 {
        newton.clamp(-self.negative_n, self.positive_n)
    }

    /// The bound on the side of `newton`.
    pub fn towards(&self, newton: f64) -> f64 {
        if newton < 0.0 { self.negative_n } else { self.positive_n }
    }
}

/// What the flesh bears of a metaphor.
pub fn bound(metaphor: &Metaphor, flesh: &Flesh, strength: &Strength) -> Bound {
    let region = regions_used(metaphor, flesh, strength);
    let beam = Beam::new(metaphor, flesh, strength).map_or([0.0; 2], |beam| beam.used());
    let [positive_n, negative_n] =
        beam.map(|used| used.max(region)).map(|used| if used > 0.0 { strength.share / used } else { f64::INFINITY });
    Bound { positive_n, negative_n }
}

/// Share of what the weakest region bears that one newton uses up: its forces over the modulus and the section of a cube of its volume.
fn regions_used(metaphor: &Metaphor, flesh: &Flesh, strength: &Strength) -> f64 {
    let used = |(points, newton): (&[u32], f64)| {
        let mass_kg: f64 = points.iter().map(|&point| flesh.mass_kg[point as usize]).sum();
        let size_m = (mass_kg / strength.density_kg_m3).cbrt();
        let strained = newton / (REGION * strength.young_pa * size_m * size_m);
        let moved = |secs: f64| newton * secs * secs / (MOST_STEP * mass_kg * size_m);
        strength.step_secs.map_or(strained, |secs| strained.max(moved(secs)))
    };
    metaphor.regions().zip(metaphor.newton_by_region(flesh)).map(used).fold(0.0, f64::max)
}

/// The flesh about a widget's axis, with the forces of one newton on it, in the widget's frame.
struct Beam<'a> {
    tets: &'a [[u32; 4]],
    young_pa: f64,
    bent: f64,
    /// Points and balanced forces of the whole body.
    places: Vec<DVec3>,
    forces: Vec<DVec3>,
    /// Distance from the axis within which tetrahedra belong to the limb.
    radius_m: f64,
    /// Where the cuts are along the axis.
    cuts: Vec<f64>,
}

impl<'a> Beam<'a> {
    /// None for sheets, which bend and twist without being strained, and where nothing acts.
    fn new(metaphor: &Metaphor, flesh: &'a Flesh, strength: &Strength) -> Option<Self> {
        let Cells::Tets(tets) = &flesh.cells else { return None };
        let frame = metaphor.widget.at_rest();
        let places: Vec<DVec3> = flesh.rest.iter().map(|x| frame.place(*x)).collect();
        let net = metaphor.net_at_rest(flesh);
        let mut forces = balancing(&flesh.rest, &flesh.mass_kg, &net);
        metaphor.unit_forces(frame, &flesh.rest).for_each(|(point, force)| forces[point] += force);
        forces.iter_mut().for_each(|force| *force = frame.turned_back(*force));
        let pushed = || metaphor.regions().flatten().map(|&point| places[point as usize]);
        let (low, high) =
            pushed().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| (low.min(at.x), high.max(at.x)));
        let radius_m = pushed().map(|place| place.y.hypot(place.z)).fold(0.0, f64::max);
        let cuts = (1..CUTS).map(|cut| low + (high - low) * f64::from(cut) / f64::from(CUTS)).collect();
        let acts = high > low && net.total_n > 0.0;
        acts.then_some(Self { tets, young_pa: strength.young_pa, bent: strength.bent, places, forces, radius_m, cuts })
    }

    /// Share of what the worst section bears that one newton uses up, of a positive curve and of a negative one.
    fn used(&self) -> [f64; 2] {
        let (mut most, mut normals) = ([0.0f64; 2], Vec::new());
        for section in self.sections() {
            let (force_n, moment_nm) = self.load(section.centre);
            let normal = force_n.x / (self.young_pa * section.area_m2);
            let rim = |moment: f64, about: usize| moment.abs() * section.reach_m[about] / section.second_m4[about];
            let bent = (rim(moment_nm.y, 0) + rim(moment_nm.z, 1)) / (self.young_pa * BENT * self.bent);
            let (reach_m, polar_m4) = (section.reach_m[0].max(section.reach_m[1]), section.polar_m4());
            let twisted = SHEAR * moment_nm.x.abs() * reach_m / (self.young_pa * polar_m4 * TWISTED);
            for (most, sign) in most.iter_mut().zip([1.0, -1.0]) {
                let normal = sign * normal;
                let normal = if normal < 0.0 { -normal / PRESSED } else { normal / PULLED };
                *most = most.max(normal + bent + twisted);
            }
            normals.push((force_n.x, section.second_m4[0].min(section.second_m4[1])));
        }
        [most[0].max(self.buckled(&normals, 1.0)), most[1].max(self.buckled(&normals, -1.0))]
    }

    /// The limb's sections at the cuts, but for its corners.
    fn sections(&self) -> Vec<Section> {
        let cut = |x: &f64| Section::cut(self.tets, &self.places, *x, self.radius_m);
        let mut sections: Vec<Section> = self.cuts.iter().filter_map(cut).collect();
        let mut areas: Vec<f64> = sections.iter().map(|section| section.area_m2).collect();
        areas.sort_by(f64::total_cmp);
        let usual_m2 = areas.get(areas.len() / 2).copied().unwrap_or(0.0);
        sections.retain(|section| section.area_m2 >= CORNER * usual_m2);
        sections
    }

    /// Share of the buckling load that one newton is, `normals` being the normal force and the least second moment of area at every cut. Forces are handed over
    /// along regions: the column is as long as what carries half of the load and more.
    fn buckled(&self, normals: &[(f64, f64)], sign: f64) -> f64 {
        let pressing = |(newton, _): &&(f64, f64)| -sign * newton;
        let most_n = normals.iter().map(|cut| pressing(&cut)).fold(0.0, f64::max);
        if most_n <= 0.0 {
            return 0.0;
        }
        let column: Vec<f64> = normals.iter().filter(|cut| pressing(cut) > 0.5 * most_n).map(|cut| cut.1).collect();
        let length_m = column.len() as f64 * (self.cuts[1] - self.cuts[0]);
        let second_m4 = column.iter().sum::<f64>() / column.len() as f64;
        most_n * length_m * length_m / (BUCKLED * PI * PI * self.young_pa * second_m4)
    }

    /// What acts beyond a section: its force, and its moment about the section's middle.
    fn load(&self, middle: DVec3) -> (DVec3, DVec3) {
        let beyond = self.places.iter().zip(&self.forces).filter(|(place, _)| place.x > middle.x);
        beyond.fold((DVec3::ZERO, DVec3::ZERO), |(sum, moment), (place, force)| {
            (sum + *force, moment + (*place - middle).cross(*force))
        })
    }
}
