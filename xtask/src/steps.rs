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

/// Every step in running order: quick ones come first. Of those that run beside others, one that mostly waits follows one that mostly
/// compiles.
pub(crate) const STEPS: &[Step] = &[
    Step { name: "fmt", summary: "the code is formatted", needs: &[], beside_others: false, run: cargo::fmt },
    Step {
        name: "clippy",
        summary: "no lint has anything to say",
        needs: &[],
        beside_others: false,
        run: cargo::clippy,
    },
    Step {
        name: "doc",
        summary: "the documentation builds without a warning",
        needs: &[],
        beside_others: false,
        run: cargo::doc,
    },
    Step {
        name: "api",
        summary: "the public API of each library is the one in `tests/api/text`",
        needs: &[],
        beside_others: false,
        run: cargo::api,
    },
    Step {
        name: "semver",
        summary: "the public API is compatible with the last release, from the first one on",
        needs: &[],
        beside_others: false,
        run: semver::semver,
    },
    Step {
        name: "test",
        summary: "all tests and documentation examples",
        needs: &[POSTGRESQL, FAKETIME, STRACE, IP, IPTABLES],
        beside_others: false,
        run: cargo::test,
    },
    Step {
        name: "soak",
        summary: "memory, descriptors and tasks are flat under two minutes of mixed and hostile traffic",
        needs: &[POSTGRESQL],
        beside_others: true,
        run: soak::soak,
    },
    Step {
        name: "oldest",
        summary: "an application with its own rmcp, the newest and the oldest",
        needs: &[],
        beside_others: true,
        run: oldest::oldest,
    },
    Step {
        name: "browser",
        summary: "the explorer page in a real browser",
        needs: &[NPM, CHROMIUM],
        beside_others: true,
        run: browser::page,
    },
    Step {
        name: "package",
        summary: "each library builds from what would be published",
        needs: &[],
        beside_others: true,
        run: package::package,
    },
    Step {
        name: "replicas",
        summary: "several replicas behind a load balancer answer as one, whatever is killed",
        needs: &[POSTGRESQL, PYTHON],
        beside_others: true,
        run: replicas::replicas,
    },
    Step {
        name: "docs",
        summary: "the guides become a book",
        needs: &[],
        beside_others: true,
        run: cargo::docs,
    },
    Step {
        name: "clients",
        summary: "clients of other people try all that a server of MCP has",
        needs: &[NPM, PYTHON],
        beside_others: true,
        run: clients::clients,
    },
    Step {
        name: "features",
        summary: "tool-core without its default features, and for WebAssembly",
        needs: &[],
        beside_others: true,
        run: cargo::features,
    },
    Step {
        name: "instructions",
        summary: "a call costs the same with 10 and with 1,000 tools",
        needs: &[VALGRIND],
        beside_others: true,
        run: cargo::instructions,
    },
    Step {
        name: "profiles",
        summary: "the SDKs of the vendors take our tools as they are",
        needs: &[PYTHON],
        beside_others: true,
        run: outside::profiles,
    },
    Step {
        name: "schemathesis",
        summary: "servers answer as their OpenAPI documents say",
        needs: &[PYTHON],
        beside_others: true,
        run: schemathesis::schemathesis,
    },
    Step {
        name: "typed",
        summary: "generated clients in TypeScript, Python and Rust call tools over HTTP",
        needs: &[NPM, PYTHON],
        beside_others: true,
        run: typed::typed,
    },
    Step {
        name: "conformance",
        summary: "the conformance suite of the Model Context Protocol, in both eras",
        needs: &[NPM],
        beside_others: true,
        run: conformance::conformance,
    },
    Step {
        name: "onetool",
        summary: "the Python client of MCP walks through the OneTool example",
        needs: &[PYTHON],
        beside_others: true,
        run: onetool::onetool,
    },
    Step {
        name: "gateway",
        summary: "servers of other people stand behind the gateway example",
        needs: &[NPM, PYTHON],
        beside_others: true,
        run: gateway::gateway,
    },
    Step {
        name: "oauth",
        summary: "users of the content example sign in at an issuer, and a client of MCP asks for more",
        needs: &[NPM, PYTHON],
        beside_others: true,
        run: oauth::oauth,
    },
    Step {
        name: "publish",
        summary: "what the examples publish is what registries, clients and agents take",
        needs: &[NPM, PYTHON],
        beside_others: true,
        run: publish::publish,
    },
    Step {
        name: "shells",
        summary: "bash, zsh and fish complete command lines with what we propose",
        needs: &[BASH, ZSH, FISH],
        beside_others: true,
        run: shells::shells,
    },
];
