//! The cursors of pages.

use tool_mcp::fuzzing::page;

/// Reads a list by pages: the first byte is the size of a page and whether the list is sorted, each line a name, and the last line
/// a cursor.
///
/// - The pages have each item once, in its order, and none is longer than the size.
/// - A cursor of the input is refused, or is that of an item: the page begins after the item.
pub fn cursor(input: &[u8]) {
    let Some((choice, text)) = input.split_first() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let (names, given) = text.rsplit_once('\n').unwrap_or(("", text));
    let mut names: Vec<String> = names.lines().take(64).map(str::to_owned).collect();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    sorted.dedup();
    if choice & 128 == 0 {
        names = sorted;
    } else if sorted.len() < names.len() {
        // Names are distinct.
        return;
    }
    let size = usize::from(choice & 127);
    let (mut read, mut next, mut cursors) = (Vec::new(), None::<String>, Vec::new());
    loop {
        let (items, after) = page(names.clone(), Some(size), next.as_deref()).expect("a cursor of the list");
        assert!(items.len() <= size.max(1), "a page is too long");
        read.extend(items);
        let Some(after) = after else { break };
        cursors.push((after.clone(), read.last().cloned()));
        next = Some(after);
        assert!(cursors.len() <= names.len(), "the pages do not end");
    }
    assert_eq!(read, names, "items are lost or repeated");
    for (cursor, _) in &cursors {
        assert!(page(names.clone(), None, Some(cursor)).is_none(), "a cursor is accepted without pages");
    }
    let Some((items, _)) = page(names.clone(), Some(size), Some(given)) else { return };
    let last = given.split_once('.').and_then(|(name, _)| decoded(name)).expect("a cursor with a name");
    let after = names.iter().position(|name| *name == last).map(|position| position + 1);
    let after = after.unwrap_or_else(|| names.iter().filter(|name| **name <= last).count());
    assert_eq!(items, names[after..].iter().take(size.max(1)).cloned().collect::<Vec<_>>());
}

fn decoded(name: &str) -> Option<String> {
    use base64::Engine as _;
    String::from_utf8(base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(name).ok()?).ok()
}
