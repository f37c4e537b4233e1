//! Generates the client from the document that the environment variable `OPENAPI` names.

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

use progenitor::{GenerationSettings, Generator, InterfaceStyle};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-env-changed=OPENAPI");
    let path = env::var("OPENAPI").map_err(|_| "OPENAPI must name a document: run `cargo xtask test typed`")?;
    println!("cargo::rerun-if-changed={path}");
    let document = serde_json::from_str(&fs::read_to_string(&path)?)?;
    let mut settings = GenerationSettings::default();
    settings.with_interface(InterfaceStyle::Builder);
    let tokens = Generator::new(&settings).generate_tokens(&document)?;
    let code = prettyplease::unparse(&syn::parse2(tokens)?);
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("weather.rs"), code)?;
    Ok(())
}
