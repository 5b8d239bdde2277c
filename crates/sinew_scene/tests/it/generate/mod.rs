//! Valid scenes at random: every kind of thing that the format knows.

use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use sinew_math::{Curve, Interpolation, Key, Number, Outside};
use sinew_scene::*;

/// Numbers with few and with many digits.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![(-100i32..100).prop_map(|n| f64::from(n) / 4.0), -1.0e3..1.0e3f64, Just(0.1 + 0.2), Just(-0.0)]
}

fn positive() -> impl Strategy<Value = f64> {
    prop_oneof![Just(1.0), 1.0e-3..1.0e3f64]
}

fn name() -> impl Strategy<Value = String> {
    "[A-Za-z0-9_-]{1,8}"
}

fn number3() -> impl Strategy<Value = [f64; 3]> {
    [number(), number(), number()]
}

fn positive3() -> impl Strategy<Value = [f64; 3]> {
    [positive(), positive(), positive()]
}

fn interpolation() -> impl Strategy<Value = Interpolation> {
    prop_oneof![
        Just(Interpolation::Linear),
        Just(Interpolation::Smooth),
        Just(Interpolation::Step),
        (positive(), number(), positive(), number())
            .prop_map(|(a, b, c, d)| Interpolation::Bezier { leave: [a, b], arrive: [-c, d] }),
    ]
}

/// Keys at rising places from `start` on.
fn keys(values: impl Strategy<Value = f64>, start: f64, step: f64) -> impl Strategy<Value = Vec<Key>> {
    vec((values, interpolation()), 1..5).prop_map(move |keys| {
        let place = |i: usize| start + i as f64 * step;
        keys.into_iter().enumerate().map(|(i, (value, to_next))| Key { at: place(i), value, to_next }).collect()
    })
}

fn channel_of(values: impl Strategy<Value = f64> + Clone + 'static) -> impl Strategy<Value = Channel> {
    let outside = prop_oneof![Just(Outside::Hold), Just(Outside::Zero), Just(Outside::Cycle { period: 96.0 })];
    channel_with(values, outside)
}

/// A channel of a number that must not be 0, and so is never cut off.
fn never_cut_off(values: impl Strategy<Value = f64> + Clone + 'static) -> impl Strategy<Value = Channel> {
    channel_with(values, prop_oneof![Just(Outside::Hold), Just(Outside::Cycle { period: 96.0 })])
}

fn channel_with(
    values: impl Strategy<Value = f64> + Clone + 'static,
    outside: impl Strategy<Value = Outside>,
) -> impl Strategy<Value = Channel> {
    prop_oneof![
        values.clone().prop_map(Channel::constant),
        (keys(values, 1.0, 7.5), outside)
            .prop_map(|(keys, outside)| { Channel(Number::Curve(Curve::new(keys, outside).expect("keys rise"))) }),
    ]
}

/// A channel of a number that must stay above 0.
fn positive_channel() -> impl Strategy<Value = Channel> {
    never_cut_off(positive().boxed())
}

fn channel() -> impl Strategy<Value = Channel> {
    channel_of(number().boxed())
}

fn channel3() -> impl Strategy<Value = Channel3> {
    [channel(), channel(), channel()].prop_map(Channel3)
}

fn chart() -> impl Strategy<Value = Chart> {
    keys(0.3..3.0f64, 0.0, 0.2)
        .prop_map(|keys| Chart(Curve::new(keys, Outside::Cycle { period: 1.0 }).expect("keys rise")))
}

fn axis() -> impl Strategy<Value = Axis> {
    proptest::sample::select(vec![Axis::X, Axis::MinusX, Axis::Y, Axis::MinusY, Axis::Z, Axis::MinusZ])
}

fn colour() -> impl Strategy<Value = Colour> {
    [0.0..=1.0f64, 0.0..=1.0f64, 0.0..=1.0f64].prop_map(Colour)
}

fn scale() -> impl Strategy<Value = Scale> {
    prop_oneof![positive().prop_map(|factor| Scale([factor; 3])), positive3().prop_map(Scale)]
}

fn skin_vertices() -> impl Strategy<Value = Option<u32>> {
    option::of(4u32..=500_000)
}

fn model() -> impl Strategy<Value = Model> {
    prop_oneof![
        (positive3(), skin_vertices()).prop_map(|(size, vertices)| Model::Bar { size, vertices }),
        (positive(), positive(), skin_vertices()).prop_map(|(radius, height, vertices)| Model::Cylinder {
            radius,
            height,
            vertices
        }),
        ([positive(), positive()], skin_vertices()).prop_map(|(size, vertices)| Model::Cloth { size, vertices }),
        (positive3(), skin_vertices()).prop_map(|([radius, height, thickness], vertices)| Model::Bell {
            radius,
            height,
            thickness,
            vertices
        }),
    ]
}

fn mesh() -> impl Strategy<Value = MeshSkin> {
    let unit = proptest::sample::select(vec![Unit::Metre, Unit::Centimetre, Unit::Millimetre, Unit::Inch, Unit::Foot]);
    ("[a-z/é \"\\\\]{1,9}", unit, any::<bool>()).prop_map(|(mesh, unit, z)| MeshSkin {
        mesh,
        unit,
        up: if z { Up::Z } else { Up::Y },
    })
}

fn part() -> impl Strategy<Value = Part> {
    let skin = prop_oneof![model().prop_map(PartSkin::Model), mesh().prop_map(PartSkin::Mesh)];
    (option::of(name()), skin, number3(), number3(), scale(), option::of(colour()))
        .prop_map(|(name, skin, at, turn, scale, colour)| Part { name, skin, at, turn, scale, colour })
}

fn skin() -> impl Strategy<Value = Skin> {
    prop_oneof![
        model().prop_map(Skin::Model),
        mesh().prop_map(Skin::Mesh),
        vec(part(), 1..3).prop_map(|parts| Skin::Parts(PartsSkin { parts })),
    ]
}

fn material() -> impl Strategy<Value = Material> {
    use MaterialPreset::*;
    let preset = proptest::sample::select(vec![Jelly, Rubber, Muscle, Fat, Cloth, Worm]);
    let words = vec![DampingPreset::None, DampingPreset::Light, DampingPreset::Medium, DampingPreset::Heavy];
    let damping = prop_oneof![
        proptest::sample::select(words).prop_map(Damping::Preset),
        (positive(), positive(), 0.0..10.0f64).prop_map(|(wobble_per_sec, rayleigh_mass_per_sec, secs)| {
            Damping::Values(DampingValues { wobble_per_sec, rayleigh_mass_per_sec, rayleigh_stiffness_secs: secs })
        }),
    ];
    let numbers = (option::of(positive()), option::of(1.0..1e9f64), option::of(0.0..0.49f64), option::of(damping));
    (preset, numbers, material_fields()).prop_map(|(preset, (density_kg_m3, young_pa, poisson, damping), fields)| {
        let law = if young_pa.is_some() { StretchLaw::Corotated } else { StretchLaw::default() };
        Material { preset, density_kg_m3, young_pa, poisson, law, damping, fields }
    })
}

fn material_fields() -> BoxedStrategy<MaterialFields> {
    let fields = (option::of(field(0.01)), option::of(field(0.0)), option::of(field(0.01)));
    (fields, paint_settings())
        .prop_map(|((stiffness, damping, density), paint)| MaterialFields {
            stiffness,
            damping,
            density,
            poisson: None,
            paint,
        })
        .boxed()
}

fn coefficient() -> impl Strategy<Value = Channel> {
    channel_of((0.0..2.0f64).boxed())
}

fn friction() -> BoxedStrategy<Friction> {
    let directed = (coefficient(), coefficient(), option::of(coefficient()), axis());
    prop_oneof![
        coefficient().prop_map(Friction::Even),
        directed.prop_map(|(forward, backward, sideways, axis)| {
            Friction::Directed(DirectedFriction { forward, backward, sideways, along: FrictionAlong::Axis(axis) })
        }),
    ]
    .boxed()
}

fn set() -> impl Strategy<Value = VertexSet> {
    prop_oneof![
        Just(VertexSet::All { all: true }),
        (number3(), positive3()).prop_map(|(min, size)| VertexSet::Box {
            bounds: Bounds { min, max: std::array::from_fn(|i| min[i] + size[i]) }
        }),
        (number3(), positive())
            .prop_map(|(centre, radius)| VertexSet::Sphere { sphere: SphereRegion { centre, radius } }),
        (axis(), 0.0..=1.0f64).prop_map(|(side, within)| VertexSet::Side { side, within }),
        vec(any::<u32>(), 1..5).prop_map(|vertices| VertexSet::Vertices { vertices }),
    ]
}

fn line(least: usize) -> impl Strategy<Value = Line> {
    vec(number3(), least..5).prop_map(|mut points| {
        // A stroke has a direction: its second point is another one.
        if let [first, second, ..] = &mut points[..] {
            second[0] = first[0] + 1.0;
        }
        Line(points)
    })
}

fn paint(low: f64) -> impl Strategy<Value = Paint> {
    prop_oneof![
        (number3(), option::of(0.0..=180.0f64), low..=1.0).prop_map(|(at, angle, value)| Paint::Fill {
            fill: FillTool::Flat,
            at,
            angle,
            value
        }),
        (number3(), low..=1.0).prop_map(|(at, value)| Paint::Fill { fill: FillTool::Face, at, angle: None, value }),
        (line(1), low..=1.0, option::of(low..=1.0)).prop_map(|(stroke, value, to)| Paint::Stroke { stroke, value, to }),
    ]
}

fn paints(low: f64) -> impl Strategy<Value = Vec<Paint>> {
    vec(paint(low), 0..3)
}

// On the heap: a scene of bodies of fields is too much for a test's stack.
fn field(low: f64) -> BoxedStrategy<Field> {
    let ends = || (low..=1.0, low..=1.0);
    prop_oneof![
        vec(paint(low), 1..3).prop_map(|paint| Field::Painted { paint }),
        (axis(), ends(), paints(low)).prop_map(|(along, (from, to), paint)| Field::Along { along, from, to, paint }),
        (axis(), ends(), paints(low)).prop_map(|(around, (from, to), paint)| Field::Around { around, from, to, paint }),
        (number3(), ends(), paints(low)).prop_map(|(distance, (from, to), paint)| Field::Distance {
            distance,
            from,
            to,
            paint
        }),
        (vec(number3(), 2..4), ends(), paints(low)).prop_map(|(path, (from, to), paint)| Field::Path {
            path,
            from,
            to,
            paint
        }),
    ]
    .boxed()
}

fn fibres() -> BoxedStrategy<Fibres> {
    let strokes = || vec(line(2), 0..3);
    prop_oneof![
        vec(line(2), 1..3).prop_map(|strokes| Fibres::Painted { strokes }),
        (axis(), strokes()).prop_map(|(along, strokes)| Fibres::Along { along, strokes }),
        (axis(), strokes()).prop_map(|(around, strokes)| Fibres::Around { around, strokes }),
        (vec(number3(), 2..4), strokes()).prop_map(|(rings, strokes)| Fibres::Rings { rings, strokes }),
        (axis(), -90.0..90.0f64, strokes())
            .prop_map(|(about, pitch_deg, strokes)| Fibres::Spiral { spiral: Spiral { about, pitch_deg }, strokes }),
    ]
    .boxed()
}

fn paint_settings() -> impl Strategy<Value = PaintSettings> {
    (any::<bool>(), option::of(positive())).prop_map(|(rbf, reach)| PaintSettings {
        method: if rbf { PaintMethod::Rbf } else { PaintMethod::Mesh },
        reach,
    })
}

fn muscle() -> BoxedStrategy<Muscle> {
    let amplitude = prop_oneof![
        channel_of((-1.0..=1.0f64).boxed()).prop_map(Amplitude::Even),
        field(-1.0).prop_map(Amplitude::Field)
    ];
    let respond = (any::<bool>(), 1.0..9.0f64, 0.0..2.0f64, vec((number(), number3()), 0..3));
    let respond = respond.prop_map(|(contact, damping, refractory, touches)| Respond {
        to: if contact { vec![Stimulus::Touch, Stimulus::Contact] } else { vec![Stimulus::Touch] },
        damping,
        refractory,
        touches: touches.into_iter().map(|(frame, at)| ScriptedTouch { frame, at }).collect(),
    });
    // A response has no phase of its own.
    let begin = prop_oneof![
        option::of(field(0.0)).prop_map(|phase| (phase, None)),
        respond.prop_map(|respond| (None, Some(respond))),
    ];
    let others = (option::of(chart()), option::of(chart()), any::<bool>());
    let painted = (paints(0.0), fibres(), paint_settings());
    (positive_channel(), chart(), others, painted, begin, positive_channel(), amplitude)
        .prop_map(
            |(
                period,
                primary,
                (secondary, tertiary, both),
                (layer, fibres, paint),
                (phase, respond),
                speed,
                amplitude,
            )| {
                let off = secondary.is_some() || tertiary.is_some();
                let kept = if both { Volume::Both } else { Volume::Secondary };
                let volume = if off { Volume::Off } else { kept };
                let rate_limit = 4.0;
                Muscle {
                    period,
                    primary,
                    secondary,
                    tertiary,
                    volume,
                    rate_limit,
                    layer,
                    fibres,
                    phase,
                    speed,
                    amplitude,
                    paint,
                    respond,
                }
            },
        )
        .boxed()
}

/// A direction that acts on the set called `on`.
fn direction(on: String) -> BoxedStrategy<Direction> {
    let factor = channel_of(positive().boxed());
    let share = channel_of((0.0..=1.0f64).boxed());
    let (a, b, c, d, e) = (on.clone(), on.clone(), on.clone(), on.clone(), on);
    let scale = [positive_channel(), positive_channel(), positive_channel()];
    prop_oneof![
        muscle().prop_map(|muscle| Direction::Muscle(Box::new(muscle))),
        (scale, channel(), channel(), any::<bool>()).prop_map(move |(scale, twist_deg, bend_deg, whole)| {
            let on = (!whole).then(|| a.clone());
            let scale = Channel3(scale);
            Direction::RestShape(RestShape { scale, along: Axis::Y, twist_deg, bend_deg, bend_about: Axis::MinusX, on })
        }),
        channel3().prop_map(move |newton| Direction::Force(Force { on: b.clone(), newton })),
        (channel3(), any::<bool>(), positive_channel()).prop_map(move |(place, relative, settle)| {
            let (offset, to) = if relative { (Some(place), None) } else { (None, Some(place)) };
            Direction::Goal(Goal { on: c.clone(), offset, to, settle })
        }),
        (channel3(), channel3()).prop_map(move |(offset, turn)| Direction::Pin(Pin { on: d.clone(), offset, turn })),
        (channel3(), option::of(channel3()), share, any::<bool>()).prop_map(|(at, turn, strength, wins)| {
            let contact = if wins { ContactRule::Wins } else { ContactRule::Yields };
            Direction::Path(Path { at, turn, turns: Vec::new(), strength, contact, paper: false })
        }),
        (factor, channel_of(positive().boxed()), any::<bool>()).prop_map(move |(stiffness, damping, whole)| {
            let on = (!whole).then(|| e.clone());
            Direction::Material(MaterialChange { on, stiffness, damping })
        }),
    ]
    .boxed()
}

fn copies() -> BoxedStrategy<Copies> {
    let size3 = || [positive(), positive(), positive()];
    let random = (
        option::of([0.0..=180.0f64, 0.0..=180.0f64, 0.0..=180.0f64]),
        prop_oneof![Just(0.0), 0.01..=1.0f64],
        vec(colour(), 0..3),
        option::of(any::<u32>()),
    );
    let placed = prop_oneof![
        ([1u32..5, 1u32..5, 1u32..5], positive(), option::of(1u32..9), option::of(size3())).prop_map(
            |(grid, spacing, count, shift)| Copies {
                grid: Some(grid),
                spacing: Some(spacing),
                count,
                shift,
                ..Copies::default()
            }
        ),
        vec(number3(), 1..4).prop_map(|places| Copies { places: Some(places), ..Copies::default() }),
        (size3(), 1u32..9, option::of(positive())).prop_map(|(sides, count, gap)| Copies {
            within_box: Some(sides),
            count: Some(count),
            gap,
            ..Copies::default()
        }),
        (positive(), positive(), 1u32..9).prop_map(|(inner, wide, count)| Copies {
            ring: Some(Ring { inner, outer: inner + wide, height: wide }),
            count: Some(count),
            ..Copies::default()
        }),
    ];
    (placed, random)
        .prop_map(|(placed, (turn, phase, colours, seed))| Copies { turn, phase, colours, seed, ..placed })
        .boxed()
}

fn simulated(skin: &Skin) -> BoxedStrategy<(Flesh, Solver)> {
    let shape_matching = (0u32..20, option::of(1u32..20), 0.0..=1.0f64, 0.0..50.0f64).prop_map(
        |(iterations, passes, stiffness, region_damping)| Solver::ShapeMatching {
            iterations,
            passes,
            stiffness,
            region_damping,
        },
    );
    let springs = (any::<bool>(), option::of(1e-9..0.1f64), 1u32..50, 0.0..2.0f64, 0.0..2.0f64, any::<bool>())
        .prop_map(|(adaptive, tolerance, newton_iterations, shear, bend, opposite)| Solver::Springs {
            method: if adaptive { SpringsMethod::Adaptive } else { SpringsMethod::Implicit },
            tolerance,
            newton_iterations,
            shear,
            bend,
            opposite,
        });
    if matches!(skin, Skin::Model(Model::Cloth { .. })) {
        let shell = (4u32..9999, positive())
            .prop_map(|(vertices, thickness)| Flesh::Grown(Grown::Shell { vertices, thickness }));
        return (shell, prop_oneof![shape_matching, springs]).boxed();
    }
    let flesh = prop_oneof![
        (4u32..9999, any::<bool>()).prop_map(|(vertices, graded)| Flesh::Grown(Grown::Tets { vertices, graded })),
        mesh().prop_map(|MeshSkin { mesh, unit, up }| Flesh::Mesh(MeshFlesh { mesh, unit, up })),
        prop::array::uniform3(2u32..20).prop_map(|size| Flesh::Grown(Grown::Lattice { size })),
    ];
    let fem = (1u32..50, 1e-9..0.1f64).prop_map(|(newton_iterations, tolerance)| Solver::Fem {
        method: if newton_iterations % 2 == 0 { FemMethod::Newton } else { FemMethod::Descent },
        iterations: newton_iterations + 3,
        newton_iterations,
        tolerance,
        elements: if tolerance > 1e-3 { FemElements::Tets } else { FemElements::Smoothed },
        time: if newton_iterations > 4 { FemTime::Euler } else { FemTime::Midpoint },
    });
    (flesh, prop_oneof![shape_matching, fem, springs]).boxed()
}

fn start() -> impl Strategy<Value = Start> {
    prop_oneof![Just(Start::Rest), Just(Start::Flattened), Just(Start::InsideOut), Just(Start::Scattered)]
}

fn body() -> BoxedStrategy<Body> {
    (skin(), btree_map("[b-z][a-z0-9_-]{0,5}", set(), 0..3))
        .prop_flat_map(|(skin, sets)| {
            let on = sets.keys().next().cloned().unwrap_or_else(|| ALL.into());
            let director = (direction(on), channel_of(positive().boxed()), any::<bool>());
            let placed = (number3(), number3(), scale(), number3(), start(), option::of(copies()));
            let made = (material(), friction(), 0.0..=1.0f64, any::<bool>(), option::of(colour()));
            (name(), placed, made, simulated(&skin), vec(director, 0..3), vec(event(), 0..3)).prop_map(
                move |(name, placed, made, (flesh, solver), directors, events)| {
                    let (at, turn, scale, velocity, start, copies) = placed;
                    let (material, friction, restitution, self_contact, colour) = made;
                    let directors = directors.into_iter().enumerate().map(|(i, (direction, weight, mute))| Director {
                        name: (i != 1).then(|| format!("d{i}")),
                        direction,
                        weight,
                        mute,
                    });
                    Body {
                        name,
                        skin: skin.clone(),
                        at,
                        turn,
                        scale,
                        velocity,
                        start,
                        copies,
                        material,
                        friction,
                        restitution,
                        self_contact,
                        colour,
                        flesh,
                        solver,
                        sets: sets.clone(),
                        directors: directors.collect(),
                        events,
                    }
                },
            )
        })
        .boxed()
}

fn event() -> impl Strategy<Value = Event> {
    let touch = (-50..500, number3()).prop_map(|(frame, at)| Event::Touch { frame, at, copy: None });
    let way = vec((0.5..9.0f64, number3()), 1..4);
    let pull = (-50..500, number3(), number3(), way).prop_map(|(frame, at, from, way)| {
        let mut since = 0.0;
        let later = way.into_iter().map(|(more, [x, y, z])| {
            since += more;
            [since, x, y, z]
        });
        let path = std::iter::once([0.0, from[0], from[1], from[2]]).chain(later).collect();
        Event::Pull { frame, at, path, copy: None }
    });
    prop_oneof![touch, pull]
}

fn obstacle() -> impl Strategy<Value = Obstacle> {
    let shape = prop_oneof![
        Just(ObstacleShape::Plane),
        positive().prop_map(|radius| ObstacleShape::Sphere { radius }),
        positive3().prop_map(|size| ObstacleShape::Box { size }),
        (positive(), positive()).prop_map(|(radius, length)| ObstacleShape::Capsule { radius, length }),
        (mesh(), positive()).prop_map(|(MeshSkin { mesh, unit, up }, scale)| ObstacleShape::Mesh {
            mesh,
            unit,
            up,
            scale
        }),
    ];
    (shape, channel3(), channel3(), coefficient()).prop_map(|(shape, at, turn, friction)| Obstacle {
        name: None,
        shape,
        at,
        turn,
        friction,
    })
}

/// A valid scene.
pub(crate) fn scene() -> impl Strategy<Value = Scene> {
    let fps = prop_oneof![(1u32..200).prop_map(|n| (n, 1)), Just((24000, 1001))];
    let shot = (fps, -50i32..50, 1i32..500, 1u32..20, channel3()).prop_map(
        |((numerator, denominator), first, more, substeps, gravity)| Shot {
            fps: Fps { numerator, denominator },
            frames: [first, first + more],
            substeps,
            gravity,
        },
    );
    let medium = (channel_of(positive().boxed()), channel_of(positive().boxed()), channel3())
        .prop_map(|(normal_drag, tangential_drag, wind)| Medium { normal_drag, tangential_drag, wind });
    let camera = (channel3(), option::of(never_cut_off((2.0..160.0f64).boxed())), any::<bool>()).prop_map(
        |(eye, angle, lens)| {
            let look_at = constant3([1234.5, 0.0, 0.0]);
            let (fov_deg, lens_mm) = if lens { (None, angle) } else { (angle, None) };
            Camera { eye, look_at, fov_deg, lens_mm }
        },
    );
    let light =
        (positive3(), channel_of((0.0..9.0f64).boxed()), option::of(colour())).prop_map(|(from, strength, colour)| {
            Light { from: constant3(from), strength, ambient: Channel::constant(0.5), colour }
        });
    (shot, vec(body(), 0..3), vec(obstacle(), 0..3), option::of(medium), camera, light).prop_map(
        |(shot, mut bodies, mut obstacles, medium, camera, light)| {
            for (i, body) in bodies.iter_mut().enumerate() {
                body.name = format!("{}-{i}", body.name);
            }
            for (i, obstacle) in obstacles.iter_mut().enumerate() {
                obstacle.name = (i > 0).then(|| format!("o{i}"));
            }
            Scene { sinew: FORMAT_VERSION, shot, bodies, obstacles, medium, camera, light }
        },
    )
}
