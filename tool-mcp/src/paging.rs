//! Pages of lists.

use rmcp::ErrorData;
use tool_core::Digest;

use crate::protocol::{RpcResult, invalid_params};

/// One page of a list.
pub(crate) struct ListPage<T> {
    pub(crate) items: Vec<T>,
    /// The cursor of the next page.
    pub(crate) next: Option<String>,
}

/// Returns the page at a cursor, or the first page.
///
/// A cursor names the last item of the page before it, by a digest that is the same in every process: it is valid in each list
/// that has the item, such as the list of a replica of another version. Its bearer may read the whole list, so that it needs no
/// protection.
///
/// # Errors
///
/// When the cursor is not one of this list, or its item is gone.
pub(crate) fn page<T>(
    method: &str,
    items: Vec<T>,
    name: fn(&T) -> &str,
    size: Option<usize>,
    cursor: Option<&str>,
) -> RpcResult<ListPage<T>> {
    let cursor_after = |item: &T| {
        let digest = Digest::of_bytes(format!("{method}\0{}", name(item)).as_bytes());
        digest.hex()[..32].to_owned()
    };
    let start = match cursor {
        None => 0,
        Some(cursor) => {
            let found = size.and_then(|_| items.iter().position(|item| cursor_after(item) == cursor));
            found.ok_or_else(|| unknown(cursor))? + 1
        }
    };
    let end = size.map_or(items.len(), |size| start.saturating_add(size.max(1)).min(items.len()));
    let next = items[start..end].last().filter(|_| end < items.len()).map(cursor_after);
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
        assert!(paged(list(2), Some(3), Some(&cursor)).is_err(), "the item is gone");
        assert!(paged(list(9), None, Some(&cursor)).is_err(), "there are no pages");
        assert!(page("prompts/list", list(9), |item| item, Some(3), Some(&cursor)).is_err(), "another list");
        for forged in [
            "",
            "0",
            "-",
            "6",
            "2",
            &cursor[..cursor.len() - 1],
            &format!("{cursor}0"),
            "ffffffffffffffffff-1",
        ] {
            assert!(paged(list(9), Some(3), Some(forged)).is_err(), "{forged}");
        }
    }

    /// While a new version is rolled out, one page may come from a replica with other tools than the next one.
    #[test]
    fn continues_in_a_list_of_another_version() {
        let all = |names: &str| -> Vec<String> { names.split(' ').map(str::to_owned).collect() };
        let first = paged(all("a c e g"), Some(2), None).unwrap();
        assert_eq!(first.items, all("a c"));
        let second = paged(all("a b c d e g"), Some(2), first.next.as_deref()).unwrap();
        assert_eq!(second.items, all("d e"));
        let third = paged(all("a c e g"), Some(2), second.next.as_deref()).unwrap();
        assert_eq!((third.items, third.next), (all("g"), None));
        assert_eq!(paged(all("a c"), Some(2), first.next.as_deref()).unwrap().items, Vec::<String>::new());
    }
}
