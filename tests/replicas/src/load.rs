//! Mixed load: each answer of several replicas is the one of a single replica.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::OnceCell;
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::client::{Answer, Client};
use crate::replica::{Replica, Service, Shared};
use crate::tasks;

/// How many clients send requests at once.
const CLIENTS: usize = 8;

/// What a client does: a request whose answer is always the same, or a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Action {
    Get(String),
    Post(String, String),
    Mcp(&'static str, String),
    /// A question over MCP, and its answer.
    Greeting(u32),
    /// A stored result, and parts of it.
    Report(u32),
    /// A task over HTTP, to its end.
    Count(u64),
    /// The command line.
    Command(Vec<String>),
}

/// A client that got no answer, since a replica or its database has gone away.
#[derive(Debug)]
pub(crate) struct Interrupted(String);

impl From<reqwest::Error> for Interrupted {
    fn from(error: reqwest::Error) -> Self {
        Interrupted(format!("{error:?}"))
    }
}

/// Returns the action of a number.
fn action(number: usize) -> Action {
    let small = u32::try_from(number % 50).unwrap();
    if number.is_multiple_of(250) {
        return Action::Command(
            ["run", "add", "--a", &small.to_string(), "--b", "1"].map(str::to_owned).into(),
        );
    }
    let mcp = |method, params: Value| Action::Mcp(method, params.to_string());
    match number % 20 {
        0 => Action::Get("/tools".to_owned()),
        1 => Action::Get("/tools?detail=full&profile=openai".to_owned()),
        2 => Action::Get("/openapi.json".to_owned()),
        3 => Action::Get(format!("/page/{small}")),
        4 => Action::Get(format!("/tools/add/result?a={small}&b=2")),
        5 => Action::Get("/tools/nope".to_owned()),
        6 => mcp("server/discover", json!({})),
        7 => mcp("tools/list", json!({})),
        8 => mcp("resources/templates/list", json!({})),
        9 => mcp("resources/read", json!({"uri": format!("replica://page/{small}")})),
        10 => {
            mcp("prompts/get", json!({"name": "summary", "arguments": {"topic": format!("topic {small}")}}))
        }
        11 => mcp("tools/call", json!({"name": "add", "arguments": {"a": small, "b": "no number"}})),
        12 | 13 => mcp("tools/call", json!({"name": "add", "arguments": {"a": small, "b": 3}})),
        14 | 15 => Action::Post("/tools/add/call".to_owned(), json!({"a": small, "b": 4}).to_string()),
        16 => Action::Post("/tools/add/validate".to_owned(), json!({"a": -1}).to_string()),
        17 => Action::Greeting(small),
        18 => Action::Report(300 + small),
        _ => Action::Count(u64::from(small % 5)),
    }
}

/// Does what an action says. Returns the answers, without what is different in each run.
async fn act(client: &Client, shared: &Shared, action: &Action) -> Result<Vec<Answer>, Interrupted> {
    let parse = |text: &str| -> Value { serde_json::from_str(text).unwrap() };
    Ok(match action {
        Action::Get(path) => vec![client.get(path).await?],
        Action::Post(path, body) => vec![client.post(path, &parse(body), &[]).await?],
        Action::Mcp(method, params) => vec![client.mcp(method, parse(params)).await?],
        Action::Greeting(number) => vec![greeting(client, *number).await?],
        Action::Report(lines) => report(client, *lines).await?,
        Action::Count(numbers) => vec![tasks::count(client, *numbers).await?],
        Action::Command(arguments) => vec![command(shared, arguments).await?],
    })
}

/// Answers the question of a call, which is sealed in the state that the client sends back.
async fn greeting(client: &Client, number: u32) -> Result<Answer, Interrupted> {
    let mut params = json!({"name": "greet", "arguments": {"greeting": format!("Hello {number}")}});
    let first = client.mcp("tools/call", params.clone()).await?;
    if first.status != 200 {
        return Ok(first);
    }
    let question = first.json();
    assert_eq!(question["result"]["resultType"], "input_required", "{question}");
    params["requestState"] = question["result"]["requestState"].clone();
    params["inputResponses"] = json!({"name": {"action": "accept", "content": {"name": "Ada"}}});
    Ok(client.mcp("tools/call", params).await?)
}

/// Reads a large result: its excerpt, a range of lines, a range of bytes, and a search.
async fn report(client: &Client, lines: u32) -> Result<Vec<Answer>, Interrupted> {
    let call = client.post("/tools/report/call", &json!({"lines": lines}), &[]).await?;
    if call.status != 200 {
        return Ok(vec![call]);
    }
    let excerpt = call.json();
    let link = excerpt["content"].as_array().into_iter().flatten().find_map(|part| part["uri"].as_str());
    let digest = link.and_then(|uri| uri.rsplit('/').next()).unwrap_or_else(|| panic!("no link: {excerpt}"));
    let path = format!("/results/{digest}");
    let mut answers = vec![call];
    for query in ["", "?lines=10-12", "?bytes=5-20", "?search=line%2042"] {
        answers.push(client.get(&format!("{path}{query}")).await?);
    }
    Ok(answers)
}

async fn command(shared: &Shared, arguments: &[String]) -> Result<Answer, Interrupted> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let output = shared.command(&arguments).output().await.unwrap();
    let body =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    Ok(Answer { status: u16::from(!output.status.success()), headers: Vec::new(), body })
}

type Answers = HashMap<Action, Vec<Answer>>;

/// Returns the answers of a single replica.
async fn reference() -> &'static Answers {
    static ANSWERS: OnceCell<Answers> = OnceCell::const_new();
    ANSWERS.get_or_init(answers_of_one).await
}

/// Starts a single replica, with a database of its own, and returns its answers.
async fn answers_of_one() -> Answers {
    let shared = Shared::new().await;
    let replica = Replica::start(&shared).await;
    let client = Client::new(replica.address);
    let mut answers = HashMap::new();
    for action in (0..1_000).map(action) {
        if let Entry::Vacant(entry) = answers.entry(action) {
            let answer = act(&client, &shared, entry.key()).await.unwrap();
            entry.insert(answer);
        }
    }
    answers
}

/// What came of a load.
struct Outcome {
    /// The number of answers, each of which was right.
    answered: usize,
    /// The actions that got no answer, and why.
    lost: Vec<(Action, String)>,
}

/// Several clients send requests until `is_over` says so of the number of the next action.
async fn load(
    shared: Arc<Shared>,
    balancer: SocketAddr,
    is_over: impl Fn(usize) -> bool + Clone + Send + 'static,
) -> Outcome {
    let expected = reference().await;
    let next = Arc::new(AtomicUsize::new(0));
    let mut clients = JoinSet::new();
    for _ in 0..CLIENTS {
        let (next, is_over) = (Arc::clone(&next), is_over.clone());
        let (shared, client) = (Arc::clone(&shared), Client::new(balancer));
        clients.spawn(async move {
            let mut outcome = Outcome { answered: 0, lost: Vec::new() };
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if is_over(number) {
                    return outcome;
                }
                let action = action(number);
                match act(&client, &shared, &action).await {
                    Ok(answers) if answers.iter().any(says_to_retry) => {
                        outcome.lost.push((action, format!("{answers:?}")));
                    }
                    Ok(answers) => {
                        assert_eq!(answers, expected[&action], "{action:?}");
                        outcome.answered += answers.len();
                    }
                    Err(Interrupted(error)) => outcome.lost.push((action, error)),
                }
            }
        });
    }
    let mut outcome = Outcome { answered: 0, lost: Vec::new() };
    while let Some(client) = clients.join_next().await {
        let Outcome { answered, lost } = client.unwrap();
        outcome.answered += answered;
        outcome.lost.extend(lost);
    }
    outcome
}

/// Whether an answer says that something is away, and when to try again.
fn says_to_retry(answer: &Answer) -> bool {
    answer.status == 503 && !answer.header("retry-after").is_empty()
}

pub(crate) async fn answers_as_a_single_replica_does() {
    for (replicas, requests) in [(2, 2_000), (3, 8_000)] {
        let service = Service::start(replicas).await;
        let Outcome { answered, lost } =
            load(Arc::clone(&service.shared), service.balancer.address, move |number| number >= requests)
                .await;
        assert!(lost.is_empty(), "{lost:#?}");
        assert!(answered >= requests, "{answered}");
    }
}

pub(crate) async fn answers_while_replicas_are_killed() {
    const KILLS: usize = 4;
    let mut service = Service::start(3).await;
    let is_over = Arc::new(AtomicBool::new(false));
    let observed = Arc::clone(&is_over);
    let work = load(Arc::clone(&service.shared), service.balancer.address, move |_| {
        observed.load(Ordering::Relaxed)
    });
    let kills = async {
        for _ in 0..KILLS {
            sleep(Duration::from_secs(5)).await;
            service.replace_one().await;
        }
        is_over.store(true, Ordering::Relaxed);
    };
    let (Outcome { answered, lost }, ()) = tokio::join!(work, kills);
    // Each client has one request at a time.
    assert!(lost.len() <= KILLS * CLIENTS, "{lost:#?}");
    assert!(answered > 1_000, "{answered}");
}

pub(crate) async fn answers_while_the_database_restarts() {
    let service = Service::start(2).await;
    let is_over = Arc::new(AtomicBool::new(false));
    let observed = Arc::clone(&is_over);
    let work = load(Arc::clone(&service.shared), service.balancer.address, move |_| {
        observed.load(Ordering::Relaxed)
    });
    let shared = Arc::clone(&service.shared);
    let restarts = async {
        for _ in 0..3 {
            sleep(Duration::from_secs(3)).await;
            let shared = Arc::clone(&shared);
            tokio::task::spawn_blocking(move || shared.postgres.crash()).await.unwrap();
        }
        sleep(Duration::from_secs(2)).await;
        is_over.store(true, Ordering::Relaxed);
    };
    let (Outcome { answered, lost }, ()) = tokio::join!(work, restarts);
    let counted = tasks::count(&Client::new(service.balancer.address), 3).await.unwrap();
    assert!(counted.body.contains(r#""result":{"content""#), "{counted:?}");
    for (action, answer) in &lost {
        assert!(matches!(action, Action::Count(_)), "{action:?} needs no database: {answer}");
        assert!(answer.contains("retry-after"), "{answer}");
    }
    assert!(answered > 1_000, "{answered}");
}

pub(crate) async fn queries_the_database_for_tasks_only() {
    let service = Service::start(2).await;
    let client = Client::new(service.balancer.address);
    let postgres = &service.shared.postgres;
    let mut connection = postgres.connect().await;
    for statement in ["ALTER SYSTEM SET log_statement = 'all'", "SELECT pg_reload_conf()"] {
        sqlx::query(statement).execute(&mut connection).await.unwrap();
    }
    sleep(Duration::from_secs(1)).await;
    let statements = || postgres.log().lines().filter(|line| line.contains("LOG:  ")).count();
    // Workers look for tasks, whether there are requests or not.
    let (begin, start) = (statements(), Instant::now());
    sleep(Duration::from_secs(5)).await;
    let idle_per_second = (statements() - begin) as f64 / start.elapsed().as_secs_f64();
    assert!(idle_per_second > 0.0, "statements are logged");
    let kinds = (1..20).map(action).filter(|action| !matches!(action, Action::Count(_)));
    for action in kinds {
        const REQUESTS: usize = 200;
        let (begin, start) = (statements(), Instant::now());
        for _ in 0..REQUESTS {
            act(&client, &service.shared, &action).await.unwrap();
        }
        let (busy, idle) = (statements() - begin, idle_per_second * start.elapsed().as_secs_f64());
        assert!(
            (busy as f64) < 1.5 * idle + REQUESTS as f64 / 4.0,
            "{action:?}: {busy} statements, {idle} if idle"
        );
    }
}
