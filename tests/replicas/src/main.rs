//! Replicas of a server behind a round-robin load balancer, with the parts that they share: run by `cargo xtask test replicas`.

mod balancer;
mod changes;
mod client;
mod containers;
mod deployment;
mod load;
mod older_clients;
mod questions;
mod rates;
mod replica;
mod retries;
mod tasks;

use std::io;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};
use tokio::runtime::Runtime;

fn main() -> ExitCode {
    // The features of other packages give reqwest TLS, which nothing here uses, without a provider of cryptography.
    rustls::crypto::ring::default_provider().install_default().expect("there is no other provider");
    if std::env::args().nth(1).as_deref() == Some("rates") {
        let printed = Runtime::new().and_then(|runtime| runtime.block_on(rates::print()));
        return printed.map_or_else(|error| failure(&error), |()| ExitCode::SUCCESS);
    }
    let mut arguments = Arguments::from_args();
    // They start databases and load them.
    arguments.test_threads = Some(1);
    let mut trials = vec![
        trial("answers_as_a_single_replica_does", load::answers_as_a_single_replica_does),
        trial("answers_while_replicas_are_killed", load::answers_while_replicas_are_killed),
        trial("answers_while_the_database_restarts", load::answers_while_the_database_restarts),
        trial("queries_the_database_for_tasks_only", load::queries_the_database_for_tasks_only),
        trial(
            "answers_and_cancels_tasks_of_other_replicas",
            tasks::answers_and_cancels_tasks_of_other_replicas,
        ),
        trial("ends_tasks_of_a_killed_replica", tasks::ends_tasks_of_a_killed_replica),
        trial("has_one_effect_for_one_key", retries::has_one_effect_for_one_key),
        trial("keeps_the_outcome_of_a_key_after_a_kill", retries::keeps_the_outcome_of_a_key_after_a_kill),
        trial("accepts_answers_while_keys_are_rotated", questions::accepts_answers_while_keys_are_rotated),
        trial("continues_sessions_at_other_replicas", older_clients::continues_sessions_at_other_replicas),
        trial("notifies_clients_of_other_replicas", changes::notifies_clients_of_other_replicas),
        trial("serves_the_deployment_of_content", deployment::serves_the_deployment_of_content),
    ];
    if containers::can_run() {
        trials.push(trial("serves_in_containers", containers::serves_in_containers));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn failure(error: &io::Error) -> ExitCode {
    eprintln!("error: {error}");
    ExitCode::FAILURE
}

/// A test that fails by panicking.
fn trial<F: Future<Output = ()>>(name: &str, test: impl FnOnce() -> F + Send + 'static) -> Trial {
    Trial::test(name, move || {
        Runtime::new()?.block_on(test());
        Ok(())
    })
}
