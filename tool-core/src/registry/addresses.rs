//! Addresses of tools: no path may lead to two tools, and a path leads to its tool.

use std::collections::HashMap;
use std::fmt;

use crate::definition::ToolDefinition;
use crate::definition::surface::{Address, Segment, Surface, Variables, decode_segment};
use crate::registry::error::BuildError;

/// The tools that have an address, by the number of segments and the first one, unless it is a variable.
#[derive(Default)]
pub(super) struct AddressIndex(HashMap<(usize, Option<String>), AddressGroup>);

/// Addresses, and the positions of their tools.
type AddressGroup = Vec<(Address, usize)>;

impl AddressIndex {
    /// Creates the index of these tools, whose addresses do not collide.
    pub(super) fn of<'t>(tools: impl Iterator<Item = &'t ToolDefinition>) -> Self {
        let mut index = AddressIndex::default();
        for (position, tool) in tools.enumerate() {
            if let Some(address) = Surface::of(tool).address() {
                let key = (address.segments().len(), literal(address).map(str::to_owned));
                index.0.entry(key).or_default().push((address.clone(), position));
            }
        }
        index
    }

    /// Returns the position of the tool at this path, which is percent-encoded, and the values of the variables, of those tools that
    /// are visible. An exact address takes precedence over a template.
    pub(super) fn find(&self, path: &str, is_visible: impl Fn(usize) -> bool) -> Option<(usize, Variables)> {
        let segments: Vec<_> = path.split('/').map(decode_segment).collect();
        let first = segments[0].as_ref().ok().cloned();
        let groups = [self.0.get(&(segments.len(), first)), self.0.get(&(segments.len(), None))];
        let all = groups.into_iter().flatten().flatten();
        let matching = all.filter(|(address, position)| address.matches(&segments) && is_visible(*position));
        let (address, position) = matching.max_by_key(|(address, _)| address.is_exact())?;
        Some((*position, address.values(&segments)))
    }
}

/// A tool that has an address, with its position.
#[derive(Clone, Debug)]
pub(super) struct AddressedTool<'t> {
    pub(super) position: usize,
    address: Address,
    tool: &'t ToolDefinition,
}

/// Returns every pair of addresses that collide, in the order of the tools.
///
/// Only addresses with the same number of segments and the same first segment (or a variable) are compared.
pub(super) fn collisions<'t>(
    tools: impl Iterator<Item = &'t ToolDefinition>,
) -> Vec<(AddressedTool<'t>, AddressedTool<'t>)> {
    let addressed = |(position, tool): (usize, &'t ToolDefinition)| {
        Some(AddressedTool { position, address: Surface::of(tool).address()?.clone(), tool })
    };
    let tools = tools.enumerate().filter(|(_, tool)| Surface::is_resource(tool));
    let tools_with_address: Vec<AddressedTool<'t>> = tools.filter_map(addressed).collect();
    if tools_with_address.is_empty() {
        return Vec::new();
    }
    let mut groups: HashMap<(usize, Option<&str>), Vec<usize>> = HashMap::new();
    let mut found = Vec::new();
    for (second, AddressedTool { address, .. }) in tools_with_address.iter().enumerate() {
        let (length, first_segment) = (address.segments().len(), literal(address));
        let mut near: Vec<usize> = match first_segment {
            Some(_) => [first_segment, None]
                .iter()
                .filter_map(|first| groups.get(&(length, *first)))
                .flatten()
                .copied()
                .collect(),
            None => groups
                .iter()
                .filter(|((other, _), _)| *other == length)
                .flat_map(|(_, group)| group)
                .copied()
                .collect(),
        };
        near.sort_unstable();
        for first in near {
            if tools_with_address[first].address.collides(address) {
                found.push((tools_with_address[first].clone(), tools_with_address[second].clone()));
            }
        }
        groups.entry((length, first_segment)).or_default().push(second);
    }
    found
}

impl fmt::Display for AddressedTool<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` of `{}`, {}", self.address, self.tool.name(), self.tool.place())
    }
}

/// Returns the first segment, unless it is a variable.
fn literal(address: &Address) -> Option<&str> {
    match &address.segments()[0] {
        Segment::Literal(text) => Some(text),
        Segment::Variable(_) => None,
    }
}

/// Reports every tool whose address begins with one of these segments.
pub(super) fn reserved(
    tools: &mut dyn Iterator<Item = &ToolDefinition>,
    segments: &[&str],
) -> Vec<BuildError> {
    let fault = |tool: &ToolDefinition| {
        let surface = Surface::of(tool);
        let address = surface.address()?;
        let segment = literal(address).filter(|first| segments.contains(first))?;
        Some(BuildError::ReservedAddress {
            tool: tool.name().to_owned(),
            location: tool.place(),
            address: address.to_string(),
            segment: segment.to_owned(),
        })
    };
    tools.filter_map(fault).collect()
}
