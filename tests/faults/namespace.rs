//! Tests with a network of their own, in namespaces that an ordinary user may create where the system permits it.

use std::env;
use std::process::{Command, Stdio};

/// Set in a process that runs within the namespaces.
const INSIDE: &str = "FAULTS_NAMESPACE";

/// Returns a command that runs a shell as root of new namespaces of users, mounts and networks.
fn unshare(script: &str) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "--net", "sh", "-ec", script]).stdin(Stdio::null());
    command
}

/// Returns `true` if the system permits it, and in CI, which must.
pub(crate) fn can_run() -> bool {
    let mut probe = unshare("ip link set lo up; iptables -L");
    let permitted =
        probe.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success());
    if !permitted && env::var_os("CI").is_none() {
        eprintln!(
            "note: tests of the network need `unshare`, `ip` and `iptables`, and permission for namespaces"
        );
    }
    permitted || env::var_os("CI").is_some()
}

/// Runs a test in a process of its own within new namespaces, after a script has prepared them.
pub(crate) fn inside(test: &str, script: &str, body: impl FnOnce()) {
    if env::var_os(INSIDE).is_some() {
        return body();
    }
    let script = format!("ip link set lo up; {script}; exec \"$0\" --exact {test}");
    let mut command = unshare(&script);
    let output = command.arg(env::current_exe().unwrap()).env(INSIDE, "1").output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}
