//! Parses tokens into our own types, without checking them.

mod argument;
mod attribute;
mod block;
mod function;
mod item;
mod item_kind;
mod options;
mod permission;
mod table;
mod task;

pub(crate) use argument::{ArgOptions, Argument, DefaultOption};
pub(crate) use attribute::{Attribute, attribute};
pub(crate) use block::{Block, Member, Method};
pub(crate) use function::Function;
pub(crate) use item::{Item, item};
pub(crate) use item_kind::ItemKind;
pub(crate) use options::{Call, LimitOption, Spanned, peel_groups};
pub(crate) use permission::Permission;
pub(crate) use task::TaskOption;
