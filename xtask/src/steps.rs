//! The steps of `cargo xtask test`.

mod browser;
mod cargo;
mod clients;
mod conformance;
mod gateway;
mod oauth;
mod oldest;
mod onetool;
mod outside;
mod package;
mod publish;
mod replicas;
mod schemathesis;
mod semver;
mod shells;
mod soak;
mod typed;

use crate::program::{
    BASH, CHROMIUM, FAKETIME, FISH, IP, IPTABLES, NPM, POSTGRESQL, PYTHON, STRACE, VALGRIND, ZSH,
};
use crate::step::Step;

/// Every step in the order of their beginnings, some of which run at the same time. The longest come first: what `test` leaves of the
/// processors, since it waits for servers, clients and timers, is for those that compile.
pub(crate) const STEPS: &[Step] = &[
    Step { name: "fmt", summary: "the code is formatted", needs: &[], run: cargo::fmt },
    Step {
        name: "test",
        summary: "all tests and documentation examples",
        needs: &[POSTGRESQL, FAKETIME, STRACE, IP, IPTABLES],
        run: cargo::test,
    },
    Step { name: "clippy", summary: "no lint has anything to say", needs: &[], run: cargo::clippy },
    Step { name: "doc", summary: "the documentation builds without a warning", needs: &[], run: cargo::doc },
    Step {
        name: "api",
        summary: "the public API of each library is the one in `tests/api/text`",
        needs: &[],
        run: cargo::api,
    },
    Step {
        name: "semver",
        summary: "the public API is compatible with the last release, from the first one on",
        needs: &[],
        run: semver::semver,
    },
    Step {
        name: "soak",
        summary: "memory, descriptors and tasks are flat under two minutes of mixed and hostile traffic",
        needs: &[POSTGRESQL],
        run: soak::soak,
    },
    Step {
        name: "oldest",
        summary: "an application with its own rmcp, the newest and the oldest",
        needs: &[],
        run: oldest::oldest,
    },
    Step {
        name: "browser",
        summary: "the explorer page in a real browser",
        needs: &[NPM, CHROMIUM],
        run: browser::page,
    },
    Step {
        name: "package",
        summary: "each library builds from what would be published",
        needs: &[],
        run: package::package,
    },
    Step {
        name: "replicas",
        summary: "several replicas behind a load balancer answer as one, whatever is killed",
        needs: &[POSTGRESQL, PYTHON],
        run: replicas::replicas,
    },
    Step { name: "docs", summary: "the guides become a book", needs: &[], run: cargo::docs },
    Step {
        name: "clients",
        summary: "clients of other people try all that a server of MCP has",
        needs: &[NPM, PYTHON],
        run: clients::clients,
    },
    Step {
        name: "features",
        summary: "tool-core without its default features, and for WebAssembly",
        needs: &[],
        run: cargo::features,
    },
    Step {
        name: "instructions",
        summary: "a call costs the same with 10 and with 1,000 tools",
        needs: &[VALGRIND],
        run: cargo::instructions,
    },
    Step {
        name: "profiles",
        summary: "the SDKs of the vendors take our tools as they are",
        needs: &[PYTHON],
        run: outside::profiles,
    },
    Step {
        name: "schemathesis",
        summary: "servers answer as their OpenAPI documents say",
        needs: &[PYTHON],
        run: schemathesis::schemathesis,
    },
    Step {
        name: "typed",
        summary: "generated clients in TypeScript, Python and Rust call tools over HTTP",
        needs: &[NPM, PYTHON],
        run: typed::typed,
    },
    Step {
        name: "conformance",
        summary: "the conformance suite of the Model Context Protocol, in both eras",
        needs: &[NPM],
        run: conformance::conformance,
    },
    Step {
        name: "onetool",
        summary: "the Python client of MCP walks through the OneTool example",
        needs: &[PYTHON],
        run: onetool::onetool,
    },
    Step {
        name: "gateway",
        summary: "servers of other people stand behind the gateway example",
        needs: &[NPM, PYTHON],
        run: gateway::gateway,
    },
    Step {
        name: "oauth",
        summary: "users of the content example sign in at an issuer, and a client of MCP asks for more",
        needs: &[NPM, PYTHON],
        run: oauth::oauth,
    },
    Step {
        name: "publish",
        summary: "what the examples publish is what registries, clients and agents take",
        needs: &[NPM, PYTHON],
        run: publish::publish,
    },
    Step {
        name: "shells",
        summary: "bash, zsh and fish complete command lines with what we propose",
        needs: &[BASH, ZSH, FISH],
        run: shells::shells,
    },
];
