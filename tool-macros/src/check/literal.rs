//! Checks literal constraints, defaults and examples against types that the macro can name.
//!
//! Everything else is checked by `build()`, which generates the schema.

use syn::{Expr, ExprLit, GenericArgument, Lit, PathArguments, Type, UnOp};

use super::number::{integer, number};
use super::parameter;
use crate::diagnostics::{Errors, Section};
use crate::parse::{Argument, DefaultOption, LimitOption, peel_groups};

/// The kind of a type.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LiteralType {
    /// An integer, with its minimum and maximum.
    Integer(i128, i128),
    Number,
    Text,
    Boolean,
    List,
    Map,
}

/// Returns the minimum and maximum of an integer type on every platform.
fn integers(name: &str) -> Option<LiteralType> {
    let (least, most) = match name {
        "u8" => (0, i128::from(u8::MAX)),
        "u16" => (0, i128::from(u16::MAX)),
        "u32" | "usize" => (0, i128::from(u32::MAX)),
        "u64" => (0, i128::from(u64::MAX)),
        "u128" => (0, i128::MAX),
        "i8" => (i128::from(i8::MIN), i128::from(i8::MAX)),
        "i16" => (i128::from(i16::MIN), i128::from(i16::MAX)),
        "i32" | "isize" => (i128::from(i32::MIN), i128::from(i32::MAX)),
        "i64" => (i128::from(i64::MIN), i128::from(i64::MAX)),
        "i128" => (i128::MIN, i128::MAX),
        _ => return None,
    };
    Some(LiteralType::Integer(least, most))
}

/// Returns the kind of a standard type, or of an `Option` of one.
fn kind(ty: &Type) -> Option<LiteralType> {
    let path = match ty {
        Type::Group(group) => return kind(&group.elem),
        Type::Paren(inner) => return kind(&inner.elem),
        Type::Path(path) if path.qself.is_none() => &path.path,
        _ => return None,
    };
    let segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    if segments.len() > 1 && !["std", "core", "alloc"].contains(&segments[0].as_str()) {
        return None;
    }
    let last = path.segments.last()?;
    let name = last.ident.to_string();
    match &last.arguments {
        PathArguments::None => match name.as_str() {
            "f32" | "f64" => Some(LiteralType::Number),
            "String" => Some(LiteralType::Text),
            "bool" => Some(LiteralType::Boolean),
            name => integers(name),
        },
        PathArguments::AngleBracketed(arguments) => match name.as_str() {
            "Option" => match arguments.args.first()? {
                GenericArgument::Type(inner) => kind(inner),
                _ => None,
            },
            "Vec" | "VecDeque" | "HashSet" | "BTreeSet" => Some(LiteralType::List),
            "HashMap" | "BTreeMap" => Some(LiteralType::Map),
            _ => None,
        },
        PathArguments::Parenthesized(_) => None,
    }
}

/// The value of a literal.
enum Literal {
    Integer,
    Number,
    Text(String),
    Boolean,
}

fn literal(expression: &Expr) -> Option<Literal> {
    match peel_groups(expression) {
        Expr::Lit(ExprLit { lit, .. }) => match lit {
            Lit::Int(_) => Some(Literal::Integer),
            Lit::Float(_) => Some(Literal::Number),
            Lit::Str(text) => Some(Literal::Text(text.value())),
            Lit::Bool(_) => Some(Literal::Boolean),
            _ => None,
        },
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => match literal(&unary.expr)? {
            number @ (Literal::Integer | Literal::Number) => Some(number),
            Literal::Text(_) | Literal::Boolean => None,
        },
        Expr::Paren(inner) => literal(&inner.expr),
        _ => None,
    }
}

impl Literal {
    fn fits(&self, kind: LiteralType) -> bool {
        match self {
            Literal::Integer => matches!(kind, LiteralType::Integer(..) | LiteralType::Number),
            Literal::Number => kind == LiteralType::Number,
            Literal::Text(_) => kind == LiteralType::Text,
            Literal::Boolean => kind == LiteralType::Boolean,
        }
    }
}

pub(super) fn check(argument: &Argument, errors: &mut Errors) {
    check_options(argument, errors);
    for (what, value) in values(argument) {
        check_kind(argument, what, value, errors);
        check_range(argument, what, value, errors);
        check_length(argument, what, value, errors);
    }
}

/// Returns the default and the example, if they are expressions.
fn values(argument: &Argument) -> impl Iterator<Item = (&'static str, &Expr)> {
    let default = match &argument.options.default {
        Some(DefaultOption::Expr(value)) => Some(("default", &**value)),
        Some(DefaultOption::TypeDefault) | None => None,
    };
    default.into_iter().chain(argument.options.example.as_ref().map(|value| ("example", value)))
}

// `range` is for numbers, `length` for strings, lists and maps, `pattern` for strings.
fn check_options(argument: &Argument, errors: &mut Errors) {
    let options = &argument.options;
    let Some(kind) = kind(&argument.kind) else { return };
    // Contradicting options are reported elsewhere.
    if options.range.is_some() && (options.length.is_some() || options.pattern.is_some()) {
        return;
    }
    let countable = matches!(kind, LiteralType::Text | LiteralType::List | LiteralType::Map);
    let numeric = matches!(kind, LiteralType::Integer(..) | LiteralType::Number);
    for (option, fits, what) in [
        ("range", numeric, "numbers"),
        ("length", countable, "strings, lists and maps"),
        ("pattern", kind == LiteralType::Text, "strings"),
    ] {
        let Some(key) = options.key(option).filter(|_| !fits) else { continue };
        let help = match option {
            "range" if countable => {
                "write `length(…)` to limit how long it may be, or remove `range`".to_owned()
            }
            "length" if numeric => "write `range(…)` to limit the number, or remove `length`".to_owned(),
            _ => format!("remove `{option}`, or take an input of another type"),
        };
        let fact =
            format!("`{option}` is for {what}, but `{}` is a `{}`", name(argument), type_text(argument));
        errors.push(Section::Parameters, key, fact, help);
    }
}

// A string is published unchanged for every type; rustc rejects other mismatches of a default.
fn check_kind(argument: &Argument, what: &str, value: &Expr, errors: &mut Errors) {
    let (Some(kind), Some(literal)) = (kind(&argument.kind), literal(value)) else { return };
    let checked_by_rustc = what == "default" && !matches!(literal, Literal::Text(_));
    if literal.fits(kind) || checked_by_rustc {
        return;
    }
    let given = match literal {
        Literal::Integer | Literal::Number => "a number",
        Literal::Text(_) => "a string",
        Literal::Boolean => "`true` or `false`",
    };
    let fact =
        format!("the {what} of `{}` is {given}, but its type is `{}`", name(argument), type_text(argument));
    errors.push(Section::Parameters, value, fact, format!("write a value of that type, or remove `{what}`"));
}

// A default outside of the range would be rejected on every use.
fn check_range(argument: &Argument, what: &str, value: &Expr, errors: &mut Errors) {
    let Some(LimitOption { min, max, .. }) = &argument.options.range else { return };
    let Some(given) = number(value) else { return };
    let below = min.as_ref().and_then(number).is_some_and(|min| given < min);
    let above = max.as_ref().and_then(number).is_some_and(|max| given > max);
    if below || above {
        outside(argument, what, value, "range", errors);
    }
}

fn check_length(argument: &Argument, what: &str, value: &Expr, errors: &mut Errors) {
    let Some(LimitOption { min, max, .. }) = &argument.options.length else { return };
    let (Some(LiteralType::Text), Some(Literal::Text(text))) = (kind(&argument.kind), literal(value)) else {
        return;
    };
    let given = i128::try_from(text.chars().count()).unwrap_or(i128::MAX);
    let below = min.as_ref().and_then(integer).is_some_and(|min| given < min);
    let above = max.as_ref().and_then(integer).is_some_and(|max| given > max);
    if below || above {
        outside(argument, what, value, "length", errors);
    }
}

fn outside(argument: &Argument, what: &str, value: &Expr, option: &str, errors: &mut Errors) {
    let fact = format!("the {what} of `{}` is outside its `{option}`", name(argument));
    errors.push(Section::Parameters, value, fact, format!("correct the {what} or the `{option}`"));
}

/// Returns `true` if neither the default nor a constraint can contradict the type of the input or each other.
pub(super) fn is_statically_checked(argument: &Argument) -> bool {
    let options = &argument.options;
    let constrained = options.range.is_some() || options.length.is_some() || options.pattern.is_some();
    if !constrained && options.default.is_none() {
        return true;
    }
    let Some(kind) = kind(&argument.kind) else { return false };
    let default_is_checked = match &options.default {
        None => true,
        // A default of the input's own type is always valid, unless there are constraints.
        Some(DefaultOption::TypeDefault) => !constrained,
        Some(DefaultOption::Expr(value)) => {
            !constrained || literal(value).is_some() && options.pattern.is_none()
        }
    };
    // A range within the type leaves some values.
    let within = |limit: &Expr| match kind {
        LiteralType::Integer(least, most) => {
            integer(limit).is_some_and(|limit| (least..=most).contains(&limit))
        }
        _ => number(limit).is_some(),
    };
    let range = options
        .range
        .as_ref()
        .is_none_or(|limits| [&limits.min, &limits.max].into_iter().flatten().all(within));
    let length = options.length.as_ref().is_none_or(|limits| {
        [&limits.min, &limits.max].into_iter().flatten().all(|limit| number(limit).is_some())
    });
    default_is_checked && range && length
}

fn name(argument: &Argument) -> String {
    parameter::name_of(argument).unwrap_or_default()
}

fn type_text(argument: &Argument) -> String {
    parameter::type_text(&argument.kind)
}
