//! The Starlark interpreter of blocks.

use std::time::{Duration, Instant};

use serde_json::Value as Json;
use starlark::codemap::FileSpanRef;
use starlark::environment::{GlobalsBuilder, LibraryExtension, Module};
use starlark::eval::{BeforeStmtFuncDyn, Evaluator};
use starlark::syntax::{AstModule, Dialect};
use starlark::{Error, ErrorKind};

use crate::block::BlockLimits;
use crate::block::function::{calls, definitions};
use crate::block::wire::{Task, WorkerMessage};

/// The variable with the result of a block that has no last expression.
pub(super) const RESULT: &str = "result";

/// The number of statements between two checks of the memory.
const MEMORY_CHECK: u64 = 16;

/// The maximum depth of nested calls.
const DEPTH: usize = 100;

/// The dialect of blocks: `for` and `if` are allowed at the top level, `load` is not.
const DIALECT: Dialect = Dialect {
    enable_load: false,
    enable_top_level_stmt: true,
    enable_f_strings: true,
    enable_keyword_only_arguments: true,
    ..Dialect::Standard
};

/// Runs a block to its end.
pub(super) fn interpret(task: Task) -> WorkerMessage {
    value(task).map_or_else(|error| failed(&error), WorkerMessage::Done)
}

fn value(task: Task) -> Result<Json, Error> {
    let parse = |name: &str, source| AstModule::parse(name, source, &DIALECT);
    let code = parse("block", task.source)?;
    let extensions = [
        LibraryExtension::StructType,
        LibraryExtension::Map,
        LibraryExtension::Filter,
        LibraryExtension::Partial,
        LibraryExtension::Json,
    ];
    let globals = GlobalsBuilder::extended_by(&extensions).with(calls).build();
    let module = Module::new();
    let builtins: Vec<_> = globals.names().collect();
    let definitions = definitions(&task.tools, builtins.iter().map(|name| name.as_str()));
    Evaluator::new(&module).eval_module(parse("tools", definitions)?, &globals)?;

    let mut evaluator = Evaluator::new(&module);
    evaluator.set_max_callstack_size(DEPTH).map_err(Error::new_other)?;
    let meter: Box<dyn BeforeStmtFuncDyn<'_, '_>> = Box::new(Meter::new(task.limits));
    evaluator.before_stmt_for_dap(meter.into());
    let mut value = evaluator.eval_module(code, &globals)?;
    if value.is_none()
        && let Some(result) = module.get(RESULT)
    {
        value = result;
    }
    value.to_json_value().map_err(|_| {
        Error::new_other(anyhow::anyhow!(
            "the value of the block is a {}, and is or holds what is no JSON",
            value.get_type()
        ))
    })
}

/// Counts the resources of a block before each statement.
struct Meter {
    limits: BlockLimits,
    steps: u64,
    end: Instant,
}

impl Meter {
    fn new(limits: BlockLimits) -> Self {
        Meter { limits, steps: 0, end: Instant::now() + Duration::from_secs(limits.seconds.into()) }
    }

    /// Returns the exceeded limit.
    fn excess(&mut self, evaluator: &Evaluator<'_, '_, '_>) -> Option<String> {
        let BlockLimits { seconds, steps, memory, .. } = self.limits;
        self.steps += 1;
        if self.steps > steps {
            return Some(format!("the block takes more than the {steps} steps that it may take"));
        }
        if Instant::now() > self.end {
            return Some(format!("the block did not end within {seconds} seconds"));
        }
        let look = self.steps.is_multiple_of(MEMORY_CHECK);
        let taken = if look { evaluator.heap().allocated_bytes() as u64 } else { 0 };
        (taken > memory)
            .then(|| format!("the block needs more than the {memory} bytes of memory that it may use"))
    }
}

impl<'a, 'e: 'a> BeforeStmtFuncDyn<'a, 'e> for Meter {
    fn call<'v>(
        &mut self,
        place: FileSpanRef,
        evaluator: &mut Evaluator<'v, 'a, 'e>,
    ) -> starlark::Result<()> {
        let Some(excess) = self.excess(evaluator) else { return Ok(()) };
        Err(Error::new_spanned(ErrorKind::Other(anyhow::anyhow!(excess)), place.span, place.file))
    }
}

fn failed(error: &Error) -> WorkerMessage {
    // Converts from 0-based.
    let line = error.span().map(|span| span.resolve_span().begin.line + 1);
    WorkerMessage::Failed { line, message: error.kind().to_string() }
}
