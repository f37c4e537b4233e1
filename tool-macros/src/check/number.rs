//! The values of literal numbers.

use syn::{Expr, ExprLit, Lit, UnOp};

use crate::parse::peel_groups;

/// Returns the value of a literal integer.
pub(super) fn integer(expression: &Expr) -> Option<i128> {
    match peel_groups(expression) {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => number.base10_parse().ok(),
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => integer(&unary.expr)?.checked_neg(),
        Expr::Paren(inner) => integer(&inner.expr),
        _ => None,
    }
}

/// Returns the value of a literal number.
pub(super) fn number(expression: &Expr) -> Option<f64> {
    match peel_groups(expression) {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => {
            number.base10_parse::<u128>().ok().map(|n| n as f64)
        }
        Expr::Lit(ExprLit { lit: Lit::Float(number), .. }) => number.base10_parse().ok(),
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => Some(-number(&unary.expr)?),
        Expr::Paren(inner) => number(&inner.expr),
        _ => None,
    }
}
