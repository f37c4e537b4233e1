//! Pages of lists.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use rmcp::ErrorData;

use crate::protocol::{RpcResult, invalid_params};

/// One page of a list.
pub(crate) struct ListPage<T> {
    pub(crate) items: Vec<T>,
    /// The cursor of the next page.
    pub(crate) next: Option<String>,
}

/// Returns the page at a cursor, or the first page.
///
/// A cursor is valid as long as the list does not change. It contains a position and a hash of the list; since its bearer may
/// read the whole list, it needs no protection.
///
/// # Errors
///
/// When the cursor is not one of this list in its current state.
pub(crate) fn page<T>(
    method: &str,
    items: Vec<T>,
    name: fn(&T) -> &str,
    size: Option<usize>,
    cursor: Option<&str>,
) -> RpcResult<ListPage<T>> {
    let mut hasher = DefaultHasher::new();
    method.hash(&mut hasher);
    items.iter().for_each(|item| name(item).hash(&mut hasher));
    let cursor_to = |start: usize| {
        let mut hasher = hasher.clone();
        start.hash(&mut hasher);
        format!("{start:x}-{:016x}", hasher.finish())
    };
    let start = match cursor {
        None => 0,
        Some(cursor) => {
            let start = cursor.split('-').next().and_then(|start| usize::from_str_radix(start, 16).ok());
            let found = start.filter(|start| (1..items.len()).contains(start) && cursor_to(*start) == cursor);
            found.filter(|_| size.is_some()).ok_or_else(|| unknown(cursor))?
        }
    };
    let end = size.map_or(items.len(), |size| start.saturating_add(size.max(1)).min(items.len()));
    let next = (end < items.len()).then(|| cursor_to(end));
    let items = items.into_iter().skip(start).take(end - start).collect();
    Ok(ListPage { items, next })
}

fn unknown(cursor: &str) -> ErrorData {
    let shown: String = cursor.chars().take(64).collect();
    invalid_params(format!(
        "unknown cursor `{shown}`: it does not belong to this list, or the list has changed"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(count: usize) -> Vec<String> {
        (0..count).map(|n| n.to_string()).collect()
    }

    fn paged(
        items: Vec<String>,
        size: Option<usize>,
        cursor: Option<&str>,
    ) -> Result<ListPage<String>, ErrorData> {
        page("tools/list", items, |item| item, size, cursor)
    }

    #[test]
    fn lists_each_item_once() {
        for (count, size, pages) in
            [(0, 3, 1), (3, 3, 1), (4, 3, 2), (7, 3, 3), (5, 1, 5), (2, usize::MAX, 1)]
        {
            let (mut seen, mut cursor, mut count_of_pages) = (Vec::new(), None, 0);
            loop {
                let page = paged(list(count), Some(size), cursor.as_deref()).unwrap();
                assert!(page.items.len() <= size);
                seen.extend(page.items);
                count_of_pages += 1;
                cursor = page.next;
                if cursor.is_none() {
                    break;
                }
            }
            assert_eq!((seen, count_of_pages), (list(count), pages), "{count} by {size}");
        }
        assert_eq!(paged(list(5), None, None).unwrap().items, list(5));
    }

    #[test]
    fn rejects_cursors_of_other_lists() {
        let cursor = paged(list(9), Some(3), None).unwrap().next.unwrap();
        assert!(paged(list(9), Some(3), Some(&cursor)).is_ok());
        assert!(paged(list(10), Some(3), Some(&cursor)).is_err(), "stale");
        assert!(paged(list(9), None, Some(&cursor)).is_err(), "there are no pages");
        assert!(page("prompts/list", list(9), |item| item, Some(3), Some(&cursor)).is_err(), "another list");
        for forged in [
            "",
            "0",
            "-",
            "6",
            &cursor.replacen('3', "6", 1),
            &cursor[..cursor.len() - 1],
            "ffffffffffffffffff-1",
        ] {
            assert!(paged(list(9), Some(3), Some(forged)).is_err(), "{forged}");
        }
    }
}
