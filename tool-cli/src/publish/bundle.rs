//! An MCP bundle: a ZIP archive of a manifest and this program.
//!
//! The format is <https://github.com/modelcontextprotocol/mcpb/blob/main/MANIFEST.md>.

use std::env::{self, consts};
use std::fs;
use std::io::Write as _;
use std::path::Path;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use rawzip::{CompressionMethod, ZipArchiveWriter};
use serde_json::{Value, json};
use tool_core::{PromptDefinition, ToolDefinition};

use crate::app::App;
use crate::list::object;
use crate::publish::checks::{about, addresses, mcp_server, required, version};
use crate::publish::error::PublishError;
use crate::publish::package::Package;

const MANIFEST_VERSION: &str = "0.3";

/// The permissions of files in the archive.
const PLAIN: u32 = 0o100_644;
const EXECUTABLE: u32 = 0o100_755;

/// Returns the name of the file if none is given.
pub(super) fn file_name(app: &App) -> String {
    format!("{}-{}-{}.mcpb", name(app), consts::OS, consts::ARCH)
}

/// Returns the archive. The same program makes the same bytes.
pub(super) fn archive(app: &App, package: &Package) -> Result<Vec<u8>, PublishError> {
    let program = env::current_exe().map_err(PublishError::Program)?;
    let entry_point = format!("server/{}{}", name(app), consts::EXE_SUFFIX);
    let manifest = format!("{:#}\n", manifest(app, package, &entry_point)?);
    let program = read(&program)?;
    let mut archive = ZipArchiveWriter::new(Vec::new());
    add(&mut archive, "manifest.json", manifest.as_bytes(), PLAIN).map_err(PublishError::Bundle)?;
    add(&mut archive, &entry_point, &program, EXECUTABLE).map_err(PublishError::Bundle)?;
    archive.finish().map_err(PublishError::Bundle)
}

fn read(path: &Path) -> Result<Vec<u8>, PublishError> {
    fs::read(path).map_err(|error| PublishError::Read { path: path.to_owned(), error })
}

fn add(
    archive: &mut ZipArchiveWriter<Vec<u8>>,
    path: &str,
    bytes: &[u8],
    permissions: u32,
) -> Result<(), rawzip::Error> {
    let (mut entry, config) = archive
        .new_file(path)
        .compression_method(CompressionMethod::DEFLATE)
        .unix_permissions(permissions)
        .start()?;
    let mut writer = config.wrap(DeflateEncoder::new(&mut entry, Compression::default()));
    writer.write_all(bytes)?;
    let (encoder, descriptor) = writer.finish()?;
    encoder.finish()?;
    entry.finish(descriptor)?;
    Ok(())
}

fn manifest(app: &App, package: &Package, entry_point: &str) -> Result<Value, PublishError> {
    let [homepage, repository] = addresses(package)?;
    let author = required(package.author.as_deref(), "author", "Package::author")?;
    let prompts: Vec<_> = app.registry.prompts().map(prompt).collect();
    Ok(object([
        ("manifest_version", Some(MANIFEST_VERSION.into())),
        ("name", Some(name(app).into())),
        ("display_name", package.title.as_deref().map(Value::from)),
        ("version", Some(version(app)?.into())),
        ("description", Some(about(app)?.into())),
        ("author", Some(json!({ "name": author }))),
        ("repository", repository.map(|url| json!({ "type": "git", "url": url }))),
        ("homepage", homepage.map(Value::from)),
        (
            "server",
            Some(json!({
                "type": "binary",
                "entry_point": entry_point,
                "mcp_config": {
                    "command": format!("${{__dirname}}/{entry_point}"),
                    "args": ["serve", mcp_server(app)?],
                },
            })),
        ),
        ("tools", Some(app.registry.tools().map(tool).collect())),
        ("prompts", (!prompts.is_empty()).then_some(prompts.into())),
        ("license", package.license.as_deref().map(Value::from)),
        ("compatibility", Some(json!({ "platforms": [platform()] }))),
    ]))
}

/// Returns the name of the program as a part of a file name.
fn name(app: &App) -> String {
    app.name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') { c } else { '-' })
        .collect()
}

/// Returns this system by the names of Node.
fn platform() -> &'static str {
    match consts::OS {
        "macos" => "darwin",
        "windows" => "win32",
        other => other,
    }
}

fn tool(tool: &ToolDefinition) -> Value {
    json!({ "name": tool.name(), "description": tool.description() })
}

/// Returns a prompt. A bundle wants a text with placeholders, where ours is made by a function: clients get that from the server.
fn prompt(prompt: &PromptDefinition) -> Value {
    let arguments: Vec<&str> =
        prompt.arguments().iter().filter_map(|argument| argument.name.as_deref()).collect();
    let placeholders = arguments.iter().map(|name| format!("{name}: ${{arguments.{name}}}"));
    let text: Vec<String> = std::iter::once(prompt.description().to_owned()).chain(placeholders).collect();
    object([
        ("name", Some(prompt.name().into())),
        ("description", Some(prompt.description().into())),
        ("arguments", (!arguments.is_empty()).then_some(arguments.into())),
        ("text", Some(text.join("\n").into())),
    ])
}
