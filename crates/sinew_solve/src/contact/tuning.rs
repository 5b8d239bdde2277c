//! Every number of contact that was tuned, in one place: tolerances, shares, limits of iterations.
//!
//! Lengths are shares of a body's size or of its mean edge, so that contact is the same in any unit. A value that was chosen by a
//! measurement says which. What each part of contact buys is measured in `docs/book/contact.md`.

/// The values in force.
pub const CONTACT: ContactTuning = ContactTuning {
    detection: Detection {
        margin: 0.01,
        sheet_margin: 0.1,
        way_ahead: 0.5,
        max_margin: 0.25,
        sheet_thickness: 0.1,
        same_exit_cosine: 0.7,
        corner_cosine: 0.5,
    },
    obstacles: Obstacles {
        margin: 0.02,
        margin_in_gravities: 2.0,
        same_side_cosine: 0.7,
        deep_share: 0.25,
        thin_share: 0.05,
        back_cosine: 0.5,
    },
    faces: Faces { inside_at_start: 0.01, inside_at_start_round: 0.25, min_rise: 0.004, min_weight: 0.05 },
    exit: Exit {
        facing_cosine: 0.5,
        max_detour: 3.0,
        nearer_square: 0.999,
        before_face: 0.1,
        as_near: 2.0,
        max_steps: 8,
        beyond_sine: 0.7,
    },
    edges: Edges { min_rise: 0.004, parallel_sine: 0.1, flat_sine: 0.1, max_depth: 0.3 },
    ccd: Ccd { seam: 0.02, parallel_near_sine: 0.1, parallel_passing_sine: 0.01, beside_cosine: 0.5, root_steps: 16 },
    sheets: Sheets {
        own_thicknesses: 1.5,
        inward_cosine: 0.3,
        caught_depth: 2.0,
        min_height: 0.01,
        min_rise_sine: 0.2,
    },
    penalty: Penalty {
        stick_speed: 3e-4,
        repair: 0.25,
        repair_per_sec: 96.0,
        min_friction_share: 0.25,
        deep_stiffness: 4.0,
        resting_depth: 0.005,
        min_carriers: 4,
        descent_stiffness: 4.0,
    },
    vertex_pgs: VertexPgs {
        sweeps: 6,
        max_sweeps: 40,
        max_answers: 4000,
        converged: 1e-6,
        far: 0.01,
        repair: 0.5,
        max_repair: 0.005,
    },
    rigid_pgs: RigidPgs {
        sweeps: 10,
        max_sweeps: 60,
        max_answers: 1000,
        converged: 1e-5,
        slow_approach: 0.005,
        weight_approach: 1.5,
        braked_share: 0.5,
    },
    rigid_newton: RigidNewton {
        stiffness: 1e5,
        max_bodies: 12,
        max_iterations: 8,
        max_iterations_alone: 32,
        converged_step: 1e-9,
        accepted_step: 1e-6,
        max_step: 1e-4,
        attempts: 3,
        halvings: 6,
        max_pull: 0.1,
    },
    impact: Impact {
        max_share: 1.0,
        part_share: 0.5,
        matched_share: 0.45,
        matched_part_share: 0.25,
        max_closing: 2.0,
        max_halvings: 8,
        max_matched_halvings: 5,
        max_mach: 0.5,
        max_explicit_mach: 0.25,
        max_followed_mach: 2.0,
        max_explicit_followed_mach: 1.0,
        max_fall: 0.25,
        arrival: 2.5,
        max_cuts: 3,
        tolerated_depth: 0.01,
        max_growth: 0.005,
        slid: 0.02,
    },
    coupling: Coupling {
        warm_start_sweeps: 40,
        warm_start_compliance: 0.02,
        max_iterations: 20,
        repair: 0.3,
        min_step_length: 0.05,
        converged_depth: 1e-4,
    },
};

#[derive(Debug, Clone, Copy)]
pub struct ContactTuning {
    pub detection: Detection,
    pub obstacles: Obstacles,
    pub faces: Faces,
    pub exit: Exit,
    pub edges: Edges,
    pub ccd: Ccd,
    pub sheets: Sheets,
    pub penalty: Penalty,
    pub vertex_pgs: VertexPgs,
    pub rigid_pgs: RigidPgs,
    pub rigid_newton: RigidNewton,
    pub impact: Impact,
    pub coupling: Coupling,
}

/// How early contact between bodies is found.
#[derive(Debug, Clone, Copy)]
pub struct Detection {
    /// How far, as a share of the body's size, contacts are found ahead of touching, where nothing moves: what forces and
    /// matching may add to the prediction in one step.
    pub margin: f64,
    /// The same for sheets, as a share of the mean edge.
    pub sheet_margin: f64,
    /// What moves among the others is found ahead by this share of its way in a step, if that is farther: the way itself is in
    /// the prediction, but contact may turn it.
    pub way_ahead: f64,
    /// Never farther ahead than this share of the mean edge, nor nearer than that.
    pub max_margin: f64,
    /// Least distance to keep from a sheet, as a share of its mean edge; half of it on each side.
    pub sheet_thickness: f64,
    /// Exits closer in direction than this cosine are one and the same.
    pub same_exit_cosine: f32,
    /// Cosine of the angle between faces from which on their common points are corners.
    pub corner_cosine: f32,
}

/// Contact of points with obstacles.
#[derive(Debug, Clone, Copy)]
pub struct Obstacles {
    /// How much farther than predicted a point may move in a step, as a share of the body's size, and still be caught.
    pub margin: f64,
    /// What forces may add to the prediction in a step, in accelerations of gravity: more than [`MARGIN`] for what is small.
    pub margin_in_gravities: f64,
    /// Cosine above which two normals belong to one side of an obstacle.
    pub same_side_cosine: f64,
    /// Share of an obstacle's half thickness from which on it matters which way the body faces.
    pub deep_share: f64,
    /// Of the places on its surface this share may be thinner than what counts as its thickness.
    pub thin_share: f64,
    /// Cosine above which a body's surface does not face a side, but turns its back on it.
    pub back_cosine: f64,
}

/// Faces of flesh against rims and spikes of obstacles.
#[derive(Debug, Clone, Copy)]
pub struct Faces {
    /// How far behind a face an obstacle may be when an interval begins, as a share of the body's size, and still have come through it.
    pub inside_at_start: f64,
    /// The same as a share of an obstacle's radius: small balls that overlap a body from the start are marks beside it and not in its way.
    pub inside_at_start_round: f64,
    /// How much deeper a face must be met than its corners are, as a share of the body's size.
    pub min_rise: f64,
    /// Corners with less than this share in the place that is met are not held.
    pub min_weight: f64,
}

/// The way out of a vertex that is inside another body.
#[derive(Debug, Clone, Copy)]
pub struct Exit {
    /// Cosine above which two normals point the same way: walls have two sides, and coarse flesh rough normals.
    pub facing_cosine: f32,
    /// How much farther than through the nearest face a vertex may be pushed to get out through one that faces it.
    pub max_detour: f32,
    /// A neighbour is looked at if its plane is nearer than this share of the best distance, squared: on flat surfaces rounding
    /// alone would say it is nearer.
    pub nearer_square: f32,
    /// What was no farther behind a face than this share of the margin when the interval began was before it.
    pub before_face: f32,
    /// A face this many times as far as the nearest was as near: a cell knows one face in each direction, and not always the one that was under the seeker.
    pub as_near: f32,
    /// Steps over the surface from an exit to the face under the vertex.
    pub max_steps: usize,
    /// Sine by which flesh around a corner may rise beyond a plane that is to part it from the other body.
    pub beyond_sine: f32,
}

/// Edges that cross edges.
#[derive(Debug, Clone, Copy)]
pub struct Edges {
    /// How far a body must stand out between the ends of an edge, as a share of its size, for the edge to be looked at.
    pub min_rise: f64,
    /// Edges whose directions differ by less than this sine are parallel: their vertices meet faces.
    pub parallel_sine: f32,
    /// Sine by which flesh may rise over the plane of both edges: flat faces that lie on each other are level with it, and bend.
    pub flat_sine: f32,
    /// How deep edges may be crossed when the interval begins, as a share of the shorter mean edge.
    pub max_depth: f32,
}

/// Continuous collision detection of sheets.
#[derive(Debug, Clone, Copy)]
pub struct Ccd {
    /// How far beyond a triangle or an edge things still hit it, as a share of it: what passes through a seam must not be missed by both sides.
    pub seam: f32,
    /// Edges whose directions differ by less than this sine are parallel when they are near each other, and when they pass through each other.
    pub parallel_near_sine: f32,
    /// The same for edges that pass through each other.
    pub parallel_passing_sine: f32,
    /// What is nearer to a triangle's border than this cosine to its normal is left to edges.
    pub beside_cosine: f32,
    /// Steps to the moment at which things pass: positions in f32 tell it no better.
    pub root_steps: usize,
}

/// Sheets against each other and against solid bodies.
#[derive(Debug, Clone, Copy)]
pub struct Sheets {
    /// What lies nearer to each other on a sheet at rest than this many thicknesses cannot keep one.
    pub own_thicknesses: f64,
    /// A sheet on this side of a solid body's vertex, by the cosine of the normals of both, lies in it.
    pub inward_cosine: f32,
    /// How deep what is caught counts, in thicknesses; of that a share is repaired in a step. By eye, on falling strips: with more, cloth jumps.
    pub caught_depth: f64,
    /// How far an end of an edge must be from a triangle's plane to be on a side of it, as a share of the thickness: flat cloth lies in one plane but for rounding.
    pub min_height: f32,
    /// Edges that lie nearly in the triangle's plane are taken for ones that rise by this sine.
    pub min_rise_sine: f32,
}

/// Penalty contact of the implicit methods.
#[derive(Debug, Clone, Copy)]
pub struct Penalty {
    /// Below this sliding speed friction is viscous: in body sizes per second, so that it is the same in any unit.
    pub stick_speed: f64,
    /// Share of a penetration that is repaired in one step; in an implicit step repair is speed, and all at once would pop.
    pub repair: f64,
    /// Between bodies it is no more than this share per second of what is left: a quarter in a step of 1/384 s. In shorter steps a quarter of a depth is a speed that throws soft bodies apart.
    pub repair_per_sec: f64,
    /// The least share of a change of the normal force that Newton's method takes for friction. With it, a circle of three iterations shrinks by a third in each.
    pub min_friction_share: f64,
    /// How much stiffer a contact is beyond [`Stiffness::deep_m`]. What is pressed hard would sink in by the share of a step's repair that is left
    /// open, several times what its spring gives: 2.8 % of a cube that a lid squeezes by a third, 1.1 % with it. Twenty times as stiff it would be 0.7 %, and a
    /// soft body on the ground no longer comes to rest under descent.
    pub deep_stiffness: f64,
    /// How deep a body that lies on others sinks into them, as a share of the smaller one's size.
    pub resting_depth: f64,
    /// Fewer contacts than this do not carry a body alone for long.
    pub min_carriers: usize,
    /// Springs between bodies against those of obstacles: a corner that carries a body (scene `pile`) is 0.7 % of its size deep with it, 1.2 % without.
    pub descent_stiffness: f64,
}

/// Shape matching: projected Gauss–Seidel on vertices.
#[derive(Debug, Clone, Copy)]
pub struct VertexPgs {
    /// Sweeps over all contacts of a step: so many where there are many of them, and up to that many where answering all of
    /// them takes no longer. What sweeps leave over is always the same for the same order of contacts, and pushes a stack
    /// that should rest slowly aside: a stack of three cubes crept by 2 cm/s after 6 sweeps, by 0.4 cm/s after 40.
    pub sweeps: usize,
    /// Most sweeps, where contacts are few.
    pub max_sweeps: usize,
    /// Contacts times sweeps that may be answered beyond `sweeps`.
    pub max_answers: usize,
    /// They end early when no velocity changes by more than this share of a body's size in a step.
    pub converged: f64,
    /// Contacts that would end farther apart than this share of a body's size are left out: no other contact moves them as far.
    pub far: f64,
    /// Share of a penetration that is repaired in one step: less than all, because many repair the same one.
    pub repair: f64,
    /// And never more than this share of a body's size: matching turns a jump into speed.
    pub max_repair: f64,
}

/// Shape matching: projected Gauss–Seidel on rigid motions.
#[derive(Debug, Clone, Copy)]
pub struct RigidPgs {
    /// Sweeps over all batches: so many where there are many of them, up to that many where they are few (see `vertex_pgs`).
    pub sweeps: usize,
    /// Most sweeps, where batches are few.
    pub max_sweeps: usize,
    /// Batches times sweeps that may be answered beyond `sweeps`.
    pub max_answers: usize,
    /// They end early when no velocity changes by more than this share of the smallest body's size in a step.
    pub converged: f64,
    /// An approach slower than this share of a body's size in a step is stopped whole, and of so many times what forces add to speeds in it: that is
    /// weight, not impact. Small bodies fall by more than a two-hundredth of their size in a step.
    pub slow_approach: f64,
    /// The same, in times of what forces add to speeds in a step.
    pub weight_approach: f64,
    /// What is faster loses this share in a step.
    pub braked_share: f64,
}

/// Shape matching: Newton's method on the rigid motions of small islands.
#[derive(Debug, Clone, Copy)]
pub struct RigidNewton {
    /// Springs against the mass they stop, in one step: so stiff that a tower of ten sinks by less than a thousandth of a cube in ten seconds.
    pub stiffness: f64,
    /// Bodies of an island up to which that is worth its time.
    pub max_bodies: u32,
    /// Newton steps; most of the time contacts are the same after two or three, and sweeps take care of what is left.
    pub max_iterations: usize,
    /// The same for a body alone on obstacles, which costs little.
    pub max_iterations_alone: usize,
    /// Iterations end where nothing moves by more than this share of the smallest body's size.
    pub converged_step: f64,
    /// A last step below this share is accepted: Gauss–Seidel sweeps skip these contacts.
    pub accepted_step: f64,
    /// A last step above this share is dropped: it is no better than what sweeps find by themselves.
    pub max_step: f64,
    /// A step that goes uphill is found again with the contacts that it ran into, then halved.
    pub attempts: usize,
    /// Most halvings of such a step.
    pub halvings: usize,
    /// Where a contact pulls by more than this share of the largest push, the last step was no solution, and its forces press no flesh.
    pub max_pull: f64,
}

/// Fast intervals: cut, taken again, or answered by restitution.
#[derive(Debug, Clone, Copy)]
pub struct Impact {
    /// How far a body may be driven in within an interval, and within a part of one that is cut, as shares of its thickness.
    pub max_share: f64,
    /// The same for a part of an interval that is cut.
    pub part_share: f64,
    /// The same for shape matching, whose inner points contact reaches only by way of the passes, and as shares of its mean edge where that is more: cubes of 3 × 3 × 3 cells turn
    /// inside out from 0.56 on and not below 0.4.
    pub matched_share: f64,
    /// The same for a part of an interval that is cut.
    pub matched_part_share: f64,
    /// How far two bodies may close in within an interval, in thicknesses of the thinner one: contact between them knows which side of a face a vertex came from.
    pub max_closing: f64,
    /// Most halvings of an interval: 256 parts.
    pub max_halvings: u32,
    /// The same where shape matching meets an obstacle: its pulls are shares of a step, and in very short ones they throw flesh that is out of shape apart (64 parts gained energy).
    pub max_matched_halvings: u32,
    /// Speed of an impact against that of waves, √(E/ρ): with 0.5 a body is squeezed by about half. Springs in inner steps turn inside out sooner.
    pub max_mach: f64,
    /// The same for springs in inner steps.
    pub max_explicit_mach: f64,
    /// The same where steps are so short that they follow it: at twice the speed of its waves ½ρv² is twice its modulus, and no shape is left to come back to.
    pub max_followed_mach: f64,
    /// The same for springs in inner steps.
    pub max_explicit_followed_mach: f64,
    /// How far a body may fall from rest within an interval in which it touches something, as a share of its thickness.
    pub max_fall: f64,
    /// What lies on something approaches it by what forces add in a step; only this many times that is an arrival.
    pub arrival: f64,
    /// How often an interval is halved for this at most, beyond what speeds ask for.
    pub max_cuts: u32,
    /// Depth that is tolerated, as a share of the body's size.
    pub tolerated_depth: f64,
    /// By how much depth may grow in a substep, as a share of the body's size.
    pub max_growth: f64,
    /// A vertex that has slid along its face by more than this share of the smaller body's size and twice its depth is beside it by now.
    pub slid: f64,
}

/// Contact between bodies of different solvers.
#[derive(Debug, Clone, Copy)]
pub struct Coupling {
    /// Sweeps of projected Gauss–Seidel, forward and back in turns.
    pub warm_start_sweeps: usize,
    /// Contacts give way by this share of what free points would, so that a face carries a load with all its vertices and not with the first three.
    pub warm_start_compliance: f64,
    /// Most iterations of the coupling: times a step is solved.
    pub max_iterations: usize,
    /// Share of a penetration that is repaired in a step.
    pub repair: f64,
    /// Least length of a step of gradients: a vertex of a sheet is in up to some twenty contacts, which share what one would take. With 0.5 forces ran away where a cloth
    /// lay over a rim.
    pub min_step_length: f64,
    /// A step is solved well where nothing is deeper than it may be, or slides, by this share of the smaller body's size. A tower of three solvers drifts by 0.03 mm in two seconds with it and
    /// by 0.54 mm with five times as much, in 0.6 of the time.
    pub converged_depth: f64,
}
