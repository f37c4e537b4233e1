//! `publish`: files that registries, clients and agents find the program by.

mod bundle;
mod checks;
pub(crate) mod error;
pub(crate) mod package;
mod server_json;
mod skill;

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clap::ArgMatches;

use crate::app::App;
use crate::atomic_file::{self, Access};
use crate::error::CliError;
use crate::publish::error::PublishError;
use crate::streams::Streams;

/// Writes the files that the command line names.
pub(crate) fn publish(app: &App, matches: &ArgMatches, streams: &mut Streams) -> Result<(), CliError> {
    let (Some((command, matches)), Some(package)) = (matches.subcommand(), &app.package) else {
        return Ok(());
    };
    app.registry.check()?;
    let replace = matches.get_flag("yes");
    match command {
        "server-json" => {
            let text = format!("{:#}\n", server_json::document(app, package, matches)?);
            match matches.get_one::<PathBuf>("output") {
                Some(path) if path != Path::new("-") => save(path, text.as_bytes(), replace, streams)?,
                _ => streams.print(&text)?,
            }
        }
        "mcpb" => {
            let name = || bundle::file_name(app).into();
            let path = matches.get_one::<PathBuf>("output").cloned().unwrap_or_else(name);
            save(&path, &bundle::archive(app, package)?, replace, streams)?;
        }
        _ => {
            let folder = matches.get_one::<PathBuf>("dir").map_or(Path::new("skills"), PathBuf::as_path);
            let files = skill::files(app, package)?;
            let paths = files.iter().map(|(path, text)| (folder.join(path), text));
            let paths: Vec<_> = paths.collect();
            // All or none: a skill explains what is in its other files.
            paths.iter().try_for_each(|(path, text)| check(path, text.as_bytes(), replace).map(drop))?;
            for (path, text) in paths {
                save(&path, text.as_bytes(), replace, streams)?;
            }
        }
    }
    Ok(())
}

/// Returns `true` if the file has this content. One that differs is an error unless it may be replaced.
fn check(path: &Path, bytes: &[u8], replace: bool) -> Result<bool, PublishError> {
    // A pipe would be read for ever.
    match atomic_file::place(path).and_then(fs::read) {
        Ok(existing) if existing == bytes => Ok(true),
        Ok(_) if !replace => Err(PublishError::Exists(path.to_owned())),
        Ok(_) => Ok(false),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(PublishError::Read { path: path.to_owned(), error }),
    }
}

fn save(path: &Path, bytes: &[u8], replace: bool, streams: &Streams) -> Result<(), PublishError> {
    if check(path, bytes, replace)? {
        streams.notice(&format!("`{}` is up to date", path.display()));
        return Ok(());
    }
    let metadata = fs::metadata(path).ok();
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder
        .map_or(Ok(()), fs::create_dir_all)
        .and_then(|()| atomic_file::write(path, bytes, Access::of(metadata.as_ref())))
        .map_err(|error| PublishError::Write { path: path.to_owned(), error })?;
    streams.notice(&format!("wrote `{}`", path.display()));
    Ok(())
}
