//! Which file a path means, whatever it is called.

use std::io;
use std::path::{Path, PathBuf};

/// Equal for two paths that lead to the same file, by links of either kind or by another spelling.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FileId(Id);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Id {
    #[cfg(unix)]
    Node { device: u64, node: u64 },
    #[cfg(not(unix))]
    Path(PathBuf),
    /// Not there yet: its name in a folder that is.
    Missing { folder: Box<Id>, name: PathBuf },
}

impl FileId {
    /// Of a file that exists, or would in a folder that does.
    pub fn of(path: &Path) -> io::Result<Self> {
        match existing(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
                let name = path.file_name().map(PathBuf::from).unwrap_or_default();
                Ok(Self(Id::Missing { folder: Box::new(existing(folder)?), name }))
            }
            id => id.map(Self),
        }
    }

    /// Of a file that is open, whatever it is called.
    #[cfg(unix)]
    pub fn of_open(file: &std::fs::File) -> io::Result<Self> {
        use std::os::unix::fs::MetadataExt;
        let found = file.metadata()?;
        Ok(Self(Id::Node { device: found.dev(), node: found.ino() }))
    }

    /// Only names tell files apart here.
    #[cfg(not(unix))]
    pub fn of_open(_: &std::fs::File) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub fn exists(&self) -> bool {
        !matches!(self.0, Id::Missing { .. })
    }
}

#[cfg(unix)]
fn existing(path: &Path) -> io::Result<Id> {
    use std::os::unix::fs::MetadataExt;
    let metadata = std::fs::metadata(path)?;
    Ok(Id::Node { device: metadata.dev(), node: metadata.ino() })
}

#[cfg(not(unix))]
fn existing(path: &Path) -> io::Result<Id> {
    path.canonicalize().map(Id::Path)
}
