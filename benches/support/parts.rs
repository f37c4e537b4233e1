use std::hint::black_box;
use std::pin::Pin;
use tool_core::private::{Call, Inputs, Shape, Step, run, run_sync};

type Running = Pin<Box<dyn Future<Output = Returned> + Send>>;

fn enter_run<I: Inputs, F: Future<Output = Returned> + Send + 'static>(
    call: &mut Call<'_>,
    inputs: &'static I,
    function: fn(I::Values) -> F,
) -> Step {
    run(call, inputs, function, Shape::<Returned>::new().__split().__value().__error())
}

fn enter_run_sync<I: Inputs>(
    call: &mut Call<'_>,
    inputs: &'static I,
    function: fn(I::Values) -> Returned,
) -> Step {
    run_sync(call, inputs, function, Shape::<Returned>::new().__split().__value().__error())
}

fn keep(inputs: &'static (dyn Sync + 'static)) {
    black_box(inputs);
}

fn keep_run(function: fn(Values) -> Running) -> Step {
    black_box(function);
    Step::Valid
}

fn keep_run_sync(function: fn(Values) -> Returned) -> Step {
    black_box(function);
    Step::Valid
}
