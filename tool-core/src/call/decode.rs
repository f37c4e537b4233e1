//! Decoding arguments: from JSON to the types of a function.

pub(crate) mod check;
pub(crate) mod invalid;
pub(crate) mod scan;

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::call::decode::check::{Checked, check};
use crate::call::decode::invalid::{input_of, invalid};
use crate::call::decode::scan::{Scan, scan};
use crate::call::implementation::Implementation;
use crate::context::LazyContext;
use crate::context::options::NO_OPTIONS;
use crate::declare::entry::{Call, Entry, EntryOutcome};
use crate::declare::inject::InjectionSource;
use crate::declare::layout::ArgumentLayout;
use crate::declare::reader::{ArgumentReader, UnreadInput};
use crate::declare::slots::Slots;
use crate::declare::states::States;
use crate::definition::ToolDefinition;
use crate::model::access::Principal;
use crate::model::catch_panic::{Panicked, catch_panic};
use crate::model::failure::Failure;
use crate::schema::json::integers;
use crate::schema::leniency::{Coercion, Leniency, Validation};
use crate::schema::problem::Problem;
use crate::schema::{MAX_PROBLEMS, unknown_input};

/// Validates the JSON text of the arguments for a tool without calling it.
pub(crate) fn validate(
    tool: &ToolDefinition,
    implementation: Implementation<'_>,
    states: &States,
    leniency: Leniency,
    arguments: &[u8],
) -> Result<Validation, Failure> {
    let anonymous = Principal::anonymous();
    let context = LazyContext::new(tool.name(), &anonymous, &NO_OPTIONS);
    let decoder = ArgumentDecoder { tool, implementation, states, leniency, context: &context };
    let mut coercions = Vec::new();
    decoder.enter(arguments, Purpose::Validate, &mut coercions).map(|_| Validation { coercions })
}

/// The purpose of decoding.
#[derive(Clone, Copy)]
pub(crate) enum Purpose {
    Validate,
    Run,
}

/// Decodes the arguments of one call.
pub(crate) struct ArgumentDecoder<'c> {
    pub(super) tool: &'c ToolDefinition,
    pub(super) implementation: Implementation<'c>,
    pub(super) states: &'c States,
    pub(super) leniency: Leniency,
    pub(super) context: &'c LazyContext<'c>,
}

impl ArgumentDecoder<'_> {
    /// Decodes the arguments and enters the tool. Returns the coercions that were needed.
    pub(super) fn enter(
        &self,
        arguments: &[u8],
        purpose: Purpose,
        coercions: &mut Vec<Coercion>,
    ) -> Result<EntryOutcome, Failure> {
        if let Some(step) = self.enter_unchecked(arguments, purpose)? {
            return Ok(step);
        }
        let checked = check_text(self.tool, self.leniency, arguments)?;
        self.enter_checked(checked, purpose, coercions)
    }

    /// Enters the tool if its inputs decode and a successful decode implies that they are valid.
    #[inline]
    pub(super) fn enter_unchecked(
        &self,
        arguments: &[u8],
        purpose: Purpose,
    ) -> Result<Option<EntryOutcome>, Failure> {
        let (tool, layout) = (self.tool, self.tool.argument_layout());
        if layout.broken {
            tracing::error!(gen_ai.tool.name = tool.name(), "the schema of the tool could not be built");
            return Err(Failure::internal());
        }
        if let Implementation::Declared(entry) = self.implementation
            && !layout.composite
            && let Scan { slots, clean: true } = scan(arguments, &layout.members)
            && let Ok(step) = self.attempt(entry, layout, &slots, purpose, false)?
        {
            return Ok(Some(step));
        }
        Ok(None)
    }

    /// Enters the tool with arguments that were validated by the schema.
    pub(super) fn enter_checked(
        &self,
        checked: Checked<'_>,
        purpose: Purpose,
        coercions: &mut Vec<Coercion>,
    ) -> Result<EntryOutcome, Failure> {
        let (tool, layout) = (self.tool, self.tool.argument_layout());
        let Checked { text, coercions: made, verdict } = checked;
        *coercions = made;
        let Implementation::Declared(entry) = self.implementation else {
            return self.enter_dynamic(text, verdict, purpose);
        };
        match (verdict, scan(text.as_bytes(), &layout.members)) {
            (Ok(()), Scan { slots, clean: true }) => {
                match self.attempt(entry, layout, &slots, purpose, true)? {
                    Ok(step) => Ok(step),
                    Err(unread) => Err(invalid(tool, Vec::new(), &unread)),
                }
            }
            (Ok(()), Scan { clean: false, .. }) => Err(invalid(tool, unknown_members(tool, &text), &[])),
            // A value that is not an object has no inputs.
            (Err(problems), _) if problems.iter().any(|problem| problem.path.is_empty()) => {
                Err(invalid(tool, problems, &[]))
            }
            // Some strings, such as dates, are checked by their type only. An input that has a problem already is not decoded,
            // which could take long.
            (Err(problems), Scan { mut slots, .. }) => {
                let wrong: Vec<String> = problems.iter().filter_map(input_of).collect();
                for (position, member) in layout.members.iter().enumerate() {
                    if wrong.iter().any(|name| *name == member.name) {
                        slots.empty(position);
                    }
                }
                let unread =
                    self.attempt(entry, layout, &slots, Purpose::Validate, true)?.err().unwrap_or_default();
                Err(invalid(tool, problems, &unread))
            }
        }
    }

    /// Enters a dynamic tool with arguments that were validated by the schema.
    fn enter_dynamic(
        &self,
        text: Cow<'_, str>,
        verdict: Result<(), Vec<Problem>>,
        purpose: Purpose,
    ) -> Result<EntryOutcome, Failure> {
        if let Err(problems) = verdict {
            return Err(invalid(self.tool, problems, &[]));
        }
        match (purpose, self.implementation) {
            (Purpose::Validate, _) => Ok(EntryOutcome::Valid),
            (Purpose::Run, Implementation::Dynamic(tool)) => {
                let text = integers::spell_out_integers(&text).unwrap_or_else(|| text.into_owned());
                let arguments = RawValue::from_string(text).map_err(|error| {
                    tracing::error!(gen_ai.tool.name = self.tool.name(), %error, "valid arguments are not JSON");
                    Failure::internal()
                })?;
                let tool = Arc::clone(tool);
                let context = self.context.get().clone();
                let running = async move { tool.call(context, &arguments).await };
                Ok(EntryOutcome::Running(Box::pin(running)))
            }
            (Purpose::Run, Implementation::Declared(_) | Implementation::Absent) => {
                tracing::error!(gen_ai.tool.name = self.tool.name(), "a dynamic definition has no tool");
                Err(Failure::internal())
            }
        }
    }

    /// Enters a declared tool with the texts of its inputs.
    pub(super) fn attempt<'s>(
        &'s self,
        entry: Entry,
        layout: &'s ArgumentLayout,
        slots: &'s Slots<'s>,
        purpose: Purpose,
        checked: bool,
    ) -> Result<Result<EntryOutcome, Vec<UnreadInput<'s>>>, Failure> {
        let source = InjectionSource { states: self.states, context: self.context };
        let reader = ArgumentReader::new(layout, slots, source, checked);
        let mut call = match purpose {
            Purpose::Validate => Call::Validate(reader),
            Purpose::Run => Call::Run(reader),
        };
        let step = catch_panic(|| entry(&mut call)).map_err(|Panicked| Failure::internal())?;
        Ok(if let EntryOutcome::Invalid = step { Err(call.into_errors()) } else { Ok(step) })
    }
}

/// Returns the members that are not inputs, if a schema by the author allows them.
fn unknown_members(tool: &ToolDefinition, text: &str) -> Vec<Problem> {
    let members: Map<String, Value> = serde_json::from_str(text).unwrap_or_default();
    let names: Vec<&str> = tool.argument_layout().members.iter().map(|member| &*member.name).collect();
    let unknown = members.keys().filter(|name| !names.contains(&name.as_str()));
    unknown.take(MAX_PROBLEMS).map(|name| unknown_input(name, &names)).collect()
}

/// Validates the text of arguments against the schema of the tool.
pub(super) fn check_text<'a>(
    tool: &ToolDefinition,
    leniency: Leniency,
    arguments: &'a [u8],
) -> Result<Checked<'a>, Failure> {
    check(tool, leniency, text(tool, arguments)?)
}

/// Returns `true` if arguments are valid by the schema and by the types of a tool.
pub(crate) fn is_valid(tool: &ToolDefinition, arguments: &Value) -> bool {
    let (text, layout) = (arguments.to_string(), tool.argument_layout());
    let Scan { slots, clean } = scan(text.as_bytes(), &layout.members);
    with_decoder(tool, |decoder| {
        let entry = decoder.implementation.entry();
        let reads = |entry, judged| {
            decoder.attempt(entry, layout, &slots, Purpose::Validate, judged).is_ok_and(|step| step.is_ok())
        };
        // As in a call: if all inputs are scalars, arguments that decode are valid, and no validator is built.
        if clean && !layout.composite && !layout.broken && entry.is_some_and(|entry| reads(entry, false)) {
            return true;
        }
        tool.validator().is_ok_and(|validator| validator.is_valid(arguments))
            && entry.is_none_or(|entry| clean && reads(entry, true))
    })
}

/// Returns why the types of a declared tool do not read arguments that its schema admits; nothing if they do, or if it does not.
pub(crate) fn unread(tool: &ToolDefinition, arguments: &Value) -> Vec<String> {
    if !tool.validator().is_ok_and(|validator| validator.is_valid(arguments)) {
        return Vec::new();
    }
    let (text, layout) = (arguments.to_string(), tool.argument_layout());
    let Scan { slots, .. } = scan(text.as_bytes(), &layout.members);
    let reason = |unread: &UnreadInput<'_>| match unread {
        UnreadInput::Undecoded { error, .. } => Some(error.to_string()),
        UnreadInput::Missing { .. } => None,
    };
    with_decoder(tool, |decoder| {
        let attempt = decoder
            .implementation
            .entry()
            .map(|entry| decoder.attempt(entry, layout, &slots, Purpose::Validate, true));
        let Some(Ok(Err(unread))) = attempt else { return Vec::new() };
        unread.iter().filter_map(reason).collect()
    })
}

/// Validates an example of a call strictly, without state.
pub(crate) fn validate_example(tool: &ToolDefinition, call: &Value) -> Result<Validation, Failure> {
    let implementation = Implementation::new(tool, None);
    validate(tool, implementation, &States::default(), Leniency::Strict, call.to_string().as_bytes())
}

/// Decodes arguments of an example or a check.
fn with_decoder<T>(tool: &ToolDefinition, read: impl FnOnce(&ArgumentDecoder<'_>) -> T) -> T {
    let (anonymous, states) = (Principal::anonymous(), States::default());
    let context = LazyContext::new(tool.name(), &anonymous, &NO_OPTIONS);
    let leniency = Leniency::Strict;
    let implementation = Implementation::new(tool, None);
    read(&ArgumentDecoder { tool, implementation, states: &states, leniency, context: &context })
}

/// Returns the arguments as text; an empty text counts as `{}`.
fn text<'a>(tool: &ToolDefinition, arguments: &'a [u8]) -> Result<&'a str, Failure> {
    let not_json = |message: &str| Failure::not_json(tool.name(), Problem::new("", "format", message));
    let text = std::str::from_utf8(arguments)
        .map_err(|error| not_json(&format!("invalid UTF-8 after {} bytes", error.valid_up_to())))?;
    if text.starts_with('\u{feff}') {
        return Err(not_json(
            "the text begins with a byte order mark, which JSON does not allow: leave it out",
        ));
    }
    let is_empty = text.bytes().all(|byte| byte.is_ascii_whitespace());
    Ok(if is_empty { "{}" } else { text })
}

#[cfg(test)]
mod tests {
    use super::text;
    use crate::definition::ToolDefinition;
    use crate::model::failure::FailureKind;

    /// Every other part of decoding relies on valid UTF-8.
    #[test]
    fn rejects_invalid_utf_8_anywhere() {
        let tool = ToolDefinition::builder("any", "Takes anything.").build().unwrap();
        let good = r#"{"é": ["x", 1.5, {"a\\b": null}]} "#.as_bytes();
        assert_eq!(text(&tool, good).unwrap().as_bytes(), good);
        // Invalid bytes: never valid, a lone continuation, a truncated, an overlong, a surrogate, one out of range.
        let wrong: [&[u8]; 6] =
            [b"\xff", b"\x80", b"\xe2\x82", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80"];
        for at in (0..=good.len()).filter(|at| std::str::from_utf8(&good[..*at]).is_ok()) {
            for wrong in wrong {
                let bytes = [&good[..at], wrong, &good[at..]].concat();
                let failure = text(&tool, &bytes).unwrap_err();
                assert_eq!(failure.kind(), FailureKind::NotJson);
                assert_eq!(
                    failure.problems()[0].message,
                    format!("invalid UTF-8 after {at} bytes"),
                    "{wrong:?}"
                );
            }
        }
    }
}
