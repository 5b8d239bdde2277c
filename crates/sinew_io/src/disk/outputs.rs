//! One rule for everything that is written: no output of a run is an input of the same run, and files that the user did not
//! name are not overwritten unasked. Files are told apart by identity, never by name.

use super::{Dir, FileId, Rights};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// What the process writes besides the outputs of its runs, in words: its log, and where its standard output goes to.
static ALSO_WRITTEN: Mutex<Vec<(&str, FileId)>> = Mutex::new(Vec::new());

/// No output of a run may be this file from now on.
pub fn also_written(what: &'static str, file: FileId) {
    ALSO_WRITTEN.lock().unwrap_or_else(PoisonError::into_inner).push((what, file));
}

/// Files that a run reads.
#[derive(Debug, Clone, Default)]
pub struct Inputs(Vec<(PathBuf, FileId)>);

impl Inputs {
    pub fn new<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Self {
        let mut inputs = Self::default();
        paths.into_iter().for_each(|path| inputs.add(path.as_ref()));
        inputs
    }

    /// What does not exist cannot be overwritten.
    pub fn add(&mut self, path: &Path) {
        if let Ok(id) = FileId::of(path)
            && id.exists()
        {
            self.0.push((path.to_owned(), id));
        }
    }

    /// A mesh file with the files that belong to it: buffers and images of a .gltf, the other half of TetGen's two.
    pub fn add_mesh(&mut self, path: &Path) {
        crate::mesh_files(path).iter().for_each(|file| self.add(file));
    }
}

/// Files that a run writes.
#[derive(Debug, Clone, Default)]
pub struct Outputs {
    /// By the user.
    pub named: Vec<PathBuf>,
    /// Side files: the user named another.
    pub beside: Vec<PathBuf>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OutputError {
    #[error("{} is read by this very run{} and must not be overwritten", output.display(), also(output, input))]
    IsInput { output: PathBuf, input: PathBuf },
    #[error("{} would be written twice by this run", output.display())]
    Twice { output: PathBuf },
    #[error("{} is where {what} goes, and would be written twice by this run", output.display())]
    AlsoWritten { output: PathBuf, what: &'static str },
    #[error("the name {output:?} holds control characters")]
    Unprintable { output: PathBuf },
    #[error("{} is read-only", output.display())]
    ReadOnly { output: PathBuf },
    #[error("{} and {} differ in upper and lower case only: many disks take them for one file", first.display(), second.display())]
    CaseOnly { first: PathBuf, second: PathBuf },
    #[error("{} {} already and {} not named", listed(files), exist(files), was(files))]
    Exists { files: Vec<PathBuf> },
}

impl OutputError {
    pub fn help(&self) -> &'static str {
        match self {
            Self::IsInput { .. } | Self::Twice { .. } | Self::AlsoWritten { .. } => {
                "choose another name for the output"
            }
            Self::Unprintable { .. } => "choose a name that can be read",
            Self::ReadOnly { .. } => "choose another name for the output, or allow it to be written (chmod u+w)",
            Self::CaseOnly { .. } => "rename one of the bodies that they are called after",
            Self::Exists { .. } => "choose another name for the output, or overwrite with --force",
        }
    }
}

/// Whether a run may write its outputs. Asked before anything is written.
pub fn check_outputs(inputs: &Inputs, outputs: &Outputs, overwrite: bool) -> Result<(), OutputError> {
    let mut seen = std::collections::HashSet::new();
    let mut spellings = std::collections::HashMap::new();
    let mut present = Vec::new();
    for (output, is_named) in
        outputs.named.iter().map(|path| (path, true)).chain(outputs.beside.iter().map(|path| (path, false)))
    {
        if output.file_name().is_some_and(|name| name.to_string_lossy().contains(char::is_control)) {
            return Err(OutputError::Unprintable { output: output.clone() });
        }
        let spelled = output.to_string_lossy().to_lowercase();
        if let Some(first) = spellings.insert(spelled, output).filter(|first| *first != output) {
            return Err(OutputError::CaseOnly { first: first.clone(), second: output.clone() });
        }
        // A folder that is not there holds nothing that could be overwritten.
        let Ok(id) = FileId::of(output) else { continue };
        if let Some((input, _)) = inputs.0.iter().find(|(_, input)| *input == id) {
            return Err(OutputError::IsInput { output: output.clone(), input: input.clone() });
        }
        let also = ALSO_WRITTEN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((what, _)) = also.iter().find(|(_, file)| *file == id) {
            return Err(OutputError::AlsoWritten { output: output.clone(), what });
        }
        drop(also);
        if is_read_only(output) {
            return Err(OutputError::ReadOnly { output: output.clone() });
        }
        if id.exists() && !is_named {
            present.push(output.clone());
        }
        if !seen.insert(id) {
            return Err(OutputError::Twice { output: output.clone() });
        }
    }
    if present.is_empty() || overwrite { Ok(()) } else { Err(OutputError::Exists { files: present }) }
}

/// Whether a file is there that may not be replaced. A link that the user names is followed.
fn is_read_only(output: &Path) -> bool {
    let real = output.canonicalize().unwrap_or_else(|_| output.to_owned());
    let refused = |(dir, name): (Dir, PathBuf)| Rights::of(&dir, &name).err();
    Dir::of(&real).ok().and_then(refused).is_some_and(|error| error.kind() == std::io::ErrorKind::PermissionDenied)
}

fn also(output: &Path, input: &Path) -> String {
    if output == input { String::new() } else { format!(" (as {})", input.display()) }
}

fn listed(files: &[PathBuf]) -> String {
    const SHOWN: usize = 3;
    let names: Vec<String> = files.iter().take(SHOWN).map(|file| file.display().to_string()).collect();
    let more = files.len().saturating_sub(SHOWN);
    names.join(", ") + &if more > 0 { format!(" and {more} more") } else { String::new() }
}

fn exist(files: &[PathBuf]) -> &'static str {
    if files.len() == 1 { "exists" } else { "exist" }
}

fn was(files: &[PathBuf]) -> &'static str {
    if files.len() == 1 { "was" } else { "were" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_under_another_name_is_still_an_input() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("mesh.obj"), "v 0 0 0\n").unwrap();
        std::fs::hard_link(at("mesh.obj"), at("hard.obj")).unwrap();
        let inputs = Inputs::new([at("mesh.obj"), at("none.obj")]);
        let mut others = vec![at("mesh.obj"), at("hard.obj"), folder.path().join("./mesh.obj")];
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(at("mesh.obj"), at("soft.obj")).unwrap();
            others.push(at("soft.obj"));
        }
        for output in others {
            let named = Outputs { named: vec![output.clone()], beside: Vec::new() };
            let refused = check_outputs(&inputs, &named, true);
            assert!(matches!(refused, Err(OutputError::IsInput { .. })), "{output:?}");
        }
        let fresh = Outputs { named: vec![at("new.mdd")], beside: vec![at("new.obj")] };
        assert_eq!(check_outputs(&inputs, &fresh, false), Ok(()));
        let twice = Outputs { named: vec![at("new.mdd")], beside: vec![folder.path().join(".").join("new.mdd")] };
        assert!(matches!(check_outputs(&inputs, &twice, true), Err(OutputError::Twice { .. })));
    }

    #[test]
    fn outputs_that_differ_in_case_only_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let beside = ["x-A.mdd", "x-a.mdd"].map(|name| folder.path().join(name)).to_vec();
        let refused = check_outputs(&Inputs::default(), &Outputs { named: Vec::new(), beside }, true);
        assert!(matches!(refused, Err(OutputError::CaseOnly { .. })), "{refused:?}");
    }

    #[test]
    fn a_read_only_output_is_refused_before_anything_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kept.glb");
        std::fs::write(&path, "kept").unwrap();
        let mut permissions = std::fs::metadata(&path).unwrap().permissions();
        permissions.set_readonly(true);
        std::fs::set_permissions(&path, permissions).unwrap();
        let outputs = Outputs { named: vec![path.clone()], beside: Vec::new() };
        let refused = check_outputs(&Inputs::default(), &outputs, true);
        assert_eq!(refused, Err(OutputError::ReadOnly { output: path }));
    }

    #[test]
    fn what_was_not_named_is_overwritten_only_when_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let [named, beside] = ["a.mdd", "a.obj"].map(|name| folder.path().join(name));
        std::fs::write(&named, "old").unwrap();
        std::fs::write(&beside, "a user's").unwrap();
        let outputs = Outputs { named: vec![named], beside: vec![beside.clone()] };
        let refused = check_outputs(&Inputs::default(), &outputs, false).unwrap_err();
        assert_eq!(refused, OutputError::Exists { files: vec![beside] });
        assert!(refused.to_string().contains("a.obj exists already"), "{refused}");
        assert_eq!(check_outputs(&Inputs::default(), &outputs, true), Ok(()));
    }
}
