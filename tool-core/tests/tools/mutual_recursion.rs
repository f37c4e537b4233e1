//! Mutually recursive types: limits for untrusted schemas do not reject declared types.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tool_core::lint::lint;
use tool_core::profile::Profile;
use tool_core::{FailureKind, tool};

use crate::tools_of;

macro_rules! mutual {
    ($($name:ident $field:ident),*) => { mutual!(@ [$($name $field)*] $($name)*); };
    (@ $all:tt $($name:ident)*) => { $(mutual!(% $name $all);)* };
    (% $name:ident [$($other:ident $field:ident)*]) => {
        /// One of twelve.
        #[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
        struct $name {
            $(
                /// Another of them.
                #[serde(skip_serializing_if = "Option::is_none")]
                $field: Option<Box<$other>>,
            )*
            /// How many there are.
            count: u8,
        }
    };
}

mutual!(T1 t1, T2 t2, T3 t3, T4 t4, T5 t5, T6 t6, T7 t7, T8 t8, T9 t9, T10 t10, T11 t11, T12 t12);

/// Takes any of twelve types.
#[tool(operation = Transform)]
fn mutual(
    /** The first of them. */
    first: T1,
) -> T12 {
    T12 { count: first.count, ..T12::default() }
}

#[tokio::test]
async fn accepts_twelve_mutually_recursive_types() {
    let registry = tools_of(module_path!());
    registry.check().unwrap();
    let tool = registry.get("mutual").unwrap();
    let value = json!({"first": {"count": 1, "t2": {"count": 2, "t12": {"count": 3, "t1": {"count": 4}}}}});
    assert_eq!(registry.call("mutual", value).await.unwrap().value(), json!({"count": 1}));
    let wrong = json!({"first": {"count": 1, "t2": {"count": 2, "t12": {"count": 300, "t1": {"cuont": 4}}}}});
    let failure = registry.call("mutual", wrong).await.unwrap_err();
    assert_eq!(failure.kind(), FailureKind::Input);
    assert_eq!(failure.problems()[0].path, "/first/t2/t12/count", "{}", failure.text());
    assert_eq!(tool.inputs()[0].kind, "map");
    for profile in [Profile::Mcp, Profile::OpenAi, Profile::OpenAiStrict, Profile::Anthropic] {
        tool.schema_for(profile).unwrap_or_else(|error| panic!("{profile:?}: {error}"));
    }
    assert!(lint(&registry).iter().all(|finding| finding.tool.is_some()));
}
