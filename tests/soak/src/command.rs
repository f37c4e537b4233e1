//! Calls on the command line: a process for each.

use std::process::{Output, Stdio};
use std::time::Duration;

use anyhow::{Context as _, ensure};
use fastrand::Rng;
use rustix::process::{Pid, Signal, kill_process};
use tokio::time::sleep;

use crate::world::World;

/// Runs a command to its end.
async fn output(world: &World, arguments: &[&str]) -> anyhow::Result<(i32, String)> {
    let Output { status, stdout, stderr } = world.program.command(arguments).output().await?;
    let text = format!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    Ok((status.code().with_context(|| format!("{arguments:?} ends with {status}: {text}"))?, text))
}

/// Runs a tool as the caller that the call has, and expects one of these exit codes.
async fn run(
    world: &World,
    action: &'static str,
    arguments: &[&str],
    codes: &[i32],
) -> anyhow::Result<String> {
    let call = world.ledger.begin(action);
    let caller = call.principal();
    let arguments = [&["run"], arguments, &["--as", &caller]].concat();
    let (code, text) = output(world, &arguments).await?;
    call.answered();
    ensure!(codes.contains(&code), "{arguments:?}: {code} {text}");
    Ok(text)
}

pub(crate) async fn add(world: &World, _: &mut Rng) -> anyhow::Result<()> {
    let text = run(world, "command add", &["add", "--a", "40", "--b", "2"], &[0]).await?;
    ensure!(text.contains("42"), "{text}");
    Ok(())
}

pub(crate) async fn write_row(world: &World, rng: &mut Rng) -> anyhow::Result<()> {
    let id = rng.i32(0..500).to_string();
    let arguments = ["write_row", "--id", &id, "--text", "on the command line"];
    // The database may be away.
    run(world, "command write_row", &arguments, &[0, 12]).await.map(|_| ())
}

pub(crate) async fn explode(world: &World, _: &mut Rng) -> anyhow::Result<()> {
    let arguments = ["explode", "--reason", "on the command line"];
    run(world, "command explode", &arguments, &[70]).await.map(|_| ())
}

/// Runs commands that reach no tool.
pub(crate) async fn refused(world: &World, _: &mut Rng) -> anyhow::Result<()> {
    for arguments in
        [["run", "subtract", "--a", "1"].as_slice(), &["run", "add", "--a", "1", "--c", "2"], &["ring"]]
    {
        let (code, text) = output(world, arguments).await?;
        ensure!(code != 0, "{arguments:?}: {code} {text}");
    }
    Ok(())
}

/// Kills or interrupts a command during its call.
pub(crate) async fn kill(world: &World, rng: &mut Rng) -> anyhow::Result<()> {
    let call = world.ledger.begin("command kill");
    let caller = call.principal();
    let tool = if rng.bool() { "wait" } else { "change" };
    let mut command = world.program.command(&["run", tool, "--millis", "1500", "--as", &caller]);
    let mut process = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    sleep(Duration::from_millis(rng.u64(..600))).await;
    let pid = process.id().and_then(|id| Pid::from_raw(id.cast_signed())).context("it runs")?;
    kill_process(pid, if rng.bool() { Signal::KILL } else { Signal::INT })?;
    process.wait().await?;
    Ok(())
}
