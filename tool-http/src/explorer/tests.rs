//! The size and the content of the responses.

use std::io::Write as _;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use http_body_util::BodyExt as _;
use tower::ServiceExt as _;

use super::*;

async fn get(router: Router, path: &str) -> (StatusCode, axum::http::HeaderMap, String) {
    let response = router.oneshot(Request::get(path).body(Body::empty()).unwrap()).await.unwrap();
    let (head, body) = response.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    (head.status, head.headers, String::from_utf8(body.to_vec()).unwrap())
}

/// Counts everything that is sent to open the page.
#[tokio::test]
async fn limits_the_size_of_the_page() {
    let (mut raw, mut zipped) = (0, 0);
    for path in std::iter::once("/").chain(ASSETS.iter().map(|asset| asset.path)) {
        let (_, _, text) = get(routes(&Options::new()), path).await;
        raw += text.len();
        zipped += gzipped(&text).len();
    }
    assert!(raw < 86 * 1024, "{raw} bytes");
    assert!(zipped < 31 * 1024, "{zipped} bytes, each file gzipped by itself");
    let size: usize = PAGE.len() + ASSETS.iter().map(|asset| asset.text.len()).sum::<usize>();
    assert!(size < 96 * 1024, "{size} bytes as they were written");
}

#[test]
fn removes_only_comments_and_indentation() {
    let text = "// Why.\nlet a = 1; // stays\n\n\tif (a) {\n\t\t// Why not.\n\t\tb(\"// text\");\n\t}\n";
    assert_eq!(minified(text), "let a = 1; // stays\nif (a) {\nb(\"// text\");\n}\n");
}

fn gzipped(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn uses_no_inline_code_or_markup() {
    for inline in ["<style", " style=", " onclick=", " onload=", "javascript:"] {
        assert!(!PAGE.contains(inline), "{inline}");
    }
    assert_eq!(PAGE.matches("<script").count(), PAGE.matches("\"></script>").count());
    for asset in ASSETS {
        for markup in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function("]
        {
            assert!(!asset.text.contains(markup), "{} has {markup}", asset.path);
        }
        assert!(!asset.text.contains("{{"), "{} is no template", asset.path);
    }
    let scripts = PAGE.split("<script").skip(1).filter_map(|rest| rest.split_once("</script>"));
    for (script, _) in scripts {
        assert!(
            script.ends_with('>') && !script.contains("TITLE") && !script.contains("EXECUTE"),
            "{script}"
        );
    }
}

#[tokio::test]
async fn serves_files_with_type_and_policy() {
    for asset in ASSETS {
        let (status, headers, body) = get(routes(&Options::new()), asset.path).await;
        assert_eq!((status, body), (StatusCode::OK, minified(asset.text)), "{}", asset.path);
        assert_eq!(headers[header::CONTENT_TYPE], asset.media_type);
        assert_eq!(headers[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
        assert_eq!(headers[header::CONTENT_SECURITY_POLICY], POLICY);
    }
}

#[tokio::test]
async fn serves_every_imported_file() {
    for asset in ASSETS.iter().filter(|asset| asset.path.ends_with(".js")) {
        for import in asset.text.lines().filter(|line| line.starts_with("import ")) {
            let file = import.rsplit_once("from \"./").and_then(|(_, rest)| rest.split_once('"'));
            let path = format!("/explorer/{}", file.unwrap_or_else(|| panic!("{import}")).0);
            assert!(ASSETS.iter().any(|asset| asset.path == path), "{} imports {path}", asset.path);
        }
    }
}

#[tokio::test]
async fn fills_in_title_and_execution() {
    let options = Options::new().title("Tools </title><script>&").allow_execute(true);
    let (status, headers, page) = get(routes(&options), "/").await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(headers[header::CONTENT_TYPE], "text/html; charset=utf-8");
    assert!(page.contains("<title>Tools &lt;/title&gt;&lt;script&gt;&amp;</title>"), "{page}");
    assert!(page.contains(r#"data-execute="true""#) && !page.contains("{{"), "{page}");
    let (_, _, page) = get(routes(&Options::new()), "/").await;
    assert!(page.contains(r#"data-execute="false""#), "{page}");
}

#[tokio::test]
async fn answers_304_for_cached_files() {
    for path in ["/", "/explorer/app.js"] {
        let (_, headers, _) = get(routes(&Options::new()), path).await;
        let tag = headers[header::ETAG].to_str().unwrap();
        assert!(tag.starts_with("W/\""), "{tag}");
        let reply = async |none_match: &str| {
            let request = Request::get(path).header(header::IF_NONE_MATCH, none_match).body(Body::empty());
            let response = routes::<()>(&Options::new()).oneshot(request.unwrap()).await.unwrap();
            let (head, body) = response.into_parts();
            (head.status.as_u16(), body.collect().await.unwrap().to_bytes().is_empty())
        };
        for validator in [tag, &tag[2..], "*", &format!("\"x\", {tag}")] {
            assert_eq!(reply(validator).await, (304, true), "{validator}");
        }
        // An invalid header is ignored.
        let broken = format!("x, {tag}");
        for other in ["\"x\"", "W/\"\"", "x", &tag[3..], &broken] {
            assert_eq!(reply(other).await, (200, false), "{other}");
        }
    }
    let titled =
        async |title: &str| get(routes(&Options::new().title(title)), "/").await.1[header::ETAG].clone();
    assert_ne!(titled("a").await, titled("b").await);
}

#[tokio::test]
async fn ignores_ranges_and_supports_head() {
    for path in ["/", "/explorer/form.js"] {
        let (_, _, whole) = get(routes(&Options::new()), path).await;
        let ranged = Request::get(path).header(header::RANGE, "bytes=0-9").body(Body::empty()).unwrap();
        let response = routes::<()>(&Options::new()).oneshot(ranged).await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.into_body().collect().await.unwrap().to_bytes(), whole.as_bytes());
        let head = Request::head(path).body(Body::empty()).unwrap();
        let response = routes::<()>(&Options::new()).oneshot(head).await.unwrap();
        assert_eq!(response.headers()[header::CONTENT_LENGTH], whole.len().to_string());
        assert!(response.into_body().collect().await.unwrap().to_bytes().is_empty());
    }
}

#[tokio::test]
async fn serves_files_below_a_prefix() {
    let nested = || Router::new().nest("/some/api", routes(&Options::new()));
    let (_, _, page) = get(nested(), "/some/api").await;
    assert!(page.contains(r#"src="./api/explorer/app.js""#), "{page}");
    let (status, _, _) = get(nested(), "/some/api/explorer/app.js").await;
    assert_eq!(status, StatusCode::OK);
    let slash = Router::new().nest("/some/api/", routes(&Options::new()));
    let (_, _, page) = get(slash, "/some/api/").await;
    assert!(page.contains(r#"src="./explorer/app.js""#), "{page}");
}
