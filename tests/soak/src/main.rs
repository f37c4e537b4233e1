//! All interfaces of one application under mixed, invalid and hostile traffic: run by `cargo xtask soak`.
//!
//! Memory, file descriptors, tasks and threads must be flat, every request must have an answer or a closed connection, and every
//! call exactly one audit event.

#![allow(clippy::print_stdout, reason = "the report is the output of this program")]

mod actions;
mod command;
mod events;
mod figures;
mod hostile;
mod http;
mod judgement;
mod ledger;
mod load;
mod mcp;
mod options;
mod report;
mod server;
mod session;
mod stdio;
mod tasks;
mod world;

use std::fs::{self, File};
use std::io::BufReader;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use fixture_postgres::PostgresServer;
use tokio::time::{Instant, sleep, sleep_until};

use crate::figures::{Figures, Sample};
use crate::ledger::Ledger;
use crate::load::Progress;
use crate::options::Options;
use crate::server::Server;
use crate::world::{Program, World};

#[tokio::main]
async fn main() -> ExitCode {
    // The features of other packages give reqwest TLS, which nothing here uses, without a provider of cryptography.
    rustls::crypto::ring::default_provider().install_default().expect("there is no other provider");
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(2);
        }
    };
    match soak(&options).await {
        Ok(faults) if faults.is_empty() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Starts everything, loads it, and returns what is wrong.
async fn soak(options: &Options) -> anyhow::Result<Vec<String>> {
    let Options { time, seed, ref folder } = *options;
    println!("seed {seed}, {} s", time.as_secs());
    fs::create_dir_all(folder)?;
    let audit = folder.join("audit.jsonl");
    File::create(&audit)?;
    let postgres = Arc::new(PostgresServer::start());
    let table = "CREATE TABLE soak_row (id INT4 PRIMARY KEY, text TEXT NOT NULL)";
    sqlx::query(table).execute(&mut postgres.connect().await).await?;
    let path = std::env::current_exe()?.with_file_name("soak-server");
    let program = Program { path, database: postgres.url(), audit: audit.clone() };
    let server = Server::start(&program, File::create(folder.join("server.log"))?).await?;
    let figures = server.addresses.figures;
    let ledger = Ledger::new(seed);
    let world = Arc::new(World::new(ledger, server.addresses.http, server.addresses.mcp, program));
    let progress = Arc::new(Progress::default());

    load::tour(&world, &progress, seed).await;
    session::close_abandoned(&world, Duration::ZERO).await?;
    // Tasks that were begun end, and connections are closed.
    let before =
        Figures::settle(figures, Duration::from_secs(60), |last, now| last.tasks == now.tasks).await?;
    println!("idle before the load: {before:?}");
    let begin = Instant::now();
    let end = begin + time;
    let (samples, (), restarts, closed) = tokio::join!(
        sample(figures, &world.ledger, begin, time),
        load::clients(&world, &progress, seed, end),
        load::restarts(&postgres, end),
        close_old_sessions(&world, judgement::warm_up(time), end),
    );
    let samples = samples?;
    closed?;
    session::close_abandoned(&world, Duration::ZERO).await?;
    let after = Figures::settle(figures, Duration::from_secs(90), |_, now| {
        judgement::stayed(&before, now).is_empty()
    })
    .await?;
    println!("idle after the load: {after:?}");

    let mut faults = progress.faults();
    if let Err(error) = server.stop().await {
        faults.push(format!("{error:#}"));
    }
    faults.extend(judgement::grown(&samples, time).iter().map(ToString::to_string));
    faults.extend(judgement::stayed(&before, &after).iter().map(ToString::to_string));
    let log = BufReader::new(File::open(&audit).context("the audit log")?);
    let comparison = world.ledger.compare(log)?;
    faults.extend(comparison.faults);

    report::write_csv(&samples, &folder.join("figures.csv"))?;
    fs::write(folder.join("figures.svg"), report::svg(&samples))?;
    println!("{}", report::table(&samples));
    for (action, count) in progress.counts() {
        println!("{count:>9} {action}");
    }
    println!(
        "{} calls, {} of them answered, {} audit events, {} tasks, {restarts} restarts of the database",
        world.ledger.calls(),
        world.ledger.answered(),
        comparison.events,
        comparison.tasks
    );
    for fault in faults.iter().take(50) {
        println!("fault: {fault}");
    }
    println!("{} faults, with the seed {seed}", faults.len());
    Ok(faults)
}

/// Closes abandoned sessions that are older than the warm-up, so that their number is the same after it. If that is longer than five
/// minutes, the server has closed them by itself.
async fn close_old_sessions(world: &World, age: Duration, end: Instant) -> anyhow::Result<()> {
    while Instant::now() < end {
        session::close_abandoned(world, age).await?;
        sleep(Duration::from_secs(1)).await;
    }
    Ok(())
}

/// Reads the figures every second, and every five seconds if it takes long.
async fn sample(
    address: SocketAddr,
    ledger: &Ledger,
    begin: Instant,
    time: Duration,
) -> anyhow::Result<Vec<Sample>> {
    let period = Duration::from_secs(if time > Duration::from_secs(600) { 5 } else { 1 });
    let mut samples = Vec::new();
    let mut next = begin;
    while next < begin + time {
        sleep_until(next).await;
        let figures = Figures::read(address).await?;
        samples.push(Sample { at: begin.elapsed(), calls: ledger.calls(), figures });
        next += period;
    }
    Ok(samples)
}
