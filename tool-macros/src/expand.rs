//! Turns a valid declaration into tokens. Nothing here can fail, and the generated code makes no decisions at run time.

mod inputs;
mod method;
mod tokens;

use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Expr, ExprLit, Lit};

use self::inputs::inputs;
pub(crate) use self::method::block;
use self::method::{Entry, call_closure};
use self::tokens::{argument, bound_function, local, option, tuple};
use crate::diagnostics::{ends, respan};
use crate::docs::Deprecated;
use crate::listing;
use crate::model::{Access, Callee, Execution, Prompt, Task, Tool};
use crate::parse::{Function, ItemKind};

/// Returns the function, followed by its declaration.
///
/// ```text
/// #[allow(clippy::needless_pass_by_value)]
/// /// Adds two numbers.
/// pub fn add(a: i64, b: i64) -> i64 { a + b }
///
/// #[doc(hidden)]
/// #[allow(dead_code, deprecated, non_upper_case_globals, unreachable_pub)]
/// pub const __tool_attribute_of_add: &'static Declaration = {
///     static __TOOL: Declaration = Declaration::new(
///         "add", Operation::Transform,
///         |__call| run_sync(
///             __call.of("Adds two numbers.", here!()),
///             const { &(input("a", "First."), input("b", "Second.")) },
///             |(__arg0, __arg1)| add(__arg0, __arg1),
///             Shape::<i64>::new().__split().__value().__error(),
///         ),
///     );
///     register!(&__TOOL);
///     &__TOOL
/// };
/// ```
///
/// `tools![…]` names the constant, which is visible where the function is. The expansion does not repeat the types of the
/// inputs: the call of the function infers them, so that a type that does not resolve is one error. For the same reason the
/// declaration is a `static`. Data that only a call needs is in the closure, because the system relocates each pointer in a
/// `static` when the program starts. `#[allow(deprecated)]`: to declare a deprecated tool is not to use it.
pub(crate) fn tool(tool: &Tool, function: &Function) -> TokenStream {
    let Callee { krate, operation, .. } = &tool.callee;
    let Tool { name, description, .. } = tool;
    let run = run(&tool.callee, tool.access.as_ref(), function, description);
    let arguments = quote!(#name, #krate::Operation::#operation);
    let options = options(tool);
    declaration(&tool.callee, function, &run, &arguments, options)
}

/// Returns the function of a prompt, followed by its declaration.
///
/// ```text
/// pub const __prompt_attribute_of_plan: &'static PromptDeclaration = {
///     static __PROMPT: PromptDeclaration = PromptDeclaration::new("plan", |__call| …);
///     register!(prompt &__PROMPT);
///     &__PROMPT
/// };
/// ```
pub(crate) fn prompt(prompt: &Prompt, function: &Function) -> TokenStream {
    let Prompt { callee, name, title, description, permission, access, statically_checked } = prompt;
    let run = run(callee, access.as_ref(), function, description);
    let guarded = access.as_ref().map(|_| quote!(.guarded()));
    let unproven = (!statically_checked).then(|| quote!(.check_at_build()));
    let title = title.as_ref().map(|title| quote!(.title(#title)));
    let permission = permission.as_ref().map(|permission| quote!(.permission(#permission)));
    let texts =
        (title.is_some() || permission.is_some()).then(|| options_call(callee, &quote!(#title #permission)));
    declaration(callee, function, &run, &quote!(#name), quote!(#guarded #unproven #texts))
}

/// Returns the function, and the constant that holds its declaration: `Declaration::new(arguments, |__call| run)`,
/// followed by its options.
fn declaration(
    callee: &Callee,
    function: &Function,
    run: &TokenStream,
    arguments: &TokenStream,
    options: TokenStream,
) -> TokenStream {
    let Callee { krate, cfgs, item_kind, .. } = callee;
    let plain = self::function(function);
    let visibility = &function.visibility;
    let name = &function.signature.ident;
    let Entry { expression, outside, inside } = method::entry(callee, name, run);
    let (kind, register) = match item_kind {
        ItemKind::Tool => (quote!(#krate::private::Declaration), TokenStream::new()),
        ItemKind::Prompt => (quote!(#krate::private::PromptDeclaration), quote!(prompt)),
    };
    let new = respan(quote!(#kind::new(#arguments, #expression)), (name.span(), name.span()));
    let options = method::replace_self(callee, options);
    let constant = listing::constant(*item_kind, name);
    let declaration = format_ident!("__{}", item_kind.to_string().to_uppercase());
    quote! {
        #plain
        #outside
        #(#cfgs)*
        #[doc(hidden)]
        #[allow(dead_code, deprecated, non_upper_case_globals, unreachable_pub)]
        #visibility const #constant: &'static #kind = {
            #inside
            static #declaration: #kind = #new #options;
            #krate::private::register!(#register &#declaration);
            &#declaration
        };
    }
}

/// Returns the original function without our attributes.
pub(crate) fn function(function: &Function) -> TokenStream {
    let Function { attributes, visibility, signature, body, .. } = function;
    // A second `#[tool]` was reported as an error.
    let attributes = attributes.iter().filter(|attribute| ItemKind::of(attribute).is_none());
    // A tool owns its arguments, and must not borrow them. An `async fn` is not linted.
    // It stands first, so that the author has the last word.
    let owned = signature.asyncness.is_none().then(|| quote!(#[allow(clippy::needless_pass_by_value)]));
    quote!(#owned #(#attributes)* #visibility #signature #body)
}

/// Returns the builder calls for options that differ from their defaults, as in `.destructive(true)`; rare ones are in `.options(…)`.
fn options(tool: &Tool) -> TokenStream {
    let flags = flags(tool);
    let texts = texts(tool);
    if texts.is_empty() {
        return flags;
    }
    let texts = options_call(&tool.callee, &texts);
    quote!(#flags #texts)
}

/// `.options(const { &Options::new().title("…") })`
fn options_call(Callee { krate, .. }: &Callee, options: &TokenStream) -> TokenStream {
    quote!(.options(const { &#krate::private::Options::new() #options }))
}

/// Returns a function that adds `.option(arguments)` to the options.
fn appender(options: &mut TokenStream) -> impl FnMut(&str, TokenStream) {
    |option, arguments| {
        let option = format_ident!("{option}");
        options.extend(quote!(.#option(#arguments)));
    }
}

/// Returns the builder calls of switches.
fn flags(tool: &Tool) -> TokenStream {
    let mut options = TokenStream::new();
    let mut add = appender(&mut options);
    if tool.destructive {
        add("destructive", quote!(true));
    }
    if let Some(idempotent) = tool.idempotent {
        add("idempotent", quote!(#idempotent));
    }
    if let Some(open_world) = tool.open_world {
        add("open_world", quote!(#open_world));
    }
    if tool.access.is_some() {
        add("guarded", TokenStream::new());
    }
    if !tool.statically_checked {
        add("check_at_build", TokenStream::new());
    }
    let (only_locators, state) = (tool.callee.takes_only_locators(), tool.callee.takes_state());
    if only_locators || state {
        add("takes", quote!(#only_locators, #state));
    }
    drop(add);
    options
}

/// Returns the builder calls of options with a value.
fn texts(tool: &Tool) -> TokenStream {
    let mut options = TokenStream::new();
    let mut add = appender(&mut options);
    if let Some(title) = &tool.title {
        add("title", quote!(#title));
    }
    if let Some(permission) = &tool.permission {
        add("permission", quote!(#permission));
    }
    if !tool.requires.is_empty() {
        let requires = tool.requires.iter().map(|function| bound_function("__requiring", function));
        add("requires", quote!(&[#(#requires),*]));
    }
    if !tool.tags.is_empty() {
        let tags = &tool.tags;
        add("tags", quote!(&[#(#tags),*]));
    }
    if let Some(path) = &tool.path {
        add("path", quote!(#path));
    }
    for (option, value) in [("schema", &tool.schema), ("meta", &tool.meta)] {
        let Some(value) = value else { continue };
        let (krate, convert) = (&tool.callee.krate, format_ident!("{option}"));
        let json = respan(quote!(#krate::private::#convert(#value)), ends(&value.to_token_stream()));
        add(option, quote!(|| #json));
    }
    if let Some(ui) = &tool.ui {
        add("ui", page(&tool.callee, ui));
    }
    if let Some(milliseconds) = tool.timeout {
        add("timeout", Literal::u64_unsuffixed(milliseconds).into_token_stream());
    }
    if let Some(task) = &tool.task {
        add("task", task_options(&tool.callee, task));
    }
    if let Some(milliseconds) = tool.cache {
        add("cache", Literal::u64_unsuffixed(milliseconds).into_token_stream());
    }
    if let Some(alias) = &tool.alias {
        add("alias", quote!(#alias));
    }
    if let Some(Deprecated { since, note }) = &tool.deprecated {
        let (since, note) =
            (option(since.as_ref(), |since| quote!(#since)), option(note.as_ref(), |note| quote!(#note)));
        add("deprecated", quote!(#since, #note));
    }
    drop(add);
    options
}

/// `|| Ui::new(include_str!("page.html"))`, or `|| ui`
fn page(Callee { krate, .. }: &Callee, ui: &Expr) -> TokenStream {
    match ui {
        Expr::Lit(ExprLit { lit: Lit::Str(file), .. }) => {
            let text = quote_spanned!(file.span()=> ::core::include_str!(#file));
            quote!(|| #krate::private::Ui::new(#text))
        }
        _ => quote!(|| #ui),
    }
}

/// `TaskOptions::new(TaskSupport::Optional).retries(2)`
fn task_options(Callee { krate, .. }: &Callee, task: &Task) -> TokenStream {
    let support = format_ident!("{}", if task.is_required { "Required" } else { "Optional" });
    let mut options = quote!(#krate::private::TaskOptions::new(#krate::private::TaskSupport::#support));
    let mut add = appender(&mut options);
    if let Some(retries) = task.retries {
        add("retries", Literal::u32_unsuffixed(retries).into_token_stream());
    }
    let durations = [("attempt_timeout", task.attempt_timeout), ("ttl", task.ttl), ("poll", task.poll)];
    for (option, milliseconds) in durations {
        if let Some(milliseconds) = milliseconds {
            add(option, Literal::u64_unsuffixed(milliseconds).into_token_stream());
        }
    }
    drop(add);
    options
}

/// `run(__call.of("…", …), const { … }, |(__arg0, __arg1)| add(__arg0, __arg1), Shape::<R>::new().__split().__value().__error())`
fn run(
    callee: &Callee,
    access: Option<&Access>,
    function: &Function,
    description: &impl ToTokens,
) -> TokenStream {
    let krate = &callee.krate;
    let name = &function.signature.ident;
    let call = local("__call");
    // The span of the name is where the function is.
    let here = respan(quote!(#krate::private::here!()), (name.span(), name.span()));
    let call = quote!(#call.of(#description, #here));
    // Where a parameter does not fit beside one that is awaited.
    let inputs = respan(inputs(callee, access), (name.span(), name.span()));
    let run = match callee.execution {
        Execution::Async => "run",
        Execution::Sync => "run_sync",
        Execution::Blocking => "run_blocking",
    };
    let run = match access {
        Some(_) => format_ident!("{run}_guarded"),
        None if callee.injects() => format_ident!("{run}_injected"),
        None => format_ident!("{run}"),
    };
    // It stands behind the function, which says the types of the inputs.
    let access = access.map(|access| self::access(callee, access));
    let returns = returns(callee, function);
    let span = (name.span(), name.span());
    let function = call_closure(callee, name);
    respan(quote!(#krate::private::#run(#call, #inputs, #function, #access #returns)), span)
}

/// `|__principal, (_, __arg1)| access(may_edit(__principal, __arg1)),`
fn access(callee: &Callee, access: &Access) -> TokenStream {
    let Callee { krate, parameters, .. } = callee;
    let Access { function, parentheses, parameters: shown } = access;
    let mut principal = local("__principal");
    let pattern = (0..parameters.len()).map(|position| {
        let is_shown = shown.iter().any(|(shown, _)| *shown == position);
        if is_shown { argument(position).into_token_stream() } else { quote!(_) }
    });
    let pattern = tuple(pattern.collect());
    // Each argument stands where the author named the parameter, and so does what rustc says about it.
    let arguments = shown.iter().map(|(position, named)| {
        let mut argument = argument(*position);
        argument.set_span(argument.span().located_at(named.span()));
        argument
    });
    let (_, end) = ends(&function.to_token_stream());
    let end = parentheses.map_or(end, |parentheses| parentheses.span.join());
    let span = (ends(&function.to_token_stream()).0, end);
    principal.set_span(principal.span().located_at(end));
    let arguments = quote_spanned!(end=> (#principal #(, #arguments)*));
    let decided = respan(quote!(#krate::private::access(#function #arguments)), span);
    quote!(|#principal, #pattern| #decided,)
}

/// `Shape::<R>::new().__split().__value().__error()`, and `__messages()` instead of `__value()` for a prompt
fn returns(callee: &Callee, function: &Function) -> TokenStream {
    let krate = &callee.krate;
    let kind = match function.returns() {
        Some(kind) => kind.to_token_stream(),
        None => quote!(()),
    };
    let (start, end) = ends(&kind);
    let path = respan(quote!(#krate::private::Shape::<), (start, end));
    let rest = match callee.item_kind {
        ItemKind::Tool => quote_spanned!(end=> >::new().__split().__value().__error()),
        ItemKind::Prompt => quote_spanned!(end=> >::new().__split().__messages().__error()),
    };
    quote!(#path #kind #rest)
}
