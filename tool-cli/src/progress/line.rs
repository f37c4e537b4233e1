//! Progress as a line of text.

/// Returns a line with its line break.
pub(super) fn progress_line(done: u64, total: Option<u64>, message: &str) -> String {
    let total = total.map(|total| format!("/{total}")).unwrap_or_default();
    let line = format!("progress: {done}{total} {message}");
    format!("{}\n", line.trim_end())
}
