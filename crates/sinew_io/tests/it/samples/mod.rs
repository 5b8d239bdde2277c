//! One small mesh in every format that is read, made by hand, so that anything can be wrong with it.

/// A mesh before it is written: numbers may be anything.
#[derive(Clone)]
pub(crate) struct Sample {
    pub positions: Vec<[f64; 3]>,
    pub triangles: Vec<[i64; 3]>,
    pub tets: Vec<[i64; 4]>,
}

pub(crate) const SURFACES: [&str; 7] = ["obj", "off", "stl", "binary.stl", "ply", "gltf", "glb"];
pub(crate) const TETS: [&str; 6] = ["mesh", "msh", "v2.msh", "vtk", "vtu", "ele"];

impl Sample {
    /// A tetrahedron, closed and facing outwards.
    pub(crate) fn tet(size: f64) -> Self {
        let positions = [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0., 0., 1.]].map(|x: [f64; 3]| x.map(|c| c * size));
        Self {
            positions: positions.to_vec(),
            triangles: vec![[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]],
            tets: vec![[0, 1, 2, 3]],
        }
    }

    /// The file's bytes; of TetGen's two the `.ele`, with [`Sample::node`] beside it.
    pub(crate) fn write(&self, format: &str) -> Vec<u8> {
        match format {
            "obj" => self.obj(),
            "off" => self.off(),
            "stl" => self.stl(),
            "binary.stl" => return self.binary_stl(),
            "ply" => self.ply(),
            "gltf" => self.gltf(),
            "glb" => return self.glb(),
            "mesh" => self.medit(),
            "msh" => self.gmsh_4(),
            "v2.msh" => self.gmsh_2(),
            "vtk" => self.vtk(),
            "vtu" => self.vtu(),
            "ele" => self.ele(),
            other => panic!("no sample of {other}"),
        }
        .into_bytes()
    }

    fn points(&self, before: &str) -> String {
        self.positions.iter().map(|[x, y, z]| format!("{before}{x} {y} {z}\n")).collect()
    }

    fn rows<const N: usize>(rows: &[[i64; N]], before: &str, from: i64, after: &str) -> String {
        let row = |row: &[i64; N]| row.map(|c| (c + from).to_string()).join(" ");
        rows.iter().map(|r| format!("{before}{}{after}\n", row(r))).collect()
    }

    fn obj(&self) -> String {
        self.points("v ") + &Self::rows(&self.triangles, "f ", 1, "")
    }

    fn off(&self) -> String {
        let head = format!("OFF\n{} {} 0\n", self.positions.len(), self.triangles.len());
        head + &self.points("") + &Self::rows(&self.triangles, "3 ", 0, "")
    }

    fn corner(&self, corner: i64) -> [f64; 3] {
        // STL has no numbers of vertices; what is out of range elsewhere is not a number here.
        usize::try_from(corner).ok().and_then(|c| self.positions.get(c)).copied().unwrap_or([f64::NAN; 3])
    }

    fn stl(&self) -> String {
        let facet = |t: &[i64; 3]| {
            let vertices: String =
                t.iter().map(|c| self.corner(*c)).map(|[x, y, z]| format!("vertex {x} {y} {z}\n")).collect();
            format!("facet normal 0 0 0\nouter loop\n{vertices}endloop\nendfacet\n")
        };
        let facets: String = self.triangles.iter().map(facet).collect();
        format!("solid a\n{facets}endsolid a\n")
    }

    fn binary_stl(&self) -> Vec<u8> {
        let mut bytes = vec![b' '; 80];
        bytes.extend((self.triangles.len() as u32).to_le_bytes());
        for triangle in &self.triangles {
            bytes.extend([0; 12]);
            for corner in triangle {
                self.corner(*corner).iter().for_each(|c| bytes.extend((*c as f32).to_le_bytes()));
            }
            bytes.extend([0; 2]);
        }
        bytes
    }

    fn ply(&self) -> String {
        let head = format!(
            "ply\nformat ascii 1.0\nelement vertex {}\nproperty double x\nproperty double y\nproperty double z\nelement face {}\n\
             property list uchar int vertex_indices\nend_header\n",
            self.positions.len(),
            self.triangles.len()
        );
        head + &self.points("") + &Self::rows(&self.triangles, "3 ", 0, "")
    }

    /// The JSON, with the buffer inside it or not, and the buffer.
    fn gltf_parts(&self, inside: bool) -> (String, Vec<u8>) {
        let mut data: Vec<u8> =
            self.positions.iter().flatten().flat_map(|number| (*number as f32).to_le_bytes()).collect();
        let points = data.len();
        data.extend(self.triangles.iter().flatten().flat_map(|corner| (*corner as u32).to_le_bytes()));
        let uri = if inside { format!("\"uri\":\"data:;base64,{}\",", base64(&data)) } else { String::new() };
        let text = format!(
            "{{\"asset\":{{\"version\":\"2.0\"}},\"scenes\":[{{\"nodes\":[0]}}],\"nodes\":[{{\"mesh\":0}}],\"meshes\":[{{\"primitives\":[{{\
             \"attributes\":{{\"POSITION\":0}},\"indices\":1}}]}}],\"accessors\":[{{\"bufferView\":0,\"componentType\":5126,\"count\":{},\
             \"type\":\"VEC3\"}},{{\"bufferView\":1,\"componentType\":5125,\"count\":{},\"type\":\"SCALAR\"}}],\"bufferViews\":[{{\"buffer\":0,\
             \"byteLength\":{points}}},{{\"buffer\":0,\"byteOffset\":{points},\"byteLength\":{}}}],\"buffers\":[{{{uri}\"byteLength\":{}}}]}}",
            self.positions.len(),
            3 * self.triangles.len(),
            data.len() - points,
            data.len()
        );
        (text, data)
    }

    fn gltf(&self) -> String {
        self.gltf_parts(true).0
    }

    fn glb(&self) -> Vec<u8> {
        let (text, data) = self.gltf_parts(false);
        let mut text = text.into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let word = |n: usize| (n as u32).to_le_bytes();
        let head = [*b"glTF", word(2), word(28 + text.len() + data.len()), word(text.len()), *b"JSON"].concat();
        [&head[..], &text, &word(data.len()), b"BIN\0", &data].concat()
    }

    fn medit(&self) -> String {
        let points: String = self.positions.iter().map(|[x, y, z]| format!("{x} {y} {z} 0\n")).collect();
        format!(
            "MeshVersionFormatted 2\nDimension 3\nVertices\n{}\n{points}Tetrahedra\n{}\n{}End\n",
            self.positions.len(),
            self.tets.len(),
            Self::rows(&self.tets, "", 1, " 0")
        )
    }

    fn gmsh_2(&self) -> String {
        let nodes: String =
            self.positions.iter().enumerate().map(|(n, [x, y, z])| format!("{} {x} {y} {z}\n", n + 1)).collect();
        let tets: String = self
            .tets
            .iter()
            .enumerate()
            .map(|(n, [a, b, c, d])| format!("{} 4 2 1 1 {} {} {} {}\n", n + 1, a + 1, b + 1, c + 1, d + 1))
            .collect();
        format!(
            "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{}\n{nodes}$EndNodes\n$Elements\n{}\n{tets}$EndElements\n",
            self.positions.len(),
            self.tets.len()
        )
    }

    fn gmsh_4(&self) -> String {
        let (points, tets) = (self.positions.len(), self.tets.len());
        let numbers: String = (1..=points).map(|n| format!("{n}\n")).collect();
        let elements: String = self
            .tets
            .iter()
            .enumerate()
            .map(|(n, [a, b, c, d])| format!("{} {} {} {} {}\n", n + 1, a + 1, b + 1, c + 1, d + 1))
            .collect();
        format!(
            "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 {points} 1 {points}\n3 1 0 {points}\n{numbers}{}$EndNodes\n\
             $Elements\n1 {tets} 1 {tets}\n3 1 4 {tets}\n{elements}$EndElements\n",
            self.points("")
        )
    }

    fn vtk(&self) -> String {
        format!(
            "# vtk DataFile Version 3.0\na\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS {} double\n{}CELLS {} {}\n{}CELL_TYPES {}\n{}",
            self.positions.len(),
            self.points(""),
            self.tets.len(),
            5 * self.tets.len(),
            Self::rows(&self.tets, "4 ", 0, ""),
            self.tets.len(),
            "10\n".repeat(self.tets.len())
        )
    }

    fn vtu(&self) -> String {
        let offsets: String = (1..=self.tets.len()).map(|n| format!("{} ", 4 * n)).collect();
        format!(
            "<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\"><UnstructuredGrid><Piece NumberOfPoints=\"{}\" \
             NumberOfCells=\"{}\"><Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">{}</DataArray></Points><Cells>\
             <DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">{}</DataArray><DataArray type=\"Int64\" Name=\"offsets\" \
             format=\"ascii\">{offsets}</DataArray><DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">{}</DataArray></Cells></Piece>\
             </UnstructuredGrid></VTKFile>\n",
            self.positions.len(),
            self.tets.len(),
            self.points(""),
            Self::rows(&self.tets, "", 0, ""),
            "10 ".repeat(self.tets.len())
        )
    }

    pub(crate) fn node(&self) -> String {
        let rows: String =
            self.positions.iter().enumerate().map(|(n, [x, y, z])| format!("{n} {x} {y} {z}\n")).collect();
        format!("{} 3 0 0\n{rows}", self.positions.len())
    }

    fn ele(&self) -> String {
        let rows: String =
            self.tets.iter().enumerate().map(|(n, [a, b, c, d])| format!("{n} {a} {b} {c} {d}\n")).collect();
        format!("{} 4 0\n{rows}", self.tets.len())
    }
}

pub(crate) fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for triple in bytes.chunks(3) {
        let padded = [triple[0], *triple.get(1).unwrap_or(&0), *triple.get(2).unwrap_or(&0)];
        let bits = u32::from_be_bytes([0, padded[0], padded[1], padded[2]]);
        for (n, shift) in [18, 12, 6, 0].into_iter().enumerate() {
            text.push(if n <= triple.len() { LETTERS[(bits >> shift) as usize & 63] as char } else { '=' });
        }
    }
    text
}
