//! Number and kinds of parameters.

use serde_json::{Map, Value, json};
use tool_core::inject::{Inject, InjectAsync, Injection, Needs};
use tool_core::{Context, Failure, State, tool};

use super::{call, of, wire_names};

/// One more than a tuple of the expansion holds, with others between them.
#[tool(operation = Transform)]
#[expect(clippy::too_many_arguments, reason = "their number is what is tested")]
fn nine(
    p1: u8,
    #[inject] state: State<u8>,
    p2: u8,
    p3: u8,
    p4: u8,
    p5: u8,
    #[inject] _context: Context,
    p6: u8,
    p7: u8,
    p8: u8,
    #[arg(default = 9)] p9: u8,
) -> Vec<u8> {
    vec![*state, p1, p2, p3, p4, p5, p6, p7, p8, p9]
}

macro_rules! sum {
    ($name:ident, $($parameter:ident)*) => {
        /// The sum of many numbers.
        #[tool(operation = Transform)]
        #[expect(clippy::too_many_arguments, reason = "their number is what is tested")]
        async fn $name($($parameter: u32),*) -> u32 {
            0 $(+ $parameter)*
        }
    };
}

sum!(sum_of_8, a1 a2 a3 a4 a5 a6 a7 a8);
sum!(sum_of_21, a1 a2 a3 a4 a5 a6 a7 a8 b1 b2 b3 b4 b5 b6 b7 b8 c1 c2 c3 c4 c5);
sum!(sum_of_64, a1 a2 a3 a4 a5 a6 a7 a8 b1 b2 b3 b4 b5 b6 b7 b8 c1 c2 c3 c4 c5 c6 c7 c8 d1 d2 d3 d4 d5 d6 d7 d8
    e1 e2 e3 e4 e5 e6 e7 e8 f1 f2 f3 f4 f5 f6 f7 f8 g1 g2 g3 g4 g5 g6 g7 g8 h1 h2 h3 h4 h5 h6 h7 h8);

/// Injected state may be destructured.
struct Ticket(String);

impl<Op> Inject<Op> for Ticket {
    fn needs(_: &mut Needs) {}

    fn inject(source: &Injection<'_, Op>) -> Result<Self, Failure> {
        Ok(Ticket(source.context().tool().to_owned()))
    }
}

/// A value that is awaited.
struct Later<T>(T);

impl<T: Default + Send + 'static, Op> InjectAsync<Op> for Later<T> {
    fn needs(_: &mut Needs) {}

    async fn inject(_: &Injection<'_, Op>) -> Result<Self, Failure> {
        Ok(Later(T::default()))
    }
}

/// Awaits all that it is injected.
#[tool(operation = Transform)]
fn waiting_first(
    #[inject] Later((number, _)): Later<(u8, Vec<String>)>,
    #[inject] text: self::Later<String>,
) -> String {
    format!("{number}{}", text.0)
}

/// Types that are written in unusual ways.
#[tool(operation = Transform)]
fn spelled(
    tuple: (u8, Option<String>),
    array: [i8; 2],
    qualified: <Vec<u8> as IntoIterator>::Item,
    boxed: Box<str>,
    #[inject] Ticket(tool): Ticket,
    #[inject] _: Context,
) -> (u8, i8, String) {
    (tuple.0 + qualified, array[0] + array[1], format!("{}{boxed}{tool}", tuple.1.unwrap_or_default()))
}

#[test]
fn awaits_parameters() {
    let registry = of(module_path!()).state(0_u8).build().unwrap();
    assert_eq!(call(&registry, "waiting_first", json!({})), json!("0"));
}

#[test]
fn accepts_many_parameters() {
    let registry = of(module_path!()).state(0_u8).build().unwrap();
    assert_eq!(wire_names(&registry)[0], "nine(p1, p2, p3, p4, p5, p6, p7, p8, p9)");
    registry.check().unwrap();
    let arguments = json!({"p8": 8, "p1": 1, "p2": 2, "p3": 3, "p4": 4, "p5": 5, "p6": 6, "p7": 7});
    assert_eq!(call(&registry, "nine", arguments), json!([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]));
    for (name, number) in [("sum_of_8", 8), ("sum_of_21", 21), ("sum_of_64", 64)] {
        let inputs = registry.get(name).unwrap().inputs();
        assert_eq!(inputs.len(), number, "{name}");
        let arguments: Map<String, Value> =
            (0..number).map(|n| (inputs[n].name.clone().unwrap_or_default(), json!(1 << (n % 30)))).collect();
        let expected: u64 = (0..number).map(|n| 1 << (n % 30)).sum();
        assert_eq!(call(&registry, name, arguments.into()), expected, "{name}");
    }
}

#[test]
fn accepts_every_spelling_of_a_type() {
    let registry = of(module_path!()).state(0_u8).build().unwrap();
    let arguments = json!({"tuple": [1, "a"], "array": [3, -4], "qualified": 2, "boxed": "b"});
    assert_eq!(call(&registry, "spelled", arguments), json!([3, -1, "abspelled"]));
}
