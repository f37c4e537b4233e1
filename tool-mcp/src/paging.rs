//! Pages of lists.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
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
/// A cursor has the name of the last item of the page before it, and a digest that is the same in every process. The page begins
/// after that item, or where a sorted list would have it: the list may be that of a replica of another version. The bearer of a
/// cursor may read the whole list, so that it needs no protection.
///
/// # Errors
///
/// When the cursor is not one of this list, or the item is gone from a list that is not sorted.
pub(crate) fn page<T>(
    method: &str,
    items: Vec<T>,
    name: fn(&T) -> &str,
    size: Option<usize>,
    cursor: Option<&str>,
) -> RpcResult<ListPage<T>> {
    let start = match cursor {
        None => 0,
        Some(cursor) => {
            let last = size.and_then(|_| name_of(method, cursor));
            last.and_then(|last| position_after(&items, name, &last)).ok_or_else(|| unknown(cursor))?
        }
    };
    let end = size.map_or(items.len(), |size| start.saturating_add(size.max(1)).min(items.len()));
    let last = items[start..end].last().filter(|_| end < items.len());
    let next = last.map(|last| cursor_after(method, name(last)));
    let items = items.into_iter().skip(start).take(end - start).collect();
    Ok(ListPage { items, next })
}

fn cursor_after(method: &str, name: &str) -> String {
    let digest = Digest::of_bytes(format!("{method}\0{name}").as_bytes());
    format!("{}.{}", URL_SAFE_NO_PAD.encode(name), &digest.hex()[..16])
}

/// Returns the name in a cursor of this list.
fn name_of(method: &str, cursor: &str) -> Option<String> {
    let (name, _) = cursor.split_once('.')?;
    let name = String::from_utf8(URL_SAFE_NO_PAD.decode(name).ok()?).ok()?;
    (cursor_after(method, &name) == cursor).then_some(name)
}

/// Returns the position after the item with this name.
fn position_after<T>(items: &[T], name: fn(&T) -> &str, last: &str) -> Option<usize> {
    let position = items.iter().position(|item| name(item) == last).map(|position| position + 1);
    let place = || items.partition_point(|item| name(item) <= last);
    position.or_else(|| items.is_sorted_by(|a, b| name(a) <= name(b)).then(place))
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
        let mut unsorted = list(2);
        unsorted.reverse();
        assert!(paged(unsorted, Some(3), Some(&cursor)).is_err(), "the item is gone");
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
        let gone = paged(all("a d e"), Some(2), first.next.as_deref()).unwrap();
        assert_eq!((gone.items, gone.next), (all("d e"), None));
        let end = paged(all("a c"), Some(2), first.next.as_deref()).unwrap();
        assert_eq!((end.items, end.next), (Vec::new(), None));
    }
}
