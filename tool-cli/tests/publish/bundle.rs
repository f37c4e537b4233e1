//! `publish mcpb`.

use std::env::{self, consts};
use std::fs;
use std::io::Read as _;

use flate2::bufread::DeflateDecoder;
use rawzip::{CompressionMethod, ZipArchive};
use serde_json::{Value, json};

use crate::{app, run, text};

/// Returns the files of an archive: path, permissions and content.
fn unpacked(bytes: &[u8]) -> Vec<(String, u32, Vec<u8>)> {
    let archive = ZipArchive::from_slice(bytes).unwrap();
    let mut entries = archive.entries();
    let mut files = Vec::new();
    while let Some(record) = entries.next_entry().unwrap() {
        assert_eq!(record.compression_method(), CompressionMethod::DEFLATE);
        let entry = archive.get_entry(record.wayfinder()).unwrap();
        let mut content = Vec::new();
        entry.verifying_reader(DeflateDecoder::new(entry.data())).read_to_end(&mut content).unwrap();
        let path = record.file_path().try_normalize().unwrap().as_ref().to_owned();
        files.push((path, record.mode().value(), content));
    }
    files
}

#[tokio::test]
async fn bundles_this_program_with_a_manifest() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("demo.mcpb");
    let arguments = ["publish", "mcpb", "--output", text(&path)];
    run(app(), &arguments).await.is(0, "", &format!("wrote `{}`\n", text(&path)));
    let files = unpacked(&fs::read(&path).unwrap());
    let program = format!("server/demo{}", consts::EXE_SUFFIX);
    let kinds: Vec<_> = files.iter().map(|(path, mode, _)| (path.as_str(), *mode)).collect();
    assert_eq!(kinds, [("manifest.json", 0o100_644), (program.as_str(), 0o100_755)]);
    assert!(files[1].2 == fs::read(env::current_exe().unwrap()).unwrap(), "it has this program");

    let mut manifest: Value = serde_json::from_slice(&files[0].2).unwrap();
    let platforms = manifest["compatibility"]["platforms"].take();
    assert!(["darwin", "win32", "linux"].contains(&platforms[0].as_str().unwrap()), "{platforms}");
    let expected = json!({
        "manifest_version": "0.3",
        "name": "demo",
        "display_name": "The demo",
        "version": "1.2.3",
        "description": "Measures: lengths.",
        "author": {"name": "Ada \"A.\" Lovelace"},
        "repository": {"type": "git", "url": "https://github.com/ada/demo"},
        "homepage": "https://example.org/demo",
        "server": {
            "type": "binary",
            "entry_point": program,
            "mcp_config": {"command": format!("${{__dirname}}/{program}"), "args": ["serve", "mcp"]},
        },
        "tools": [
            {"name": "cut_off", "description": "Cuts something to a length."},
            {"name": "measure", "description": "Measures the length of something in metres.\n\nTakes a | while."},
        ],
        "prompts": [{
            "name": "forecast",
            "description": "Asks for a forecast.",
            "arguments": ["city", "days"],
            "text": "Asks for a forecast.\ncity: ${arguments.city}\ndays: ${arguments.days}",
        }],
        "license": "MIT OR Apache-2.0",
        "compatibility": {"platforms": null},
    });
    assert_eq!(manifest, expected);
}
