//! Reading, listing and following tasks.

use serde_json::{Value, json};

use crate::client::Answer;
use crate::tasks::site::{Site, json_of};

#[tokio::test]
async fn confirms_a_task_that_has_not_changed() {
    let site = Site::new().await;
    let id = site.start("choose_colors", "").await;
    site.until(&id, |task| task["status"] == "input_required").await;
    let answer = site.read(&id).await;
    let tag = answer.header("etag").to_owned();
    assert!(tag.starts_with("W/\"") && tag.len() > 4, "{tag}");
    assert_eq!((answer.header("cache-control"), answer.header("retry-after")), ("no-store", "2"));
    let path = format!("/tasks/{id}");
    let same = site.send("GET", &path, "", &[("if-none-match", &tag)]).await;
    assert_eq!((same.status, same.body.as_str(), same.header("etag")), (304, "", tag.as_str()));
    site.send("DELETE", &path, "", &[]).await;
    let changed = site.send("GET", &path, "", &[("if-none-match", &tag)]).await;
    assert_eq!((changed.status, json_of(&changed)["status"].clone()), (200, json!("cancelled")));
    assert_ne!(changed.header("etag"), tag);
    // The result may be kept by the caller alone.
    assert_eq!((changed.header("cache-control"), changed.header("retry-after")), ("private, no-cache", ""));
    let query = site.send("GET", &format!("{path}?full=1"), "", &[]).await;
    assert_eq!(query.status, 400, "{}", query.body);
}

/// An event: its name, its identifier and its data.
type Event = (String, u64, Value);

fn events(answer: &Answer) -> Vec<Event> {
    assert_eq!((answer.status, answer.header("content-type")), (200, "text/event-stream"), "{}", answer.body);
    let event = |text: &str| {
        let field =
            |name: &str| text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default().to_owned();
        let data = serde_json::from_str(&field("data: ")).unwrap();
        (field("event: "), field("id: ").parse().unwrap(), data)
    };
    let texts = answer.body.split_terminator("\n\n").filter(|text| !text.starts_with(':'));
    texts.map(event).collect()
}

#[tokio::test]
async fn follows_a_task_to_its_end() {
    let site = Site::new().await;
    let id = site.start("paint_wall", r#"{"coats":3}"#).await;
    let path = format!("/tasks/{id}/events");
    let (answer, ()) = tokio::join!(site.send("GET", &path, "", &[("accept-encoding", "gzip")]), async {
        for coat in 1..=3 {
            site.release(1);
            site.until(&id, |task| task["progress"]["done"].as_u64() >= Some(coat)).await;
        }
    });
    assert_eq!((answer.header("x-accel-buffering"), answer.header("content-encoding")), ("no", ""));
    let events = events(&answer);
    assert!(events.len() > 1 && events.iter().all(|(name, ..)| name == "task"), "{events:?}");
    assert!(events.is_sorted_by(|(_, one, _), (_, next, _)| one < next), "{events:?}");
    // The last event is what the task has become.
    let (_, last, task) = events.last().unwrap();
    let read = site.read(&id).await;
    assert_eq!((task, read.header("etag")), (&json_of(&read), format!("W/\"{last}\"").as_str()));
    assert!(events[..events.len() - 1].iter().all(|(.., task)| task["status"] == "working"));
}

#[tokio::test]
async fn goes_on_after_the_last_event_of_the_client() {
    let site = Site::new().await;
    let id = site.start("paint_wall", r#"{"coats":0}"#).await;
    site.ended(&id).await;
    let path = format!("/tasks/{id}/events");
    let whole = site.send("GET", &path, "", &[]).await;
    let [(_, last, _)] = &events(&whole)[..] else { panic!("{}", whole.body) };
    let older = site.send("GET", &path, "", &[("last-event-id", &(last - 1).to_string())]).await;
    assert_eq!(older.body, whole.body);
    // Nothing is left, so that the stream ends.
    let newest = site.send("GET", &path, "", &[("last-event-id", &last.to_string())]).await;
    assert_eq!(events(&newest), []);
    // An identifier of something else counts as none.
    let odd = site.send("GET", &path, "", &[("last-event-id", "x")]).await;
    assert_eq!(odd.body, whole.body);
}

#[tokio::test]
async fn lists_the_tasks_of_the_caller_in_pages() {
    let site = Site::new().await;
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.insert(0, site.start("choose_colors", "").await);
    }
    for id in &ids {
        site.until(id, |task| task["status"] == "input_required").await;
    }
    let listed = |answer: &Answer| -> Vec<String> {
        json_of(answer)
            .as_array()
            .unwrap()
            .iter()
            .map(|task| task["taskId"].as_str().unwrap().to_owned())
            .collect()
    };
    let all = site.list("").await;
    assert_eq!((all.status, listed(&all), all.header("link")), (200, ids.clone(), ""));
    assert_eq!(all.header("cache-control"), "private, no-cache");
    // Without questions and results.
    assert!(!all.body.contains("inputRequests") && json_of(&all)[0]["status"] == "input_required");
    let first = site.list("?limit=2").await;
    assert_eq!(listed(&first), ids[..2]);
    assert_eq!(first.header("link"), format!("<?limit=2&cursor={}>; rel=\"next\"", ids[1]));
    let next = site.list(&format!("?limit=2&cursor={}", ids[1])).await;
    assert_eq!((listed(&next), next.header("link")), (ids[2..].to_vec(), ""));
    let exact = site.list("?limit=3").await;
    assert_eq!(exact.header("link"), "");
    // Of nobody else.
    assert_eq!(site.send_as_bob("GET", "/tasks", "").await.body, "[]");
    let same = site.send("GET", "/tasks", "", &[("if-none-match", all.header("etag"))]).await;
    assert_eq!(same.status, 304);
    for (query, status) in [
        ("?cursor=x", 404),
        ("?limit=0", 400),
        ("?limit=x", 400),
        ("?tool=x", 400),
        ("?limit=1&limit=2", 400),
    ] {
        assert_eq!(site.list(query).await.status, status, "{query}");
    }
}
