//! No two tools may live where one path could mean either.

use std::collections::HashMap;

use crate::definition::ToolDefinition;
use crate::registry::BuildError;
use crate::surface::{Address, Segment, Surface};

/// Every two addresses that collide, in the order of the tools.
///
/// What can collide has the same number of segments, and the same first one unless that is a variable: of ten thousand
/// tools, few need to be compared.
pub(super) fn collisions(tools: &[ToolDefinition]) -> Vec<BuildError> {
    let surfaces: Vec<Surface> = tools.iter().map(Surface::of).collect();
    let mut groups: HashMap<(usize, Option<&str>), Vec<usize>> = HashMap::new();
    let mut faults = Vec::new();
    for (second, surface) in surfaces.iter().enumerate() {
        let Some(address) = surface.address() else { continue };
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
            if let Some(other) = surfaces[first].address()
                && other.collides(address)
            {
                faults.push(BuildError::Address {
                    first: described(other, &tools[first]),
                    second: described(address, &tools[second]),
                });
            }
        }
        groups.entry((length, first_segment)).or_default().push(second);
    }
    faults
}

/// The first segment, if it is no variable.
fn literal(address: &Address) -> Option<&str> {
    match &address.segments()[0] {
        Segment::Literal(text) => Some(text),
        Segment::Variable(_) => None,
    }
}

fn described(address: &Address, tool: &ToolDefinition) -> String {
    format!("`{address}` of `{}`, {}", tool.name(), tool.place())
}

/// Every tool whose address begins with one of these segments.
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
            place: tool.place(),
            address: address.to_string(),
            segment: segment.to_owned(),
        })
    };
    tools.filter_map(fault).collect()
}
