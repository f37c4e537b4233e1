//! `serve` and the servers that an application plugs in.

use std::sync::Arc;

use tokio::sync::Notify;
use tool_cli::{ServeError, ServeOptions, Server, Streams};
use tool_core::BoxFuture;
use tool_core::adapter::{ListenAddr, Serve, ServeCommand};

use crate::registry::app;
use crate::{cli, on};

#[tokio::test]
async fn passes_options_and_shuts_down() {
    let listening = Arc::new(Notify::new());
    let bound = Arc::clone(&listening);
    let server = Server::new(async move |options| {
        let listener = tokio::net::TcpListener::bind(options.addr.ok_or("no address")?).await?;
        assert!(options.allow_execute);
        options.listening(listener.local_addr()?);
        bound.notify_one();
        options.shutdown().await;
        Ok(())
    });
    let ran = on(
        app().server("http", server.addr(([127, 0, 0, 1], 8080)).allow_execute()),
        &["serve", "http", "--addr", "127.0.0.1:0", "--allow-execute"],
        |stdout, stderr| {
            Streams::new(std::io::empty(), stdout, stderr)
                .interrupted_by(async move { listening.notified().await })
        },
    )
    .await;
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    let port =
        ran.stderr.strip_prefix("listening on http://127.0.0.1:").and_then(|rest| rest.strip_suffix('\n'));
    assert_ne!(port.unwrap().parse::<u16>().unwrap(), 0);
}

#[tokio::test]
async fn defaults_the_address_per_server() {
    let says =
        || Server::new(async |options| Err(format!("{:?} {}", options.addr, options.allow_execute).into()));
    let run = async |arguments: &[&str]| {
        let app =
            app().server("http", says().addr(([127, 0, 0, 1], 8080))).server("mcp", says().optional_addr());
        on(app, arguments, |stdout, stderr| Streams::new(std::io::empty(), stdout, stderr)).await
    };
    run(&["serve", "http"]).await.fails(1, "error: the server failed: Some(127.0.0.1:8080) false\n");
    run(&["serve", "mcp"]).await.fails(1, "error: the server failed: None false\n");
    run(&["serve", "mcp", "--addr", "[::1]:0"])
        .await
        .fails(1, "error: the server failed: Some([::1]:0) false\n");
    for arguments in [&["serve"][..], &["serve", "smtp"], &["serve", "mcp", "--addr", "here"]] {
        assert_eq!(run(arguments).await.code, 2, "{arguments:?}");
    }
    assert_eq!(cli(&["serve"]).await.code, 2, "an application without servers has no such command");
}

#[tokio::test]
async fn shows_only_supported_server_options() {
    const ADDR: &str = "--addr <IP:PORT>";
    const ALLOW_EXECUTE: &str = "--allow-execute";
    let run = async |arguments: &[&str]| {
        let server = || Server::new(async |_| Ok(()));
        let app = app()
            .server("stdio", server())
            .server("mcp", server().optional_addr())
            .server("http", server().addr(([127, 0, 0, 1], 8080)).allow_execute());
        on(app, arguments, |stdout, stderr| Streams::new(std::io::empty(), stdout, stderr)).await
    };
    for (name, supported) in [("stdio", &[][..]), ("mcp", &[ADDR]), ("http", &[ADDR, ALLOW_EXECUTE])] {
        let help = run(&["serve", name, "--help"]).await;
        for option in [ADDR, ALLOW_EXECUTE] {
            assert_eq!(help.stdout.contains(option), supported.contains(&option), "{name}: {}", help.stdout);
        }
        let code = |taken: bool| if taken { 0 } else { 2 };
        let addr = run(&["serve", name, "--addr", "127.0.0.1:0"]).await;
        assert_eq!(addr.code, code(supported.contains(&ADDR)), "{name}");
        let allow = run(&["serve", name, "--allow-execute"]).await;
        assert_eq!(allow.code, code(supported.contains(&ALLOW_EXECUTE)), "{name}");
    }
}

#[tokio::test]
async fn supports_server_choices() {
    let run = async |arguments: &[&str]| {
        let server = Server::new(async |options| {
            Err(format!("{:?} {:?}", options.choice("surfaces"), options.choice("colour")).into())
        });
        let server = server.choice("surfaces", ["inclusive", "exclusive"], "As what reads are shown");
        let app = app().server("mcp", server).server("http", Server::new(async |_| Ok(())));
        on(app, arguments, |stdout, stderr| Streams::new(std::io::empty(), stdout, stderr)).await
    };
    run(&["serve", "mcp"]).await.fails(1, "error: the server failed: Some(\"inclusive\") None\n");
    run(&["serve", "mcp", "--surfaces", "exclusive"])
        .await
        .fails(1, "error: the server failed: Some(\"exclusive\") None\n");
    assert_eq!(run(&["serve", "mcp", "--surfaces", "none"]).await.code, 2);
    assert_eq!(run(&["serve", "http", "--surfaces", "exclusive"]).await.code, 2);
    run(&["__complete", "fish", "--", "serve", "mcp", "--surfaces", "e"]).await.prints("exclusive\n");
}

#[tokio::test]
async fn supports_server_options_with_any_text() {
    let run = async |arguments: &[&str]| {
        let server = Server::new(async |options| {
            Err(format!("{:?} {:?}", options.text("issuer"), options.text("surfaces")).into())
        });
        let server =
            server.text("issuer", "URL", "Whose tokens are taken").choice("surfaces", ["a", "b"], "Which");
        let app = app().server("mcp", server).server("http", Server::new(async |_| Ok(())));
        on(app, arguments, |stdout, stderr| Streams::new(std::io::empty(), stdout, stderr)).await
    };
    run(&["serve", "mcp"]).await.fails(1, "error: the server failed: None None\n");
    run(&["serve", "mcp", "--issuer", "https://id.example.org"])
        .await
        .fails(1, "error: the server failed: Some(\"https://id.example.org\") None\n");
    assert_eq!(run(&["serve", "mcp", "--issuer"]).await.code, 2);
    assert_eq!(run(&["serve", "http", "--issuer", "x"]).await.code, 2);
}

#[tokio::test]
async fn passes_the_name_and_version_of_the_application() {
    let says = Server::new(async |options| Err(format!("{} {}", options.name, options.version).into()));
    let app = app().server("mcp", says);
    let ran =
        on(app, &["serve", "mcp"], |stdout, stderr| Streams::new(std::io::empty(), stdout, stderr)).await;
    ran.fails(1, "error: the server failed: demo 1.2.3\n");
}

/// A server of an adapter, which reports its options as an error.
struct Adapter(ServeCommand);

impl Serve for Adapter {
    fn command(&self) -> ServeCommand {
        self.0.clone()
    }

    fn serve(self, options: ServeOptions) -> BoxFuture<'static, Result<(), ServeError>> {
        Box::pin(async move { Err(format!("{:?} {}", options.addr, options.allow_execute).into()) })
    }
}

#[tokio::test]
async fn takes_the_servers_of_adapters() {
    let default = ListenAddr::Default(([127, 0, 0, 1], 9).into());
    let run = async |arguments: &[&str]| {
        let app = app()
            .server("http", Adapter(ServeCommand::new("Serve pages", default).allow_execute(true)))
            .server("mcp", Adapter(ServeCommand::new("Serve agents", ListenAddr::Optional)))
            .server("pipe", Adapter(ServeCommand::new("Serve a pipe", ListenAddr::Never)));
        on(app, arguments, |stdout, stderr| Streams::new(std::io::empty(), stdout, stderr)).await
    };
    for (arguments, options) in [
        (&["serve", "http"][..], "Some(127.0.0.1:9) false"),
        (&["serve", "http", "--allow-execute", "--addr", "[::1]:0"], "Some([::1]:0) true"),
        (&["serve", "mcp"], "None false"),
        (&["serve", "mcp", "--addr", "[::1]:0"], "Some([::1]:0) false"),
        (&["serve", "pipe"], "None false"),
    ] {
        run(arguments).await.fails(1, &format!("error: the server failed: {options}\n"));
    }
    for refused in [&["serve", "mcp", "--allow-execute"][..], &["serve", "pipe", "--addr", "[::1]:0"]] {
        assert_eq!(run(refused).await.code, 2, "{refused:?}");
    }
    let help = run(&["serve", "--help"]).await.stdout;
    for about in ["Serve pages", "Serve agents", "Serve a pipe"] {
        assert!(help.contains(about), "{help}");
    }
}

#[cfg(feature = "install")]
#[tokio::test]
async fn installs_the_servers_of_adapters_that_speak_mcp() {
    let run = async |speaks: bool| {
        let command = ServeCommand::new("Serve agents", ListenAddr::Optional).mcp_stdio(speaks);
        let arguments = ["serve", "mcp", "--install", "claude-code"];
        on(app().server("mcp", Adapter(command)), &arguments, |stdout, stderr| {
            Streams::new(std::io::empty(), stdout, stderr)
        })
        .await
    };
    let installed = run(true).await;
    assert_eq!(installed.code, 0, "{}", installed.stderr);
    assert!(installed.stdout.contains(r#""args": ["serve", "mcp"]"#), "{}", installed.stdout);
    assert_eq!(run(false).await.code, 2);
}
