//! What clients do, and how often.

use std::pin::Pin;

use fastrand::Rng;

use crate::world::World;
use crate::{command, hostile, http, mcp, session, stdio, tasks};

/// Something that a client does: one call, or a conversation. Its error is an answer that was not expected.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Action {
    pub(crate) name: &'static str,
    /// How often it is chosen, in comparison to the others.
    pub(crate) weight: u32,
    pub(crate) run: Run,
}

pub(crate) type Run = for<'a> fn(&'a World, &'a mut Rng) -> Outcome<'a>;

pub(crate) type Outcome<'a> = Pin<Box<dyn Future<Output = anyhow::Result<()>> + Send + 'a>>;

macro_rules! actions {
    ($($weight:literal $module:ident::$function:ident,)*) => {
        &[$(Action {
            name: concat!(stringify!($module), "::", stringify!($function)),
            weight: $weight,
            run: |world, rng| Box::pin($module::$function(world, rng)),
        },)*]
    };
}

/// Calls that need no database come first, and processes, which take the most, come seldom.
pub(crate) const ACTIONS: &[Action] = actions![
    60 http::add,
    20 http::invalid,
    20 http::broken_json,
    10 http::unknown_tool,
    5 http::too_large,
    30 http::write_row,
    30 http::read_row,
    10 http::explode,
    5 http::hang,
    10 http::block,
    10 http::print,
    4 http::allocate,
    10 http::report,
    3 http::pages,
    10 http::events,
    10 http::leave_events,
    10 http::leave,
    4 http::unread_events,
    3 hostile::half_head,
    3 hostile::slow_body,
    10 hostile::nonsense,
    5 hostile::touch,
    1 hostile::unread_results,
    10 hostile::pipeline,
    60 mcp::add,
    20 mcp::invalid,
    20 mcp::broken,
    10 mcp::unknown_tool,
    10 mcp::explode,
    5 mcp::hang,
    4 mcp::allocate,
    20 mcp::rows,
    5 mcp::lists,
    10 mcp::greet,
    10 mcp::progress,
    10 mcp::leave_progress,
    10 mcp::leave,
    8 mcp::subscribe,
    10 session::calls,
    5 session::greet,
    10 session::cancel,
    5 session::listen,
    2 stdio::calls,
    2 stdio::leave,
    1 stdio::nonsense,
    1 stdio::kill,
    3 command::add,
    2 command::write_row,
    1 command::explode,
    1 command::refused,
    2 command::kill,
    8 tasks::complete,
    4 tasks::answer,
    4 tasks::cancel,
    2 tasks::collapse,
    4 tasks::follow,
    4 tasks::over_mcp,
];

/// Chooses an action by its weight.
pub(crate) fn choose(rng: &mut Rng) -> &'static Action {
    let whole: u32 = ACTIONS.iter().map(|action| action.weight).sum();
    let mut rest = rng.u32(..whole);
    let chosen = ACTIONS.iter().find(|action| match rest.checked_sub(action.weight) {
        Some(less) => {
            rest = less;
            false
        }
        None => true,
    });
    chosen.unwrap_or(&ACTIONS[0])
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn chooses_actions_by_their_weight_and_alike_for_a_seed() {
        let mut counts = HashMap::new();
        let (mut rng, mut again) = (Rng::with_seed(7), Rng::with_seed(7));
        for _ in 0..100_000 {
            let action = choose(&mut rng);
            assert_eq!(action.name, choose(&mut again).name);
            *counts.entry(action.name).or_insert(0_u32) += 1;
        }
        assert_eq!(counts.len(), ACTIONS.len());
        assert!(counts["http::add"] > 10 * counts["command::add"], "{counts:?}");
    }
}
