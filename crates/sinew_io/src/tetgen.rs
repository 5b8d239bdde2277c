//! TetGen's `.node` and `.ele` (Si, TetGen manual §5.2): points in one file, tetrahedra in the other, same name.
//!
//! Numbers count from 0 or 1, whichever the first point has. Attributes and markers are passed over; of tetrahedra with
//! ten nodes the four corners are taken.

use crate::mesh_file::{self, Source};
use crate::text::{lines, number, whole};
use crate::{LineError, ReadError, TetFile};
use sinew_math::DVec3;

/// Reads both files, given either.
pub(crate) fn read(source: &Source<'_>) -> Result<TetFile, ReadError> {
    let [node, ele] = ["node", "ele"].map(|extension| source.path.with_extension(extension));
    let (points, first) = mesh_file::read(&source.other(&node), parse_node)?;
    let tets = mesh_file::read(&source.other(&ele), |bytes| parse_ele(bytes, first, points.len()))?;
    Ok(TetFile { positions: points, tets, triangles: Vec::new() })
}

/// Points, and the number of the first.
pub fn parse_node(bytes: &[u8]) -> Result<(Vec<DVec3>, u64), LineError> {
    let mut rows = lines(bytes);
    let (line, head) = rows.next().ok_or_else(|| LineError::new(1, "the file is empty"))?;
    let mut words = head.split_whitespace();
    let count = whole(words.next().unwrap_or_default(), line)?;
    if words.next() != Some("3") {
        return Err(LineError::new(line, "the head should say: number of points, 3 (their dimension), …"));
    }
    let (mut points, mut first, mut last_line) = (Vec::new(), 0, line);
    for place in 0..count {
        let ended = || LineError::new(last_line, format!("the file ends where point {place} of {count} should stand"));
        let (line, row) = rows.next().ok_or_else(ended)?;
        let mut words = row.split_whitespace();
        let index = whole(words.next().unwrap_or_default(), line)?;
        if place == 0 && index <= 1 {
            first = index;
        } else if Some(index) != place.checked_add(first) {
            return Err(LineError::new(line, format!("point {index} where {} should stand", place + first)));
        }
        points.push(DVec3::from_array(crate::text::point(&mut words, line)?));
        last_line = line;
    }
    Ok((points, first))
}

/// Tetrahedra of points that are numbered from `first` on.
pub fn parse_ele(bytes: &[u8], first: u64, point_count: usize) -> Result<Vec<[u32; 4]>, LineError> {
    let mut rows = lines(bytes);
    let (line, head) = rows.next().ok_or_else(|| LineError::new(1, "the file is empty"))?;
    let mut words = head.split_whitespace();
    let count = whole(words.next().unwrap_or_default(), line)?;
    let nodes = words.next().unwrap_or_default();
    if nodes != "4" && nodes != "10" {
        return Err(LineError::new(line, format!("tetrahedra of {nodes:?} nodes; 4 or 10 are read")));
    }
    let (mut tets, mut last_line) = (Vec::new(), line);
    for place in 0..count {
        let ended = || LineError::new(last_line, format!("the file ends where tet {place} of {count} should stand"));
        let (line, row) = rows.next().ok_or_else(ended)?;
        let mut words = row.split_whitespace();
        number(words.next().unwrap_or_default(), line)?;
        let mut tet = [0; 4];
        for corner in &mut tet {
            let word = words.next().ok_or_else(|| LineError::new(line, "a corner of a tet is missing"))?;
            let index = whole(word, line)?;
            let inside = index.checked_sub(first).filter(|index| *index < point_count as u64);
            let last = first + point_count as u64;
            *corner = inside
                .ok_or_else(|| LineError::new(line, format!("point {index} is not one of {first} to {last}")))?
                as u32;
        }
        tets.push(tet);
        last_line = line;
    }
    if tets.is_empty() {
        return Err(LineError::new(line, "the file has no tetrahedra"));
    }
    Ok(tets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_and_tets_from_zero_or_one_are_read_and_faults_named() {
        for first in [0, 1] {
            let node: String = (0..5).map(|i| format!("{} {} {} {}\n", i + first, i % 2, i / 2, i * i)).collect();
            let node = format!("# made by hand\n5 3 0 0\n{node}");
            let (points, found) = parse_node(node.as_bytes()).unwrap();
            assert_eq!((points.len(), found, points[3]), (5, first, DVec3::new(1.0, 1.0, 9.0)));
            let ele = format!("1 4 1\n{first} {} {} {} {} 7\n", first, first + 1, first + 2, first + 4);
            assert_eq!(parse_ele(ele.as_bytes(), first, 5).unwrap(), [[0, 1, 2, 4]]);
            let wild = parse_ele(ele.as_bytes(), first, 4).unwrap_err().to_string();
            assert!(wild.starts_with("line 2: point"), "{wild}");
        }
        assert_eq!(parse_node(b"2 2 0 0\n").unwrap_err().line, 1);
        assert_eq!(
            parse_node(b"9 3\n0 0 0 0\n").unwrap_err().to_string(),
            "line 2: the file ends where point 1 of 9 should stand"
        );
        assert_eq!(
            parse_node(b"2 3\n0 0 0 0\n5 0 0 0\n").unwrap_err().to_string(),
            "line 3: point 5 where 1 should stand"
        );
    }
}
