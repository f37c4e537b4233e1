//! A service to call: a small lending library, for the README, the tests, and whoever has no internet at hand.

use std::net::SocketAddr;

use axum::extract::{Path, RawQuery};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::net::TcpListener;

/// The token that borrowing takes.
pub const TOKEN: &str = "a-library-card-of-1890";

#[derive(Clone, Copy, Serialize)]
struct Book {
    isbn: &'static str,
    title: &'static str,
    author: &'static str,
    year: u16,
    subjects: &'static [&'static str],
}

const BOOKS: [Book; 5] = [
    Book {
        isbn: "9780141439518",
        title: "Pride and Prejudice",
        author: "Jane Austen",
        year: 1813,
        subjects: &["novel", "manners"],
    },
    Book {
        isbn: "9780141439471",
        title: "Frankenstein",
        author: "Mary Shelley",
        year: 1818,
        subjects: &["novel", "science"],
    },
    Book {
        isbn: "9780140439076",
        title: "The Voyage of the Beagle",
        author: "Charles Darwin",
        year: 1839,
        subjects: &["travel", "science"],
    },
    Book {
        isbn: "9780142437247",
        title: "Moby-Dick",
        author: "Herman Melville",
        year: 1851,
        subjects: &["novel", "sea"],
    },
    Book {
        isbn: "9780141036250",
        title: "Three Men in a Boat",
        author: "Jerome K. Jerome",
        year: 1889,
        subjects: &["travel", "humour"],
    },
];

/// The service, on a port of this machine.
///
/// # Errors
///
/// When the port is taken.
pub async fn bind(
    addr: SocketAddr,
) -> std::io::Result<(SocketAddr, impl Future<Output = std::io::Result<()>> + Send)> {
    let listener = TcpListener::bind(addr).await?;
    let addr = listener.local_addr()?;
    Ok((addr, async move { axum::serve(listener, router()).await }))
}

/// What it answers.
pub fn router() -> Router {
    Router::new()
        .route("/health", get(async || "well"))
        .route("/books", get(find))
        .route("/books/{isbn}", get(one))
        .route("/books/{isbn}/loans", post(borrow))
        .route("/books/{isbn}/cover", get(cover))
        .route("/card", get(card))
}

/// `subject` any number of times, `limit` once.
async fn find(RawQuery(query): RawQuery) -> Json<Vec<Book>> {
    let url = reqwest::Url::parse(&format!("http://library.invalid/?{}", query.unwrap_or_default()));
    let pairs: Vec<(String, String)> =
        url.map(|url| url.query_pairs().into_owned().collect()).unwrap_or_default();
    let subjects: Vec<&str> =
        pairs.iter().filter(|(name, _)| name == "subject").map(|(_, value)| value.as_str()).collect();
    let limit = pairs.iter().find(|(name, _)| name == "limit").and_then(|(_, value)| value.parse().ok());
    let has =
        |book: &Book| subjects.is_empty() || book.subjects.iter().any(|subject| subjects.contains(subject));
    Json(BOOKS.into_iter().filter(has).take(limit.unwrap_or(usize::MAX)).collect())
}

async fn one(Path(isbn): Path<String>) -> Response {
    match BOOKS.iter().find(|book| book.isbn == isbn) {
        Some(book) => Json(book).into_response(),
        None => (StatusCode::NOT_FOUND, Json(json!({"message": format!("there is no book {isbn}")})))
            .into_response(),
    }
}

#[derive(Deserialize)]
struct Loan {
    reader: String,
    #[serde(default)]
    days: Option<u16>,
}

async fn borrow(Path(isbn): Path<String>, headers: HeaderMap, Json(loan): Json<Loan>) -> Response {
    if !knows(&headers) {
        return (StatusCode::UNAUTHORIZED, Json(json!({"message": "show your library card"})))
            .into_response();
    }
    match BOOKS.iter().find(|book| book.isbn == isbn) {
        Some(book) => {
            let days = loan.days.unwrap_or(14);
            Json(json!({"title": book.title, "reader": loan.reader, "days": days})).into_response()
        }
        None => (StatusCode::NOT_FOUND, Json(json!({"message": format!("there is no book {isbn}")})))
            .into_response(),
    }
}

async fn card(headers: HeaderMap) -> Response {
    if knows(&headers) { "a valid card".into_response() } else { StatusCode::UNAUTHORIZED.into_response() }
}

fn knows(headers: &HeaderMap) -> bool {
    let token = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    token.and_then(|value| value.strip_prefix("Bearer ")) == Some(TOKEN)
}

/// A picture of one pixel.
async fn cover(Path(_): Path<String>) -> Response {
    const PIXEL: [u8; 43] = *b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x2a\x52\xbe\x00\x00\x00!\xf9\x04\x00\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;";
    ([(header::CONTENT_TYPE, "image/gif")], PIXEL.to_vec()).into_response()
}
