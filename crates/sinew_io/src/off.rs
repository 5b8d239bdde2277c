//! OFF files (ASCII): one line per vertex, one per face. Normals, colours and texture coordinates are passed over.

use crate::text::{lines, number, point, whole};
use crate::triangulate::triangulate;
use crate::{LineError, SurfaceFile};
use sinew_math::DVec3;

pub fn parse(bytes: &[u8]) -> Result<SurfaceFile, LineError> {
    let mut lines = lines(bytes);
    let mut last_line = 1;
    let mut next = |what: &dyn Fn() -> String| match lines.next() {
        Some((line, text)) => {
            last_line = line;
            Ok((line, text))
        }
        None => Err(LineError::new(last_line, format!("the file ends where {} should stand", what()))),
    };
    let (line, begin) = next(&|| "OFF".to_owned())?;
    let mut words = begin.split_whitespace();
    check_kind(words.next().unwrap_or_default(), words.clone().next(), line)?;
    // The counts may stand behind the first word or in the next line.
    let counts = if words.clone().next().is_some() {
        (line, words.collect::<Vec<_>>().join(" ").into())
    } else {
        next(&|| "the counts of vertices and faces".to_owned())?
    };
    let [vertex_count, face_count] = parse_counts(&counts.1, counts.0)?;
    let mut mesh = SurfaceFile::default();
    for vertex in 1..=vertex_count {
        let (line, text) = next(&|| format!("vertex {vertex} of {vertex_count}"))?;
        mesh.positions.push(DVec3::from_array(point(&mut text.split_whitespace(), line)?));
    }
    let mut corners = Vec::new();
    for face in 1..=face_count {
        let (line, text) = next(&|| format!("face {face} of {face_count}"))?;
        parse_face(&text, line, mesh.positions.len(), &mut corners)?;
        triangulate(&mesh.positions, &corners, &mut mesh.triangles).map_err(|what| LineError::new(line, what))?;
    }
    Ok(mesh)
}

/// Accepts OFF with any of the prefixes that only add numbers to the end of a vertex line.
fn check_kind(word: &str, after: Option<&str>, line: usize) -> Result<(), LineError> {
    let prefix =
        word.strip_suffix("OFF").filter(|prefix| ["", "C", "N", "CN", "ST", "STC", "STN", "STCN"].contains(prefix));
    if prefix.is_none() {
        return Err(LineError::new(line, format!("an OFF file begins with OFF, not {word:?}")));
    }
    if after == Some("BINARY") {
        return Err(LineError::new(line, "binary OFF is not read; save it as text"));
    }
    Ok(())
}

fn parse_counts(text: &str, line: usize) -> Result<[u64; 2], LineError> {
    let mut words = text.split_whitespace();
    let mut count = |what: &str| {
        let word = words.next().ok_or_else(|| LineError::new(line, format!("the count of {what} is missing")))?;
        whole(word, line)
    };
    Ok([count("vertices")?, count("faces")?])
}

fn parse_face(text: &str, line: usize, vertex_count: usize, corners: &mut Vec<u32>) -> Result<(), LineError> {
    let mut words = text.split_whitespace();
    let count = whole(words.next().unwrap_or_default(), line)?;
    if count < 3 {
        return Err(LineError::new(line, format!("a face needs at least 3 corners, this one has {count}")));
    }
    corners.clear();
    for corner in 1..=count {
        let missing = || LineError::new(line, format!("corner {corner} of {count} is missing"));
        let vertex = whole(words.next().ok_or_else(missing)?, line)?;
        if vertex >= vertex_count as u64 {
            let what = format!("vertex {vertex} is not one of 0 to {}", vertex_count.saturating_sub(1));
            return Err(LineError::new(line, what));
        }
        corners.push(vertex as u32);
    }
    // What follows is a colour: numbers, or the face line is not one.
    words.try_for_each(|word| number(word, line).map(drop))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PYRAMID: &str = "OFF\n# five points\n5 5 0\n0 0 0\n1 0 0\n1 0 1\n0 0 1\n.5 1 .5\n4 0 1 2 3\n3 0 4 1 255 0 0\n\
        3 1 4 2\n3 2 4 3\n3 3 4 0\n";

    fn fault(from: &str, to: &str) -> String {
        assert!(PYRAMID.contains(from));
        parse(PYRAMID.replacen(from, to, 1).as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn a_pyramid_is_read_however_its_head_is_laid_out() {
        let mesh = parse(PYRAMID.as_bytes()).unwrap();
        assert_eq!((mesh.positions.len(), mesh.triangles.len()), (5, 6));
        for head in ["OFF 5 5 0\n", "COFF\n\n5 5 0\n", "OFF\n5 5\n"] {
            let same = PYRAMID.replacen("OFF\n# five points\n5 5 0\n", head, 1);
            assert_eq!(parse(same.as_bytes()).unwrap(), mesh);
        }
        assert_eq!(parse(PYRAMID.replace('\n', "\r\n").as_bytes()).unwrap(), mesh);
    }

    #[test]
    fn faults_are_named_with_their_line() {
        assert_eq!(fault("3 3 4 0", "3 3 4 5"), "line 13: vertex 5 is not one of 0 to 4");
        assert_eq!(fault("3 3 4 0", "2 3 4"), "line 13: a face needs at least 3 corners, this one has 2");
        assert_eq!(fault("3 3 4 0", "99999999999 3 4 0"), "line 13: corner 4 of 99999999999 is missing");
        assert_eq!(fault("5 5 0", "5 6 0"), "line 13: the file ends where face 6 of 6 should stand");
        assert_eq!(fault(".5 1 .5", ".5 1"), "line 8: the z of a vertex is missing");
        assert_eq!(fault("255", "red"), "line 10: expected a number, found \"red\"");
        assert_eq!(fault("OFF", "4OFF"), "line 1: an OFF file begins with OFF, not \"4OFF\"");
        assert_eq!(fault("OFF", "OFF BINARY"), "line 1: binary OFF is not read; save it as text");
        assert_eq!(parse(b"").unwrap_err().to_string(), "line 1: the file ends where OFF should stand");
    }
}
