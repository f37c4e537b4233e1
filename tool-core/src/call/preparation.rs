//! A call that is prepared for a task: what can be asked before the task exists.

use crate::call::invocation::Invocation;
use crate::call::options::CallOrigin;
use crate::call::run::prepare;
use crate::call::target::Target;
use crate::declare::entry::EntryOutcome;
use crate::model::catch_panic::catch_panic;
use crate::model::failure::{Failure, FailureKind};

/// Asks the access function, and injects the parameters that are awaited, as a call does before its function. It is audited as a
/// call if it fails, or is suspended over a question. The function does not run, since that of a task waits or blocks.
pub(crate) async fn prepare_only<'c>(
    origin: CallOrigin<'c>,
    member: Target<'c>,
    arguments: &'c [u8],
) -> Result<(), Failure> {
    let mut call = Invocation::new(origin, member, arguments);
    match call.prepare_only().await {
        Err(failure) if failure.kind() != FailureKind::Unsupported => {
            call.reply(Err(failure)).result.map(drop)
        }
        // What this caller cannot be asked, the task asks.
        _ => {
            if let Some(record) = call.record.take() {
                record.discard();
            }
            Ok(())
        }
    }
}

impl Invocation<'_> {
    async fn prepare_only(&mut self) -> Result<(), Failure> {
        let mut timer = self.scope.executor.timer(self.tool)?;
        let entered = self.span.in_scope(|| {
            self.admit()?;
            self.enter_at_once()
        });
        let unused = match entered? {
            EntryOutcome::Preparing(preparation) => prepare(self, &mut timer, preparation).await?,
            entered => entered,
        };
        // Dropping values of the application may panic, which is logged.
        let _ = self.span.in_scope(|| catch_panic(|| drop(unused)));
        Ok(())
    }
}
