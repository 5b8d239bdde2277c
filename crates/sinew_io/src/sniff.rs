//! What a file is by its first bytes, for files under the extension of another format.

/// A name for people, and the extensions such a file may have.
pub(crate) struct Format {
    pub(crate) name: &'static str,
    pub(crate) extensions: &'static [&'static str],
}

const FORMATS: &[(&[u8], Format)] = &[
    (b"glTF", Format { name: "a GLB file", extensions: &["glb"] }),
    (b"ply\n", Format { name: "a PLY file", extensions: &["ply"] }),
    (b"ply\r", Format { name: "a PLY file", extensions: &["ply"] }),
    (b"OFF", Format { name: "an OFF file", extensions: &["off"] }),
    (b"PK\x03\x04", Format { name: "an NPZ (ZIP) archive", extensions: &["npz"] }),
    (b"POINTCACHE2", Format { name: "a PC2 vertex cache", extensions: &["pc2"] }),
    (b"#usda", Format { name: "a USDA file", extensions: &["usda", "usd"] }),
    (b"PXR-USDC", Format { name: "a binary USD file (crate)", extensions: &["usdc", "usd"] }),
    (b"$MeshFormat", Format { name: "a Gmsh file", extensions: &["msh"] }),
    (b"MeshVersionFormatted", Format { name: "a MEDIT mesh", extensions: &["mesh"] }),
    (b"# vtk DataFile", Format { name: "a legacy VTK file", extensions: &["vtk"] }),
    (b"<VTKFile", Format { name: "a VTK XML file", extensions: &["vtu", "pvd", "vtp"] }),
    (b"<?xml", Format { name: "an XML file", extensions: &["vtu", "pvd", "vtp"] }),
    (b"\x89PNG", Format { name: "a PNG picture", extensions: &["png"] }),
    (b"\xff\xd8\xff", Format { name: "a JPEG picture", extensions: &["jpg"] }),
    (b"%PDF", Format { name: "a PDF document", extensions: &["pdf"] }),
];

/// The format of a file that is plainly not what its extension says.
pub(crate) fn other_format(bytes: &[u8], extension: &str) -> Option<&'static Format> {
    let start = bytes.trim_ascii_start();
    let known = FORMATS.iter().find(|(magic, _)| start.starts_with(magic)).map(|(_, format)| format)?;
    (!known.extensions.contains(&extension)).then_some(known)
}
