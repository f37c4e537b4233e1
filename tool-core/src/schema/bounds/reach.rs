//! Depth and size of a graph of schemas, computed without recursion.

use crate::schema::bounds::graph::{Edge, Graph};

/// The schemas in post-order along some edges, ignoring edges that lead back.
pub(super) struct Traversal<F> {
    follow: F,
    order: Vec<usize>,
    /// The first schema with an edge to one of its ancestors.
    pub(super) cycle: Option<usize>,
}

/// The size of what is reachable from a schema.
#[derive(Clone, Copy)]
pub(super) struct Reach {
    /// The longest path.
    pub(super) levels: usize,
    /// The number of schemas, counted once per path.
    pub(super) schemas: u64,
}

impl<F: Fn(&Edge) -> bool> Traversal<F> {
    /// Traverses the graph along the edges that `follow` accepts.
    pub(super) fn traverse(graph: &Graph<'_>, follow: F) -> Self {
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            Unknown,
            InProgress,
            Done,
        }
        let mut traversal = Traversal { follow, order: Vec::new(), cycle: None };
        let mut marks = vec![Mark::Unknown; graph.len()];
        for start in 0..graph.len() {
            let mut stack = if marks[start] == Mark::Unknown { vec![(start, 0)] } else { Vec::new() };
            while let Some((at, next)) = stack.last_mut() {
                let at = *at;
                marks[at] = Mark::InProgress;
                let Some(edge) = graph.edges(at).get(*next) else {
                    marks[at] = Mark::Done;
                    traversal.order.push(at);
                    stack.pop();
                    continue;
                };
                *next += 1;
                match marks[edge.to] {
                    _ if !(traversal.follow)(edge) => {}
                    Mark::Unknown => stack.push((edge.to, 0)),
                    Mark::InProgress => traversal.cycle = traversal.cycle.or(Some(at)),
                    Mark::Done => {}
                }
            }
        }
        traversal
    }

    /// Computes the reach of each schema, where an edge that leads back counts as one level.
    pub(super) fn reach(&self, graph: &Graph<'_>) -> impl Iterator<Item = (usize, Reach)> {
        let mut seen: Vec<Option<Reach>> = vec![None; graph.len()];
        self.order.iter().map(move |at| {
            let mut reach = Reach { levels: 1, schemas: 1 };
            for edge in graph.edges(*at).iter().filter(|edge| (self.follow)(edge)) {
                let below = seen[edge.to].unwrap_or(Reach { levels: 1, schemas: 1 });
                reach.levels = reach.levels.max(below.levels + 1);
                reach.schemas = reach.schemas.saturating_add(below.schemas);
            }
            seen[*at] = Some(reach);
            (*at, reach)
        })
    }
}
