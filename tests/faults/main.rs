//! Faults of the machine, see `tests/faults.md`: processes of an application under limits, signals, clocks and networks that fail.
//!
//! Called as `faults serve …`, this program is the application; otherwise it is the tests.

mod application;
mod clock;
mod descriptors;
mod disk;
mod memory;
mod namespace;
mod network;
mod process;
mod signals;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

use crate::process::Protocol::{Http, Mcp};

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some("serve") {
        return application::run();
    }
    let mut arguments = Arguments::from_args();
    // They measure what processes use.
    arguments.test_threads = Some(1);
    let mut trials = vec![
        trial("waits_for_descriptors_over_http", || descriptors::waits_for_descriptors(Http)),
        trial("waits_for_descriptors_over_mcp", || descriptors::waits_for_descriptors(Mcp)),
        trial("bounds_the_memory_of_bodies_over_http", || memory::bounds_the_memory_of_bodies(Http)),
        trial("bounds_the_memory_of_bodies_over_mcp", || memory::bounds_the_memory_of_bodies(Mcp)),
        trial("needs_no_more_for_many_calls_over_http", || memory::needs_no_more_for_many_calls(Http)),
        trial("needs_no_more_for_many_calls_over_mcp", || memory::needs_no_more_for_many_calls(Mcp)),
        trial("keeps_results_when_memory_is_exhausted", memory::keeps_results_when_memory_is_exhausted),
        trial("answers_while_the_disk_is_slow", disk::answers_while_the_disk_is_slow),
        trial("answers_when_the_disk_fails", disk::answers_when_the_disk_fails),
        trial("keeps_results_when_the_clock_jumps", clock::keeps_results_when_the_clock_jumps),
        trial("keeps_questions_when_the_clock_jumps", clock::keeps_questions_when_the_clock_jumps),
        trial("answers_after_a_stop", signals::answers_after_a_stop),
        trial("answers_others_while_a_client_is_stopped", signals::answers_others_while_a_client_is_stopped),
        trial("answers_all_after_a_full_pipe", signals::answers_all_after_a_full_pipe),
        trial("ends_by_itself_when_its_client_is_gone", signals::ends_by_itself_when_its_client_is_gone),
        trial("answers_when_nobody_reads_its_log", signals::answers_when_nobody_reads_its_log),
        trial("goes_on_once_its_log_is_read", signals::goes_on_once_its_log_is_read),
    ];
    if namespace::can_run() {
        trials.push(trial("answers_while_packets_are_lost", network::answers_while_packets_are_lost));
        trials.push(trial(
            "answers_while_a_name_is_not_resolved",
            network::answers_while_a_name_is_not_resolved,
        ));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// A test that fails by panicking.
fn trial(name: &str, test: impl FnOnce() + Send + 'static) -> Trial {
    Trial::test(name, move || {
        test();
        Ok(())
    })
}
