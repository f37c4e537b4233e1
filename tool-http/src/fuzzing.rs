//! The private functions that the fuzz targets of this workspace call. They are not part of the API.

use std::ops::Range;

use axum::http::{HeaderMap, Method, Uri};

use crate::query::ListQuery;
use crate::results::RequestedRange;

/// The parameters of a list in their order, without the cursor, and the cursor.
pub type ListParameters = (Vec<(String, String)>, Option<String>);

/// Parses the query of a list; `None` if it is refused.
pub fn list_query(uri: &Uri) -> Option<ListParameters> {
    ListQuery::parse(uri).ok().map(|query| (query.pairs, query.cursor))
}

/// Parses the range of a request for a content of some length; `None` for the whole. A range beyond the content is empty.
pub fn range(method: &Method, headers: &HeaderMap, etag: &[u8], length: usize) -> Option<Range<usize>> {
    match RequestedRange::parse(method, headers, etag, length) {
        RequestedRange::Whole => None,
        RequestedRange::Part(part) => Some(part),
        RequestedRange::Nothing => Some(length..length),
    }
}
