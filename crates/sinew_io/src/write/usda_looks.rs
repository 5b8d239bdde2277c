//! Materials in USDA: `UsdPreviewSurface` shaders under one scope, textures as files in a folder beside the stage.
//!
//! OpenUSD, "UsdPreviewSurface Specification". Of the textures the base colour's, the emissive one and the normal map are
//! bound; metal, roughness and occlusion are packed into channels of an image, which they are read from.

use super::usda::{List, Tuple, identifiers};
use super::{Out, beside};
use crate::clip::{ClipInfo, WriteError};
use crate::{Alpha, Material, TextureUse};
use std::path::{Path, PathBuf};

/// What the materials of all bodies are called, and where their images go.
pub(super) struct UsdLooks {
    path: PathBuf,
    bodies: Vec<BodyLooks>,
}

struct BodyLooks {
    /// Names of the materials, each with the material.
    materials: Vec<(String, Material)>,
    /// Materials with their triangles.
    parts: Vec<(Option<u32>, Vec<u32>)>,
    /// Paths of the images, relative to the stage.
    images: Vec<String>,
}

impl UsdLooks {
    pub(super) fn of(info: &ClipInfo, bodies: &[String], path: &Path) -> Self {
        let folder = folder_of(path);
        let folder = folder.file_name().unwrap_or_default().to_string_lossy();
        let given: Vec<String> = (info.bodies.iter().zip(bodies))
            .flat_map(|(body, name)| body.looks.materials.iter().map(move |m| format!("{name}_{}", m.name)))
            .collect();
        let mut names = identifiers(given.iter().map(String::as_str)).into_iter();
        let looks = info.bodies.iter().zip(bodies).map(|(body, name)| BodyLooks {
            materials: names
                .by_ref()
                .zip(body.looks.materials.iter().cloned())
                .take(body.looks.materials.len())
                .collect(),
            parts: if body.looks.materials.is_empty() { Vec::new() } else { body.looks.parts(body.triangles.len()) },
            images: (body.looks.images.iter().enumerate())
                .map(|(n, image)| format!("./{folder}/{name}_{n}.{}", image.extension()))
                .collect(),
        });
        let bodies = looks.collect();
        Self { path: path.to_owned(), bodies }
    }

    pub(super) fn is_bound(&self, body: usize) -> bool {
        !self.bodies[body].parts.is_empty()
    }

    /// The material of the whole mesh, or of subsets of its faces.
    pub(super) fn write_bindings(&self, body: usize, out: &mut Out) -> Result<(), WriteError> {
        let BodyLooks { materials, parts, .. } = &self.bodies[body];
        if let [(Some(material), _)] = &parts[..] {
            let name = &materials[*material as usize].0;
            return out.text(format_args!("        rel material:binding = </Take/Looks/{name}>\n"));
        }
        if parts.is_empty() {
            return Ok(());
        }
        out.text(format_args!("        uniform token subsetFamily:materialBind:familyType = \"nonOverlapping\"\n"))?;
        for (material, triangles) in parts {
            let Some(material) = material else { continue };
            let name = &materials[*material as usize].0;
            out.text(format_args!(
                "        def GeomSubset \"{name}\" (\n            prepend apiSchemas = [\"MaterialBindingAPI\"]\n        )\n        {{\n            \
                 uniform token elementType = \"face\"\n            uniform token familyName = \"materialBind\"\n            \
                 int[] indices = [{}]\n            rel material:binding = </Take/Looks/{name}>\n        }}\n",
                List(triangles.iter())
            ))?;
        }
        Ok(())
    }

    pub(super) fn write_materials(&self, out: &mut Out) -> Result<(), WriteError> {
        if self.bodies.iter().all(|body| body.materials.is_empty()) {
            return Ok(());
        }
        out.text(format_args!("    def Scope \"Looks\"\n    {{\n"))?;
        for body in &self.bodies {
            for (name, material) in &body.materials {
                write_material(name, material, &body.images, out)?;
            }
        }
        out.text(format_args!("    }}\n"))
    }

    /// The images themselves.
    pub(super) fn write_images(&self, info: &ClipInfo) -> Result<Vec<PathBuf>, WriteError> {
        let mut files = Vec::new();
        for (body, looks) in info.bodies.iter().zip(&self.bodies) {
            for (image, name) in body.looks.images.iter().zip(&looks.images) {
                let path = beside_stage(&self.path, name);
                let folder = path.parent().unwrap_or(Path::new(""));
                std::fs::create_dir_all(folder)
                    .map_err(|source| WriteError::Write { path: folder.to_owned(), source })?;
                let mut out = Out::create(&path)?;
                out.bytes(&image.bytes)?;
                files.push(out.commit()?);
            }
        }
        Ok(files)
    }
}

/// The files of all images.
pub(super) fn image_files(info: &ClipInfo, path: &Path) -> Vec<PathBuf> {
    let names = identifiers(info.bodies.iter().map(|body| body.name.as_str()));
    let looks = UsdLooks::of(info, &names, path);
    looks.bodies.iter().flat_map(|body| &body.images).map(|name| beside_stage(path, name)).collect()
}

fn beside_stage(stage: &Path, name: &str) -> PathBuf {
    stage.parent().unwrap_or(Path::new("")).join(name.trim_start_matches("./"))
}

fn folder_of(path: &Path) -> PathBuf {
    beside(path, "_textures", "").with_extension("")
}

fn write_material(name: &str, material: &Material, images: &[String], out: &mut Out) -> Result<(), WriteError> {
    let at = format!("/Take/Looks/{name}");
    let texture = |of: TextureUse| {
        material.textures.iter().find(|(used, _)| *used == of).map(|(_, image)| &images[*image as usize])
    };
    let connected = |input: &str, of: TextureUse, output: &str| {
        texture(of).map(|_| format!("            {input}.connect = <{at}/{}.outputs:{output}>\n", node(of)))
    };
    let [r, g, b, opacity] = material.base_colour;
    let colour = connected("color3f inputs:diffuseColor", TextureUse::BaseColour, "rgb")
        .unwrap_or_else(|| format!("            color3f inputs:diffuseColor = {}\n", Tuple([r, g, b])));
    let emissive = connected("color3f inputs:emissiveColor", TextureUse::Emissive, "rgb")
        .unwrap_or_else(|| format!("            color3f inputs:emissiveColor = {}\n", Tuple(material.emissive)));
    let metallic = connected("float inputs:metallic", TextureUse::MetallicRoughness, "b")
        .unwrap_or_else(|| format!("            float inputs:metallic = {:?}\n", material.metallic));
    let roughness = connected("float inputs:roughness", TextureUse::MetallicRoughness, "g")
        .unwrap_or_else(|| format!("            float inputs:roughness = {:?}\n", material.roughness));
    let normal = connected("normal3f inputs:normal", TextureUse::Normal, "rgb").unwrap_or_default();
    let occlusion = connected("float inputs:occlusion", TextureUse::Occlusion, "r").unwrap_or_default();
    let is_seen_through = material.alpha != Alpha::Opaque;
    let opacity = match connected("float inputs:opacity", TextureUse::BaseColour, "a").filter(|_| is_seen_through) {
        Some(connected) => connected,
        None => format!("            float inputs:opacity = {opacity:?}\n"),
    };
    let threshold = match material.alpha {
        Alpha::Mask(cutoff) => format!("            float inputs:opacityThreshold = {cutoff:?}\n"),
        _ => String::new(),
    };
    out.text(format_args!(
        "        def Material \"{name}\"\n        {{\n            token outputs:surface.connect = <{at}/surface.outputs:surface>\n"
    ))?;
    out.text(format_args!(
        "            def Shader \"surface\"\n            {{\n            uniform token info:id = \"UsdPreviewSurface\"\n\
         {colour}{emissive}{metallic}{roughness}{normal}{occlusion}{opacity}{threshold}            token outputs:surface\n            }}\n"
    ))?;
    if !material.textures.is_empty() {
        out.text(format_args!(
            "            def Shader \"st\"\n            {{\n            uniform token info:id = \"UsdPrimvarReader_float2\"\n            \
             string inputs:varname = \"st\"\n            float2 outputs:result\n            }}\n"
        ))?;
    }
    for of in TextureUse::ALL {
        let Some(image) = texture(of) else { continue };
        // Colours are stored as a screen shows them; everything else as plain numbers. Factors scale what is read.
        let (space, scale, bias) = match of {
            TextureUse::BaseColour => ("sRGB", material.base_colour, [0.0; 4]),
            TextureUse::Emissive => {
                let [r, g, b] = material.emissive;
                ("sRGB", [r, g, b, 1.0], [0.0; 4])
            }
            TextureUse::MetallicRoughness => ("raw", [1.0, material.roughness, material.metallic, 1.0], [0.0; 4]),
            TextureUse::Normal => ("raw", [2.0, 2.0, 2.0, 1.0], [-1.0, -1.0, -1.0, 0.0]),
            TextureUse::Occlusion => ("raw", [1.0; 4], [0.0; 4]),
        };
        out.text(format_args!(
            "            def Shader \"{}\"\n            {{\n            uniform token info:id = \"UsdUVTexture\"\n            \
             asset inputs:file = @{image}@\n            float2 inputs:st.connect = <{at}/st.outputs:result>\n            \
             token inputs:sourceColorSpace = \"{space}\"\n            float4 inputs:scale = {}\n            float4 inputs:bias = {}\n            \
             token inputs:wrapS = \"repeat\"\n            token inputs:wrapT = \"repeat\"\n            \
             float outputs:r\n            float outputs:g\n            float outputs:b\n            float outputs:a\n            \
             float3 outputs:rgb\n            }}\n",
            node(of),
            Tuple(scale),
            Tuple(bias)
        ))?;
    }
    out.text(format_args!("        }}\n"))
}

fn node(of: TextureUse) -> &'static str {
    match of {
        TextureUse::BaseColour => "baseColour",
        TextureUse::MetallicRoughness => "metalRoughness",
        TextureUse::Normal => "normalMap",
        TextureUse::Occlusion => "occlusionMap",
        TextureUse::Emissive => "emissiveMap",
    }
}
