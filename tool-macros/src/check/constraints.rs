//! Checks the options of `#[arg(…)]` on one input for contradictions.

use syn::{BinOp, Expr, ExprLit, Lit, UnOp};

use super::number::{integer, number};
use super::{literal, parameter, pattern};
use crate::diagnostics::{Errors, Section};
use crate::model;
use crate::parse::{Argument, Attribute, Function, LimitOption, peel_groups};

pub(super) fn check(attribute: &Attribute, argument: &Argument, errors: &mut Errors) {
    check_range(argument, errors);
    check_length(argument, errors);
    pattern::check_pattern(argument, errors);
    check_header(argument, errors);
    check_kinds(argument, errors);
    check_secret(argument, errors);
    check_locator(argument, errors);
    check_flatten(argument, errors);
    check_schema(attribute, argument, errors);
    literal::check(argument, errors);
}

// A range must have a limit and allow at least one value.
fn check_range(argument: &Argument, errors: &mut Errors) {
    let Some(range) = &argument.options.range else { return };
    check_limits(range, "range", "1", "9", errors);
    for limit in [&range.min, &range.max].into_iter().flatten() {
        if let LimitKind::Other = kind(limit) {
            let help = "write a number or a constant, as in `range(min = 1)`";
            errors.push(Section::Parameters, limit, "a limit of `range` must be a number", help);
        }
    }
}

// A length is a non-negative integer.
fn check_length(argument: &Argument, errors: &mut Errors) {
    let Some(length) = &argument.options.length else { return };
    check_limits(length, "length", "1", "64", errors);
    for limit in [&length.min, &length.max].into_iter().flatten() {
        let counts = match kind(limit) {
            LimitKind::Integer => integer(limit).is_none_or(|count| count >= 0),
            LimitKind::Constant => true,
            LimitKind::Number | LimitKind::Other => false,
        };
        if !counts {
            let help = "write a whole number from 0 or a constant, as in `length(max = 64)`";
            errors.push(
                Section::Parameters,
                limit,
                "a limit of `length` must be a whole number from 0",
                help,
            );
        }
    }
}

fn check_limits(limits: &LimitOption, option: &str, min: &str, max: &str, errors: &mut Errors) {
    match (&limits.min, &limits.max) {
        (None, None) => errors.push(
            Section::Parameters,
            &limits.tokens,
            format!("`{option}` has neither `min` nor `max`"),
            format!("write `{option}(min = {min})`, `{option}(max = {max})` or both"),
        ),
        (Some(least), Some(most)) if exceeds(least, most) => errors.push(
            Section::Parameters,
            least,
            format!("the `min` of `{option}` is greater than its `max`"),
            "no value satisfies both: swap or correct them",
        ),
        _ => {}
    }
}

// RFC 9110, section 5.1: the name of a header is a token.
fn check_header(argument: &Argument, errors: &mut Errors) {
    let Some(given) = &argument.options.header else { return };
    let header = &given.value;
    let allowed = |c: &char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(*c);
    let fault = if header.is_empty() {
        "is empty".to_owned()
    } else if let Some(other) = header.chars().find(|c| !allowed(c)) {
        format!("contains {other:?}")
    } else {
        return;
    };
    errors.push(
        Section::Parameters,
        &given.tokens,
        format!("the header name `{}` {fault}", header.escape_debug()),
        "use letters, digits and `-`, as in `header = \"Region\"`",
    );
}

// Header names are case-insensitive.
pub(super) fn check_headers_differ(function: &Function, errors: &mut Errors) {
    let mut seen: Vec<String> = Vec::new();
    for given in function.arguments.iter().filter_map(|argument| argument.options.header.as_ref()) {
        let header = given.value.to_ascii_lowercase();
        if seen.contains(&header) && !header.is_empty() {
            errors.push(
                Section::Parameters,
                &given.tokens,
                format!("two inputs have the header `{}`", given.value),
                "rename one of them; header names ignore case",
            );
        }
        seen.push(header);
    }
}

// `range` is for numbers, `length` for strings, lists and maps, `pattern` for strings.
fn check_kinds(argument: &Argument, errors: &mut Errors) {
    let options = &argument.options;
    if options.range.is_none() {
        return;
    }
    for (option, what) in [("length", "strings, lists and maps"), ("pattern", "strings")] {
        if let Some(key) = options.key(option) {
            errors.push(
                Section::Parameters,
                key,
                format!("an input cannot have both `range` and `{option}`"),
                format!("`range` is for numbers, `{option}` for {what}: keep one"),
            );
        }
    }
}

// Secrets must not be published, suggested or part of an address.
fn check_secret(argument: &Argument, errors: &mut Errors) {
    if argument.options.secret.is_none() {
        return;
    }
    for (option, fact) in [
        ("default", "the default of a secret input would be published"),
        ("example", "the example of a secret input would be published"),
        ("complete", "the values of a secret input would be shown in completions"),
        ("header", "a secret input would be visible in a header"),
        ("locator", "a secret input would be visible in an address"),
    ] {
        if let Some(key) = argument.options.key(option) {
            errors.push(Section::Parameters, key, fact, format!("remove `{option}`, or remove `secret`"));
        }
    }
}

// A locator is part of an address, so it cannot be missing.
fn check_locator(argument: &Argument, errors: &mut Errors) {
    if argument.options.locator.is_some()
        && let Some(key) = argument.options.key("default")
    {
        errors.push(
            Section::Parameters,
            key,
            "a locator is always required and cannot have a default",
            "remove `default`, or remove `locator`",
        );
    }
}

// The fields of a flattened struct are the inputs; the struct itself is not, so its options would have no effect.
fn check_flatten(argument: &Argument, errors: &mut Errors) {
    if argument.options.flatten.is_none() {
        return;
    }
    for key in argument.options.keys().filter(|key| *key != "flatten") {
        errors.push(
            Section::Parameters,
            key,
            format!("`{key}` cannot be combined with `flatten`"),
            "set it on a field of the struct, or remove `flatten`",
        );
    }
    if !argument.docs.is_empty() {
        let docs = &argument.docs;
        errors.push(
            Section::Parameters,
            quote::quote!(#(#docs)*),
            "the description of a flattened parameter is not shown anywhere",
            "describe its fields, and make this a plain comment: `// …`",
        );
    }
}

// A custom schema is published unchanged.
fn check_schema(attribute: &Attribute, argument: &Argument, errors: &mut Errors) {
    if attribute.schema.is_none() {
        return;
    }
    for option in ["example", "range", "length", "pattern", "header"] {
        if let Some(key) = argument.options.key(option) {
            let name = parameter::name_of(argument).unwrap_or_default();
            errors.push(
                Section::Parameters,
                key,
                format!("`{option}` of `{name}` has no effect: the tool has its own `schema`"),
                format!("add it to the schema and remove `{option}`, or remove `schema`"),
            );
        }
    }
}

/// Returns the limits of an input, which must be valid.
pub(super) fn limits(limits: &LimitOption) -> model::Limits {
    let limit = |limit: &Expr| match kind(limit) {
        LimitKind::Integer => model::Limit::Integer(limit.clone()),
        LimitKind::Number => model::Limit::Number(limit.clone()),
        LimitKind::Constant | LimitKind::Other => model::Limit::Constant(limit.clone()),
    };
    model::Limits { min: limits.min.as_ref().map(limit), max: limits.max.as_ref().map(limit) }
}

/// The kind of an expression, judged by its tokens.
#[derive(Clone, Copy)]
enum LimitKind {
    /// Only literals, all of them integers.
    Integer,
    /// Only literals, at least one of them with a fraction.
    Number,
    /// An expression whose type only the compiler knows.
    Constant,
    /// A literal that is not a number.
    Other,
}

fn kind(expression: &Expr) -> LimitKind {
    match peel_groups(expression) {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) if number.suffix().is_empty() => LimitKind::Integer,
        Expr::Lit(ExprLit { lit: Lit::Float(number), .. }) if number.suffix().is_empty() => LimitKind::Number,
        Expr::Lit(ExprLit { lit: Lit::Int(_) | Lit::Float(_) | Lit::Byte(_), .. }) => LimitKind::Constant,
        Expr::Lit(_) => LimitKind::Other,
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => kind(&unary.expr),
        Expr::Paren(inner) => kind(&inner.expr),
        Expr::Binary(binary) if matches!(binary.op, BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_)) => {
            match (kind(&binary.left), kind(&binary.right)) {
                (LimitKind::Integer, LimitKind::Integer) => LimitKind::Integer,
                (LimitKind::Integer | LimitKind::Number, LimitKind::Integer | LimitKind::Number) => {
                    LimitKind::Number
                }
                _ => LimitKind::Constant,
            }
        }
        _ => LimitKind::Constant,
    }
}

/// Returns `true` if both are literal numbers and the first is greater.
fn exceeds(one: &Expr, other: &Expr) -> bool {
    match (integer(one), integer(other)) {
        (Some(one), Some(other)) => one > other,
        _ => number(one).zip(number(other)).is_some_and(|(one, other)| one > other),
    }
}
