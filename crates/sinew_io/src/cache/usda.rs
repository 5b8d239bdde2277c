//! Meshes with time-sampled points in USDA layers: what sinew, Blender and Houdini write as text.
//!
//! Read: units, up axis and rate of the stage, prims nested in each other, their unanimated transforms, and of meshes
//! `points`, `faceVertexCounts` and `faceVertexIndices`. References and variants are passed over.

use super::usda_tokens::{Token, Tokens};
use super::{Cache, CacheMotion};
use crate::LineError;
use crate::triangulate::triangulate;
use sinew_math::{DMat3, DVec3};

/// Prims within prims beyond this are no scene.
const DEPTH: usize = 256;

pub(super) fn parse(bytes: &[u8]) -> Result<Vec<Cache>, LineError> {
    if !bytes.starts_with(b"#usda") {
        return Err(LineError::new(1, "a USDA layer begins with #usda"));
    }
    let mut tokens = Tokens::new(bytes);
    let mut stage = Stage { metres: 0.01, z_up: false, rate: 24.0, meshes: Vec::new() };
    if let Some((Token::Sign(b'('), _)) = tokens.peek()? {
        stage.read_metadata(&mut tokens)?;
    }
    while tokens.peek()?.is_some() {
        stage.read_statement(&mut tokens, &mut Prim::default(), Place::default(), 0)?;
    }
    if stage.meshes.is_empty() {
        return Err(LineError::new(tokens.line, "the layer has no Mesh with points"));
    }
    Ok(stage.meshes)
}

struct Stage {
    metres: f64,
    z_up: bool,
    rate: f64,
    meshes: Vec<Cache>,
}

/// World from prim: `x ↦ linear x + shift`.
#[derive(Clone, Copy)]
struct Place {
    linear: DMat3,
    shift: DVec3,
}

impl Default for Place {
    fn default() -> Self {
        Self { linear: DMat3::IDENTITY, shift: DVec3::ZERO }
    }
}

impl Place {
    fn after(self, inner: Self) -> Self {
        Self { linear: self.linear * inner.linear, shift: self.linear * inner.shift + self.shift }
    }
}

/// What is known of a prim so far.
#[derive(Default)]
struct Prim {
    /// Time codes and points.
    samples: Vec<(f64, Vec<f64>)>,
    counts: Vec<f64>,
    corners: Vec<f64>,
    /// Of its transform: name and numbers.
    operations: Vec<(String, Vec<f64>)>,
    line: usize,
}

impl Stage {
    fn read_metadata(&mut self, tokens: &mut Tokens<'_>) -> Result<(), LineError> {
        tokens.expect(b'(', "metadata")?;
        loop {
            match tokens.need("metadata")? {
                Token::Sign(b')') => return Ok(()),
                Token::Word(key) => {
                    if let Some((Token::Sign(b'='), _)) = tokens.peek()? {
                        tokens.next()?;
                        self.read_setting(key, tokens)?;
                    }
                }
                // A comment as a bare string.
                _ => {}
            }
        }
    }

    fn read_setting(&mut self, key: &str, tokens: &mut Tokens<'_>) -> Result<(), LineError> {
        match (key, tokens.peek()?) {
            ("metersPerUnit", Some((Token::Number(metres), _))) if metres > 0.0 => self.metres = metres,
            ("timeCodesPerSecond", Some((Token::Number(rate), _))) if rate > 0.0 => self.rate = rate,
            ("upAxis", Some((Token::Text(axis), _))) => self.z_up = axis == "Z",
            _ => {}
        }
        tokens.skip_value()
    }

    /// A prim or a property of `prim`.
    fn read_statement(
        &mut self,
        tokens: &mut Tokens<'_>,
        prim: &mut Prim,
        place: Place,
        depth: usize,
    ) -> Result<(), LineError> {
        match tokens.need("a prim or a property")? {
            Token::Word("def" | "over" | "class") => self.read_prim(tokens, place, depth),
            Token::Word(first) => self.read_property(first, tokens, prim),
            Token::Sign(b';') => Ok(()),
            found => Err(LineError::new(tokens.line, format!("expected a prim or a property, found {found:?}"))),
        }
    }

    fn read_prim(&mut self, tokens: &mut Tokens<'_>, place: Place, depth: usize) -> Result<(), LineError> {
        if depth >= DEPTH {
            return Err(LineError::new(tokens.line, format!("prims {DEPTH} deep within each other")));
        }
        let mut kind = "";
        let mut token = tokens.need("the name of a prim")?;
        if let Token::Word(word) = token {
            kind = word;
            token = tokens.need("the name of a prim")?;
        }
        let Token::Text(name) = token else {
            return Err(LineError::new(tokens.line, format!("expected the name of a prim in quotes, found {token:?}")));
        };
        if let Some((Token::Sign(b'('), _)) = tokens.peek()? {
            tokens.skip_value()?;
        }
        // Camera and obstacles of our own exports are no bodies.
        if (kind, name) == ("Scope", crate::write::USD_SURROUNDINGS) {
            return tokens.skip_value();
        }
        tokens.expect(b'{', "the body of a prim")?;
        let mut prim = Prim { line: tokens.line, ..Prim::default() };
        // Properties come before the prims inside by the format's own order, so the place is known by then.
        let mut inner = None;
        loop {
            match tokens.peek()? {
                Some((Token::Sign(b'}'), _)) => break,
                Some((Token::Word("def" | "over" | "class"), _)) if inner.is_none() => {
                    inner = Some(place.after(prim.place()?));
                }
                _ => {}
            }
            self.read_statement(tokens, &mut prim, inner.unwrap_or(place), depth + 1)?;
        }
        tokens.next()?;
        if kind == "Mesh" && !prim.samples.is_empty() {
            let place = place.after(prim.place()?);
            let mesh = self.mesh(name, &prim, place)?;
            self.meshes.push(mesh);
        }
        Ok(())
    }

    /// `[custom] [uniform] type[] name = value (metadata)`; the name is the last word before `=` or the end of the line.
    fn read_property(&mut self, first: &str, tokens: &mut Tokens<'_>, prim: &mut Prim) -> Result<(), LineError> {
        let line = tokens.line;
        let mut name = first.to_owned();
        while let Some((token, at)) = tokens.peek()? {
            match token {
                Token::Sign(b'=') => {
                    tokens.next()?;
                    prim.read_value(&name, tokens)?;
                    break;
                }
                Token::Sign(b'(' | b'}') => break,
                _ if at != line => break,
                Token::Word(word) => name = word.to_owned(),
                Token::Text(_) | Token::Sign(b'[' | b']') => {}
                found => return Err(LineError::new(at, format!("{found:?} does not belong into a property"))),
            }
            tokens.next()?;
        }
        if let Some((Token::Sign(b'('), _)) = tokens.peek()? {
            tokens.skip_value()?;
        }
        Ok(())
    }

    fn mesh(&self, name: &str, prim: &Prim, place: Place) -> Result<Cache, LineError> {
        let wrong = |what: String| LineError::new(prim.line, format!("mesh {name:?}: {what}"));
        let vertex_count = prim.samples[0].1.len() / 3;
        let mut frames = Vec::new();
        for (time, numbers) in &prim.samples {
            if numbers.len() != 3 * vertex_count || vertex_count == 0 {
                return Err(wrong(format!(
                    "{} numbers for points at {time}, {} at first",
                    numbers.len(),
                    3 * vertex_count
                )));
            }
            let points = numbers.as_chunks::<3>().0.iter().map(|x| self.in_metres(place, DVec3::from_array(*x)));
            frames.push(points.collect::<Vec<_>>());
        }
        let first: Vec<DVec3> = prim.samples[0].1.as_chunks::<3>().0.iter().map(|x| DVec3::from_array(*x)).collect();
        let triangles = triangles(prim, &first).map_err(wrong)?;
        let start = prim.samples[0].0;
        let times_secs = prim.samples.iter().map(|(time, _)| (time - start) / self.rate).collect();
        Ok(Cache {
            name: name.to_owned(),
            vertex_count,
            triangles,
            times_secs,
            first_frame: (prim.samples.len() > 1).then_some(start.round() as i32),
            motion: CacheMotion::Frames(frames),
        })
    }

    fn in_metres(&self, place: Place, x: DVec3) -> [f32; 3] {
        let x = (place.linear * x + place.shift) * self.metres;
        let turned = if self.z_up { DVec3::new(x.x, x.z, -x.y) } else { x };
        turned.to_array().map(|number| number as f32)
    }
}

impl Prim {
    fn read_value(&mut self, name: &str, tokens: &mut Tokens<'_>) -> Result<(), LineError> {
        match name {
            // Samples win over the value beside them.
            "points" if self.samples.is_empty() => {
                let numbers = numbers(tokens)?;
                self.samples = vec![(0.0, numbers)];
            }
            "points.timeSamples" => self.samples = samples(tokens)?,
            "faceVertexCounts" => self.counts = numbers(tokens)?,
            "faceVertexIndices" => self.corners = numbers(tokens)?,
            "xformOpOrder" => return self.read_order(tokens),
            _ if name.starts_with("xformOp:") && name.ends_with(".timeSamples") => {
                let what = format!("{name}: moving transforms are not read; bake them into the points");
                return Err(LineError::new(tokens.line, what));
            }
            _ if name.starts_with("xformOp:") => {
                let numbers = numbers(tokens)?;
                self.operations.push((name.to_owned(), numbers));
            }
            _ => return tokens.skip_value(),
        }
        Ok(())
    }

    /// Brings the operations into their order; they may have been given in any.
    fn read_order(&mut self, tokens: &mut Tokens<'_>) -> Result<(), LineError> {
        let mut order = Vec::new();
        tokens.expect(b'[', "xformOpOrder")?;
        loop {
            match tokens.need("xformOpOrder")? {
                Token::Text(name) => order.push(name.to_owned()),
                Token::Sign(b']') => break,
                _ => {}
            }
        }
        let line = tokens.line;
        let find = |name: &String| {
            let known = self.operations.iter().find(|(known, _)| known == name).cloned();
            known.ok_or_else(|| LineError::new(line, format!("{name:?} is not given before xformOpOrder")))
        };
        self.operations = order.iter().take(64).map(find).collect::<Result<_, _>>()?;
        Ok(())
    }

    fn place(&self) -> Result<Place, LineError> {
        let mut place = Place::default();
        for (name, numbers) in &self.operations {
            let operation = operation(name, numbers).ok_or_else(|| {
                LineError::new(self.line, format!("{name} with {} numbers is not read; bake it in", numbers.len()))
            })?;
            place = place.after(operation);
        }
        Ok(place)
    }
}

fn operation(name: &str, numbers: &[f64]) -> Option<Place> {
    let kind = name.split(':').nth(1)?;
    let linear = |linear: DMat3| Some(Place { linear, shift: DVec3::ZERO });
    let turn = |axis: DVec3, degrees: f64| DMat3::from_axis_angle(axis, degrees.to_radians());
    match (kind, numbers) {
        ("translate", &[x, y, z]) => Some(Place { linear: DMat3::IDENTITY, shift: DVec3::new(x, y, z) }),
        ("scale", &[x, y, z]) => linear(DMat3::from_diagonal(DVec3::new(x, y, z))),
        ("rotateX", &[degrees]) => linear(turn(DVec3::X, degrees)),
        ("rotateY", &[degrees]) => linear(turn(DVec3::Y, degrees)),
        ("rotateZ", &[degrees]) => linear(turn(DVec3::Z, degrees)),
        ("rotateXYZ", &[x, y, z]) => linear(turn(DVec3::Z, z) * turn(DVec3::Y, y) * turn(DVec3::X, x)),
        // Rows, as USD multiplies vectors from the left.
        ("transform", &[a, b, c, _, d, e, f, _, g, h, i, _, x, y, z, _]) => {
            Some(Place { linear: DMat3::from_cols_array(&[a, b, c, d, e, f, g, h, i]), shift: DVec3::new(x, y, z) })
        }
        _ => None,
    }
}

/// All numbers of a value, whatever brackets they stand in.
fn numbers(tokens: &mut Tokens<'_>) -> Result<Vec<f64>, LineError> {
    let (mut numbers, mut depth) = (Vec::new(), 0usize);
    loop {
        match tokens.need("a number")? {
            Token::Number(number) => numbers.push(number),
            Token::Sign(b'(' | b'[') => depth += 1,
            Token::Sign(b')' | b']') => depth = depth.saturating_sub(1),
            Token::Sign(b',') | Token::Word("None") => {}
            found => return Err(LineError::new(tokens.line, format!("expected a number, found {found:?}"))),
        }
        if depth == 0 {
            return Ok(numbers);
        }
    }
}

fn samples(tokens: &mut Tokens<'_>) -> Result<Vec<(f64, Vec<f64>)>, LineError> {
    let mut samples: Vec<(f64, Vec<f64>)> = Vec::new();
    tokens.expect(b'{', "time samples")?;
    loop {
        match tokens.need("a time")? {
            Token::Sign(b'}') => return Ok(samples),
            Token::Sign(b',') => {}
            Token::Number(time) => {
                tokens.expect(b':', "a sample")?;
                if samples.last().is_some_and(|(before, _)| *before >= time) {
                    return Err(LineError::new(
                        tokens.line,
                        format!("time {time} does not come after the one before it"),
                    ));
                }
                samples.push((time, numbers(tokens)?));
            }
            found => return Err(LineError::new(tokens.line, format!("expected a time, found {found:?}"))),
        }
    }
}

fn triangles(prim: &Prim, first: &[DVec3]) -> Result<Vec<[u32; 3]>, String> {
    let (mut triangles, mut at) = (Vec::new(), 0usize);
    for count in &prim.counts {
        let count = *count as usize;
        let corners = at.checked_add(count).and_then(|to| prim.corners.get(at..to));
        let corners = corners.ok_or("faceVertexCounts and faceVertexIndices do not fit together")?;
        let whole = |corner: &f64| (*corner >= 0.0 && *corner < first.len() as f64).then_some(*corner as u32);
        let corners = corners.iter().map(whole).collect::<Option<Vec<u32>>>();
        let corners = corners.ok_or_else(|| format!("a face names a vertex that is not one of {}", first.len()))?;
        if count < 3 {
            return Err(format!("a face of {count} corners"));
        }
        triangulate(first, &corners, &mut triangles)?;
        at += count;
    }
    Ok(triangles)
}
