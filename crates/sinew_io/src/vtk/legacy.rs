//! Legacy `.vtk`, ASCII: `UNSTRUCTURED_GRID` with `POINTS`, `CELLS` (of version 2, or 5 with offsets) and `CELL_TYPES`.

use super::grid;
use crate::text::{number, whole};
use crate::{LineError, TetFile};
use sinew_math::DVec3;

pub fn parse(bytes: &[u8]) -> Result<TetFile, LineError> {
    let mut lines = bytes.split(|byte| *byte == b'\n');
    let mut head = |line: usize| {
        let text = lines.next().ok_or_else(|| LineError::new(line, "the file ends within its head"))?;
        Ok::<_, LineError>(String::from_utf8_lossy(text).trim().to_owned())
    };
    if !head(1)?.starts_with("# vtk DataFile Version") {
        return Err(LineError::new(1, "a legacy VTK file begins with # vtk DataFile Version"));
    }
    head(2)?;
    match head(3)?.as_str() {
        "ASCII" => {}
        "BINARY" => return Err(LineError::new(3, "binary legacy VTK is not read; save it as ASCII or as .vtu")),
        other => return Err(LineError::new(3, format!("expected ASCII, found {other:?}"))),
    }
    let body = bytes.splitn(4, |byte| *byte == b'\n').nth(3).unwrap_or_default();
    let mut words = Words { words: Box::new(words(body)), line: 4 };
    let (mut points, mut connectivity, mut kinds) = (Vec::new(), None, Vec::new());
    while let Some(keyword) = words.next() {
        match keyword.as_str() {
            "DATASET" => match words.need("the kind of data set")?.as_str() {
                "UNSTRUCTURED_GRID" => {}
                other => return Err(words.wrong(format!("{other} is not read; UNSTRUCTURED_GRID is"))),
            },
            "POINTS" => points = words.points()?,
            "CELLS" => connectivity = Some(words.cells()?),
            "CELL_TYPES" => kinds = words.wholes("cell types")?,
            // Data on points and cells comes last.
            "POINT_DATA" | "CELL_DATA" => break,
            "METADATA" | "FIELD" => return Err(words.wrong(format!("{keyword} before the grid is not read"))),
            other => return Err(words.wrong(format!("{other:?} where POINTS, CELLS or CELL_TYPES should stand"))),
        }
    }
    let cells = connectivity.ok_or_else(|| words.wrong("the grid has no CELLS"))?;
    if cells.len() != kinds.len() {
        return Err(words.wrong(format!("{} CELLS and {} CELL_TYPES", cells.len(), kinds.len())));
    }
    grid(points, kinds.into_iter().zip(cells)).map_err(|what| words.wrong(what))
}

fn words(body: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    body.split(|byte| *byte == b'\n').enumerate().flat_map(|(index, line)| {
        line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).map(move |word| (index + 4, word))
    })
}

struct Words<'a> {
    words: Box<dyn Iterator<Item = (usize, &'a [u8])> + 'a>,
    line: usize,
}

impl Words<'_> {
    fn next(&mut self) -> Option<String> {
        let (line, word) = self.words.next()?;
        self.line = line;
        Some(String::from_utf8_lossy(word).into_owned())
    }

    fn need(&mut self, what: &str) -> Result<String, LineError> {
        self.next().ok_or_else(|| LineError::new(self.line, format!("the file ends where {what} should stand")))
    }

    fn whole(&mut self, what: &str) -> Result<u64, LineError> {
        let word = self.need(what)?;
        whole(&word, self.line)
    }

    fn wrong(&self, what: impl Into<String>) -> LineError {
        LineError::new(self.line, what)
    }

    fn points(&mut self) -> Result<Vec<DVec3>, LineError> {
        let count = self.whole("the number of points")?;
        self.need("the type of the points")?;
        let mut points = Vec::new();
        for place in 0..count {
            let mut x = [0.0; 3];
            for coordinate in &mut x {
                let word = self.need(&format!("point {place} of {count}"))?;
                *coordinate = number(&word, self.line)?;
            }
            points.push(DVec3::from_array(x));
        }
        Ok(points)
    }

    fn wholes(&mut self, what: &str) -> Result<Vec<u64>, LineError> {
        let count = self.whole(what)?;
        self.some_wholes(count, what)
    }

    fn some_wholes(&mut self, count: u64, what: &str) -> Result<Vec<u64>, LineError> {
        let mut numbers = Vec::new();
        for _ in 0..count {
            numbers.push(self.whole(what)?);
        }
        Ok(numbers)
    }

    /// Corners of each cell: behind their number each, or (since version 5) by offsets into one list.
    fn cells(&mut self) -> Result<Vec<Vec<u64>>, LineError> {
        let count = self.whole("the number of cells")?;
        let size = self.whole("the size of the cells")?;
        let mut cells = Vec::new();
        let first = self.need("cells")?;
        if first != "OFFSETS" {
            let mut corners = whole(&first, self.line)?;
            for cell in 0..count {
                if cell > 0 {
                    corners = self.whole("the number of a cell's corners")?;
                }
                cells.push(self.some_wholes(corners, "a cell's corner")?);
            }
            return Ok(cells);
        }
        self.need("the type of the offsets")?;
        let offsets = self.some_wholes(count, "an offset")?;
        if self.need("CONNECTIVITY")? != "CONNECTIVITY" {
            return Err(self.wrong("CONNECTIVITY should stand here"));
        }
        self.need("the type of the connectivity")?;
        let corners = self.some_wholes(size, "a cell's corner")?;
        for pair in offsets.windows(2) {
            let inside = usize::try_from(pair[0]).ok().zip(usize::try_from(pair[1]).ok());
            let cell = inside.and_then(|(from, to)| corners.get(from..to));
            cells.push(
                cell.ok_or_else(|| self.wrong(format!("offsets {} to {} of {size}", pair[0], pair[1])))?.to_vec(),
            );
        }
        // Overlapping offsets cannot make more than they were given: they ascend.
        Ok(cells)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "# vtk DataFile Version 3.0\na tet\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n0 0 0 1 0 0\n0 1 0\n\
        0 0 1\nCELLS 2 9\n4 0 1 2 3\n3 0 2 1\nCELL_TYPES 2\n10\n5\nPOINT_DATA 4\nSCALARS a float\n";
    const NEW: &str = "# vtk DataFile Version 5.1\na tet\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n0 0 0 1 0 0\n0 1 0\n\
        0 0 1\nCELLS 3 7\nOFFSETS vtktypeint64\n0 4 7\nCONNECTIVITY vtktypeint64\n0 1 2 3 0 2 1\nCELL_TYPES 2\n10 5\n";

    #[test]
    fn old_and_new_cells_give_one_grid() {
        let file = parse(OLD.as_bytes()).unwrap();
        assert_eq!((&file.tets[..], &file.triangles[..]), (&[[0, 1, 2, 3]][..], &[[0, 2, 1]][..]));
        assert_eq!(parse(NEW.as_bytes()).unwrap(), file);
    }

    #[test]
    fn faults_are_named_with_their_line() {
        let fault = |from: &str, to: &str| parse(OLD.replacen(from, to, 1).as_bytes()).unwrap_err().to_string();
        assert!(fault("4 0 1 2 3", "4 0 1 2 9").ends_with("cell 0 names point 9 of 4"));
        assert_eq!(fault("ASCII", "BINARY"), "line 3: binary legacy VTK is not read; save it as ASCII or as .vtu");
        assert_eq!(fault("0 1 0\n", "0 x 0\n"), "line 7: expected a number, found \"x\"");
        assert!(fault("UNSTRUCTURED_GRID", "POLYDATA").starts_with("line 4: POLYDATA is not read"));
        assert!(fault("CELL_TYPES 2\n10\n5\n", "").contains("2 CELLS and 0 CELL_TYPES"));
    }
}
