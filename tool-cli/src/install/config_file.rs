//! A configuration file of a client.

use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::atomic_file::{self, Access};
use crate::install::error::InstallError;

/// How many backups of a file are kept, after which no more is written.
const MAX_BACKUPS: usize = 100;

/// A configuration file, which may not exist yet.
#[derive(Debug)]
pub(super) struct ConfigFile {
    /// Where the file is, behind symbolic links.
    path: PathBuf,
    existing: Option<(Vec<u8>, Metadata)>,
}

impl ConfigFile {
    /// Reads the file, which must be one that can be replaced.
    pub(super) fn open(path: &Path) -> Result<Self, InstallError> {
        let error = |error| InstallError::Read { path: path.to_owned(), error };
        match fs::symlink_metadata(path) {
            Err(missing) if missing.kind() == ErrorKind::NotFound => {
                check_folder(path)?;
                return Ok(ConfigFile { path: path.to_owned(), existing: None });
            }
            Err(other) => return Err(error(other)),
            Ok(_) => {}
        }
        // The file behind a link is replaced, and not the link: it may belong to a repository of such files.
        let target = fs::canonicalize(path).map_err(|other| match other.kind() {
            ErrorKind::NotFound => InstallError::DanglingLink(path.to_owned()),
            _ => error(other),
        })?;
        let metadata = fs::metadata(&target).map_err(error)?;
        if !metadata.is_file() {
            return Err(InstallError::NotFile(path.to_owned()));
        }
        if metadata.permissions().readonly() {
            return Err(InstallError::ReadOnly(path.to_owned()));
        }
        check_folder(&target)?;
        let bytes = fs::read(&target).map_err(error)?;
        Ok(ConfigFile { path: target, existing: Some((bytes, metadata)) })
    }

    /// Returns the text, which is empty for a file that does not exist.
    pub(super) fn text(&self) -> Result<&str, InstallError> {
        let bytes = self.existing.as_ref().map_or(&[][..], |(bytes, _)| bytes);
        std::str::from_utf8(bytes).map_err(|_| InstallError::NotUtf8(self.path.clone()))
    }

    /// Replaces the content, and returns the path of the backup if there was a file. `access` is that of a new file.
    pub(super) fn replace(&self, text: &str, access: Access<'_>) -> Result<Option<PathBuf>, InstallError> {
        let failed = |error| InstallError::Write { path: self.path.clone(), error };
        let Some((bytes, metadata)) = &self.existing else {
            if let Some(folder) = self.path.parent() {
                fs::create_dir_all(folder).map_err(failed)?;
            }
            atomic_file::create(&self.path, text.as_bytes(), access).map_err(|error| match error.kind() {
                ErrorKind::AlreadyExists => InstallError::Changed(self.path.clone()),
                _ => failed(error),
            })?;
            return Ok(None);
        };
        let backup = self.back_up(bytes, metadata).map_err(failed)?;
        // A client that is running writes to its file, too.
        if fs::read(&self.path).ok().as_ref() != Some(bytes) {
            let _ = fs::remove_file(backup);
            return Err(InstallError::Changed(self.path.clone()));
        }
        atomic_file::write(&self.path, text.as_bytes(), Access::Like(metadata)).map_err(|error| {
            let _ = fs::remove_file(&backup);
            failed(error)
        })?;
        Ok(Some(backup))
    }

    /// Writes the content to a file beside, under the first name that is free.
    fn back_up(&self, bytes: &[u8], metadata: &Metadata) -> io::Result<PathBuf> {
        for number in 1..=MAX_BACKUPS {
            let mut backup = OsString::from(&self.path);
            backup.push(if number == 1 { ".bak".to_owned() } else { format!(".bak{number}") });
            match atomic_file::create(backup.as_ref(), bytes, Access::Like(metadata)) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                result => return result.map(|()| backup.into()),
            }
        }
        Err(io::Error::new(ErrorKind::AlreadyExists, format!("there are {MAX_BACKUPS} backups beside it")))
    }
}

/// Refuses a folder that is set to be read-only, even for the one user who may write to it all the same.
fn check_folder(path: &Path) -> Result<(), InstallError> {
    let is_read_only = |folder: &&Path| {
        cfg!(unix) && fs::metadata(folder).is_ok_and(|metadata| metadata.permissions().readonly())
    };
    let nearest = path.ancestors().skip(1).find(|folder| folder.exists());
    nearest.filter(is_read_only).map_or(Ok(()), |folder| Err(InstallError::ReadOnly(folder.to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn leaves_a_file_alone_that_changed_meanwhile() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        let changed =
            |file: &ConfigFile| matches!(file.replace("new", Access::Default), Err(InstallError::Changed(_)));
        let missing = ConfigFile::open(&path).unwrap();
        fs::write(&path, "1").unwrap();
        assert!(changed(&missing));
        let existing = ConfigFile::open(&path).unwrap();
        fs::write(&path, "2").unwrap();
        assert!(changed(&existing));
        assert_eq!(
            (fs::read_to_string(&path).unwrap().as_str(), names(folder.path())),
            ("2", vec!["a.json".to_owned()])
        );
    }
}
